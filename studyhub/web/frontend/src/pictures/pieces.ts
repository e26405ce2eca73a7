/** Where the pieces of a split lie: one piece is head h of token t, the same piece in every step. Pure geometry. */
import type { Text } from "./surface";
import type { Frame } from "./types";

/** Sizes of batch item 0 of a split. `rows` tokens are shown of `tokens`. */
export interface Sizes {
  tokens: number;
  rows: number;
  heads: number;
  width: number;
}

export interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
}

/** How a frame is laid out: unbroken bars, heads beside each other in each token, or one plane a head. */
export type Form = "bars" | "columns" | "planes";

export interface Arrangement {
  form: Form;
  /** Piece of token t and head h at [t * heads + h]. */
  boxes: Box[];
  /** The frame round each head that has a plane of its own. */
  planes: Map<number, Box>;
  texts: Text[];
  height: number;
}

export interface Element3 {
  t: number;
  h: number;
  d: number;
}

const MOVING = 512;
const LEFT = 34;
const TOP = 20;

/** Where a frame has its tokens ("T", "T_k") or its heads ("H", "H_kv"); -1 where it has none. */
export const placeOfAxis = (frame: Frame, axis: "T" | "H"): number =>
  frame.axes.findIndex((name) => name === axis || name.startsWith(`${axis}_`));

export function formOf(frame: Frame): Form {
  const [token, head] = [placeOfAxis(frame, "T"), placeOfAxis(frame, "H")];
  if (head < 0) return "bars";
  return head > token ? "columns" : "planes";
}

/** How a frame's own tensor differs from q: query heads that read one of its heads, width of one, tokens. */
export interface Own {
  group: number;
  width: number;
  tokens: number;
}

export function ownOf(frame: Frame, sizes: Sizes): Own {
  const size = (axis: "T" | "H", otherwise: number) => frame.shape[placeOfAxis(frame, axis)] ?? otherwise;
  const last = frame.shape.at(-1) ?? 1;
  const joined = frame.axes.at(-1)?.startsWith("H*");
  const width = formOf(frame) !== "bars" ? last : joined ? last / sizes.heads : sizes.width;
  return {
    group: Math.max(1, Math.round(sizes.heads / size("H", sizes.heads))),
    width,
    tokens: size("T", sizes.tokens),
  };
}

/** Steps whose numbers do not come from q: nothing moves to them or from them. */
const APART = ["latent", "rope_key", "keys", "values"];
export const apart = (frame: Frame): boolean => APART.includes(frame.step);

/** At most 512 pieces move, so of a long text the first tokens are shown. */
export function sizesOf(frames: readonly Frame[]): Sizes {
  const split = frames.find((frame) => formOf(frame) !== "bars");
  const length = (axis: "T" | "H") => split?.shape[placeOfAxis(split, axis)] ?? 1;
  const [tokens, heads] = [length("T"), length("H")];
  const rows = Math.max(1, Math.min(tokens, 8, Math.floor(MOVING / heads)));
  return { tokens, rows, heads, width: split?.shape.at(-1) ?? 1 };
}

const rowHeight = (rows: number) => (rows <= 4 ? 30 : 22);

function tokenTexts(sizes: Sizes): Text[] {
  const height = rowHeight(sizes.rows);
  return Array.from({ length: sizes.rows }, (_, t) => ({
    x: 0,
    y: TOP + t * height + height / 2 + 4,
    text: `t ${t}`,
    look: "axis-T strong",
  }));
}

/** Every how many heads a number fits. */
export const labelEvery = (room: number, heads: number): number =>
  [1, 2, 4, 8, 16, 32, 64].find((every) => room * every >= (heads > 99 ? 24 : 17)) ?? 64;

/** One unbroken bar a token, cut (without a gap) where the heads will part. */
function bars(sizes: Sizes, across: number): Arrangement {
  const height = rowHeight(sizes.rows);
  const each = (across - LEFT) / sizes.heads;
  return {
    form: "bars",
    boxes: grid(sizes, (t, h) => ({ x: LEFT + h * each, y: TOP + t * height, w: each, h: height - 3 })),
    planes: new Map(),
    texts: tokenTexts(sizes),
    height: TOP + sizes.rows * height,
  };
}

function columns(sizes: Sizes, across: number): Arrangement {
  const height = rowHeight(sizes.rows);
  const each = (across - LEFT) / sizes.heads;
  const gap = Math.min(3, each * 0.2);
  const every = labelEvery(each, sizes.heads);
  const heads = Array.from({ length: sizes.heads }, (_, h) => h).filter((h) => h % every === 0);
  const texts: Text[] = heads.map((h) => ({
    x: LEFT + (h + 0.5) * each - gap / 2,
    y: 12,
    text: String(h),
    look: "axis-H strong",
    anchor: "middle",
  }));
  return {
    form: "columns",
    boxes: grid(sizes, (t, h) => ({ x: LEFT + h * each, y: TOP + t * height, w: each - gap, h: height - 3 })),
    planes: new Map(),
    texts: [...tokenTexts(sizes), ...texts],
    height: TOP + sizes.rows * height,
  };
}

