/** One map of query against key (or against feature) as numbers: rows, scale, extremes. Pure. */
import type { Frame, Tensor } from "./types";

export interface Matrix {
  rows: number;
  columns: number;
  /** Row-major; NaN or minus infinity where a key is hidden. */
  values: Float32Array;
  /** True where steps of colour run by square root, as weights are sent. */
  root: boolean;
  /** What full colour stands for: 1 for weights, the largest size for other numbers. */
  top: number;
  /** True where there are numbers below 0: the scale then has two arms. */
  negative: boolean;
  /** True where some numbers are masked. */
  hidden: boolean;
}

const known = new WeakMap<Float32Array, Map<number, Matrix>>();

/** The last two axes of a tensor; of several heads the one at `head`. The same numbers give the same matrix. */
export function matrixOf(tensor: Tensor, numbers: Float32Array, head: number): Matrix {
  const [rows, columns] = [tensor.shape.at(-2) ?? 1, tensor.shape.at(-1) ?? 1];
  const maps = Math.max(1, numbers.length / (rows * columns));
  const first = (maps > head ? head : 0) * rows * columns;
  const made = known.get(numbers) ?? new Map<number, Matrix>();
  const values = numbers.subarray(first, first + rows * columns);
  const matrix = made.get(first) ?? {
    rows,
    columns,
    values,
    ...scaled(values, tensor.encoding === "u8sqrt"),
  };
  known.set(numbers, made.set(first, matrix));
  return matrix;
}

/** Numbers that travel in the frame itself, where its shape has two axes; null where they do not fit it. */
export function inlineMatrix(frame: Frame): Matrix | null {
  const [rows, columns] = frame.shape;
  if (frame.shape.length !== 2 || !rows || !columns || frame.values.length !== rows * columns) return null;
  const values = Float32Array.from(frame.values);
  return { rows, columns, values, ...scaled(values, false) };
}

/** What the colours of these numbers stand for. */
function scaled(values: Float32Array, root: boolean): Pick<Matrix, "root" | "top" | "negative" | "hidden"> {
  let [largest, negative, hidden] = [0, false, false];
  for (const value of values) {
    if (!Number.isFinite(value)) hidden = true;
    else if (Math.abs(value) > largest) largest = Math.abs(value);
    if (value < 0 && Number.isFinite(value)) negative = true;
  }
  return { root, top: root ? 1 : largest || 1, negative: !root && negative, hidden };
}

/** Place on the colour scale, -1 to 1: weights by square root, signed numbers evenly; null where hidden. */
export function level(matrix: Matrix, row: number, column: number): number | null {
  const value = matrix.values[row * matrix.columns + column] ?? Number.NaN;
  if (!Number.isFinite(value)) return null;
  return matrix.root ? Math.sqrt(Math.max(0, Math.min(1, value))) : value / matrix.top;
}

export const rowOf = (matrix: Matrix, row: number): Float32Array =>
  matrix.values.subarray(row * matrix.columns, (row + 1) * matrix.columns);

export interface Entry {
  index: number;
  value: number;
}

/** The largest `most` of a row, by `rank` where it is not the value itself, and what the others come to. */
export function largestOf(
  row: Float32Array,
  most: number,
  rank: (value: number) => number = (value) => value,
): { shown: Entry[]; others: number; rest: number } {
  const all = [...row]
    .map((value, index) => ({ index, value }))
    .filter(({ value }) => Number.isFinite(value));
  all.sort((one, other) => rank(other.value) - rank(one.value));
  const rest = all.slice(most);
  return {
    shown: all.slice(0, most),
    others: rest.length,
    rest: rest.reduce((sum, { value }) => sum + value, 0),
  };
}

/** Names of rows and columns, from the frame's table where it has them, else numbers; keys are the queries' tokens. */
export function namesOf(frame: Frame, matrix: Matrix): { rows: string[]; columns: string[] } {
  const numbered = (length: number) => Array.from({ length }, (_, i) => String(i));
  const { columns, rows } = frame.table;
  const named = rows.length === matrix.rows ? rows.map((cells) => String(cells[0])) : numbered(matrix.rows);
  if (columns.length === matrix.columns + 1) return { rows: named, columns: columns.slice(1) };
  return { rows: named, columns: matrix.rows === matrix.columns ? named : numbered(matrix.columns) };
}

/** " 8" where a token stands more than once, so that each can be told from the others; positions count from 0. */
export const placeOf = (names: readonly string[], index: number): string =>
  names.indexOf(names[index] ?? "") === names.lastIndexOf(names[index] ?? "") ? "" : ` ${index}`;

/** A token in a sentence: “it”, or “the” 8. */
export const quoted = (names: readonly string[], index: number): string =>
  `“${names[index] ?? index}”${placeOf(names, index)}`;
