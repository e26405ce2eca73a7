/** What a heat map says beside itself: one row as words and bars. Knows nothing of drawing the map. */
import { el } from "../dom";
import { broughtTo } from "./contributions";
import { type Matrix, quoted, rowOf } from "./matrix";
import type { Inks } from "./palette";
import { partBars, rowBars } from "./readout-bars";
import type { Scene } from "./scene";
import type { Frame } from "./types";
import { real } from "./words";

export interface Read {
  frame: Frame;
  matrix: Matrix;
  rows: string[];
  columns: string[];
  row: number;
  column: number;
  scene: Scene;
  inks: Inks;
}

export class Readout {
  readonly element: HTMLElement;
  private readonly head = el("p", { class: "readout__head" });
  private readonly words = el("p", { class: "readout__words" });
  private readonly note = el("p", { class: "note readout__note" });
  private readonly bars = el("table", { class: "readout__bars", "aria-live": "polite" });

  constructor() {
    this.element = el("div", { class: "readout__row" }, this.head, this.words, this.bars, this.note);
  }

  show(read: Read): void {
    const { layer, head } = read.scene.parameters;
    this.head.replaceChildren(
      el("b", {}, `Layer ${Number(layer ?? 0)}, head ${Number(head ?? 0)}`),
      el("span", { class: "note" }, "counted from 0"),
    );
    this.words.replaceChildren(...readOut(read));
    if (this.note.textContent !== read.frame.sentence) this.note.textContent = read.frame.sentence;
    const brought = broughtTo(read.row, read.frame, read.scene);
    const barred = { ...read, step: read.frame.step };
    this.bars.toggleAttribute("data-parts", brought !== null);
    this.bars.replaceChildren(
      ...(brought ? partBars(barred, brought) : rowBars(barred, rowOf(read.matrix, read.row))),
    );
    if (brought && brought.row !== read.row)
      this.words.append(
        ` Of a sentence this long the parts of one row are sent, that of ${quoted(read.rows, brought.row)}.`,
      );
  }
}

/** The chosen number in a sentence: "This head sends 0.677 of “it” to “animal”." */
export function readOut({
  matrix,
  rows,
  columns,
  row,
  column,
  frame,
}: Omit<Read, "scene" | "inks">): (Node | string)[] {
  const number = matrix.values[row * matrix.columns + column] ?? Number.NaN;
  const value = el("b", {}, real(number));
  const [from, to] = [
    quoted(rows, row),
    matrix.rows === matrix.columns ? quoted(columns, column) : `feature ${columns[column]}`,
  ];
  if (Number.isNaN(number)) return [`From ${from} to ${to}: `, value, ", a key after its query is not seen."];
  if (matrix.root) return ["This head sends ", value, ` of ${from} to ${to}.`];
  if (frame.step === "output") return [`The output of ${from} has `, value, ` in ${to}.`];
  return [`From ${from} to ${to}: `, value, `, ${SCORE[frame.step] ?? "a score"}.`];
}

const SCORE: Record<string, string> = {
  scores: "q of the one times k of the other",
  scaled: "after the division",
  masked: "after the mask",
};
