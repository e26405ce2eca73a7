/** What stands beside a run: the same split in other lines of code, or its axes. Closed until asked for. */
import { el } from "../dom";
import { frameTable } from "./table";
import type { Frame } from "./types";

/** Steps that stand open above. */
const SHOWN = new Set(["run", "output"]);

export class OtherLines {
  private readonly body = el("div");
  private readonly words = el("summary", {}, "Other lines of code");
  readonly element = el("details", { class: "run__others" }, this.words, this.body);

  /** The frames after the run itself; its room is there before they come. */
  show(frames: readonly Frame[]): void {
    const others = frames.filter(({ step, table }) => !SHOWN.has(step) && table.rows.length > 0);
    this.words.textContent = others.some(({ step }) => step === "right")
      ? "Axis by axis"
      : "Other lines of code";
    this.body.replaceChildren(
      ...others.map((frame) => el("div", {}, el("p", {}, frame.sentence), frameTable(frame, frame.title))),
    );
    this.element.toggleAttribute("data-empty", others.length === 0);
  }
}
