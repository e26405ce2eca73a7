/** Reads a shape as a learner types it: from digits, axis names or both. Pure; knows no size of a name.

The grammar is that of the service (cards/expressions/shapes.py); corpus.json holds both to it. */
import { axesOf, isName, isRun } from "./axes";
import { plain, Unread } from "./plain";

const MOST_AXES = 8;
const LARGEST = 2 ** 31 - 1;
const CALL = /^\s*(?:torch\.)?Size\s*(?=\()|^\s*(?:\w+\.)?shape\s*[=:]\s*/;
const TOKEN = / *(?:(\d+)|([A-Za-z_][A-Za-z_0-9]*)|(\/\/|.)) */sy;
const GROUPED = /(?<!\d)\d{1,3},(?=\d{3}(?!\d))/;
const [OPEN, CLOSE] = ["([{<", ")]}>"];
const PRODUCT = ["*", "x", "X"];
const QUOTIENT = ["/", "//"];

interface Part {
  readonly text: string;
  readonly at: number;
}

/** The axes as they are written: ["2", "12"], ["B", "T", "H*D"]. `names`: axes of known size. Throws Unread. */
export function readShape(text: string, names: readonly string[] = []): string[] {
  const source = plain(text, "x").text;
  if (GROUPED.test(source) && source.includes(", ")) throw new Unread(text);
  const axes = axesIn(source).filter((axis) => axis.length > 0);
  const [first] = axes;
  if (!first || axes.length > MOST_AXES) throw new Unread(text);
  if (axes.length === 1 && first.length === 1 && isRun(first[0]?.text ?? "") && !source.includes(","))
    throw new Unread("Separate the axes");
  return axes.map((axis) => sizeOf(axis, names));
}

/** Where the axes stand: past torch.Size and matching brackets. */
function inside(source: string): [number, number] {
  let [start, end] = [CALL.exec(source)?.[0].length ?? 0, source.trimEnd().length];
  while (start < end && `${OPEN} `.includes(source[start] ?? "")) {
    if (source[start] !== " ") {
      if (!encloses(source, start, end)) break;
      if (source[end - 1] !== CLOSE[OPEN.indexOf(source[start] ?? "")]) throw new Unread("a bracket is open");
      end -= 1;
      while (end > start && source[end - 1] === " ") end -= 1;
    }
    start += 1;
  }
  return [start, end];
}

/** Whether the bracket at `start` closes at the very end, or never. */
function encloses(source: string, start: number, end: number): boolean {
  let depth = 0;
  for (let at = start; at < end; at++) {
    const sign = source[at] ?? "";
    depth += Number(OPEN.includes(sign)) - Number(CLOSE.includes(sign));
    if (depth === 0) return at === end - 1;
  }
  return true;
}

/** Parts grouped by axis, by the strongest separator there is. */
function axesIn(source: string): Part[][] {
  const parts = partsIn(source);
  for (const separators of [
    [",", ";"],
    ["x", "X"],
  ])
    if (parts.some(({ text }) => separators.includes(text))) return split(parts, separators);
  const apart = parts.every(
    (part, n) => n === 0 || part.at > (parts[n - 1]?.at ?? 0) + (parts[n - 1]?.text.length ?? 0),
  );
  return apart && parts.every(({ text }) => /^\w+$/.test(text)) ? parts.map((part) => [part]) : [parts];
}

function partsIn(source: string): Part[] {
  const [start, end] = inside(source);
  const [found, text] = [[] as Part[], source.slice(0, end)];
  TOKEN.lastIndex = start;
  while (TOKEN.lastIndex < end) {
    const from = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    if (!match) break;
    const [all, digits, word, sign] = match;
    const piece = digits ?? word ?? sign ?? "";
    const at = from + all.indexOf(piece);
    found.push(...(word === undefined ? [{ text: piece, at }] : unstuck(word, at)));
  }
  return found;
}

/** `x12x4x64` or `BxHxTxD` taken apart at each x, unless the word is a name as it stands. */
function unstuck(word: string, at: number): Part[] {
  const pieces = word.split(/([xX])/);
  const known = pieces.every((piece) => piece === "" || /^[xX]$|^\d+$/.test(piece) || isName(piece));
  if (isName(word) || !known) return [{ text: word, at }];
  const starts = pieces.map((_, n) => at + pieces.slice(0, n).join("").length);
  return pieces.map((text, n) => ({ text, at: starts[n] ?? at })).filter(({ text }) => text !== "");
}

/** The axes between separators; one more may stand at the end, as in (64,). */
function split(parts: readonly Part[], separators: readonly string[]): Part[][] {
  const axes: Part[][] = [[]];
  for (const part of parts) {
    const last = axes.at(-1) ?? [];
    if (!separators.includes(part.text)) last.push(part);
    else if (last.length === 0) throw new Unread(part.text);
    else axes.push([]);
  }
  if (axes.at(-1)?.length === 0 && ![",", ";"].includes(parts.at(-1)?.text ?? "")) throw new Unread("unread");
  return axes;
}

/** One axis as written: factors multiplied and divided. What is all digits must be whole and small enough. */
function sizeOf(axis: readonly Part[], names: readonly string[]): string {
  const bracketed = axis.length > 2 && axis[0]?.text === "(" && axis.at(-1)?.text === ")";
  const [first, ...rest] = bracketed ? axis.slice(1, -1) : axis;
  if (!first || rest.length % 2) throw new Unread("unread");
  let [size, name] = factor(first, names);
  for (let n = 0; n < rest.length; n += 2) {
    const [sign, part] = [rest[n]?.text ?? "", rest[n + 1]];
    if (!part || !(PRODUCT.includes(sign) || QUOTIENT.includes(sign))) throw new Unread("unread");
    const [other, written] = factor(part, names);
    const divides = QUOTIENT.includes(sign);
    size = divides ? size / other : size * other;
    name += divides ? `/${written.includes("*") ? `(${written})` : written}` : `*${written}`;
    if (size > LARGEST || (!Number.isNaN(size) && !Number.isInteger(size))) throw new Unread("no size");
  }
  return name;
}

/** A number with its digits, or axes with a size nobody here knows (NaN). */
function factor({ text }: Part, names: readonly string[]): [number, string] {
  if (/^\d+$/.test(text)) {
    const size = Number(text);
    if (text.length > 10 || text.startsWith("0") || size < 1 || size > LARGEST) throw new Unread(text);
    return [size, text];
  }
  const axes = axesOf(text, names);
  if (axes.length === 0 || axes.some((axis) => !names.includes(axis))) throw new Unread(text);
  return [Number.NaN, axes.join("*")];
}

/** The sizes of a shape written in numbers, or null where something else is written. */
export function parseShape(text: string): number[] | null {
  try {
    const parts = readShape(text);
    return parts.every((part) => /^\d+$/.test(part)) ? parts.map(Number) : null;
  } catch (error) {
    if (error instanceof Unread) return null;
    throw error;
  }
}
