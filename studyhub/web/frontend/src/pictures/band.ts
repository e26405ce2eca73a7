/** The band of heads: blocks of one width in a row of features, what is left over, in one sum. Knows no player. */
import { el } from "../dom";
import { rounded } from "./paint";
import { inks, translucent } from "./palette";
import { labelEvery } from "./pieces";
import { Surface, type Text } from "./surface";
import type { Facts } from "./types";
import { count } from "./words";

/** The split as numbers: `heads` blocks of `width` in a row of `total`, `left` features over. */
export interface Band {
  heads: number;
  width: number;
  features: number;
  total: number;
  left: number;
  over: number;
}

const whole = (value: unknown): number => (typeof value === "number" && Number.isFinite(value) ? value : 0);

export function bandOf(facts: Facts): Band {
  const [heads, features, width] = [whole(facts.num_heads), whole(facts.q_width), whole(facts.d_head)];
  const used = heads * width;
  const [left, over] = [Math.max(0, features - used), Math.max(0, used - features)];
  return { heads, width, features, total: Math.max(features, used), left, over };
}

/** More heads than this are one block that says how many there are. */
export const MOST_BANDS = 128;
const HEIGHT = 66;
const WIDE_REST = 24;
const BAND = { y: 6, h: 44 };

/** Where the blocks start and how wide each is, in features. */
export function blocksOf(band: Band): { start: number; width: number }[] {
  if (band.width < 1) return [];
  if (band.heads > MOST_BANDS) return [{ start: 0, width: band.heads * band.width }];
  return Array.from({ length: band.heads }, (_, h) => ({ start: h * band.width, width: band.width }));
}

export class BandOfHeads {
  private readonly surface = new Surface("The band of heads", () => this.draw());
  private readonly sum = el("figcaption", { "data-testid": "picture-sum" });
  readonly element = el("figure", { class: "run__band" }, this.surface.element, this.sum);
  private band: Band | null = null;

  /** Null where the picture is not about a number of heads or their width. */
  show(band: Band | null): void {
    this.band = band && band.heads > 0 && band.total > 0 ? band : null;
    this.element.hidden = !this.band;
    if (this.band) this.sum.replaceChildren(...sums(this.band));
    this.draw();
  }

  draw(): void {
    const context = this.band && this.surface.begin(HEIGHT);
    if (!context || !this.band) return;
    drawBand(context, this.band, this.surface);
    this.surface.write(labels(this.band, this.surface.width));
    this.surface.describe(spoken(this.band));
  }

  dispose(): void {
    this.surface.dispose();
  }
}

function drawBand(context: CanvasRenderingContext2D, band: Band, surface: Surface): void {
  const paints = inks();
  const scale = (surface.width - (band.left ? 3 : 0)) / band.total;
  const blocks = blocksOf(band);
  const gap = Math.min(2, (blocks[0]?.width ?? 0) * scale * 0.2);
  for (const [h, block] of blocks.entries()) {
    context.fillStyle = translucent(paints.colour("H"), h % 2 ? 0.3 : 0.17);
    rounded(context, { x: block.start * scale, y: BAND.y, w: block.width * scale - gap, h: BAND.h }, 4);
  }
  const end = band.heads * band.width * scale;
  if (band.left) remainder(context, end, surface.width, paints.colour("incorrect"));
  if (band.over) edge(context, band.features * scale, paints.colour("incorrect"));
  if (end > 0) bracket(context, end - gap, paints.colour("ink-3"));
}

/** What belongs to no head: taller than the band, never thinner than 4 px; a wide rest is an edge and a tint. */
function remainder(context: CanvasRenderingContext2D, from: number, to: number, colour: string): void {
  const across = Math.max(4, to - from);
  const edge = across > WIDE_REST ? 3 : across;
  context.fillStyle = translucent(colour, 0.14);
  context.fillRect(from, BAND.y, across, BAND.h);
  context.fillStyle = colour;
  context.fillRect(from, BAND.y - 6, edge, BAND.h + 12);
  context.fillRect(from + Math.min(across, edge) / 2 - 0.75, BAND.y + BAND.h + 6, 1.5, 10);
}

/** Where q ends, when the heads ask for more than it has. */
function edge(context: CanvasRenderingContext2D, x: number, colour: string): void {
  context.fillStyle = colour;
  context.fillRect(x - 1.5, BAND.y - 6, 3, BAND.h + 12);
}

function bracket(context: CanvasRenderingContext2D, end: number, colour: string): void {
  const y = BAND.y + BAND.h + 8.5;
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.beginPath();
  for (const [x, up] of [
    [0.75, true],
    [0.75, false],
    [end, false],
    [end, true],
  ] as const)
    context.lineTo(x, up ? y : y + 6);
  context.stroke();
}

/** The numbers of the heads where they fit; of more heads than can be drawn, how many they are. */
export function labels(band: Band, across: number): Text[] {
  const blocks = blocksOf(band);
  const room = (Math.min(band.width, band.total) / band.total) * across;
  const every = labelEvery(room, blocks.length);
  const named = (h: number) => (blocks.length < band.heads ? `${count(band.heads)} heads` : String(h));
  return blocks.flatMap(({ start, width }, h) =>
    h % every ? [] : [text(named(h), ((start + width / 2) / band.total) * across)],
  );
}

const text = (words: string, x: number): Text => ({
  x,
  y: BAND.y + BAND.h / 2 + 4,
  text: words,
  look: "strong",
  anchor: "middle",
});

const headsOf = (band: Band) => `${count(band.heads)} head${band.heads === 1 ? "" : "s"}`;

/** "10 heads × 76 = 760" and "8 left over", in words that wrap where both do not fit beside each other. */
function sums(band: Band): Node[] {
  const product = el(
    "span",
    {},
    el("span", { class: "axis-H" }, headsOf(band)),
    " × ",
    el("span", { class: "axis-D" }, count(band.width)),
    ` = ${count(band.heads * band.width)}`,
  );
  const rest = restOf(band);
  return rest ? [product, el("span", { class: "rest-words" }, rest)] : [product];
}

function restOf(band: Band): string {
  if (band.left) return `${count(band.left)} left over`;
  return band.over ? `${count(band.over)} more than there are` : "";
}

const spoken = (band: Band) =>
  [`${headsOf(band)} of ${count(band.width)} in ${count(band.features)} features`, restOf(band)]
    .filter(Boolean)
    .join(", ");
