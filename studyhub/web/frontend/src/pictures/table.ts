/** The table twin: the frame's own numbers as a real table. Knows no picture. */
import { el } from "../dom";
import { placeOf } from "./matrix";
import type { Cell, Frame } from "./types";
import { count } from "./words";

const written = (cell: Cell): string => {
  if (typeof cell === "number") return Number.isInteger(cell) ? count(cell) : cell.toFixed(3);
  if (typeof cell === "boolean") return cell ? "yes" : "no";
  return cell ?? "";
};

/** First column names the row; numbers are set right, with tabular digits. */
function row(cells: readonly Cell[]): HTMLTableRowElement {
  const [head, ...rest] = cells;
  return el(
    "tr",
    {},
    el("th", { scope: "row" }, written(head ?? "")),
    ...rest.map((cell) => el("td", { class: typeof cell === "number" ? "number" : "" }, written(cell))),
  );
}

/** A table with caption and scopes, in a region that scrolls by itself and can take focus. */
export function tableTwin(caption: string, columns: readonly string[], rows: readonly Cell[][]): HTMLElement {
  const numeric = columns.map(
    (_, i) => rows.length > 0 && rows.every((cells) => typeof cells[i] === "number"),
  );
  const heads = columns.map((name, i) =>
    el("th", { scope: "col", class: numeric[i] && i > 0 ? "number" : "" }, name),
  );
  return el(
    "div",
    { class: "picture__scroll", role: "region", tabindex: 0, "aria-label": caption },
    el(
      "table",
      { "data-testid": "picture-table" },
      el("caption", {}, caption),
      el("thead", {}, el("tr", {}, ...heads)),
      el("tbody", {}, ...rows.map(row)),
    ),
  );
}

/** Tokens that stand more than once get their position, in rows and, where keys are columns, there too. */
function told(columns: readonly string[], rows: readonly Cell[][]): [readonly string[], readonly Cell[][]] {
  if (columns[0] !== "query") return [columns, rows];
  const tokens = rows.map(([token]) => String(token));
  const keys = columns.slice(1);
  const placed = (names: readonly string[]) => names.map((name, n) => name + placeOf(names, n));
  const [heads, names] = [keys.length === tokens.length ? placed(keys) : keys, placed(tokens)];
  return [["query", ...heads], rows.map(([, ...cells], n) => [names[n] ?? "", ...cells])];
}

/** The table of one frame; a frame without one shows its steps' shapes. */
export function frameTable(frame: Frame, title: string): HTMLElement {
  const { columns, rows } = frame.table;
  const caption = title || frame.title || frame.step;
  if (columns.length > 0) return tableTwin(caption, ...told(columns, rows));
  return tableTwin(
    caption,
    ["axis", "length", "stride"],
    frame.axes.map((axis, i) => [axis, frame.shape[i] ?? "", frame.strides[i] ?? ""]),
  );
}
