/** One row of a map in words and bars, and the layer's heads as thumbnails. Knows no drawing of the map. */
import { el } from "../dom";
import { pixels } from "./cells";
import { largestOf, type Matrix, matrixOf, placeOf, quoted, rowOf } from "./matrix";
import type { Inks } from "./palette";
import type { Scene } from "./scene";
import type { Frame, Tensor } from "./types";
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

const MOST = 6;
/** More heads than this stand closer, without their entropies in sight. */
const MANY = 24;

export class Readout {
  readonly element: HTMLElement;
  private readonly head = el("p", { class: "readout__head" });
  private readonly words = el("p", { class: "readout__words" });
  private readonly note = el("p", { class: "note readout__note" });
  private readonly bars = el("table", { class: "readout__bars", "aria-live": "polite" });
  private readonly heads = el("div", { class: "readout__heads" });
  private drawnHeads = "";

  constructor(private readonly choose: (head: number) => void) {
    this.element = el("div", { class: "readout" }, this.head, this.words, this.bars, this.note, this.heads);
  }

  show(read: Read): void {
    const { layer, head } = read.scene.parameters;
    this.head.replaceChildren(
      el("b", {}, `Layer ${Number(layer ?? 0)}, head ${Number(head ?? 0)}`),
      el("span", { class: "note" }, "counted from 0"),
    );
    this.words.replaceChildren(...readOut(read));
    this.note.textContent = read.frame.sentence;
    this.bars.replaceChildren(...barRows(read));
    this.showHeads(read);
  }

  private showHeads(read: Read): void {
    const found = thumbnails(read.scene);
    const key = `${found?.tensor.sha256}${read.scene.parameters.head}${read.inks.colour("surface")}`;
    if (!found || key === this.drawnHeads) return;
    this.drawnHeads = key;
    const [heads] = found.tensor.shape.slice(-3);
    const buttons = Array.from({ length: heads ?? 0 }, (_, n) => this.thumbnail(n, found, read));
    const title = el(
      "p",
      { class: "readout__head" },
      el("b", {}, `All heads of layer ${Number(read.scene.parameters.layer ?? 0)}`),
    );
    if (found.entropies.length > 0) title.append(el("span", { class: "note" }, "head, mean entropy in nats"));
    this.heads.replaceChildren(
      title,
      el("div", { class: "readout__grid", "data-many": buttons.length > MANY }, ...buttons),
    );
  }

  private thumbnail(n: number, found: Thumbs, read: Read): HTMLElement {
    const matrix = matrixOf(found.tensor, found.numbers, n);
    const canvas = pixels(matrix, read.inks);
    const entropy = found.entropies[n]?.toFixed(2) ?? "";
    const spoken = el("span", { class: "visually-hidden" }, "Head ");
    canvas.setAttribute("aria-hidden", "true");
    const pressed = n === Number(read.scene.parameters.head ?? 0);
    return el(
      "button",
      {
        type: "button",
        "aria-pressed": String(pressed),
        onclick: () => this.choose(n),
      },
      canvas,
      el("span", {}, spoken, el("b", { class: "axis-H" }, String(n)), el("span", {}, ` ${entropy}`)),
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

interface Thumbs {
  tensor: Tensor;
  numbers: Float32Array;
  /** Mean entropy of each head in nats, where the frame tells it. */
  entropies: readonly number[];
}

/** All heads of the layer, if a frame brings them. */
function thumbnails(scene: Scene): Thumbs | null {
  const bearing = (tensor: Tensor) => tensor.role === "thumbnails" && tensor.shape.length >= 3;
  const frame = scene.frames.find(({ tensors }) => tensors.some(bearing));
  const tensor = frame?.tensors.find(bearing);
  const numbers = scene.tensor(tensor);
  return frame && tensor && numbers ? { tensor, numbers, entropies: frame.values } : null;
}

function barRows(read: Read): HTMLElement[] {
  const row = rowOf(read.matrix, read.row);
  const { shown, others, rest } = largestOf(row, MOST);
  const most = Math.max(1e-9, ...shown.map(({ value }) => Math.abs(value)));
  const what = read.matrix.root ? "weight" : read.frame.step === "output" ? "output" : "score";
  const sum = read.matrix.root ? "sum 1" : "";
  const head = el(
    "tr",
    {},
    el("th", { scope: "col" }, read.matrix.rows === read.matrix.columns ? "key" : "feature"),
    el("th", { scope: "col" }, `${what} from ${quoted(read.rows, read.row)}`),
    el("th", { scope: "col", class: "number" }, sum),
  );
  const body = shown.map(({ index, value }) => barRow(read, index, value, most));
  const tail = others > 0 && read.matrix.root ? [otherRow(others, rest)] : [];
  return [el("thead", {}, head), el("tbody", {}, ...body, ...tail)];
}

function barRow(read: Read, index: number, value: number, most: number): HTMLElement {
  const bar = el("span", { class: "readout__bar" });
  const level = read.matrix.root ? Math.sqrt(Math.max(0, value)) : Math.abs(value) / read.matrix.top;
  const stop = 3 * Math.round(255 * Math.min(1, level));
  const arm = value < 0 ? read.inks.minus : read.inks.heat;
  bar.style.inlineSize = `${Math.max(1, (Math.abs(value) / most) * 100)}%`;
  bar.style.backgroundColor = `rgb(${arm.subarray(stop, stop + 3).join(" ")})`;
  const current = index === read.column;
  return el(
    "tr",
    { "aria-current": current ? "true" : null },
    el("th", { scope: "row" }, `${read.columns[index] ?? index}${placeOf(read.columns, index)}`),
    el("td", {}, bar),
    el("td", { class: "number mono" }, real(value)),
  );
}

const otherRow = (others: number, rest: number) =>
  el(
    "tr",
    { class: "note" },
    el("th", { scope: "row", colspan: 2 }, `${others} other tokens`),
    el("td", { class: "number mono" }, rest.toFixed(3)),
  );
