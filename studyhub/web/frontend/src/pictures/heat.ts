/** Draws attention as a heat map with tokens, one row read out beside it, and all heads of the layer. */
import { el } from "../dom";
import { pixels } from "./cells";
import { drawLegend, LEGEND, legendTexts } from "./legend";
import { largestOf, level, type Matrix, matrixOf, namesOf, placeOf, quoted, rowOf } from "./matrix";
import { type Inks, inks, luminance, onThemeChange, type Rgb, rgb } from "./palette";
import { Readout } from "./readout";
import type { Host, Renderer, Scene } from "./scene";
import { Surface, type Text } from "./surface";
import type { Frame, Tensor } from "./types";
import { real } from "./words";

const LEFT = 96;
const TOP = 92;
const LARGEST_CELL = 38;

interface Shown {
  frame: Frame;
  tensor: Tensor;
  matrix: Matrix;
  rows: string[];
  columns: string[];
}

/** The room of a sentence of 16 tokens, until the numbers are there. */
const NO_MATRIX: Matrix = { rows: 16, columns: 16, values: new Float32Array(0), signed: false, top: 1 };

interface Layout {
  cell: { w: number; h: number };
  left: number;
  top: number;
}

/** Cells as large as fit, wider than high only where a row has few numbers. */
export function layoutOf(matrix: Matrix, across: number): Layout {
  const left = Math.min(LEFT, across * 0.24);
  const w = Math.min(LARGEST_CELL, (across - left - 12) / matrix.columns);
  const h = matrix.rows === matrix.columns ? w : Math.min(LARGEST_CELL, (across - left - 12) / matrix.rows);
  return { cell: { w, h }, left, top: TOP };
}

export class Heat implements Renderer {
  readonly element: HTMLElement;
  private readonly surface = new Surface("Heat map", () => this.draw());
  private readonly readout: Readout;
  private readonly unwatch = onThemeChange(() => this.draw());
  private scene: Scene | null = null;
  private row = -1;
  private column = -1;
  private asked = 0;

  constructor(private readonly host: Host) {
    this.readout = new Readout((head) => this.turnTo(head));
    const map = el("div", { class: "heat__map" }, this.surface.element);
    this.element = el("div", { class: "heat" }, map, this.readout.element);
    for (const name of ["pointermove", "pointerdown"] as const)
      this.surface.canvas.addEventListener(name, (event) => this.point(event));
  }

  show(scene: Scene): void {
    this.scene = scene;
    this.asked = Number(scene.parameters.head ?? 0);
    this.draw();
  }

  key(event: KeyboardEvent): boolean {
    const shown = this.shown();
    const name = `${event.shiftKey ? "Shift+" : ""}${event.key}`;
    if (name === "]") this.turnTo(this.asked + 1);
    else if (name === "[") this.turnTo(this.asked - 1);
    else if (!shown) return false;
    else if (name === "ArrowDown") this.select(Math.min(shown.matrix.rows - 1, this.row + 1), this.column);
    else if (name === "ArrowUp") this.select(Math.max(0, this.row - 1), this.column);
    else if (name === "Shift+ArrowRight")
      this.select(this.row, Math.min(shown.matrix.columns - 1, this.column + 1));
    else if (name === "Shift+ArrowLeft") this.select(this.row, Math.max(0, this.column - 1));
    else return false;
    return true;
  }

  /** Asks for another head of the layer, if there is one. */
  private turnTo(head: number): void {
    if (head < 0 || head >= Number(this.scene?.facts.num_heads ?? 1)) return;
    this.asked = head;
    this.host.retry({ head });
  }

  dispose(): void {
    this.unwatch();
    this.surface.dispose();
  }

  private select(row: number, column: number): void {
    if (row === this.row && column === this.column) return;
    this.row = row;
    this.column = column;
    this.draw();
  }

  /** The frame's own map with its numbers, or null while they come. */
  private shown(): Shown | null {
    const frame = this.scene?.frames[this.scene.at];
    const tensor = frame?.tensors.find((one) => one.role !== "thumbnails");
    const numbers = this.scene?.tensor(tensor);
    if (!frame || !tensor || !numbers) return null;
    const matrix = matrixOf(tensor, numbers, Number(this.scene?.parameters.head ?? 0));
    return { frame, tensor, matrix, ...namesOf(frame, matrix) };
  }

  private point(event: PointerEvent): void {
    const shown = this.shown();
    if (!shown) return;
    const { cell, left, top } = layoutOf(shown.matrix, this.surface.width);
    const { x, y } = this.surface.place(event);
    const [row, column] = [Math.floor((y - top) / cell.h), Math.floor((x - left) / cell.w)];
    if (row >= 0 && row < shown.matrix.rows && column >= 0 && column < shown.matrix.columns)
      this.select(row, column);
  }

  /** Draws what is shown; while other numbers come the map before them stays. */
  private draw(): void {
    const shown = this.shown();
    if (!shown && this.row >= 0) return;
    const layout = layoutOf(shown?.matrix ?? NO_MATRIX, this.surface.across || 480);
    const rows = shown?.matrix.rows ?? 16;
    const context = this.surface.begin(layout.top + rows * layout.cell.h + LEGEND);
    if (!context || !shown) return;
    this.choose(shown);
    const paints = inks(this.surface.element);
    drawMap(context, shown.matrix, layout, paints);
    this.drawSelection(context, shown, layout, paints);
    drawLegend(context, shown.matrix, this.ground(layout), paints);
    this.surface.write(this.texts(shown, layout, paints));
    this.surface.describe(this.spoken(shown));
    if (this.scene)
      this.readout.show({ ...shown, row: this.row, column: this.column, scene: this.scene, inks: paints });
  }

