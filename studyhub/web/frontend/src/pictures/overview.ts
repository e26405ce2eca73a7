/** Draws all of memory as one strip: where reading jumps, or from where to where numbers are copied. Knows no step. */
import { el } from "../dom";
import { type Inks, inks, onThemeChange, translucent } from "./palette";
import { indexAt, type Layout, numbersOf, offsetOf, placeAt, runOf } from "./storage";
import { Surface, type Text } from "./surface";
import { hatch, head } from "./tape-cells";
import { jumpsFrom, stretch } from "./tape-rows";
import { count } from "./words";

const UP = 44;
const HIGH = 16;
const DOWN = 20;
const COPIED = 16;
/** Jumps that are drawn: more of them hide each other. */
const JUMPS = 8;

export interface Overseen {
  layout: Layout;
  /** The tensor that was copied, if one was. */
  source: Layout | null;
  index: readonly number[];
  ink: string;
  times: Uint16Array | null;
}

interface Scale {
  from: number;
  to: number;
  x(offset: number): number;
}

export class Overview {
  readonly element: HTMLElement;
  private readonly surface = new Surface("All of memory", () => this.draw());
  private readonly unwatch = onThemeChange(() => this.draw());
  private seen: Overseen | null = null;

  constructor() {
    this.element = el("div", { class: "tape__overview" }, this.surface.element);
  }

  show(seen: Overseen): void {
    this.seen = seen;
    this.draw();
  }

  dispose(): void {
    this.unwatch();
    this.surface.dispose();
  }

  private draw(): void {
    const context = this.surface.begin(UP + HIGH + DOWN);
    if (!context || !this.seen) return;
    const { seen } = this;
    const paints = inks();
    const here = offsetOf(seen.layout, seen.index);
    const starts = jumpsFrom(seen.layout, seen.index);
    const pieces = seen.source ? copiedPieces(seen.source, seen.layout, seen.index) : [];
    const run = runOf(seen.layout);
    const ends = pieces.length
      ? pieces.map(({ to, length }) => to + length - 1)
      : starts.map((start) => start + run - 1);
    const scale = this.scale([here, ...starts, ...ends], seen.layout.cells);
    this.strip(context, seen, { scale, y: UP, paints });
    if (seen.source) this.copied(context, seen.source, pieces, { scale, paints, ink: seen.ink });
    else this.jumps(context, starts, { scale, paints, run, ink: seen.ink });
    context.fillStyle = paints.colour("ink");
    context.fillRect(held(scale.x(here) - 1.25, this.surface.width - 3), UP - 3, 2.5, HIGH + 6);
    this.surface.write(this.texts(scale, here, seen.source));
    this.surface.describe(`All of memory, ${count(seen.layout.cells)} numbers; offset ${count(here)}`);
  }

  private scale(offsets: readonly number[], cells: number): Scale {
    const { from, to } = stretch(offsets, cells);
    const { width } = this.surface;
    return { from, to, x: (offset) => ((offset - from) / Math.max(1, to - from)) * width };
  }

  /** Each stretch of pixels: read, read twice, never read. */
  private strip(
    context: CanvasRenderingContext2D,
    { times, ink }: Overseen,
    { scale, y, paints }: { scale: Scale; y: number; paints: Inks },
  ): void {
    const { width } = this.surface;
    context.fillStyle = translucent(paints.colour(ink), 0.13);
    if (!times) {
      context.fillRect(0, y, width, HIGH);
      return;
    }
    for (const { first, last, often } of alike(times, scale.from, scale.to)) {
      const box = { x: scale.x(first), y, w: Math.max(0.5, scale.x(last + 1) - scale.x(first)), h: HIGH };
      context.fillStyle = often === 0 ? paints.colour("sunken") : translucent(paints.colour(ink), 0.13);
      context.fillRect(box.x, box.y, box.w, box.h);
      if (often > 1) hatch(context, box, paints.colour("ink-2"));
      context.fillStyle = paints.colour("line-strong");
      if (often === 0) context.fillRect(box.x, y + HIGH - 2, box.w, 2);
    }
  }

