/** A matrix as a heat map with named rows and columns, one cell pointed at. Knows no kind of picture. */
import { el } from "../dom";
import { drawLegend, LEGEND, legendTexts } from "./legend";
import { drawMap, drawNumbers, drawPointed, largest, layoutOf, type Mapped, names, topOf } from "./map-paint";
import { type Matrix, quoted } from "./matrix";
import { inks, onThemeChange } from "./palette";
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

export class MapView {
  readonly element: HTMLElement;
  readonly surface: Surface;
  private readonly unwatch = onThemeChange(() => this.draw());
  private mapped: Mapped | null = null;
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

  /** Points at a cell, held inside the map; the picture is told by whoever asks. */
  select(row: number, column: number): void {
    this.row = row;
    this.column = column;
    this.draw();
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
    this.row = Math.min(this.row, matrix.rows - 1);
    this.column = Math.min(this.column, matrix.columns - 1);
    const paints = inks();
    const ground = { left: layout.left, width: this.surface.width, height: this.surface.height };
    drawMap(context, matrix, layout, paints);
    if (mapped.numbers === "all") drawNumbers(context, matrix, layout, paints);
    if (this.row >= 0) drawPointed(context, matrix, layout, { row: this.row, column: this.column, paints });
    drawLegend(context, matrix, ground, paints);
    const inside = mapped.numbers === "largest" ? largest(matrix, layout, this.row, paints) : [];
    this.surface.write([
      ...names(mapped, layout, this),
      ...inside,
      ...legendTexts(matrix, ground, mapped.word),
    ]);
    this.surface.describe(spoken(mapped, this.row, this.column));
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