/** How many planes stand in a row: whole rows where the number of heads allows it. */
export function planesAcross(heads: number, across: number): number {
  const most = Math.max(2, Math.floor(across / (heads > 32 ? 28 : heads > 24 ? 34 : 56)));
  if (heads <= Math.min(most, 6)) return heads;
  const widest = Math.min(most, heads <= 12 ? 6 : heads <= 32 ? 8 : 16);
  for (let n = widest; n > widest / 2; n--) if (heads % n === 0) return n;
  return widest;
}

/** More heads than this do not each get a plane: the first do, and the traced one in the last place. */
export const MOST_PLANES = 64;

/** The heads that have a plane, in order of their places. */
export function planed(heads: number, traced: number): number[] {
  const shown = Math.min(heads, MOST_PLANES);
  const first = Array.from({ length: shown }, (_, h) => h);
  return traced < shown || heads <= MOST_PLANES ? first : [...first.slice(0, -1), traced];
}

const NOWHERE: Box = { x: -9, y: -9, w: 0, h: 0 };

function planes(sizes: Sizes, across: number, traced: number, group: number): Arrangement {
  const heads = planed(sizes.heads / group, Math.floor(traced / group));
  const places = new Map(heads.map((h, place) => [h, place]));
  const per = planesAcross(heads.length, across);
  const [each, line] = [across / per, sizes.rows <= 4 ? 10 : 7];
  const gap = Math.min(8, each * 0.12);
  const down = TOP - 2 + sizes.rows * line + 8;
  const corner = (place: number) => ({
    x: (place % per) * each + gap / 2,
    y: Math.floor(place / per) * down,
  });
  const named = each >= 30;
  const piece = (place: number, t: number): Box => {
    const { x, y } = corner(place);
    return { x, y: y + TOP - 2 + t * line, w: each - gap, h: line - 2 };
  };
  return {
    form: "planes",
    boxes: grid(sizes, (t, h) => {
      const place = places.get(Math.floor(h / group));
      return place === undefined ? NOWHERE : piece(place, t);
    }),
    planes: new Map(
      heads.map((h, place) => [
        h,
        {
          x: corner(place).x - gap / 2 + 1,
          y: corner(place).y + TOP - 6,
          w: each - 2,
          h: sizes.rows * line + 6,
        },
      ]),
    ),
    texts: heads.map((h, place) => ({
      x: corner(place).x,
      y: corner(place).y + 11,
      text: named ? `${group > 1 ? "kv" : "h"} ${h}` : String(h),
      look: "axis-H strong",
    })),
    height: Math.ceil(heads.length / per) * down,
  };
}

function grid(sizes: Sizes, box: (t: number, h: number) => Box): Box[] {
  const boxes: Box[] = [];
  for (let t = 0; t < sizes.rows; t++) for (let h = 0; h < sizes.heads; h++) boxes.push(box(t, h));
  return boxes;
}

const FORMS = { bars, columns, planes };

/** `own`: what the frame's tensor has of its own; without it, it is as q is. */
export function arrange(form: Form, sizes: Sizes, across: number, traced = 0, own?: Own): Arrangement {
  const made = FORMS[form](sizes, across, traced, own?.group ?? 1);
  const drawn = (own?.tokens ?? sizes.rows) * sizes.heads;
  return { ...made, boxes: made.boxes.map((box, at) => (at < drawn ? box : NOWHERE)) };
}

/** The tallest form, so that no step moves what stands below it. */
export const reservedHeight = (sizes: Sizes, across: number): number =>
  Math.max(...(["bars", "columns", "planes"] as const).map((form) => arrange(form, sizes, across).height));

export function between(from: Box, to: Box, share: number): Box {
  const mix = (one: number, other: number) => one + (other - one) * share;
  return { x: mix(from.x, to.x), y: mix(from.y, to.y), w: mix(from.w, to.w), h: mix(from.h, to.h) };
}

/** The element under a pointer, or null beside all pieces. */
export function elementAt(
  arrangement: Arrangement,
  sizes: Sizes,
  place: { x: number; y: number },
): Element3 | null {
  const inside = (box: Box) =>
    place.x >= box.x && place.x < box.x + box.w + 2 && place.y >= box.y - 1 && place.y < box.y + box.h + 2;
  const found = arrangement.boxes.findIndex(inside);
  const box = arrangement.boxes[found];
  if (!box) return null;
  const along = Math.min(0.999, Math.max(0, (place.x - box.x) / box.w));
  return {
    t: Math.floor(found / sizes.heads),
    h: found % sizes.heads,
    d: Math.floor(along * sizes.width),
  };
}
