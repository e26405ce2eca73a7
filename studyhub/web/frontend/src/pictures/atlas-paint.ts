/** Paints the small maps of all heads on one canvas: map, frame, words under it. Knows no pointer and no order. */
import { type AtlasData, countOf, mapOf, sortedBy } from "./atlas-data";
import { type Arranged, GAP, WORDED } from "./atlas-layout";
import { isWeight, SHORT_PATTERN, written } from "./atlas-words";
import { pixels } from "./cells";
import type { Inks } from "./palette";
import { count } from "./words";

/** What is marked on the maps. */
export interface Marks {
  /** The head that is chosen. */
  head: number;
  pins: readonly number[];
  /** The pattern that is looked for; "" for all. */
  pattern: string;
  step: string;
}

export interface Place {
  x: number;
  y: number;
}

interface Ground {
  data: AtlasData;
  arranged: Arranged;
  marks: Marks;
  paints: Inks;
  by: Float32Array | null;
}

/** How much of a head is seen that is not looked for. */
const DIMMED = 0.16;

const sheets = new WeakMap<Float32Array, { heat: Uint8ClampedArray; sheet: HTMLCanvasElement }>();

/** All small maps in one picture, a pixel a cell, one row of maps a layer; painted once for its numbers and theme. */
function sheetOf(data: AtlasData, paints: Inks): HTMLCanvasElement {
  const known = sheets.get(data.numbers);
  if (known?.heat === paints.heat) return known.sheet;
  const { rows, columns } = mapOf(data, 0);
  const sheet = document.createElement("canvas");
  [sheet.width, sheet.height] = [columns * data.heads, rows * data.layers];
  const context = sheet.getContext("2d");
  for (let head = 0; head < countOf(data); head++)
    context?.drawImage(
      pixels(mapOf(data, head), paints),
      (head % data.heads) * columns,
      Math.floor(head / data.heads) * rows,
    );
  sheets.set(data.numbers, { heat: paints.heat, sheet });
  return sheet;
}

/** Every head at its place, those that are looked for plainly; the chosen one last, as its frame overlaps. */
export function paintHeads(
  context: CanvasRenderingContext2D,
  places: ReadonlyMap<number, Place>,
  ground: Omit<Ground, "by">,
): void {
  const { data, marks } = ground;
  const full = { ...ground, by: sortedBy(data, marks.step) };
  const sheet = sheetOf(data, ground.paints);
  const heads = [...places].filter(([head]) => head !== marks.head);
  const chosen = places.get(marks.head);
  for (const [head, place] of heads) paintHead(context, sheet, { ...full, head, place });
  if (chosen) paintHead(context, sheet, { ...full, head: marks.head, place: chosen });
}

function paintHead(
  context: CanvasRenderingContext2D,
  sheet: HTMLCanvasElement,
  ground: Ground & { head: number; place: Place },
): void {
  const { data, arranged, marks, paints, head, place } = ground;
  const { rows, columns } = mapOf(data, head);
  const side = arranged.cell - GAP;
  context.globalAlpha = marks.pattern && data.patterns[head] !== marks.pattern ? DIMMED : 1;
  context.imageSmoothingEnabled = side < columns;
  const [sx, sy] = [(head % data.heads) * columns, Math.floor(head / data.heads) * rows];
  context.drawImage(sheet, sx, sy, columns, rows, place.x, place.y, side, side);
  context.lineWidth = 1;
  context.strokeStyle = paints.colour("line");
  context.strokeRect(place.x - 0.5, place.y - 0.5, side + 1, side + 1);
  if (marks.step.startsWith("pair")) paintPair(context, ground, side);
  paintWords(context, ground, side);
  context.globalAlpha = 1;
  if (marks.pins.includes(head)) paintPin(context, place, marks.pins.indexOf(head) + 1, paints);
  if (head === marks.head) outline(context, place, side, paints);
}

function outline(context: CanvasRenderingContext2D, { x, y }: Place, side: number, paints: Inks): void {
  context.strokeStyle = paints.colour("accent");
  context.lineWidth = 2.5;
  context.beginPath();
  context.roundRect(x - 1.5, y - 1.5, side + 3, side + 3, 3);
  context.stroke();
}

/** A pinned head carries its number among the pins. */
function paintPin(context: CanvasRenderingContext2D, { x, y }: Place, number: number, paints: Inks): void {
  context.fillStyle = paints.colour("accent");
  context.beginPath();
  context.roundRect(x - 2, y - 2, 15, 15, 3);
  context.fill();
  context.fillStyle = paints.colour("on-accent");
  context.font = "700 12px Inter Variable, system-ui, sans-serif";
  [context.textAlign, context.textBaseline] = ["center", "middle"];
  context.fillText(String(number), x + 5.5, y + 6);
}

/** Where the followed pair lies in a small map: the bin of its query and its key. */
function paintPair(
  context: CanvasRenderingContext2D,
  { data, head, place, paints }: Ground & { head: number; place: Place },
  side: number,
): void {
  if (!data.pair) return;
  const { rows } = mapOf(data, head);
  const cell = side / rows;
  const bin = (position: number) => binOf(position, data.tokens, rows);
  const size = Math.max(5, cell + 2);
  const middle = (position: number) => (bin(position) + 0.5) * cell - size / 2;
  context.strokeStyle = paints.colour("H");
  context.lineWidth = 1.5;
  context.strokeRect(place.x + middle(data.pair.key), place.y + middle(data.pair.query), size, size);
}

/** The bin of a small map that a token falls into. */
export function binOf(position: number, tokens: number, bins: number): number {
  let found = 0;
  while (found + 1 < bins && Math.floor(((found + 1) * tokens) / bins) <= position) found++;
  return found;
}

const UI = "12px Inter Variable, system-ui, sans-serif";
const MONO = "12px JetBrains Mono Variable, monospace";

/** By layer the pattern, where it fits; where heads are sorted, the head and its number. */
function paintWords(
  context: CanvasRenderingContext2D,
  { data, arranged, marks, paints, by, head, place }: Ground & { head: number; place: Place },
  side: number,
): void {
  [context.textAlign, context.textBaseline] = ["left", "alphabetic"];
  if (!by) {
    if (arranged.cell < WORDED) return;
    const pattern = data.patterns[head] ?? "";
    const word = SHORT_PATTERN[pattern] ?? pattern;
    context.font = UI;
    context.fillStyle = paints.colour("ink-3");
    if (context.measureText(word).width <= arranged.cell + 2)
      context.fillText(word, place.x, place.y + side + 14);
    return;
  }
  const one = arranged.words < 30;
  const [layer, own] = [Math.floor(head / data.heads), head % data.heads];
  context.font = `600 ${UI}`;
  context.fillStyle = paints.colour("H");
  context.fillText(`${count(layer)}.${own}`, place.x, place.y + side + 14);
  const text = written(by[head] ?? 0, isWeight(marks.step.split(" ")[0] ?? ""));
  context.font = MONO;
  context.fillStyle = paints.colour("ink-2");
  if (one) context.textAlign = "right";
  context.fillText(text, one ? place.x + side : place.x, place.y + side + (one ? 14 : 28));
}
