/** Draws a roofline: the roof, the points of each way under it, one of them read out. Knows no kind of picture. */
import { el, svg } from "../dom";
import { apart, markOf, pathOf } from "./chart";
import {
  nearestPoint,
  type Placed,
  placed,
  type Roof,
  type RoofPoint,
  roofLine,
  roofOf,
  walk,
  xOf,
  yOf,
} from "./roof";
import type { Frame } from "./types";
import { number } from "./words";

const STEPS: Record<string, { width: number; way: number }> = {
  ArrowRight: { width: 1, way: 0 },
  ArrowLeft: { width: -1, way: 0 },
  ArrowDown: { width: 0, way: 1 },
  ArrowUp: { width: 0, way: -1 },
};

export class RoofChart {
  readonly element: HTMLElement;
  private readonly drawing = svg("svg", { "aria-hidden": "true", focusable: "false" });
  private readonly plot: HTMLElement;
  private readonly read = el("p", { class: "series__read", "data-testid": "picture-read" });
  private readonly watcher: ResizeObserver;
  private frame: Frame | null = null;
  private roof: Roof | null = null;
  private place: Placed | null = null;
  private now = -1;
  private width = -1;

  /** `pointed` hears the table's row of the point that is read. */
  constructor(private readonly pointed: (row: number) => void) {
    this.plot = el(
      "div",
      {
        class: "series__plot",
        role: "slider",
        tabindex: 0,
        "data-arrows": true,
        "aria-label": "Point of the roofline",
      },
      this.drawing,
    );
    for (const name of ["pointermove", "pointerdown"] as const)
      this.plot.addEventListener(name, (event) => this.follow(event));
    this.element = el("div", { class: "roof" }, this.plot, this.read);
    this.watcher = new ResizeObserver(() => this.draw());
    this.watcher.observe(this.plot);
  }

  show(frame: Frame, row: number): void {
    if (frame !== this.frame) this.width = -1;
    this.frame = frame;
    this.roof = roofOf(frame);
    this.now = this.roof.points.findIndex((point) => point.row === row);
    this.draw();
    this.mark();
  }

  /** Marks the point of a row of the table. */
  point(row: number): void {
    this.now = this.roof?.points.findIndex((point) => point.row === row) ?? -1;
    this.mark();
  }

  key(event: KeyboardEvent): boolean {
    const by = STEPS[event.key];
    if (!by || !this.roof) return false;
    this.go(walk(this.roof, this.now, by));
    return true;
  }

  dispose(): void {
    this.watcher.disconnect();
  }

  private follow(event: PointerEvent): void {
    if (!this.roof || !this.place) return;
    const frame = this.drawing.getBoundingClientRect();
    const at = { x: event.clientX - frame.left, y: event.clientY - frame.top };
    this.go(nearestPoint(this.roof, this.place, at));
  }

  private go(to: number): void {
    if (to === this.now) return;
    this.now = to;
    this.mark();
    const row = this.roof?.points[to]?.row;
    if (row !== undefined) this.pointed(row);
  }

  private draw(): void {
    const width = Math.floor(this.plot.clientWidth) || 640;
    if (!this.roof || width === this.width) return;
    this.width = width;
    const [roof, place] = [this.roof, placed(this.roof, width)];
    this.place = place;
    this.drawing.setAttribute("viewBox", `0 0 ${width} ${place.height}`);
    this.drawing.setAttribute("height", String(place.height));
    const ways = roof.ways.map((way, n) => drawWay(way, n, roof, place));
    this.drawing.replaceChildren(
      ...axes(place),
      ...drawRoof(roof, place),
      ...ways,
      ...legend(roof, place),
      svg("g", { class: "series__now" }),
    );
    this.mark();
  }

  private mark(): void {
    if (!this.roof || !this.place) return;
    const point = this.roof.points[this.now];
    const text = point ? readOut(point) : "";
    const empty = this.roof.points.length === 0;
    this.read.textContent =
      text || (empty ? "" : "Point at the chart, or walk along it with the arrow keys, to read its numbers.");
    this.read.toggleAttribute("data-unexported", !text);
    this.plot.setAttribute("aria-valuemin", "1");
    this.plot.setAttribute("aria-valuemax", String(Math.max(1, this.roof.points.length)));
    this.plot.setAttribute("aria-valuenow", String(Math.max(1, this.now + 1)));
    this.plot.setAttribute("aria-valuetext", text || `${this.roof.points.length} points, none read yet`);
    const marks = point ? marked(point, this.roof, this.place) : [];
    this.drawing.querySelector(".series__now")?.replaceChildren(...marks);
  }
}

/** "SDPA at d_head 64: 107 GFLOP/s at 64 FLOPs a byte, 69% of the 155 GFLOP/s above it." */
export const readOut = ({ way, dHead, intensity, rate, roof, share }: RoofPoint): string =>
  `${way} at d_head ${dHead}: ${number(rate)} GFLOP/s at ${number(intensity)} FLOPs a byte, ` +
  `${share.toFixed(0)}% of the ${number(roof)} GFLOP/s above it.`;