  private ground = ({ left }: Layout) => ({ left, width: this.surface.width, height: this.surface.height });

  /** At first the row whose largest weight stands out most, beside the first and last token. */
  private choose({ matrix, rows }: Shown): void {
    const it = rows.indexOf("it");
    if (this.row < 0) this.row = it >= 0 ? it : Math.min(1, matrix.rows - 1);
    this.row = Math.min(this.row, matrix.rows - 1);
    if (this.column < 0) this.column = largestOf(rowOf(matrix, this.row), 1).shown[0]?.index ?? 0;
    this.column = Math.min(this.column, matrix.columns - 1);
  }

  private drawSelection(
    context: CanvasRenderingContext2D,
    { matrix }: Shown,
    layout: Layout,
    paints: Inks,
  ): void {
    const { cell, left, top } = layout;
    context.strokeStyle = paints.colour("accent");
    context.lineWidth = 2.5;
    context.beginPath();
    context.roundRect(left - 1, top + this.row * cell.h - 1, matrix.columns * cell.w + 2, cell.h + 2, 3);
    context.stroke();
    context.lineWidth = 1.5;
    context.strokeRect(left + this.column * cell.w, top + this.row * cell.h, cell.w, cell.h);
  }

  private texts(shown: Shown, layout: Layout, paints: Inks): Text[] {
    return [
      ...names(shown, layout, { row: this.row, column: this.column }),
      ...inside(shown, layout, this.row, paints),
      ...legendTexts(shown.matrix, this.ground(layout)),
    ];
  }

  private spoken({ matrix, rows, columns, frame }: Shown): string {
    const value = matrix.values[this.row * matrix.columns + this.column] ?? Number.NaN;
    return `${frame.title || frame.step}: from ${quoted(rows, this.row)} to ${quoted(columns, this.column)} ${real(value)}`;
  }
}

/** The map at one pixel a cell, then enlarged without smoothing; hidden cells stay the ground's colour. */
function drawMap(context: CanvasRenderingContext2D, matrix: Matrix, layout: Layout, paints: Inks): void {
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

function names(shown: Shown, layout: Layout, at: { row: number; column: number }): Text[] {
  const { cell, left, top } = layout;
  const fits = (size: number, room = 14) => Math.max(1, Math.ceil(room / size));
  const features = shown.matrix.rows !== shown.matrix.columns;
  const down = shown.rows.flatMap((text, row) => {
    if (!named(row, at.row, fits(cell.h))) return [];
    const look = row === at.row ? "strong" : "";
    return [
      {
        x: left - 8,
        y: top + (row + 0.5) * cell.h + 4,
        text: short(text) + placeOf(shown.rows, row),
        look,
        anchor: "end" as const,
      },
    ];
  });
  const over = shown.columns.flatMap((text, column) => {
    if (!named(column, at.column, fits(cell.w, 15))) return [];
    const look = column === at.column ? "strong" : "";
    return [
      {
        x: left + (column + 0.5) * cell.w + 3,
        y: top - 8,
        text: short(text) + placeOf(shown.columns, column),
        look,
        turn: 50,
      },
    ];
  });
  const key: Text = {
    x: left,
    y: 11,
    text: features ? "feature" : "key token",
    look: `${features ? "axis-D" : "axis-T"} strong`,
  };
  const query: Text = { x: left - 8, y: top - 8, text: "query", look: "axis-T strong", anchor: "end" };
  return [key, query, ...down, ...over];
}

/** Every `each`th is named, and the chosen one in place of its neighbours. */
const named = (index: number, chosen: number, each: number): boolean =>
  index === chosen || (index % each === 0 && Math.abs(index - chosen) >= each);

const short = (text: string) => (text.length > 11 ? `${text.slice(0, 10)}…` : text);

/** The row's largest number inside its cell, from 26 px cells up, in ink or ground, whichever contrasts more. */
function inside({ matrix }: Shown, layout: Layout, row: number, paints: Inks): Text[] {
  if (layout.cell.w < 26 || matrix.signed) return [];
  const [largest] = largestOf(rowOf(matrix, row), 1).shown;
  if (!largest) return [];
  const column = largest.index;
  const stop = 3 * Math.round(255 * (level(matrix, row, column) ?? 0));
  const [red, green, blue] = paints.heat.subarray(stop, stop + 3);
  const cellInk = inkOn([red ?? 0, green ?? 0, blue ?? 0], paints);
  const text = largest.value.toFixed(2).replace(/^0/, "");
  const { cell, left, top } = layout;
  const place = { x: left + (column + 0.5) * cell.w, y: top + (row + 0.5) * cell.h + 4 };
  return [{ ...place, text, look: `mono strong ${cellInk}`, anchor: "middle" }];
}

/** The class of text that contrasts more with a cell: ink, or the ground itself. */
function inkOn(cell: Rgb, paints: Inks): string {
  const ratio = (name: string) => {
    const [one, other] = [luminance(cell), luminance(rgb(paints.colour(name)))];
    return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
  };
  return ratio("surface") > ratio("ink") ? "on-strong" : "";
}
