/** Paints the pieces of a split: ground, the real numbers inside, the traced element. Knows no steps. */
import { type Inks, rgb, translucent } from "./palette";
import {
  type Arrangement,
  apart,
  type Box,
  between,
  type Element3,
  type Own,
  ownOf,
  type Sizes,
} from "./pieces";
import { tensorOf } from "./scene";
import type { Frame } from "./types";

/** The numbers of batch item 0 as one picture, darker where the size is greater.
 *
 * They come as (T, H, D) or (T, width) whatever the order of the frame's axes: of the first tokens, and of a
 * long row a sample. So row t of the picture is token t, and heads lie side by side in it. */
export function texture(frame: Frame, numbers: Float32Array, colour: string): HTMLCanvasElement {
  const rows = tensorOf(frame, "values")?.shape[0] ?? 1;
  const columns = numbers.length / rows;
  const image = new ImageData(columns, rows);
  const [red, green, blue] = rgb(colour);
  const sizes = numbers.map((number) => Math.abs(number) || 0);
  const least = sizes.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY);
  const most = sizes.reduce((one, other) => Math.max(one, other), least + 1e-9);
  sizes.forEach((size, at) => {
    const share = (size - least) / (most - least);
    image.data.set([red, green, blue, Math.round(15 + 110 * share)], 4 * at);
  });
  const canvas = document.createElement("canvas");
  canvas.width = columns;
  canvas.height = rows;
  canvas.getContext("2d")?.putImageData(image, 0, 0);
  return canvas;
}

export interface Coat {
  frame: Frame;
  numbers: HTMLCanvasElement | null;
  /** The traced feature of an unbroken row, as a share of its width. */
  along: number;
  /** True where the row is cut into the heads' runs (not in x and W_O). */
  cut: boolean;
}

export interface Painting {
  from: Arrangement;
  to: Arrangement;
  coat: Coat;
  /** Where the move stands for head h, from 0 to 1. */
  share(h: number): number;
  traced: Element3;
  sizes: Sizes;
  inks: Inks;
}

/** The colour of a form: the one colour of d_model while unbroken, the colour of heads once parted. */
const inkOf = (arrangement: Arrangement): string => (arrangement.form === "bars" ? "d-model" : "H");

function blend(inks: Inks, from: string, to: string, share: number): string {
  if (from === to || share >= 1) return inks.colour(to);
  const [one, other] = [rgb(inks.colour(from)), rgb(inks.colour(to))];
  const hex = one.map((value, i) => Math.round(value + ((other[i] ?? 0) - value) * share));
  return `#${hex.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

export function paint(context: CanvasRenderingContext2D, painting: Painting): void {
  const { sizes, traced, inks } = painting;
  const own = ownOf(painting.coat.frame, sizes);
  const [fromInk, toInk] = [inkOf(painting.from), inkOf(painting.to)];
  for (let t = 0; t < Math.min(sizes.rows, own.tokens); t++)
    for (let h = 0; h < sizes.heads; h += own.group) {
      const at = t * sizes.heads + h;
      const share = painting.share(h);
      const box = between(painting.from.boxes[at] as Box, painting.to.boxes[at] as Box, share);
      const ink = blend(inks, fromInk, toInk, share);
      piece(context, painting, box, ink, { t, h, own });
    }
  if (painting.share(traced.h) >= 1) outline(context, painting, own.group);
  if (painting.coat.frame.step === "output") whole(context, painting);
  else if (!painting.coat.cut && !apart(painting.coat.frame)) tick(context, painting);
}

function piece(
  context: CanvasRenderingContext2D,
  painting: Painting,
  box: Box,
  ink: string,
  { t, h, own }: { t: number; h: number; own: Own },
): void {
  const { coat, sizes, traced, inks } = painting;
  const same = coat.cut && h === traced.h - (traced.h % own.group);
  const hit = same && t === Math.min(traced.t, own.tokens - 1);
  context.fillStyle = translucent(ink, hit ? 0.95 : same ? 0.28 : 0.13);
  rounded(context, box, painting.to.form === "bars" ? 0 : 2);
  const run = { t, h: h / own.group, heads: sizes.heads / own.group };
  if (coat.numbers && !hit) values(context, coat.numbers, box, run);
  const d = Math.min(traced.d, own.width - 1);
  if (hit) element(context, box, (d + 0.5) / own.width, inks.colour("surface"));
}

function values(
  context: CanvasRenderingContext2D,
  numbers: HTMLCanvasElement,
  box: Box,
  { t, h, heads }: { t: number; h: number; heads: number },
): void {
  const each = numbers.width / heads;
  context.imageSmoothingEnabled = box.w < each;
  context.drawImage(numbers, h * each, t, each, 1, box.x, box.y, box.w, box.h);
}

/** A notch in the colour of the ground where the traced element lies in its run. */
function element(context: CanvasRenderingContext2D, box: Box, along: number, ground: string): void {
  context.fillStyle = ground;
  context.fillRect(box.x + Math.min(box.w - 3, Math.max(1, along * box.w - 1)), box.y, 2, box.h);
}

/** W_O mixes all heads into each number, so what the traced element went into is its token's whole row. */
function whole(context: CanvasRenderingContext2D, { to, sizes, traced, inks }: Painting): void {
  const first = to.boxes[traced.t * sizes.heads];
  const last = to.boxes[traced.t * sizes.heads + sizes.heads - 1];
  if (!first || !last) return;
  context.strokeStyle = inks.colour("d-model");
  context.lineWidth = 2;
  context.strokeRect(first.x + 1, first.y, last.x + last.w - first.x - 2, first.h);
}

/** In an unbroken row that no head owns: one mark of full strength at the traced feature. */
function tick(context: CanvasRenderingContext2D, painting: Painting): void {
  const { to, sizes, traced, inks, coat } = painting;
  const [first, last] = [
    to.boxes[traced.t * sizes.heads],
    to.boxes[traced.t * sizes.heads + sizes.heads - 1],
  ];
  if (!first || !last) return;
  const across = last.x + last.w - first.x;
  context.fillStyle = inks.colour("d-model");
  context.fillRect(first.x + coat.along * across - 1.5, first.y, 3, first.h);
}

function outline(context: CanvasRenderingContext2D, { to, traced, inks }: Painting, group: number): void {
  const plane = to.planes.get(Math.floor(traced.h / group));
  if (!plane) return;
  context.strokeStyle = inks.colour("H");
  context.lineWidth = 2;
  context.beginPath();
  context.roundRect(Math.max(1, plane.x), plane.y, plane.w, plane.h, 4);
  context.stroke();
}

export function rounded(context: CanvasRenderingContext2D, box: Box, radius: number): void {
  context.beginPath();
  context.roundRect(box.x, box.y, Math.max(0.5, box.w), box.h, Math.min(radius, box.w / 3));
  context.fill();
}
