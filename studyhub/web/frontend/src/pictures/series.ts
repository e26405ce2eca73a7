/** Draws numbers over numbers as lines: panels, direct labels, one point read out. Knows no kind of picture. */
import { el, svg } from "../dom";
import {
  across,
  type Box,
  type Data,
  dataOf,
  type Line,
  layOut,
  markOf,
  type Panel,
  type Scale,
  scaleOf,
  upwards,
} from "./chart";
import type { Host, Place, Renderer, Scene } from "./scene";
import { ceilingOf, classOf, drawMarks, drawPanel, lookOf } from "./series-lines";
import type { Facts, Frame } from "./types";
import { number } from "./words";

interface Drawn {
  data: Data;
  boxes: Box[];
  scales: Scale[];
}

export class Series implements Renderer {
  readonly element: HTMLElement;
  private readonly drawing = svg("svg", { "aria-hidden": "true", focusable: "false" });
  private readonly plot: HTMLElement;
  private readonly read = el("p", { class: "series__read", "data-testid": "picture-read" });
  private readonly watcher: ResizeObserver;
  private frame: Frame | null = null;
  private facts: Facts = {};
  private drawn: Drawn | null = null;
  private width = -1;
  private row = -1;
  private line = 0;

  constructor(private readonly host: Host) {
    this.plot = el(
      "div",
      {
        class: "series__plot",
        role: "slider",
        tabindex: 0,
        "data-arrows": true,
        "aria-label": "Point of the chart",
      },
      this.drawing,
    );
    this.element = el("div", { class: "series" }, this.plot, this.read);
    for (const name of ["pointermove", "pointerdown"] as const)
      this.plot.addEventListener(name, (event) => this.follow(event));
    this.watcher = new ResizeObserver(() => this.draw());
    this.watcher.observe(this.plot);
  }

  show(scene: Scene): void {
    const frame = scene.frames[scene.at] ?? null;
    if (frame !== this.frame) this.row = -1;
    this.frame = frame;
    this.facts = scene.facts;
    this.width = -1;
    if (scene.place) [this.row = -1, this.line = 0] = scene.place;
    this.draw();
  }

  point([row, line]: Place): void {
    this.row = row ?? -1;
    this.line = line ?? this.line;
    this.mark();
  }

  /** Left and right walk along the line, up and down change the line. */
  key(event: KeyboardEvent): boolean {
    const by = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[event.key];
    if (!by || !this.drawn) return false;
    const { x } = this.drawn.data;
    const lines = this.lines().length;
    this.go(
      Math.max(0, Math.min(x.length - 1, this.row + (by[0] ?? 0))),
      Math.max(0, Math.min(lines - 1, this.line + (by[1] ?? 0))),
    );
    return true;
  }

  dispose(): void {
    this.watcher.disconnect();
  }

  private lines = (): Line[] => this.drawn?.data.panels.flatMap(({ lines }) => lines) ?? [];

  private go(row: number, line: number): void {
    if (row === this.row && line === this.line) return;
    this.point([row, line]);
    this.host.point([row, line]);
  }

  /** The nearest x, and of the lines of the panel under the pointer the nearest. */
  private follow(event: PointerEvent): void {
    if (!this.drawn) return;
    const { data, boxes, scales } = this.drawn;
    const frame = this.drawing.getBoundingClientRect();
    const [x, y] = [event.clientX - frame.left, event.clientY - frame.top];
    const inside = (box: Box) =>
      x >= box.x - 20 && x <= box.x + box.w + 60 && y >= box.y - 20 && y <= box.y + box.h + 20;
    const n = boxes.findIndex(inside);
    const [box, scale, panel] = [boxes[n], scales[n], data.panels[n]];
    if (!box || !scale || !panel) return;
    const row = nearest(
      data.x.map((value) => across(data, value, box)),
      x,
    );
    const heights = panel.lines.map(({ points }) => upwards(scale, points[row] ?? Number.NaN, box));
    const line = panel.lines[nearest(heights, y)];
    this.go(row, (line?.column ?? 1) - 1);
  }

