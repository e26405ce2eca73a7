/** Elements of the larger answer fields; loaded by pages that have one. */
import { StudyChosen } from "./study-chosen";
import { StudyCode } from "./study-code";
import { StudyEcho } from "./study-echo";
import { StudyPending } from "./study-pending";

const ELEMENTS = {
  "study-echo": StudyEcho,
  "study-code": StudyCode,
  "study-chosen": StudyChosen,
  "study-pending": StudyPending,
};

export function defineFields(): void {
  for (const [name, element] of Object.entries(ELEMENTS))
    if (!customElements.get(name)) customElements.define(name, element);
}

defineFields();
