/** The same split written in other lines of code, with what each of them does: closed until asked for. */
import { el } from "../dom";
import { frameTable } from "./table";
import type { Frame } from "./types";

export class OtherLines {
  private readonly body = el("div");
  private readonly words = el("summary", {}, "Other lines of code");
  readonly element = el("details", { class: "run__others" }, this.words, this.body);

  /** The frames after the run itself; its room is there before they come. */
  show(frames: readonly Frame[]): void {
    const others = frames.filter(({ step, table }) => step !== "run" && table.rows.length > 0);
    this.body.replaceChildren(
      ...others.map((frame) => el("div", {}, el("p", {}, frame.sentence), frameTable(frame, frame.title))),
    );
    this.element.toggleAttribute("data-empty", others.length === 0);
  }
}
