/** Draws attention as a heat map with tokens, one row read out beside it, and all heads of the layer. */
import { el } from "../dom";
import { MapView } from "./map";
import type { Mapped } from "./map-paint";
import { largestOf, type Matrix, matrixOf, namesOf, rowOf } from "./matrix";
import { inks, onThemeChange } from "./palette";
import { Readout } from "./readout";
import type { Host, Place, Renderer, Scene } from "./scene";
import type { Frame } from "./types";

interface Shown {
  frame: Frame;
  matrix: Matrix;
  rows: string[];
  columns: string[];
}

export class Heat implements Renderer {
  readonly element: HTMLElement;
  private readonly map: MapView;
  private readonly readout: Readout;
  private readonly unwatch = onThemeChange(() => this.read());
  private scene: Scene | null = null;
  private asked = 0;

  constructor(private readonly host: Host) {
    this.readout = new Readout((head) => this.turnTo(head));
    this.map = new MapView("Heat map", (row, column) => {
      this.read();
      host.point([row, column]);
    });
    const map = el("div", { class: "heat__map" }, this.map.element);
    this.element = el("div", { class: "heat" }, map, this.readout.element);
  }

  show(scene: Scene): void {
    this.scene = scene;
    this.asked = Number(scene.parameters.head ?? 0);
    const shown = this.shown();
    if (shown) this.choose(shown, scene.place);
    this.map.show(shown && mappedOf(shown));
    this.read();
  }

  point([row, column]: Place): void {
    this.map.select(row ?? 0, column ?? this.map.column);
    this.read();
  }

  marked(): Place {
    return [this.map.row, this.map.column];
  }

  key(event: KeyboardEvent): boolean {
    if (event.key === "]") this.turnTo(this.asked + 1);
    else if (event.key === "[") this.turnTo(this.asked - 1);
    else return this.map.key(event);
    return true;
  }

  dispose(): void {
    this.unwatch();
    this.map.dispose();
  }

  /** Asks for another head of the layer, if there is one. */
  private turnTo(head: number): void {
    if (head < 0 || head >= Number(this.scene?.facts.num_heads ?? 1)) return;
    this.asked = head;
    this.host.retry({ head });
  }

  /** The frame's own map with its numbers, or null while they come. */
  private shown(): Shown | null {
    const frame = this.scene?.frames[this.scene.at];
    const tensor = frame?.tensors.find((one) => one.role !== "thumbnails");
    const numbers = this.scene?.tensor(tensor);
    if (!frame || !tensor || !numbers) return null;
    const matrix = matrixOf(tensor, numbers, Number(this.scene?.parameters.head ?? 0));
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

  private read(): void {
    const shown = this.shown();
    if (!shown || !this.scene) return;
    const { row, column } = this.map;
    this.readout.show({ ...shown, row, column, scene: this.scene, inks: inks() });
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
