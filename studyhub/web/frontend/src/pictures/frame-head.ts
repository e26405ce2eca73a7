/** What stands over every frame: its title, its shape and strides, its sentence, torch's own words. Knows no layout. */
import { el } from "../dom";
import type { Frame } from "./types";
import { axisClass, shape } from "./words";

export class FrameHead {
  private readonly line = el("p", { class: "frame-head__line" });
  private readonly bar = el("p", { class: "frame-head__bar", "aria-hidden": "true" });
  private readonly error = el("p", { class: "run__words" });
  private readonly sentence = el("p", { class: "frame-head__sentence" });
  readonly element = el("div", { class: "frame-head" }, this.line, this.bar, this.error, this.sentence);

  show(frame: Frame): void {
    const shaped = frame.shape.length > 0 && frame.layout !== "series" && !frame.error;
    this.line.replaceChildren(
      el("b", { class: isCode(frame.title) ? "mono" : "" }, frame.title || frame.step),
      ...(shaped ? [" ", shape(frame.shape, frame.axes), ...memory(frame)] : []),
    );
    this.bar.hidden = !shaped || frame.layout !== "blocks";
    this.bar.replaceChildren(...(this.bar.hidden ? [] : pieces(frame)));
    this.error.hidden = !frame.error;
    this.error.replaceChildren(...(frame.error ? [el("samp", {}, frame.error)] : []));
    this.sentence.textContent = frame.sentence;
  }
}

const isCode = (title: string): boolean => /[()=[\]]/.test(title);

function memory(frame: Frame): (Node | string)[] {
  if (frame.strides.length !== frame.shape.length) return [];
  const words = `strides (${frame.strides.join(", ")})${frame.contiguous ? "" : ", not contiguous"}`;
  return [" ", el("span", { class: "split__strides" }, words)];
}

/** One block an axis, as long as the logarithm of its length, in the colour of its name. */
function pieces(frame: Frame): Node[] {
  return frame.shape.map((length, n) => {
    const piece = el("span", { class: `frame-head__piece ${axisClass(frame.axes[n] ?? "")}` });
    piece.style.flexGrow = String(1 + Math.log2(Math.max(1, length)));
    return piece;
  });
}
