/** Draws lines of memory as cells: read in which order, read twice, never read, cache lines. Knows no step. */
import { el } from "../dom";
import { type Inks, inks, onThemeChange, translucent } from "./palette";
import { type Layout, readersOf } from "./storage";
import { Surface, type Text } from "./surface";
import { PER_ROW, type Read } from "./tape-rows";
import { count } from "./words";

const PITCH = 25;
const HIGH = 19;
const LARGEST = 25;
/** From this width of a cell up it carries its number in reading order. */
const NUMBERED = 14;

export interface Taped {
  layout: Layout;
  /** The traced cell, shown first and strongest. */
  offset: number;
  reads: readonly Read[];
  /** First offset of each line shown. */
  rows: readonly number[];
  /** How many numbers a cache line holds. */
  perLine: number;
  /** How often each cell is read, where it was counted. */
  times: Uint16Array | null;
  /** The colour of the numbers, and the axis whose place it follows, -1 for none. */
  ink: string;
  axis: number;
  /** Lines to make room for. */
  room: number;
}

interface Place {
  x: number;
  y: number;
}

export class TapeCells {
  readonly element: HTMLElement;
  private readonly surface: Surface;
  private readonly unwatch = onThemeChange(() => this.draw());
  private taped: Taped | null = null;

  constructor(
    private readonly label: string,
    private readonly pointed: (offset: number) => void,
  ) {
    this.surface = new Surface(label, () => this.draw());
    this.element = el("div", { class: "tape__cells" }, this.surface.element);
    this.surface.canvas.tabIndex = 0;
    this.surface.canvas.dataset.arrows = "";
    for (const name of ["pointermove", "pointerdown"] as const)
      this.surface.canvas.addEventListener(name, (event) => this.follow(event));
  }

  show(taped: Taped): void {
    this.taped = taped;
    this.draw();
  }

