/** The row that asks for the next shape before it is shown. Scored apart from the card: nothing is stored. */
import { el } from "../dom";
import { parseShape } from "../study/shapes";
import type { Frame } from "./types";
import { tuple } from "./words";

export class Predict {
  readonly element: HTMLFormElement;
  private readonly field: HTMLInputElement;
  private readonly label: HTMLElement;
  private readonly button = el("button", { class: "button button--small", "data-testid": "reveal" });
  private readonly verdict = el("span", { class: "predict__verdict", role: "status" });
  private next: Frame | null = null;
  private judging = false;

  constructor(private readonly reveal: () => void) {
    this.field = el("input", {
      class: "predict__field",
      inputmode: "text",
      autocomplete: "off",
      spellcheck: "false",
      "aria-label": "Your prediction of the next shape",
      "data-testid": "predict",
    });
    this.label = el("label", { class: "predict__label" }, el("b", {}, "Predict the next shape "), this.field);
    this.element = el(
      "form",
      { class: "predict", hidden: true, onsubmit: (event) => this.check(event) },
      this.label,
      this.button,
      this.verdict,
    );
  }

  /** Asks for the step after the one shown; with nothing left to predict only what was just judged stays.
   * Hidden where `shaped` is false. */
  ask(next: Frame | null, seen: boolean, shaped: boolean): void {
    const moved = next?.step !== this.next?.step;
    if (moved && !this.judging) this.verdict.textContent = "";
    this.element.hidden = !shaped || (!next && !this.verdict.textContent);
    this.label.hidden = !next?.shape.length;
    this.button.hidden = !next;
    if (moved) this.field.value = "";
    this.next = next;
    this.button.textContent = `${seen ? "Show" : "Reveal"} ${next?.step === "output" ? "W_O" : (next?.step ?? "")}`;
  }

  private check(event: Event): void {
    event.preventDefault();
    event.stopPropagation();
    const frame = this.next;
    if (!frame) return;
    this.verdict.textContent = judged(this.field.value, frame);
    this.judging = true;
    this.reveal();
    this.judging = false;
  }
}

/** "Right: (2, 12, 4, 64)", "Not yet: …" or, without a guess, only what is shown. */
export function judged(text: string, frame: Frame): string {
  if (frame.error || frame.shape.length === 0) return `${frame.step} gives no shape`;
  if (!text.trim()) return `${frame.step} gives ${tuple(frame.shape)}`;
  const guess = parseShape(text);
  if (!guess) return `Not read as a shape; ${frame.step} gives ${tuple(frame.shape)}`;
  const right = tuple(guess) === tuple(frame.shape);
  return right
    ? `Right: ${frame.step} gives ${tuple(frame.shape)}`
    : `Not yet: you gave ${tuple(guess)}, ${frame.step} gives ${tuple(frame.shape)}`;
}
