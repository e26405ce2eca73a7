/** One head on the stage: its map, and one row of it read out. Knows no other head. */
import { el } from "../dom";
import { MapView } from "./map";
import type { Mapped } from "./map-paint";
import { largestOf, type Matrix, matrixOf, namesOf, rowOf } from "./matrix";
import { inks } from "./palette";
import { Readout } from "./readout";
import type { Place, Scene } from "./scene";
import type { Frame } from "./types";

interface Shown {
  frame: Frame;
  matrix: Matrix;
  rows: string[];
  columns: string[];
}

export class HeatSide {
  readonly map: MapView;
  readonly readout = new Readout();
  readonly element: HTMLElement;
  private readonly caption = el("p", { class: "heat__which", hidden: true });
  private scene: Scene | null = null;

  constructor(label: string, pointed: (row: number, column: number) => void) {
    this.map = new MapView(label, pointed);
    this.element = el("div", { class: "heat__map" }, this.caption, this.map.element);
  }

  show(scene: Scene, place: Place | null): void {
    this.scene = scene;
    const shown = this.shown();
    if (shown) this.choose(shown, place);
    this.map.show(shown && mappedOf(shown));
    this.read();
  }

  /** Says over the map which head it is, where two stand beside each other. */
  name(words: string): void {
    this.caption.hidden = !words;
    this.caption.textContent = words;
  }

  /** Points at a cell without telling anyone. */
  select(row: number, column: number): void {
    this.map.select(row, column);
    this.read();
  }

  read(): void {
    const shown = this.shown();
    if (!shown || !this.scene) return;
    const { row, column } = this.map;
    this.readout.show({ ...shown, row, column, scene: this.scene, inks: inks() });
  }

  /** The token whose row is read out; "" while there is none. */
  get row(): string {
    return this.shown()?.rows[this.map.row] ?? "";
  }

  dispose(): void {
    this.map.dispose();
  }

  /** The frame's own map with its numbers, or null while they come. */
  private shown(): Shown | null {
    const frame = this.scene?.frames[this.scene.at];
    const tensor = frame?.tensors.find((one) => one.role !== "thumbnails");
    const numbers = this.scene?.tensor(tensor);
    if (!frame || !tensor || !numbers) return null;
    const matrix = matrixOf(tensor, numbers, 0);
    return { frame, matrix, ...namesOf(frame, matrix) };
  }

  /** What was pointed at; at first the row of "it", and in it the largest weight. */
  private choose({ matrix, rows }: Shown, place: Place | null): void {
    const it = rows.indexOf("it");
    const row = place?.[0] ?? (this.map.row >= 0 ? this.map.row : it >= 0 ? it : 1);
    this.map.row = Math.min(row, matrix.rows - 1);
    const column = place?.[1] ?? this.map.column;
    this.map.column = Math.min(
      column >= 0 ? column : (largestOf(rowOf(matrix, this.map.row), 1).shown[0]?.index ?? 0),
      matrix.columns - 1,
    );
  }
}

function mappedOf({ frame, matrix, rows, columns }: Shown): Mapped {
  const features = matrix.rows !== matrix.columns;
  const across = features ? { name: "feature", look: "axis-D" } : { name: "key token", look: "axis-T" };
  return {
    title: frame.title || frame.step,
    matrix,
    rows,
    columns,
    sides: { rows: { name: "query", look: "axis-T" }, columns: across },
    numbers: "largest",
    word: "weight",
  };
}
