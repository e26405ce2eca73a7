/** One side of a split: what is shown in words over the drawing. Knows no step but the one given. */
import { el } from "../dom";
import { Surface } from "./surface";
import type { Frame } from "./types";
import { shape } from "./words";

const CALLS: Record<string, string> = { input: "x", transpose: "transpose(1, 2)", output: "W_O" };
const called = (frame: Frame) => CALLS[frame.step] ?? frame.step;

/** Letters of a heading that leave room for the word "strides" in one line. */
const ONE_LINE = 48;

/** One side: heading with shape and strides, and the drawing. */
export class Pane {
  readonly element: HTMLElement;
  readonly head = el("p", { class: "split__head" });
  readonly surface: Surface;

  constructor(
    readonly word: string,
    draw: () => void,
  ) {
    this.surface = new Surface(word, draw);
    if (word === "Before") delete this.surface.canvas.dataset.testid;
    this.element = el(
      "div",
      { class: "split__pane", "data-side": word.toLowerCase() },
      this.head,
      this.surface.element,
    );
  }

  name(frame: Frame | undefined): void {
    this.head.replaceChildren(
      ...(frame ? heading(this.word, frame) : [el("b", {}, `${this.word}: nothing yet`)]),
    );
    if (frame) this.surface.describe(`${this.word}: ${called(frame)}, shape (${frame.shape.join(", ")})`);
  }
}

function heading(word: string, frame: Frame): Node[] {
  const letters = [word, called(frame), frame.shape.join(", "), frame.strides.join(", ")].join("").length;
  const spare = letters < ONE_LINE;
  return [
    el("b", {}, el("span", { class: "split__when" }, `${word}: `), called(frame)),
    shape(frame.shape, frame.axes),
    el(
      "span",
      { class: "split__strides" },
      spare ? el("span", {}, "strides ") : "",
      frame.strides.join(", "),
    ),
  ];
}
