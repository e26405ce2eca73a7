/** Tables of a program that was run: code as code, shapes in the colours of their axes, columns that can stack. Knows no run. */
import { el } from "../dom";
import type { Cell, Facts, Frame } from "./types";
import { count, shape } from "./words";

/** Which axis each length of a shape is, "" where that is not known. */
export type AxesOf = (lengths: readonly number[]) => readonly string[];

const SHAPE = /^\((\d+(?:, \d+)*),?\)$/;

/** The lengths of "(2, 12, 4, 64)"; null for what is no shape. */
export function lengthsIn(text: string): number[] | null {
  const inside = SHAPE.exec(text)?.[1];
  return inside === undefined ? null : inside.split(", ").map(Number);
}

/** Axes as the frames tell them of this very shape, else of each length that one given name alone has. */
export function axesFrom(frames: readonly Frame[], { names }: Facts): AxesOf {
  const given = Object.entries((names ?? {}) as Record<string, unknown>);
  const named = (length: number) => {
    const found = given.filter(([, value]) => value === length && length > 1);
    return found.length === 1 ? (found[0]?.[0] ?? "") : "";
  };
  return (lengths) =>
    frames.find((frame) => String(frame.shape) === String(lengths))?.axes ?? lengths.map(named);
}

/** A shape in its colours, or the words as they stand. */
export const coloured = (text: string, axesOf: AxesOf): Node | string => {
  const lengths = lengthsIn(text);
  return lengths ? shape(lengths, axesOf(lengths)) : text;
};

function cellOf(cell: Cell, head: string, code: boolean, axesOf: AxesOf): HTMLElement {
  const text = typeof cell === "number" ? count(cell) : String(cell ?? "");
  const said = coloured(text, axesOf);
  const inside = code && typeof said === "string" && said ? el("code", {}, said) : said;
  return el("td", { class: code ? "mono" : "", "data-head": head }, inside);
}

/** One table: the first column names the row; what stands under "outcome" or beside a count is prose, the rest code. */
export function programTable({ title, step, table }: Frame, axesOf: AxesOf): HTMLElement {
  const { columns, rows } = table;
  const caption = title || step;
  const heads = columns.map((name) => el("th", { scope: "col" }, name));
  const line = ([first, ...rest]: readonly Cell[]) => {
    const prose = first === "numbers that differ";
    const cells = rest.map((cell, n) => {
      const head = columns[n + 1] ?? "";
      return cellOf(cell, head, !prose && head !== "outcome", axesOf);
    });
    return el("tr", {}, el("th", { scope: "row" }, String(first ?? "")), ...cells);
  };
  const parts = [
    el("caption", {}, caption),
    el("thead", {}, el("tr", {}, ...heads)),
    el("tbody", {}, ...rows.map(line)),
  ];
  const made = el("table", { class: "program__table", "data-testid": "picture-table" }, ...parts);
  return el(
    "div",
    { class: "picture__scroll program__scroll", role: "region", tabindex: 0, "aria-label": caption },
    made,
  );
}
