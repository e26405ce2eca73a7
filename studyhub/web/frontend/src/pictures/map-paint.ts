/** The geometry and the colours of a heat map: cells, numbers in them, names along its sides. Knows no pointer. */
import { pixels } from "./cells";
import { largestOf, level, type Matrix, placeOf, rowOf } from "./matrix";
import { type Inks, luminance, type Rgb, rgb } from "./palette";
import type { Text } from "./surface";

/** What a map shows: its numbers, the names along both sides, what each side is. */
export interface Mapped {
  title: string;
  matrix: Matrix;
  rows: readonly string[];
  columns: readonly string[];
  /** The two axes: their names and the classes that colour them. */
  sides: { rows: Side; columns: Side };
  /** Which cells carry their number, where cells are large enough. */
  numbers: "all" | "largest";
  /** The word of the legend for one number: "weight", "token". */
  word: string;
}

export interface Side {
  name: string;
  look: string;
}

export interface Layout {
  cell: { w: number; h: number };
  left: number;
  top: number;
}

const LEFT = 96;
const TOP = 92;
const SHORT_TOP = 44;
const LARGEST_CELL = 38;
/** Cells carry numbers from this size up. */
const NUMBERED = 28;
const MOST_NUMBERED = 2048;
const FEW_ROWS = 16;

/** Cells as large as fit: of a square map square, else of few rows high enough for their numbers. */
export function layoutOf(matrix: Matrix, across: number, top = TOP): Layout {
  const left = Math.min(LEFT, across * 0.24);
  const fits = (many: number) => Math.min(LARGEST_CELL, (across - left - 12) / many);
  const w = fits(matrix.columns);
  const least = matrix.rows <= FEW_ROWS ? NUMBERED : 0;
  const h = matrix.rows === matrix.columns ? w : Math.max(least, fits(matrix.rows));
  return { cell: { w, h }, left, top };
}

/** Room over the map: column names of at most three letters stand upright, longer ones are turned. */
export function topOf(columns: readonly string[]): number {
  const longest = Math.max(0, ...columns.map((name) => name.length));
  return longest <= 3 ? SHORT_TOP : Math.min(TOP, 38 + 6 * longest);
}

/** The map at one pixel a cell, then enlarged without smoothing; hidden cells stay the ground's colour. */
export function drawMap(
  context: CanvasRenderingContext2D,
  matrix: Matrix,
  layout: Layout,
  paints: Inks,
): void {
  const { cell, left, top } = layout;
  const small = pixels(matrix, paints);
  context.imageSmoothingEnabled = false;
  context.drawImage(small, left, top, matrix.columns * cell.w, matrix.rows * cell.h);
  context.fillStyle = paints.colour("line");
  if (cell.w >= 10)
    for (let c = 0; c <= matrix.columns; c++)
      context.fillRect(left + c * cell.w - 0.5, top, 1, matrix.rows * cell.h);
  if (cell.h >= 10)
    for (let r = 0; r <= matrix.rows; r++)
      context.fillRect(left, top + r * cell.h - 0.5, matrix.columns * cell.w, 1);
}

interface Pointed {
  row: number;
  column: number;
  paints: Inks;
}

export function drawPointed(
  context: CanvasRenderingContext2D,
  matrix: Matrix,
  layout: Layout,
  at: Pointed,
): void {
  const { cell, left, top } = layout;
  context.strokeStyle = at.paints.colour("accent");
  context.lineWidth = 2.5;
  context.beginPath();
  context.roundRect(left - 1, top + at.row * cell.h - 1, matrix.columns * cell.w + 2, cell.h + 2, 3);
  context.stroke();
  context.lineWidth = 1.5;
  if (at.column >= 0) context.strokeRect(left + at.column * cell.w, top + at.row * cell.h, cell.w, cell.h);
}

/** Every cell's number in ink or ground, whichever contrasts more; a number that does not fit is left to the table. */
export function drawNumbers(
  context: CanvasRenderingContext2D,
  matrix: Matrix,
  { cell, left, top }: Layout,
  paints: Inks,
) {
  if (Math.min(cell.w, cell.h) < NUMBERED || matrix.values.length > MOST_NUMBERED) return;
  context.font = "11px JetBrains Mono Variable, monospace";
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (let n = 0; n < matrix.values.length; n++) {
    const [row, column] = [Math.floor(n / matrix.columns), n % matrix.columns];
    const text = fitted(matrix.values[n] ?? Number.NaN, Math.floor((cell.w - 4) / 6.6));
    context.fillStyle = paints.colour(inkOn(colourOf(matrix, row, column, paints), paints));
    context.fillText(text, left + (column + 0.5) * cell.w, top + (row + 0.5) * cell.h + 1);
  }
}

