/** Draws any tensor with two axes as a heat map, several of a frame side by side. Knows no kind of picture. */
import { el } from "../dom";
import { MapView } from "./map";
import type { Mapped, Side } from "./map-paint";
import { inlineMatrix, type Matrix, matrixOf, namesOf } from "./matrix";
import type { Host, Place, Renderer, Scene } from "./scene";
import type { Frame, Tensor } from "./types";
import { axisClass } from "./words";

/** Beside each other more maps than this are no longer read. */
const MOST = 4;

interface One {
  title: string;
  matrix: Matrix;
  axes: readonly string[];
  note: string;
}

export class PlainGrid implements Renderer {
  readonly element = el("div", { class: "maps" });
  private readonly maps: { view: MapView; title: HTMLElement; figure: HTMLElement }[] = [];

  constructor(private readonly host: Host) {}

  show(scene: Scene): void {
    const frame = scene.frames[scene.at];
    const shown = frame ? matricesOf(frame, scene).slice(0, MOST) : [];
    for (const [n, one] of shown.entries()) this.showOne(n, one, frame as Frame, scene);
    this.element.dataset.maps = String(shown.length);
    for (const [n, { figure }] of this.maps.entries()) figure.hidden = n >= shown.length;
  }

  point([row, column]: Place): void {
    for (const { view } of this.maps) view.select(row ?? 0, column ?? view.column);
  }

  key(event: KeyboardEvent): boolean {
    const focused = this.maps.find(({ view }) => view.element.contains(document.activeElement));
    return (focused ?? this.maps[0])?.view.key(event) ?? false;
  }

  dispose(): void {
    for (const { view } of this.maps) view.dispose();
  }

  private showOne(n: number, one: One, frame: Frame, scene: Scene): void {
    const map = this.maps[n] ?? this.add();
    map.title.textContent = one.title + one.note;
    map.title.hidden = !map.title.textContent;
    if (scene.place) {
      map.view.row = scene.place[0] ?? -1;
      map.view.column = scene.place[1] ?? -1;
    }
    map.view.show(mappedOf(one, frame));
  }

  /** Maps of one frame point at the same cell together. */
  private add() {
    const view = new MapView("Map", (row, column) => {
      for (const other of this.maps) if (other.view !== view) other.view.select(row, column);
      this.host.point([row, column]);
    });
    const title = el("figcaption", { class: "maps__title" });
    const map = { view, title, figure: el("figure", { class: "maps__one" }, title, view.element) };
    this.maps.push(map);
    this.element.append(map.figure);
    return map;
  }
}

/** Every tensor of the frame that has come, by its last two axes; else the numbers in the frame itself. */
export function matricesOf(frame: Frame, scene: Pick<Scene, "tensor">): One[] {
  const many = frame.tensors.filter(({ shape }) => shape.length >= 2).length > 1;
  const found = frame.tensors.flatMap((tensor): One[] => {
    const numbers = tensor.shape.length >= 2 ? scene.tensor(tensor) : undefined;
    if (!numbers) return [];
    const title = many ? tensor.role : "";
    return [
      { title, matrix: matrixOf(tensor, numbers, 0), axes: tensor.axes.slice(-2), note: slice(tensor) },
    ];
  });
  const inline = frame.tensors.length === 0 ? inlineMatrix(frame) : null;
  return inline ? [{ title: "", matrix: inline, axes: frame.axes, note: "" }] : found;
}

/** Of more than two axes only the first slice is drawn, which is said. */
function slice({ axes, shape }: Tensor): string {
  const others = axes.slice(0, -2);
  return others.length ? `, at ${others.map((axis, n) => `${axis} 0 of ${shape[n]}`).join(", ")}` : "";
}

function mappedOf({ title, matrix, axes }: One, frame: Frame): Mapped {
  const { rows, columns } = namesOf(frame, matrix);
  return {
    title: title || frame.title || frame.step,
    matrix,
    rows,
    columns,
    sides: { rows: side(axes[0]), columns: side(axes[1]) },
    numbers: "all",
    word: title || "number",
  };
}

const side = (axis = ""): Side => ({ name: axis, look: axisClass(axis) });
