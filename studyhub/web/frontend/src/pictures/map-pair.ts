/** Two maps of the same rows beside each other, one row of both read out. Knows no mistake. */
import { el } from "../dom";
import { MapView } from "./map";
import type { Mapped } from "./map-paint";
import { largestOf, type Matrix, placeOf, quoted, rowOf } from "./matrix";
import { count, real } from "./words";

const MOST = 5;
const SIDES = {
  rows: { name: "query", look: "axis-T" },
  columns: { name: "key token", look: "axis-T" },
};

export interface Two {
  wrong: Matrix | null;
  right: Matrix | null;
  /** Names of the rows as each map has them, and of the columns. */
  rows: { wrong: readonly string[]; right: readonly string[] };
  columns: readonly string[];
  /** What is said of a row beside its keys. */
  told(row: number): string;
}

export class MapPair {
  readonly wrong = new MapView("As written", (row, column) => this.go(row, column));
  readonly right = new MapView("What works", (row, column) => this.go(row, column));
  readonly element = el("div", { class: "silent__row" });
  private readonly words = el("p", { class: "silent__read", "aria-live": "polite" });
  private readonly keys = el("table", { class: "silent__keys" });
  private two: Two | null = null;

  constructor(private readonly pointed: (row: number, column: number) => void) {
    this.element.append(this.words, this.keys);
  }

  show(two: Two): void {
    this.two = two;
    if (this.wrong.row < 0) this.start(two);
    this.wrong.show(two.wrong && this.mapped(two.wrong, two.rows.wrong, "As written"));
    this.right.show(two.right && this.mapped(two.right, two.rows.right, "What works"));
    this.read();
  }

  /** Begins with "it", where the sentence has it, and its largest weight. */
  private start({ right, columns }: Two): void {
    if (!right) return;
    const row = Math.max(0, columns.indexOf("it"));
    this.select(row, largestOf(rowOf(right, row), 1).shown[0]?.index ?? 0);
  }

  select(row: number, column: number): void {
    for (const map of [this.wrong, this.right])
      map.select(row, column < 0 ? Math.max(0, map.column) : column);
    this.read();
  }

  key(event: KeyboardEvent): boolean {
    const second = this.right.element.contains(document.activeElement);
    return (second ? this.right : this.wrong).key(event);
  }

  dispose(): void {
    this.wrong.dispose();
    this.right.dispose();
  }

  private go(row: number, column: number): void {
    this.select(row, column);
    this.pointed(row, column);
  }

  private mapped(matrix: Matrix, rows: readonly string[], title: string): Mapped {
    return {
      title,
      matrix,
      rows,
      columns: this.two?.columns ?? [],
      sides: SIDES,
      numbers: "largest",
      word: "weight",
    };
  }

  /** The row's strongest keys under either line, side by side. */
  private read(): void {
    const { two } = this;
    const row = this.right.row;
    if (!two?.wrong || !two.right || row < 0) return;
    this.words.textContent = two.told(row);
    const [wrong, right] = [rowOf(two.wrong, row), rowOf(two.right, row)];
    const found = [wrong, right].flatMap((weights) =>
      largestOf(weights, MOST).shown.map(({ index }) => index),
    );
    const strength = (index: number) => Math.max(wrong[index] ?? 0, right[index] ?? 0);
    const shown = [...new Set(found)].sort((one, other) => strength(other) - strength(one)).slice(0, MOST);
    const line = (index: number) =>
      el(
        "tr",
        { "aria-current": index === this.right.column ? "true" : null },
        el("th", { scope: "row" }, `${two.columns[index] ?? index}${placeOf(two.columns, index)}`),
        el("td", { class: "number mono" }, real(wrong[index] ?? 0)),
        el("td", { class: "number mono" }, real(right[index] ?? 0)),
      );
    const heads = [`key of ${quoted(two.columns, row)}`, "as written", "what works"];
    const head = heads.map((text, n) => el("th", { scope: "col", class: n ? "number" : "" }, text));
    const caption = `The ${count(shown.length)} strongest keys of the row`;
    this.keys.replaceChildren(
      el("caption", { class: "visually-hidden" }, caption),
      el("thead", {}, el("tr", {}, ...head)),
      el("tbody", {}, ...shown.map(line)),
    );
  }
}