/** The number in at most `letters` letters, with as many digits as fit; "" where not even its whole part does. */
export function fitted(value: number, letters: number): string {
  if (!Number.isFinite(value)) return "";
  if (Number.isInteger(value)) return String(value).length <= letters ? String(value) : "";
  for (let digits = 2; digits >= 0; digits--) {
    const text = value
      .toFixed(digits)
      .replace(/^(-?)0\./, "$1.")
      .replace("-", "−");
    if (text.length <= letters) return text;
  }
  return "";
}

export function names(shown: Mapped, layout: Layout, at: { row: number; column: number }): Text[] {
  const { cell, left, top } = layout;
  const fits = (size: number, room = 14) => Math.max(1, Math.ceil(room / size));
  const upright = top === SHORT_TOP;
  const down = shown.rows.flatMap((text, row): Text[] => {
    if (!named(row, at.row, fits(cell.h))) return [];
    const place = { x: left - 8, y: top + (row + 0.5) * cell.h + 4, anchor: "end" as const };
    return [{ ...place, text: short(text) + placeOf(shown.rows, row), look: row === at.row ? "strong" : "" }];
  });
  const over = shown.columns.flatMap((text, column): Text[] => {
    if (!named(column, at.column, fits(cell.w, upright ? 22 : 15))) return [];
    const look = column === at.column ? "strong" : "";
    const middle = left + (column + 0.5) * cell.w;
    if (upright) return [{ x: middle, y: top - 8, text, look, anchor: "middle" }];
    return [
      { x: middle + 3, y: top - 8, text: short(text) + placeOf(shown.columns, column), look, turn: 50 },
    ];
  });
  const { rows, columns } = shown.sides;
  const key: Text = { x: left, y: 11, text: columns.name, look: `${columns.look} strong` };
  const query: Text = {
    x: left - 8,
    y: top - (upright ? 22 : 8),
    text: rows.name,
    look: `${rows.look} strong`,
    anchor: "end",
  };
  return [key, query, ...down, ...over];
}

/** Every `each`th is named, and the chosen one in place of its neighbours. */
const named = (index: number, chosen: number, each: number): boolean =>
  index === chosen || (index % each === 0 && (chosen < 0 || Math.abs(index - chosen) >= each));

const short = (text: string) => (text.length > 11 ? `${text.slice(0, 10)}…` : text);

function colourOf(matrix: Matrix, row: number, column: number, paints: Inks): Rgb {
  const place = level(matrix, row, column) ?? 0;
  const stop = 3 * Math.round(255 * Math.min(1, Math.abs(place)));
  const [red, green, blue] = (place < 0 ? paints.minus : paints.heat).subarray(stop, stop + 3);
  return [red ?? 0, green ?? 0, blue ?? 0];
}

/** The row's largest number inside its cell, from 26 px cells up. */
export function largest(matrix: Matrix, layout: Layout, row: number, paints: Inks): Text[] {
  if (layout.cell.w < 26 || !matrix.root || row < 0) return [];
  const [found] = largestOf(rowOf(matrix, row), 1).shown;
  if (!found) return [];
  const column = found.index;
  const look = inkOn(colourOf(matrix, row, column, paints), paints) === "surface" ? "on-strong" : "";
  const text = found.value.toFixed(2).replace(/^0/, "");
  const { cell, left, top } = layout;
  const place = { x: left + (column + 0.5) * cell.w, y: top + (row + 0.5) * cell.h + 4 };
  return [{ ...place, text, look: `mono strong ${look}`, anchor: "middle" }];
}

/** Ink, or the ground itself: the token that contrasts more with a cell. */
function inkOn(cell: Rgb, paints: Inks): "ink" | "surface" {
  const ratio = (name: string) => {
    const [one, other] = [luminance(cell), luminance(rgb(paints.colour(name)))];
    return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
  };
  return ratio("surface") > ratio("ink") ? "surface" : "ink";
}