  private draw(): void {
    const width = Math.floor(this.plot.clientWidth);
    if (!this.frame || width === this.width) return;
    this.width = width;
    const data = dataOf(this.frame);
    const { boxes, height } = layOut(data, width || 640);
    const scales = data.panels.map((panel) => {
      const points = panel.lines.flatMap((line) => line.points.filter((value) => value !== null));
      return scaleOf([...points, ...[ceilingOf(panel, data, this.facts) ?? []].flat()]);
    });
    this.drawn = { data, boxes, scales };
    this.drawing.setAttribute("viewBox", `0 0 ${width || 640} ${height}`);
    this.drawing.setAttribute("height", String(height));
    const panels = data.panels.map((panel, n) => {
      const [box, scale] = [boxes[n] as Box, scales[n] as Scale];
      return [...drawMarks(panel, data, this.facts, box, scale), drawPanel(panel, data, box, scale)];
    });
    this.drawing.replaceChildren(...panels.flat(), svg("g", { class: "series__now" }));
    this.mark();
  }

  /** Marks the point that is read: a line through its x in every panel, the dots on it larger. */
  private mark(): void {
    if (!this.drawn || !this.frame) return;
    const { data, boxes, scales } = this.drawn;
    this.row = Math.min(this.row, data.x.length - 1);
    const marks =
      this.row < 0 ? [] : data.panels.flatMap((panel, n) => this.marksAt(panel, boxes[n], scales[n]));
    this.drawing.querySelector(".series__now")?.replaceChildren(...marks);
    const text = this.row < 0 ? "" : readOut(data, this.row);
    this.read.textContent =
      text || "Point at the chart, or walk along it with the arrow keys, to read its numbers.";
    this.read.toggleAttribute("data-unexported", !text);
    this.plot.setAttribute("aria-valuemin", "1");
    this.plot.setAttribute("aria-valuemax", String(Math.max(1, data.x.length)));
    this.plot.setAttribute("aria-valuenow", String(Math.max(1, this.row + 1)));
    this.plot.setAttribute("aria-valuetext", text || `${data.x.length} points, none read yet`);
  }

  private marksAt(panel: Panel, box: Box | undefined, scale: Scale | undefined): SVGElement[] {
    if (!this.drawn || !box || !scale) return [];
    const { data } = this.drawn;
    const x = across(data, data.x[this.row] ?? 0, box);
    const guide = svg("line", { class: "series__guide", x1: x, x2: x, y1: box.y, y2: box.y + box.h });
    const dots = panel.lines.flatMap(({ points, name, column }) => {
      const value = points[this.row] ?? null;
      const size = column - 1 === this.line ? 6 : 4.6;
      if (value === null) return [];
      const d = markOf(lookOf(data, name), x, upwards(scale, value, box), size);
      return [svg("path", { class: `series__mark ${classOf(data, name)} is-now`, d })];
    });
    return [guide, ...dots];
  }
}

const nearest = (places: readonly number[], to: number): number => {
  const away = places.map((place) =>
    Number.isFinite(place) ? Math.abs(place - to) : Number.POSITIVE_INFINITY,
  );
  return Math.max(0, away.indexOf(Math.min(...away)));
};

/** "d_head 64. max p: scaled 0.091, unscaled 0.994. entropy: scaled 3.2, unscaled 0.1". */
export function readOut({ xName, x, panels }: Data, row: number): string {
  const told = panels.map(({ title, lines }) => {
    const values = lines.map(({ name, points }) => {
      const value = points[row] ?? null;
      return `${name} ${value === null ? "none" : number(value)}`;
    });
    return `${title ? `${title}: ` : ""}${values.join(", ")}`;
  });
  return `${xName} ${number(x[row] ?? 0)}. ${told.join(". ")}.`;
}
