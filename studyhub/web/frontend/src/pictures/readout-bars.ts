/** One row of a map as bars, its largest numbers first: weights, scores, or what every key brings to the output. */
import { el } from "../dom";
import type { Brought } from "./contributions";
import { type Entry, largestOf, type Matrix, placeOf, quoted } from "./matrix";
import type { Inks } from "./palette";
import { real } from "./words";

const MOST = 6;

export interface Barred {
  matrix: Matrix;
  rows: readonly string[];
  columns: readonly string[];
  row: number;
  column: number;
  step: string;
  inks: Inks;
}

/** The bars of one row of the map. */
export function rowBars(read: Barred, row: Float32Array): HTMLElement[] {
  const { matrix, columns } = read;
  const { shown, others, rest } = largestOf(row, MOST);
  const most = Math.max(1e-9, ...shown.map(({ value }) => Math.abs(value)));
  const level = (value: number) =>
    matrix.root ? Math.sqrt(Math.max(0, value)) : Math.abs(value) / matrix.top;
  const what = matrix.root ? "weight" : read.step === "output" ? "output" : "score";
  const side = matrix.rows === matrix.columns ? "key" : "feature";
  const heads = [side, `${what} from ${quoted(read.rows, read.row)}`, matrix.root ? "sum 1" : ""];
  const body = shown.map(({ index, value }) =>
    line(`${columns[index] ?? index}${placeOf(columns, index)}`, index === read.column, [
      bar(read.inks, value, most, level(value)),
      real(value),
    ]),
  );
  const tail = others > 0 && matrix.root ? [otherLine(others, [rest.toFixed(3)])] : [];
  return table(heads, [...body, ...tail]);
}

const percent = (part: number) => `${(100 * part).toFixed(Math.abs(part) < 0.1 ? 1 : 0)}%`.replace("-", "−");

/** What every key brings to a row of the output: its weight, and its share along the sum, which may be negative. */
export function partBars(read: Barred, { row, parts, weights }: Brought): HTMLElement[] {
  const { shown, others, rest } = largestOf(parts, MOST, Math.abs);
  const most = Math.max(1e-9, ...shown.map(({ value }) => Math.abs(value)));
  const weight = (index: number) => real(weights?.[index] ?? Number.NaN);
  const body = shown.map(({ index, value }: Entry) =>
    line(`${read.rows[index] ?? index}${placeOf(read.rows, index)}`, false, [
      bar(read.inks, value, most, Math.min(1, Math.abs(value))),
      ...(weights ? [weight(index)] : []),
      percent(value),
    ]),
  );
  const spare = weights ? [""] : [];
  const tail = others > 0 ? [otherLine(others, [...spare, percent(rest)])] : [];
  const heads = ["key", `part of ${quoted(read.rows, row)}`, ...(weights ? ["weight"] : []), "sum 100%"];
  return table(heads, [...body, ...tail]);
}

function table(heads: readonly string[], body: readonly HTMLElement[]): HTMLElement[] {
  const cells = heads.map((text, n) => el("th", { scope: "col", class: n > 1 ? "number" : "" }, text));
  return [el("thead", {}, el("tr", {}, ...cells)), el("tbody", {}, ...body)];
}

function line(name: string, current: boolean, [drawn, ...numbers]: (Node | string)[]): HTMLElement {
  const cells = numbers.map((text) => el("td", { class: "number mono" }, text));
  const head = el("th", { scope: "row" }, name);
  return el("tr", { "aria-current": current ? "true" : null }, head, el("td", {}, drawn), ...cells);
}

const otherLine = (others: number, numbers: readonly string[]) =>
  el(
    "tr",
    { class: "note" },
    el("th", { scope: "row", colspan: 2 }, `${others} other ${others === 1 ? "token" : "tokens"}`),
    ...numbers.map((text) => el("td", { class: "number mono" }, text)),
  );

/** As long as its number beside the longest, in the colour the map has for it. */
function bar(inks: Inks, value: number, most: number, level: number): HTMLElement {
  const drawn = el("span", { class: "readout__bar" });
  const stop = 3 * Math.round(255 * Math.min(1, level));
  const arm = value < 0 ? inks.minus : inks.heat;
  drawn.style.inlineSize = `${Math.max(1, (Math.abs(value) / most) * 100)}%`;
  drawn.style.backgroundColor = `rgb(${arm.subarray(stop, stop + 3).join(" ")})`;
  return drawn;
}
