/** What tests of the pages' elements share: the elements, a page, keys pressed on it. */
import { afterEach, beforeAll, vi } from "vitest";
import { defineFields } from "./fields";
import { startKeys } from "./keys";
import { KeysHelp } from "./keys-help";
import { RatingBar } from "./rating-bar";
import { StudyCard } from "./study-card";
import { StudyOrdering } from "./study-ordering";
import { TopicSections } from "./topic-sections";

/** Registers the elements before the tests of a file; every test begins with an empty page. */
export function studyPages(): void {
  beforeAll(() => {
    customElements.define("study-card", StudyCard);
    defineFields();
    customElements.define("study-ordering", StudyOrdering);
    customElements.define("rating-bar", RatingBar);
    customElements.define("topic-sections", TopicSections);
    customElements.define("keys-help", KeysHelp);
    startKeys();
  });

  afterEach(() => {
    document.body.replaceChildren();
    sessionStorage.clear();
  });
}

export const show = (html: string) => {
  const template = document.createElement("template");
  template.innerHTML = html;
  document.body.replaceChildren(document.importNode(template.content, true));
};
export const press = (key: string, on: Element = document.body, more: KeyboardEventInit = {}) =>
  on.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more }));
export const clicked = (selector: string) => {
  const heard = vi.fn((event: Event) => event.preventDefault());
  document.querySelector(selector)?.addEventListener("click", heard);
  return heard;
};
