/** The table twin: the frame's own numbers as a real table whose rows can be pointed at. Knows no picture. */
import { el } from "../dom";
import { placeOf } from "./matrix";
import type { Spot } from "./scene";
import type { Cell, Frame } from "./types";
import { number } from "./words";

/** A table of more cells than this is shown in pages: no picture has more than 2,000 elements. */
export const MOST_CELLS = 1200;

const written = (cell: Cell): string => {
  if (typeof cell === "number") return number(cell);
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
export function tableTwin(
  caption: string,
  columns: readonly string[],
  rows: readonly (readonly Cell[])[],
): HTMLElement {
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

interface Told {
  caption: string;
  columns: readonly string[];
  rows: readonly (readonly Cell[])[];
}

/** Tokens that stand more than once get their position, in rows and, where keys are columns, there too. */
function placed({ caption, columns, rows }: Told): Told {
  if (columns[0] !== "query") return { caption, columns, rows };
  const tokens = rows.map(([token]) => String(token));
  const keys = columns.slice(1);
  const named = (names: readonly string[]) => names.map((name, n) => name + placeOf(names, n));
  const [heads, names] = [keys.length === tokens.length ? named(keys) : keys, named(tokens)];
  const cells = rows.map(([, ...rest], n) => [names[n] ?? "", ...rest]);
  return { caption, columns: ["query", ...heads], rows: cells };
}

/** What the table of a frame says; a frame without one tells its axes. */
function toldBy(frame: Frame, title = ""): Told {
  const caption = title || frame.title || frame.step;
  if (frame.table.columns.length > 0) return placed({ caption, ...frame.table });
  const axes = frame.axes.map((axis, i) => [axis, frame.shape[i] ?? "", frame.strides[i] ?? ""]);
  return { caption, columns: ["axis", "length", "stride"], rows: axes };
}

/** The table of one frame, for reading only. */
export function frameTable(frame: Frame, title: string): HTMLElement {
  const { caption, columns, rows } = toldBy(frame, title);
  return tableTwin(caption, columns, rows);
}

/** The table of the frame that is shown: pointing at a row, or going to it by key, marks the picture, and back. */
export class Twin {
  readonly element = el("div", { class: "twin" });
  private frame: Frame | null = null;
  private told: Told = { caption: "", columns: [], rows: [] };
  private first = 0;
  private spot: Spot | null = null;

  constructor(private readonly pointed: (spot: Spot) => void) {
    this.element.addEventListener("pointerover", (event) => this.follow(event));
    this.element.addEventListener("focusin", (event) => this.follow(event));
    this.element.addEventListener("keydown", (event) => this.key(event));
  }

  /** Builds the table once for a frame; `spot` is marked in it. */
  show(frame: Frame, spot: Spot | null): void {
    if (frame !== this.frame) {
      this.frame = frame;
      this.told = toldBy(frame);
      this.first = 0;
      this.build();
    }
    this.mark(spot);
  }

  /** Marks a row, and a cell in it, and brings it into sight of its own region. */
  mark(spot: Spot | null): void {
    this.spot = spot;
    const per = this.perPage;
    if (spot && (spot.row < this.first || spot.row >= this.first + per)) {
      this.first = Math.floor(spot.row / per) * per;
      this.build();
    }
    const at = (spot?.row ?? -1) - this.first;
    for (const [n, line] of this.lines.entries()) {
      if (n === at) line.setAttribute("aria-current", "true");
      else line.removeAttribute("aria-current");
      line.tabIndex = n === Math.max(0, at) ? 0 : -1;
    }
    for (const cell of this.element.querySelectorAll(".is-pointed")) cell.classList.remove("is-pointed");
    const line = this.lines[at];
    if (spot?.column) line?.cells[spot.column]?.classList.add("is-pointed");
    if (line) intoSight(line);
  }

  private get lines(): HTMLTableRowElement[] {
    return [...this.element.querySelectorAll<HTMLTableRowElement>("tbody tr")];
  }

  private get perPage(): number {
    return Math.max(1, Math.floor(MOST_CELLS / Math.max(1, this.told.columns.length)));
  }

  private build(): void {
    const { caption, columns, rows } = this.told;
    const [first, per] = [this.first, this.perPage];
    const sentence = this.frame?.sentence ?? "";
    this.element.replaceChildren(
      tableTwin(caption, columns, rows.slice(first, first + per)),
      ...(rows.length > per ? [this.pages(rows.length, per)] : []),
      el("p", { class: "note" }, sentence),
    );
  }

  private pages(all: number, per: number): HTMLElement {
    const turn = (to: number, words: string) => {
      const onclick = () => {
        this.first = to;
        this.build();
        this.mark(null);
      };
      const off = to < 0 || to >= all;
      return el("button", { type: "button", class: "button button--small", disabled: off, onclick }, words);
    };
    const last = Math.min(all, this.first + per);
    const where = el("span", { class: "note" }, `Rows ${this.first + 1} to ${last} of ${all}`);
    const buttons = [turn(this.first - per, "Rows before"), turn(this.first + per, "Rows after")];
    return el("p", { class: "twin__pages" }, where, ...buttons);
  }

  private follow(event: Event): void {
    const target = event.target instanceof Element ? event.target : null;
    const line = target?.closest<HTMLTableRowElement>("tbody tr");
    if (!line) return;
    const column = target?.closest<HTMLTableCellElement>("td")?.cellIndex;
    const row = this.first + this.lines.indexOf(line);
    if (row === this.spot?.row && (column === undefined || column === this.spot.column)) return;
    this.mark(column === undefined ? { row } : { row, column });
    this.pointed(column === undefined ? { row } : { row, column });
  }

  private key(event: KeyboardEvent): void {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const line = event.target instanceof Element ? event.target.closest("tr") : null;
    if (!by || !line) return;
    event.preventDefault();
    event.stopPropagation();
    this.lines[this.lines.indexOf(line as HTMLTableRowElement) + by]?.focus();
  }
}

/** Scrolls the table's own region, never the page. */
function intoSight(line: HTMLElement): void {
  const region = line.closest<HTMLElement>(".picture__scroll");
  if (!region) return;
  const [top, bottom] = [line.offsetTop, line.offsetTop + line.offsetHeight];
  const head = line.closest("table")?.tHead?.offsetHeight ?? 0;
  if (top - head < region.scrollTop) region.scrollTop = top - head;
  else if (bottom > region.scrollTop + region.clientHeight) region.scrollTop = bottom - region.clientHeight;
}
