/** Draws a frame's storage: the cache lines that its first indices read, in storage order. Knows no operation. */
import { el } from "../dom";
import { type Inks, inks, onThemeChange, translucent } from "./palette";
import type { Host, Place, Renderer, Scene } from "./scene";
import { Surface, type Text } from "./surface";
import type { Facts, Frame } from "./types";
import { count } from "./words";

const CELL = { most: 22, h: 26 };
const LEFT = 92;
const TOP = 20;
const DOWN = 40;

/** One number that is read: its row of the table, where it lies. */
interface Read {
  row: number;
  offset: number;
}

/** The cache lines that are read, in storage order, each with the reads that fall into it. */
export interface CacheLine {
  first: number;
  reads: Read[];
}

export function linesRead(frame: Frame, perLine: number): CacheLine[] {
  const column = frame.table.columns.indexOf("offset");
  const lines = new Map<number, CacheLine>();
  for (const [row, cells] of frame.table.rows.entries()) {
    const offset = cells[column];
    if (typeof offset !== "number") continue;
    const first = Math.floor(offset / perLine) * perLine;
    const line = lines.get(first) ?? { first, reads: [] };
    line.reads.push({ row, offset });
    lines.set(first, line);
  }
  return [...lines.values()].sort((one, other) => one.first - other.first);
}

/** How many numbers one cache line holds, as the facts have it; 16 numbers of 4 bytes in 64 where they say nothing. */
export const numbersPerLine = (facts: Facts): number =>
  Math.max(1, Math.floor(Number(facts.cache_line ?? 64) / Number(facts.bytes_per_number ?? 4)));

export class PlainTape implements Renderer {
  readonly element: HTMLElement;
  private readonly surface = new Surface("Storage", () => this.draw());
  private readonly unwatch = onThemeChange(() => this.draw());
  private lines: CacheLine[] = [];
  private perLine = 16;
  private row = -1;

  constructor(private readonly host: Host) {
    this.element = el("div", { class: "tape" }, this.surface.element);
    this.surface.canvas.tabIndex = 0;
    this.surface.canvas.dataset.arrows = "";
    for (const name of ["pointermove", "pointerdown"] as const)
      this.surface.canvas.addEventListener(name, (event) => this.follow(event));
  }

  show(scene: Scene): void {
    const frame = scene.frames[scene.at];
    this.perLine = numbersPerLine(scene.facts);
    this.lines = frame ? linesRead(frame, this.perLine) : [];
    this.row = scene.place?.[0] ?? this.row;
    this.draw();
  }

  point([row]: Place): void {
    this.row = row ?? -1;
    this.draw();
  }

  /** Arrows walk in the order of reading. */
  key(event: KeyboardEvent): boolean {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!by) return false;
    const rows = this.lines.flatMap(({ reads }) => reads).length;
    this.go(Math.max(0, Math.min(rows - 1, this.row + by)));
    return true;
  }

  dispose(): void {
    this.unwatch();
    this.surface.dispose();
  }

  private go(row: number): void {
    if (row === this.row) return;
    this.point([row]);
    this.host.point([row]);
  }

  private follow(event: PointerEvent): void {
    const { x, y } = this.surface.place(event);
    const line = this.lines[Math.floor((y - TOP) / DOWN)];
    const offset = line ? line.first + Math.floor((x - LEFT) / this.cell) : -1;
    const found = line?.reads.find((read) => read.offset === offset);
    if (found) this.go(found.row);
  }

  private get cell(): number {
    return Math.min(CELL.most, (this.surface.width - LEFT) / this.perLine);
  }

  private draw(): void {
    const context = this.surface.begin(TOP + Math.max(1, this.lines.length) * DOWN);
    if (!context) return;
    const paints = inks();
    for (const [n, line] of this.lines.entries()) this.drawLine(context, line, TOP + n * DOWN, paints);
    this.surface.write([...this.lines.flatMap((line, n) => this.texts(line, TOP + n * DOWN))]);
    const read = this.lines.flatMap(({ reads }) => reads).find(({ row }) => row === this.row);
    const where = read
      ? `, number ${read.row + 1} in reading order lies at offset ${count(read.offset)}`
      : "";
    this.surface.describe(`Storage: ${this.lines.length} cache lines are read${where}`);
  }

  private drawLine(context: CanvasRenderingContext2D, line: CacheLine, y: number, paints: Inks): void {
    for (let n = 0; n < this.perLine; n++) {
      const read = line.reads.find(({ offset }) => offset === line.first + n);
      const now = read?.row === this.row;
      context.fillStyle = read
        ? translucent(paints.colour("accent"), now ? 0.95 : 0.34)
        : paints.colour("sunken");
      context.fillRect(LEFT + n * this.cell, y, this.cell - 1, CELL.h);
    }
    context.strokeStyle = paints.colour("line-strong");
    context.strokeRect(LEFT - 0.5, y - 0.5, this.perLine * this.cell, CELL.h + 1);
  }

  private texts(line: CacheLine, y: number): Text[] {
    const at: Text = {
      x: LEFT - 8,
      y: y + 17,
      text: `offset ${count(line.first)}`,
      look: "mono",
      anchor: "end",
    };
    if (this.cell < 15) return [at];
    const order = line.reads.map(({ row, offset }) => ({
      x: LEFT + (offset - line.first + 0.5) * this.cell - 0.5,
      y: y + 17,
      text: String(row + 1),
      look: row === this.row ? "mono strong on-strong" : "mono strong",
      anchor: "middle" as const,
    }));
    return [at, ...order];
  }
}
