/** Where the lines of a chart lie: panels, scales, ticks, labels that keep apart. Pure geometry; knows no colour. */
import type { Cell, Frame } from "./types";

export interface Line {
  name: string;
  /** Its column in the table, counted from 1: the first is x. */
  column: number;
  points: readonly (number | null)[];
}

export interface Panel {
  title: string;
  lines: Line[];
}

export interface Data {
  xName: string;
  x: readonly number[];
  /** True where x doubles rather than counts: equal ratios are equal distances. */
  log: boolean;
  panels: Panel[];
  /** The names of all lines, each with one look in every panel. */
  names: readonly string[];
}

const numeric = (cell: Cell | undefined): number | null =>
  typeof cell === "number" && Number.isFinite(cell) ? cell : null;

/** The frame's table as lines: first column x, each other a line, "panel, name" grouped by its panel. */
export function dataOf({ table }: Pick<Frame, "table">): Data {
  const x = table.rows.map((cells, n) => numeric(cells[0]) ?? n);
  const panels = new Map<string, Panel>();
  for (const [n, heading] of table.columns.slice(1).entries()) {
    const at = heading.indexOf(", ");
    const title = at < 0 ? "" : heading.slice(0, at);
    const name = at < 0 ? heading : heading.slice(at + 2);
    const panel = panels.get(title) ?? { title, lines: [] };
    panel.lines.push({ name, column: n + 1, points: table.rows.map((cells) => numeric(cells[n + 1])) });
    panels.set(title, panel);
  }
  const all = [...panels.values()];
  const names = [...new Set(all.flatMap(({ lines }) => lines.map(({ name }) => name)))];
  const xName = table.columns[0] ?? "";
  return { xName, x, log: doubles(xName, x), panels: all, names };
}

/** d_head is read by doubling; so is any x whose steps grow by one ratio of 1.5 or more. */
function doubles(name: string, x: readonly number[]): boolean {
  if (x.length < 3 || x.some((value) => value <= 0)) return false;
  const ratios = x.slice(1).map((value, n) => value / (x[n] ?? value));
  return name === "d_head" || (Math.min(...ratios) >= 1.5 && Math.max(...ratios) < 1.1 * Math.min(...ratios));
}

export interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
}

const GAP = 24;
const NARROWEST = 270;
export const MARGIN = { left: 54, top: 34, bottom: 40 };

/** Where each panel's plot lies in `across` CSS pixels, in rows of equal length where there are several;
 * room for the names of a panel's lines is kept free at its right. */
export function layOut(data: Data, across: number): { boxes: Box[]; height: number } {
  const panels = Math.max(1, data.panels.length);
  const most = Math.max(1, Math.min(panels, Math.floor((across + GAP) / (NARROWEST + GAP))));
  const per = Math.ceil(panels / Math.ceil(panels / most));
  const each = Math.min(720, (across - GAP * (per - 1)) / per);
  const plot = per === 1 && each > 560 ? 230 : 168;
  const down = MARGIN.top + plot + MARGIN.bottom;
  const boxes = data.panels.map(({ lines }, n) => ({
    x: (n % per) * (each + GAP) + MARGIN.left,
    y: Math.floor(n / per) * (down + 8) + MARGIN.top,
    w: Math.max(40, each - MARGIN.left - nameRoom(lines, each)),
    h: plot,
  }));
  return { boxes, height: Math.ceil(panels / per) * (down + 8) };
}

const nameRoom = (lines: readonly Line[], each: number): number =>
  Math.min(Math.max(0, ...lines.map(({ name }) => name.length)) * 7 + 14, each * 0.34);

export interface Scale {
  low: number;
  high: number;
  ticks: readonly number[];
}