  private jumps(
    context: CanvasRenderingContext2D,
    starts: readonly number[],
    { scale, paints, run, ink }: { scale: Scale; paints: Inks; run: number; ink: string },
  ): void {
    for (const start of starts) {
      context.fillStyle = translucent(paints.colour(ink), 0.4);
      context.fillRect(scale.x(start), UP, Math.max(1, scale.x(start + run) - scale.x(start) - 0.5), HIGH);
    }
    context.strokeStyle = context.fillStyle = paints.colour("ink-2");
    context.lineWidth = 1.25;
    for (const [n, start] of starts.slice(0, -1).slice(0, JUMPS).entries()) {
      const [from, to] = [scale.x(start + run), scale.x(starts[n + 1] ?? 0)];
      if (Math.abs(to - from) < 4) continue;
      const high = Math.min(UP - 6, 10 + Math.abs(to - from) / 4);
      context.beginPath();
      context.moveTo(from, UP - 2);
      context.bezierCurveTo(from, UP - 2 - high, to, UP - 2 - high, to, UP - 7);
      context.stroke();
      head(context, to, UP - 2, 1);
    }
  }

  /** The memory read above, the memory written below, the first pieces led from one to the other. */
  private copied(
    context: CanvasRenderingContext2D,
    source: Layout,
    pieces: readonly Piece[],
    { scale, paints, ink }: { scale: Scale; paints: Inks; ink: string },
  ): void {
    const above = this.scale(
      pieces.map(({ from }) => from),
      source.cells,
    );
    context.fillStyle = translucent(paints.colour(ink), 0.13);
    context.fillRect(0, 0, this.surface.width, 12);
    for (const { from, to, length } of pieces) {
      const [left, right] = [above.x(from), Math.max(above.x(from) + 1, above.x(from + length) - 0.5)];
      const [low, high] = [scale.x(to), Math.max(scale.x(to) + 1, scale.x(to + length) - 0.5)];
      context.fillStyle = translucent(paints.colour(ink), 0.4);
      context.fillRect(left, 0, right - left, 12);
      context.fillRect(low, UP, high - low, HIGH);
      context.fillStyle = translucent(paints.colour(ink), 0.15);
      context.beginPath();
      context.moveTo(left, 13);
      context.lineTo(right, 13);
      context.lineTo(high, UP - 1);
      context.lineTo(low, UP - 1);
      context.fill();
    }
  }

  private texts({ from, to, x }: Scale, here: number, source: Layout | null): Text[] {
    const { width } = this.surface;
    const y = UP + HIGH + 15;
    const text = `offset ${count(here)}`;
    const wide = text.length * 7.4;
    const at = x(here);
    const right = at + wide > width;
    const offset: Text = {
      x: right ? at : at - 1,
      y,
      text,
      look: "mono strong",
      anchor: right ? "end" : "start",
    };
    const [low, high] = right ? [at - wide, at] : [at, at + wide];
    const ends: Text[] = [
      { x: 0, y, text: count(from), look: "mono" },
      { x: width, y, text: count(to - 1), look: "mono", anchor: "end" },
    ];
    const clear = ends.filter((end) => (end.anchor ? high < width - 60 : low > 60));
    const words: Text[] = source
      ? [
          { x: width - 4, y: 10, text: "read", look: "strong", anchor: "end" },
          { x: width - 4, y: UP + 12, text: "written", look: "strong", anchor: "end" },
        ]
      : [];
    return [...clear, offset, ...words];
  }
}

const held = (at: number, most: number) => Math.max(0, Math.min(most, at));

/** Cells side by side that are read equally often: never, once, more than once. */
export function alike(
  times: Uint16Array,
  from: number,
  to: number,
): { first: number; last: number; often: number }[] {
  const found: { first: number; last: number; often: number }[] = [];
  for (let offset = from; offset < to; offset++) {
    const often = Math.min(2, times[offset] ?? 0);
    const last = found.at(-1);
    if (last?.often === often) last.last = offset;
    else found.push({ first: offset, last: offset, often });
  }
  return found;
}

interface Piece {
  from: number;
  to: number;
  length: number;
}

/** The runs that a copy reads, from that of the traced number on, and where it writes them. */
export function copiedPieces(source: Layout, target: Layout, index: readonly number[]): Piece[] {
  const length = Math.min(runOf(source), numbersOf(target.shape));
  const first = Math.floor(placeAt(target.shape, index) / length) * length;
  return Array.from({ length: COPIED }, (_, n) => first + n * length)
    .filter((place) => place < numbersOf(target.shape))
    .map((place) => ({
      from: offsetOf(source, indexAt(source.shape, place)),
      to: offsetOf(target, indexAt(target.shape, place)),
      length,
    }));
}
