/** A roofline as numbers and places: floors, points, log scales. Pure geometry; knows no colour and no pointer. */
import type { Box } from "./chart";
import type { Cell, Frame } from "./types";

export interface RoofPoint {
  /** Its row in the frame's table. */
  row: number;
  way: string;
  dHead: number;
  /** FLOPs for each byte moved. */
  intensity: number;
  /** GFLOP/s. */
  rate: number;
  roof: number;
  /** Percent of the roof above it. */
  share: number;
}

export interface Roof {
  /** GFLOP/s of the fastest product. */
  peak: number;
  /** GB/s of the copy. */
  bandwidth: number;
  points: readonly RoofPoint[];
  ways: readonly string[];
}

/** The floors and the measured points of a frame's table; what was not measured has no row in it. */
export function roofOf({ table }: Pick<Frame, "table">): Roof {
  const named = (name: string): Cell[] => table.rows.find(([what]) => String(what).startsWith(name)) ?? [];
  const points = table.rows.flatMap((cells, row): RoofPoint[] => {
    const [what, dHead, ...numbers] = cells;
    const [intensity = 0, rate = 0, roof = 0, share = 0] = numbers.map(Number);
    return typeof dHead === "number" ? [{ row, way: String(what), dHead, intensity, rate, roof, share }] : [];
  });
  return {
    peak: Number(named("matmul")[3] ?? 0),
    bandwidth: Number(named("copy")[3] ?? 0),
    points,
    ways: [...new Set(points.map(({ way }) => way))],
  };
}

interface LogScale {
  low: number;
  high: number;
  ticks: readonly number[];
}

/** A log scale a little wider than the numbers, with round ticks: powers of two, or 1, 2 and 5 times powers of ten. */
export function logScale(values: readonly number[], by: "doubling" | "decades"): LogScale {
  const known = values.filter((value) => value > 0 && Number.isFinite(value));
  const [least, most] = [Math.min(...known, 1e12), Math.max(...known, 0)];
  if (most === 0) return { low: 1, high: 10, ticks: [1, 10] };
  const [low, high] = [least / 1.6, most * 1.6];
  const ticks = (by === "doubling" ? doublings(low, high) : decades(low, high)).filter(
    (tick) => tick >= low && tick <= high,
  );
  return { low, high, ticks };
}

function doublings(low: number, high: number): number[] {
  const from = Math.ceil(Math.log2(low));
  const many = Math.max(0, Math.floor(Math.log2(high)) - from + 1);
  return Array.from({ length: many }, (_, n) => 2 ** (from + n));
}

function decades(low: number, high: number): number[] {
  const from = Math.floor(Math.log10(low));
  const many = Math.ceil(Math.log10(high)) - from + 1;
  const all = Array.from({ length: many }, (_, n) => [1, 2, 5].map((digit) => digit * 10 ** (from + n)));
  return all.flat().map((tick) => Number(tick.toPrecision(6)));
}

/** Where a number lies between the ends of a log scale, from 0 to 1. */
export const along = ({ low, high }: LogScale, value: number): number =>
  (Math.log(value) - Math.log(low)) / (Math.log(high) - Math.log(low));

export interface Placed {
  box: Box;
  x: LogScale;
  y: LogScale;
  height: number;
}

/** The plot in `across` CSS pixels, wide enough for every point, the ridge and the roof. */
export function placed({ peak, bandwidth, points }: Roof, across: number): Placed {
  const ridge = bandwidth > 0 ? peak / bandwidth : 1;
  const bare = points.length === 0 ? 8 : 1;
  const x = logScale([...points.map(({ intensity }) => intensity), ridge / bare, ridge * bare], "doubling");
  const y = logScale([...points.map(({ rate }) => rate), peak / bare, peak], "decades");
  const narrow = across < 560;
  const box = { x: 56, y: 44, w: Math.max(120, across - 56 - 18), h: narrow ? 250 : 300 };
  return { box, x, y, height: box.y + box.h + 46 };
}

export const xOf = ({ box, x }: Placed, intensity: number): number => box.x + along(x, intensity) * box.w;
export const yOf = ({ box, y }: Placed, rate: number): number => box.y + (1 - along(y, rate)) * box.h;

/** The roof as corners of a line: up the slope of memory to the ridge, then flat; what leaves the plot is cut. */
export function roofLine(roof: Roof, place: Placed): { x: number; y: number }[] {
  const ridge = roof.peak / roof.bandwidth;
  const from = Math.max(place.x.low, place.y.low / roof.bandwidth);
  const corners = [
    ...(from < ridge ? [{ x: from, y: from * roof.bandwidth }] : []),
    { x: Math.max(ridge, place.x.low), y: roof.peak },
    { x: place.x.high, y: roof.peak },
  ];
  return corners.map(({ x, y }) => ({ x: xOf(place, x), y: yOf(place, y) }));
}

/** The point nearest to a place in the plot; -1 where there is none. */
export function nearestPoint(roof: Roof, place: Placed, at: { x: number; y: number }): number {
  const away = roof.points.map(({ intensity, rate }) =>
    Math.hypot(xOf(place, intensity) - at.x, yOf(place, rate) - at.y),
  );
  return away.indexOf(Math.min(...away));
}

/** Walks the points: by widths within a way, or to the same width of the other way; stays at the ends. */
export function walk({ points, ways }: Roof, now: number, by: { width: number; way: number }): number {
  const here = points[now];
  if (!here) return points.length > 0 ? 0 : -1;
  const way = ways[Math.max(0, Math.min(ways.length - 1, ways.indexOf(here.way) + by.way))] ?? here.way;
  const line = points.filter((point) => point.way === way);
  const same = line.findIndex(({ dHead }) => dHead === here.dHead);
  if (same < 0) return now;
  const to = line[Math.max(0, Math.min(line.length - 1, same + by.width))];
  return to ? points.indexOf(to) : now;
}