  /** By cells: one along the line, or one line on. */
  key(event: KeyboardEvent): boolean {
    const by = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: PER_ROW, ArrowUp: -PER_ROW }[event.key];
    if (!by || !this.taped) return false;
    this.to(this.taped.offset + by);
    return true;
  }

  get focused(): boolean {
    return this.element.contains(document.activeElement);
  }

  dispose(): void {
    this.unwatch();
    this.surface.dispose();
  }

  private to(offset: number): void {
    if (this.taped && offset >= 0 && offset < this.taped.layout.cells && offset !== this.taped.offset)
      this.pointed(offset);
  }

  private follow(event: PointerEvent): void {
    const { x, y } = this.surface.place(event);
    const first = this.taped?.rows[Math.floor(y / PITCH)];
    const cell = Math.floor((x - this.left) / this.cell);
    if (first !== undefined && cell >= 0 && cell < PER_ROW) this.to(first + cell);
  }

  private get left(): number {
    return this.surface.width >= 420 ? 128 : 62;
  }

  private get cell(): number {
    return Math.min(LARGEST, (this.surface.width - this.left - 1) / PER_ROW);
  }

  private draw(): void {
    const { taped } = this;
    const context = this.surface.begin((taped?.room ?? 1) * PITCH + 4);
    if (!context || !taped) return;
    const paints = inks();
    taped.rows.forEach((first, row) => {
      this.drawRow(context, taped, { first, y: row * PITCH + 2 }, paints);
      this.edge(context, taped, row, paints);
    });
    this.arrows(context, taped, paints);
    this.surface.write([...this.labels(taped), ...this.orders(taped)]);
    this.surface.describe(`${this.label}, offset ${count(taped.offset)} of ${count(taped.layout.cells)}`);
  }

  private drawRow(
    context: CanvasRenderingContext2D,
    taped: Taped,
    { first, y }: { first: number; y: number },
    paints: Inks,
  ): void {
    const { layout, axis } = taped;
    const own = readersOf(layout, taped.offset).first?.[axis];
    for (let n = 0; n < Math.min(PER_ROW, layout.cells - first); n++) {
      const offset = first + n;
      const { first: index, times: found } = readersOf(layout, offset);
      const times = taped.times?.[offset] ?? found;
      const same = axis >= 0 && own !== undefined && index?.[axis] === own;
      const box = { x: this.left + n * this.cell, y, w: this.cell - 1.5, h: HIGH };
      context.fillStyle =
        times === 0
          ? paints.colour("sunken")
          : translucent(paints.colour(taped.ink), offset === taped.offset ? 0.95 : same ? 0.34 : 0.13);
      context.fillRect(box.x, box.y, box.w, box.h);
      if (times > 1) hatch(context, box, paints.colour("ink-2"));
      if (times === 0) never(context, box, paints.colour("ink-3"));
    }
    for (const { offset } of taped.reads) {
      if (offset < first || offset >= first + PER_ROW) continue;
      context.strokeStyle = paints.colour(offset === taped.offset ? "ink" : "ink-2");
      context.lineWidth = offset === taped.offset ? 2 : 1;
      context.strokeRect(this.left + (offset - first) * this.cell, y, this.cell - 1.5, HIGH);
    }
  }

  /** A bar at the left of the lines that make one cache line; dashes where memory is left out. */
  private edge(context: CanvasRenderingContext2D, taped: Taped, row: number, paints: Inks): void {
    const [first = 0, next] = [taped.rows[row], taped.rows[row + 1]];
    const y = row * PITCH + 2;
    const ends = next === undefined || Math.floor(next / taped.perLine) !== Math.floor(first / taped.perLine);
    context.fillStyle = paints.colour("line-strong");
    context.fillRect(this.left - 6, y, 2, ends ? HIGH : PITCH);
    if (next === undefined || next === first + PER_ROW) return;
    context.strokeStyle = paints.colour("line-strong");
    context.lineWidth = 1;
    context.setLineDash([3, 4]);
    context.beginPath();
    context.moveTo(this.left - 6, y + HIGH + 3);
    context.lineTo(this.left + PER_ROW * this.cell, y + HIGH + 3);
    context.stroke();
    context.setLineDash([]);
  }

  private placeOf(taped: Taped, offset: number): Place | null {
    const row = taped.rows.indexOf(Math.floor(offset / PER_ROW) * PER_ROW);
    if (row < 0) return null;
    return { x: this.left + ((offset % PER_ROW) + 0.5) * this.cell - 0.75, y: row * PITCH + 2 };
  }

  /** From each number read to the next, where it does not lie beside it. */
  private arrows(context: CanvasRenderingContext2D, taped: Taped, paints: Inks): void {
    context.strokeStyle = context.fillStyle = paints.colour("ink-2");
    context.lineWidth = 1.25;
    for (const [n, read] of taped.reads.entries()) {
      const next = taped.reads[n + 1];
      if (!next || next.order !== read.order + 1 || next.offset === read.offset + 1) continue;
      const [from, to] = [this.placeOf(taped, read.offset), this.placeOf(taped, next.offset)];
      if (from && to && from.y !== to.y) arrow(context, from, to);
    }
  }

  private labels({ rows, perLine }: Taped): Text[] {
    return rows.flatMap((first, row): Text[] => {
      const y = row * PITCH + 16;
      const offset: Text = { x: this.left - 12, y, text: count(first), look: "mono", anchor: "end" };
      const begins = first % perLine === 0 && this.left > 100;
      return begins ? [offset, { x: 0, y, text: `line ${count(first / perLine)}`, look: "quiet" }] : [offset];
    });
  }

  private orders(taped: Taped): Text[] {
    if (this.cell < NUMBERED) return [];
    const seen = new Set<number>();
    return taped.reads.flatMap(({ offset, order }): Text[] => {
      const place = this.placeOf(taped, offset);
      if (!place || seen.has(offset) || String(order).length * 8 > this.cell) return [];
      seen.add(offset);
      const look = `mono strong${offset === taped.offset ? " on-strong" : ""}`;
      return [{ x: place.x, y: place.y + 14, text: String(order), look, anchor: "middle" }];
    });
  }
}

interface Box extends Place {
  w: number;
  h: number;
}

/** Read more than once: lines across and an edge. */
export function hatch(context: CanvasRenderingContext2D, { x, y, w, h }: Box, colour: string): void {
  context.save();
  context.beginPath();
  context.rect(x, y, w, h);
  context.clip();
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.beginPath();
  for (let at = -h; at < w; at += 5) {
    context.moveTo(x + at, y + h);
    context.lineTo(x + at + h, y);
  }
  context.stroke();
  context.restore();
}

/** Never read: a dot on empty ground. */
function never(context: CanvasRenderingContext2D, { x, y, w, h }: Box, colour: string): void {
  context.fillStyle = colour;
  context.fillRect(x + w / 2 - 1, y + h / 2 - 1, 2, 2);
}

/** From the edge of one cell to that of a cell in another line. */
function arrow(context: CanvasRenderingContext2D, from: Place, to: Place): void {
  const down = to.y > from.y;
  const [start, end] = [from.y + (down ? HIGH : 0), to.y + (down ? 0 : HIGH)];
  const middle = (start + end) / 2;
  context.beginPath();
  context.moveTo(from.x, start);
  context.bezierCurveTo(from.x, middle, to.x, middle, to.x, end);
  context.stroke();
  head(context, to.x, end, down ? 1 : -1);
}

export function head(context: CanvasRenderingContext2D, x: number, y: number, down: number): void {
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(x - 3, y - 5 * down);
  context.lineTo(x + 3, y - 5 * down);
  context.fill();
}
