/** A matrix as a heat map with named rows and columns, one cell pointed at. Knows no kind of picture. */
import { el } from "../dom";
import { drawLegend, type Ground, LEGEND, legendTexts } from "./legend";
import {
  drawMap,
  drawNumbers,
  drawPointed,
  type Layout,
  largest,
  layoutOf,
  type Mapped,
  names,
  topOf,
} from "./map-paint";
import { type Matrix, quoted } from "./matrix";
import { type Inks, inks, onThemeChange } from "./palette";
import { Surface } from "./surface";
import { real } from "./words";

/** The room of a sentence of 16 tokens, until the numbers are there. */
const ROOM: Matrix = {
  rows: 16,
  columns: 16,
  values: new Float32Array(0),
  root: true,
  top: 1,
  negative: false,
  hidden: false,
};

/** Room for the line of a mark on either side of its row. */
const MARK = 4;

interface Drawn {
  mapped: Mapped;
  layout: Layout;
  ground: Ground;
  context: CanvasRenderingContext2D;
  paints: Inks;
}

export class MapView {
  readonly element: HTMLElement;
  readonly surface: Surface;
  private readonly unwatch = onThemeChange(() => this.draw());
  private mapped: Mapped | null = null;
  /** What stands on the canvas, and the same without a mark. */
  private drawn: Drawn | null = null;
  private readonly unmarked = document.createElement("canvas");
  row = -1;
  column = -1;

  constructor(
    label: string,
    private readonly pointed: (row: number, column: number) => void,
  ) {
    this.surface = new Surface(label, () => this.draw());
    this.element = el("div", { class: "map" }, this.surface.element);
    this.surface.canvas.tabIndex = 0;
    this.surface.canvas.dataset.arrows = "";
    for (const name of ["pointermove", "pointerdown"] as const)
      this.surface.canvas.addEventListener(name, (event) => this.follow(event));
  }

  /** Draws these numbers; null keeps what is drawn, or the room for it, until numbers come. */
  show(mapped: Mapped | null): void {
    if (mapped) this.mapped = mapped;
    this.draw();
  }

  /** Points at a cell; the picture is told by whoever asks. Of what is drawn only the mark changes. */
  select(row: number, column: number): void {
    const before = this.row;
    this.row = row;
    this.column = column;
    if (this.drawn) this.mark(this.drawn, before);
  }

  /** Moves by arrows; true if the press was one of them. */
  key(event: KeyboardEvent): boolean {
    const by = MOVES[event.key];
    if (!by || !this.mapped) return false;
    this.point(this.row + by[0], this.column + by[1]);
    return true;
  }

  dispose(): void {
    this.unwatch();
    this.surface.dispose();
  }

  private point(row: number, column: number): void {
    const { rows, columns } = this.mapped?.matrix ?? ROOM;
    const held = (at: number, length: number) => Math.max(0, Math.min(length - 1, at));
    const [r, c] = [held(row, rows), held(column, columns)];
    if (r === this.row && c === this.column) return;
    this.select(r, c);
    this.pointed(r, c);
  }

  private follow(event: PointerEvent): void {
    if (!this.mapped) return;
    const { matrix, columns } = this.mapped;
    const { cell, left, top } = layoutOf(matrix, this.surface.width, topOf(columns));
    const { x, y } = this.surface.place(event);
    const [row, column] = [Math.floor((y - top) / cell.h), Math.floor((x - left) / cell.w)];
    if (row >= 0 && row < matrix.rows && column >= 0 && column < matrix.columns) this.point(row, column);
  }

  private draw(): void {
    const { mapped } = this;
    const matrix = mapped?.matrix ?? ROOM;
    const layout = layoutOf(matrix, this.surface.across || 480, topOf(mapped?.columns ?? ["a longer token"]));
    const context = this.surface.begin(layout.top + matrix.rows * layout.cell.h + LEGEND);
    if (!context || !mapped) return;
    const paints = inks();
    const ground = { left: layout.left, width: this.surface.width, height: this.surface.height };
    drawMap(context, matrix, layout, paints);
    if (mapped.numbers === "all") drawNumbers(context, matrix, layout, paints);
    drawLegend(context, matrix, ground, paints);
    this.drawn = { mapped, layout, ground, context, paints };
    this.unmarked.width = this.surface.canvas.width;
    this.unmarked.height = this.surface.canvas.height;
    this.unmarked.getContext("2d")?.drawImage(this.surface.canvas, 0, 0);
    this.mark(this.drawn, -1);
  }

  /** Puts back the row that was marked, as it is without a mark, and marks the other. */
  private mark({ mapped, layout, ground, context, paints }: Drawn, before: number): void {
    const { matrix } = mapped;
    this.row = Math.min(this.row, matrix.rows - 1);
    this.column = Math.min(this.column, matrix.columns - 1);
    if (before >= 0) this.restore(context, layout, before);
    if (this.row >= 0) drawPointed(context, matrix, layout, { row: this.row, column: this.column, paints });
    const inside = mapped.numbers === "largest" ? largest(matrix, layout, this.row, paints) : [];
    this.surface.write([
      ...names(mapped, layout, this),
      ...inside,
      ...legendTexts(matrix, ground, mapped.word),
    ]);
    this.surface.describe(spoken(mapped, this.row, this.column));
  }

  /** One row and the width of a mark's line round it, from the drawing without a mark, pixel by pixel. */
  private restore(context: CanvasRenderingContext2D, { cell, top }: Layout, row: number): void {
    const { ratio, canvas } = this.surface;
    const from = Math.max(0, Math.floor((top + row * cell.h - MARK) * ratio));
    const high = Math.min(canvas.height - from, Math.ceil((cell.h + 2 * MARK) * ratio) + 1);
    if (canvas.width === 0 || high <= 0) return;
    context.save();
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, from, canvas.width, high);
    context.drawImage(this.unmarked, 0, from, canvas.width, high, 0, from, canvas.width, high);
    context.restore();
  }
}

const MOVES: Record<string, readonly [number, number]> = {
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
};

/** "Q K^T: query “it”, key “animal”, 0.677". */
export function spoken({ title, matrix, rows, columns, sides }: Mapped, row: number, column: number): string {
  const size = `${title}: ${matrix.rows} by ${matrix.columns} numbers`;
  if (row < 0 || column < 0) return size;
  const value = matrix.values[row * matrix.columns + column] ?? Number.NaN;
  return `${title}: ${sides.rows.name} ${quoted(rows, row)}, ${sides.columns.name} ${quoted(columns, column)}, ${real(value)}`;
}
