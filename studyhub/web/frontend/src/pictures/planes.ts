/** A tensor of up to four axes and more as planes of rows: which axis is what, and where each number stands. Pure. */
import type { Layout } from "./storage";

export const MOST_PLANES = 12;
export const MOST_LINES = 8;
const GUTTER = 40;
const HEAD = 18;
const GAP = 8;
/** Over the drawing and under it: a line of text each. */
const FOOT = 22;

/** Axes by their number, -1 for none: along a line, line by line, plane by plane, and those of which one place is shown. */
export interface Roles {
  along: number;
  lines: number;
  planes: number;
  behind: number[];
  /** Lines go before planes: planes then stand in one row, as bands. */
  bands: boolean;
}

/** Tokens are always lines where they are not the last axis; heads are planes; sequences stand behind. */
export function rolesOf(names: readonly string[]): Roles {
  const along = names.length - 1;
  const others = names.map((_, axis) => axis).slice(0, -1);
  const tokens = names.indexOf("T");
  const chosen = others.includes(tokens) ? tokens : (others.at(-1) ?? -1);
  const left = others.filter((axis) => axis !== chosen);
  const planes = left.findLast((axis) => names[axis] !== "B") ?? -1;
  const behind = left.filter((axis) => axis !== planes);
  return { along, lines: chosen, planes, behind, bands: chosen < planes };
}

export interface Plane {
  /** Which place of the axis of planes. */
  at: number;
  x: number;
  y: number;
}

export interface Planes {
  roles: Roles;
  planes: Plane[];
  /** Places of the lines shown, and their height and width. */
  lines: number[];
  line: { w: number; h: number };
  height: number;
}

/** `most` places of an axis, with the traced one among them. */
function shown(size: number, most: number, at: number): number[] {
  const first = Math.max(0, Math.min(size - most, at - Math.floor(most / 2)));
  return Array.from({ length: Math.min(size, most) }, (_, n) => (size > most ? first : 0) + n);
}

export function planesOf({ names, shape }: Layout, index: readonly number[], across: number): Planes {
  const roles = rolesOf(names);
  const of = (axis: number, most: number) =>
    axis < 0 ? [0] : shown(shape[axis] ?? 1, most, index[axis] ?? 0);
  const [places, lines] = [of(roles.planes, MOST_PLANES), of(roles.lines, MOST_LINES)];
  const room = Math.max(60, across - GUTTER);
  const perRow = roles.bands ? places.length : Math.min(places.length, across < 420 ? 3 : 4);
  const gap = roles.bands ? 2 : GAP;
  const w = Math.max(1, (room - gap * (perRow - 1)) / perRow);
  const h = roles.bands || places.length === 1 ? 20 : 11;
  const down = HEAD + lines.length * h + 4;
  const planes = places.map((at, n) => ({
    at,
    x: GUTTER + (n % perRow) * (w + gap),
    y: Math.floor(n / perRow) * down + HEAD,
  }));
  return { roles, planes, lines, line: { w, h }, height: Math.ceil(places.length / perRow) * down + FOOT };
}

/** The index under a point of the drawing, or null beside it. */
export function indexUnder(
  drawn: Planes,
  { shape }: Layout,
  index: readonly number[],
  { x, y }: { x: number; y: number },
): number[] | null {
  const { line, lines, roles } = drawn;
  const plane = drawn.planes.find(
    (one) => x >= one.x && x < one.x + line.w && y >= one.y && y < one.y + lines.length * line.h,
  );
  if (!plane) return null;
  const found = [...index];
  if (roles.planes >= 0) found[roles.planes] = plane.at;
  if (roles.lines >= 0) found[roles.lines] = lines[Math.floor((y - plane.y) / line.h)] ?? 0;
  const size = shape[roles.along] ?? 1;
  found[roles.along] = Math.min(size - 1, Math.floor(((x - plane.x) / line.w) * size));
  return found;
}