function axes({ box, x, y }: Placed): SVGElement[] {
  const place = { box, x, y, height: 0 };
  const floor = box.y + box.h;
  const across = y.ticks.flatMap((tick) => {
    const at = yOf(place, tick);
    const words = svg("text", { x: box.x - 8, y: at + 4, "text-anchor": "end" }, number(tick));
    return [svg("line", { class: "series__grid", x1: box.x, x2: box.x + box.w, y1: at, y2: at }), words];
  });
  const down = x.ticks.flatMap((tick) => {
    const at = xOf(place, tick);
    const mark = svg("line", { class: "series__tick", x1: at, x2: at, y1: floor, y2: floor + 4 });
    return [mark, svg("text", { x: at, y: floor + 17, "text-anchor": "middle" }, number(tick))];
  });
  const names = [
    svg(
      "text",
      { class: "quiet", x: box.x + box.w / 2, y: floor + 36, "text-anchor": "middle" },
      "FLOPs a byte, log scale",
    ),
    svg("text", { class: "strong", x: box.x - 48, y: box.y - 14 }, "GFLOP/s, log scale"),
  ];
  return [...across, ...down, ...names];
}

function drawRoof(roof: Roof, place: Placed): SVGElement[] {
  const corners = roofLine(roof, place);
  const line = svg("path", { class: "roof__line", d: pathOf(corners) });
  const [first, flat = first, last = flat] = corners;
  if (!first || !flat || !last) return [line];
  const words = [
    svg(
      "text",
      { class: "roof__name", x: last.x - 4, y: last.y - 8, "text-anchor": "end" },
      `matmul peak ${number(roof.peak)} GFLOP/s`,
    ),
  ];
  if (corners.length === 3) words.push(slope(`copy ${number(roof.bandwidth)} GB/s`, first, flat, place));
  return [line, ...words];
}

type Corner = { x: number; y: number };

/** The words along the slope; on a narrow plot, where points lie there, in its empty corner. */
function slope(words: string, from: Corner, to: Corner, { box }: Placed): SVGElement {
  if (box.w < 420) {
    const at = { x: box.x + box.w - 4, y: box.y + box.h - 8, "text-anchor": "end" };
    return svg("text", { class: "roof__name", ...at }, `slope: ${words}`);
  }
  const angle = (Math.atan2(to.y - from.y, to.x - from.x) * 180) / Math.PI;
  const [x, y] = [from.x + (to.x - from.x) * 0.03, from.y + (to.y - from.y) * 0.03];
  const transform = `rotate(${angle.toFixed(1)} ${x.toFixed(1)} ${y.toFixed(1)})`;
  return svg("text", { class: "roof__name", x, y, dy: -9, transform }, words);
}

/** The points of one way, joined in the order of their widths, each with its d_head beside it. */
function drawWay(way: string, look: number, roof: Roof, place: Placed): SVGElement {
  const points = roof.points.filter((point) => point.way === way);
  const places = points.map(({ intensity, rate }) => ({ x: xOf(place, intensity), y: yOf(place, rate) }));
  const column = places.every(({ x }) => Math.abs(x - (places[0]?.x ?? x)) < 12);
  const heights = column
    ? apart(
        places.map(({ y }) => y),
        13,
        place.box,
      )
    : places.map(({ y }) => y + 16);
  const names = points.map(({ dHead }, n) => {
    const at = places[n] ?? { x: 0, y: 0 };
    const away = column
      ? { x: at.x + 10, y: (heights[n] ?? at.y) + 4, "text-anchor": "start" }
      : { x: at.x, y: heights[n] ?? at.y, "text-anchor": "middle" };
    return svg("text", { class: "axis-D", ...away }, String(dHead));
  });
  const marks = places.map(({ x, y }) => markOf(look + 1, x, y));
  return svg(
    "g",
    {},
    svg("path", { class: `series__line roof__join line-${look % 4}`, d: pathOf(places) }),
    svg("path", { class: `series__mark line-${look % 4}`, d: marks.join("") }),
    ...names,
  );
}

function legend(roof: Roof, { box }: Placed): SVGElement[] {
  let x = box.x + 92;
  return roof.ways.flatMap((way, n) => {
    const mark = svg("path", { class: `series__mark line-${n % 4}`, d: markOf(n + 1, x, box.y - 18) });
    const name = svg("text", { class: `series__name line-${n % 4}`, x: x + 10, y: box.y - 14 }, way);
    x += 24 + way.length * 7;
    return [mark, name];
  });
}

function marked(point: RoofPoint, roof: Roof, place: Placed): SVGElement[] {
  const [x, y] = [xOf(place, point.intensity), yOf(place, point.rate)];
  const look = roof.ways.indexOf(point.way);
  const guide = svg("line", { class: "series__guide", x1: x, x2: x, y1: yOf(place, point.roof), y2: y });
  const d = markOf(look + 1, x, y, 6);
  return [guide, svg("path", { class: `series__mark line-${look % 4} is-now`, d })];
}