/** Round numbers from below the least to above the largest; shares between 0 and 1 keep that frame. */
export function scaleOf(values: readonly number[], wanted = 4): Scale {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  if (values.length === 0 || !Number.isFinite(least)) return { low: 0, high: 1, ticks: [0, 1] };
  const from = least >= 0 && least < most * 0.6 ? 0 : least;
  const step = niceStep((most - from || Math.abs(most) || 1) / wanted);
  const low = Math.floor(from / step + 1e-9) * step;
  const high = Math.max(low + step, Math.ceil(most / step - 1e-9) * step);
  const ticks = Array.from({ length: Math.round((high - low) / step) + 1 }, (_, n) => low + n * step);
  return { low, high, ticks: ticks.map((tick) => Number(tick.toPrecision(12))) };
}

function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  const found = [1, 2, 2.5, 5, 10].find((nice) => nice * power >= rough * 0.999) ?? 10;
  return found * power;
}

/** Place of an x in a plot; one x alone stands in the middle. */
export function across({ x, log }: Data, value: number, box: Box): number {
  const at = (number: number) => (log ? Math.log2(number) : number);
  const [low, high] = [at(Math.min(...x)), at(Math.max(...x))];
  return box.x + (high === low ? 0.5 : (at(value) - low) / (high - low)) * box.w;
}

export const upwards = ({ low, high }: Scale, value: number, box: Box): number =>
  box.y + box.h - ((value - low) / (high - low)) * box.h;

/** The x values that are named: those there are, as many as fit, of doubling ones the powers of two;
 * of many that lie evenly, round ones. */
export function xTicks(data: Data, box: Box): number[] {
  const most = Math.max(2, Math.floor(box.w / 44));
  const unique = [...new Set(data.x)].sort((one, other) => one - other);
  const whole = unique.every((value) => Number.isInteger(value));
  if (data.log) {
    const powers = unique.filter((value) => Number.isInteger(Math.log2(value)));
    return thinned(powers.length > 1 ? powers : unique, most);
  }
  if (whole && unique.length <= 2 * most) return thinned(unique, most);
  const [low, high] = [Math.min(...unique), Math.max(...unique)];
  return scaleOf(unique, Math.min(6, most - 1)).ticks.filter((tick) => tick >= low && tick <= high);
}

const thinned = (values: readonly number[], most: number): number[] =>
  values.filter((_, n) => n % Math.ceil(values.length / most) === 0);

/** Heights of labels, moved apart to `room` where they would lie on each other, kept inside the plot. */
export function apart(heights: readonly number[], room: number, box: Box): number[] {
  const order = heights.map((y, n) => ({ y, n })).sort((one, other) => one.y - other.y);
  for (const [n, label] of order.entries())
    label.y = Math.max(label.y, n > 0 ? (order[n - 1]?.y ?? 0) + room : box.y);
  let floor = box.y + box.h + room / 2;
  for (const label of [...order].reverse()) {
    label.y = Math.min(label.y, floor);
    floor = label.y - room;
  }
  const placed = [...heights];
  for (const { y, n } of order) placed[n] = y;
  return placed;
}

/** A line as path data; where a number is missing the line is broken. */
export function pathOf(places: readonly ({ x: number; y: number } | null)[]): string {
  let pen = "M";
  return places
    .map((place) => {
      const part = place ? `${pen}${place.x.toFixed(1)} ${place.y.toFixed(1)}` : "";
      pen = place ? "L" : "M";
      return part;
    })
    .join("");
}

/** A mark of its own for each line, so that lines are told apart without colour. */
export function markOf(look: number, x: number, y: number, size = 3.6): string {
  const points = [
    [
      [-1, -1],
      [1, -1],
      [1, 1],
      [-1, 1],
    ],
    [
      [0, -1.3],
      [1.2, 0.9],
      [-1.2, 0.9],
    ],
    [
      [0, -1.4],
      [1.4, 0],
      [0, 1.4],
      [-1.4, 0],
    ],
    [
      [-1.2, -0.9],
      [1.2, -0.9],
      [0, 1.3],
    ],
  ][look % 4] as [number, number][];
  return `M${points.map(([dx, dy]) => `${(x + dx * size).toFixed(1)} ${(y + dy * size).toFixed(1)}`).join("L")}Z`;
}
