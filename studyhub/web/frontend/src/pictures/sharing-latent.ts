/** Paints latent attention: what is cached, and what each head rebuilds from it. Knows no player. */
import { type Inks, translucent } from "./palette";
import type { Text } from "./surface";
import { count } from "./words";

export interface Latent {
  heads: number;
  followed: number;
  rank: number;
  rope: number;
  d_model: number;
  d_head: number;
  d_head_v: number;
  /** True where d_head holds the turned features, as in the model's own row. */
  own: boolean;
}

const QUERY = { y: 22, h: 34 };
const MADE = { y: 74, h: 14 };
const CACHE = { y: 166, h: 44 };
const INPUT = { y: 264, h: 18 };
export const LATENT_HEIGHT = 290;
const MARGIN = 18;
const NEAREST = 2.4;

export function drawLatent(
  context: CanvasRenderingContext2D,
  latent: Latent,
  across: number,
  paints: Inks,
): Text[] {
  const pitch = (across - MARGIN) / latent.heads;
  const boxes = cached(latent, across);
  paths(context, latent, boxes, { across, pitch, paints });
  heads(context, latent, pitch, paints);
  block(context, boxes.latent, { paints, solid: true });
  block(context, boxes.rope, { paints, solid: false });
  input(context, across, paints);
  return texts(latent, boxes, { across, pitch });
}

interface Box {
  x: number;
  w: number;
}

/** The latent and the rotary key, each as wide as its numbers, never too narrow for its name. */
export function cached(latent: Latent, across: number): { latent: Box; rope: Box } {
  const whole = Math.min(across * 0.72, 420);
  const rope = Math.max(78, (whole * latent.rope) / (latent.rank + latent.rope));
  const wide = Math.max(96, whole - rope);
  const x = (across - wide - rope - 10) / 2;
  return { latent: { x, w: wide }, rope: { x: x + wide + 10, w: rope } };
}

interface Plan {
  across: number;
  pitch: number;
  paints: Inks;
}

/** x down into the cache, the latent up to every head, the rotary key past the up-projection to every K. */
function paths(
  context: CanvasRenderingContext2D,
  latent: Latent,
  boxes: { latent: Box; rope: Box },
  { across, pitch, paints }: Plan,
): void {
  const accent = paints.colour("accent");
  const fan = (
    from: { a: number; b: number; y: number },
    to: { a: number; b: number; y: number },
    alpha: number,
  ) => {
    const bend = (to.y - from.y) * 0.5;
    context.fillStyle = translucent(accent, alpha);
    context.beginPath();
    context.moveTo(from.a, from.y);
    context.bezierCurveTo(from.a, from.y + bend, to.a, to.y - bend, to.a, to.y);
    context.lineTo(to.b, to.y);
    context.bezierCurveTo(to.b, to.y - bend, from.b, from.y + bend, from.b, from.y);
    context.fill();
  };
  const low = MADE.y + 2 * MADE.h + 6;
  const { latent: c, rope: r } = boxes;
  fan({ a: MARGIN, b: across, y: low }, { a: c.x, b: c.x + c.w, y: CACHE.y }, 0.16);
  const at = MARGIN + latent.followed * pitch;
  fan(
    { a: at, b: at + Math.max(2, pitch), y: low },
    { a: c.x + c.w * 0.3, b: c.x + c.w * 0.7, y: CACHE.y },
    0.42,
  );
  for (const box of [c, r])
    fan(
      { a: box.x, b: box.x + box.w, y: CACHE.y + CACHE.h },
      { a: box.x, b: box.x + box.w, y: INPUT.y },
      0.1,
    );
  context.strokeStyle = accent;
  context.lineWidth = 1.5;
  context.setLineDash([5, 4]);
  context.beginPath();
  const [mx, my] = [r.x + r.w / 2, (CACHE.y + low) / 2 + 8];
  context.moveTo(mx, CACHE.y);
  context.bezierCurveTo(mx, my, across - 4, my, across - 4, low);
  context.moveTo(mx, CACHE.y);
  context.bezierCurveTo(mx, my, at + pitch / 2, my, at + pitch / 2, low);
  context.stroke();
  context.setLineDash([]);
}

/** Queries, and under each the K and V that it rebuilds: light, for they are not kept. */
function heads(context: CanvasRenderingContext2D, latent: Latent, pitch: number, paints: Inks): void {
  const [colour, accent] = [paints.colour("H"), paints.colour("accent")];
  const gap = Math.min(2, pitch * 0.18);
  const rows = [
    [QUERY.y, QUERY.h, colour, 0.5],
    [MADE.y, MADE.h, accent, 0.32],
    [MADE.y + MADE.h + 3, MADE.h, accent, 0.32],
  ] as const;
  for (const [y, h, ink, alpha] of rows) {
    context.fillStyle = translucent(ink, alpha);
    if (pitch < NEAREST) context.fillRect(MARGIN, y, pitch * latent.heads, h);
    else
      for (let n = 0; n < latent.heads; n++)
        context.fillRect(MARGIN + n * pitch + gap / 2, y, pitch - gap, h);
    context.fillStyle = ink;
    context.fillRect(MARGIN + latent.followed * pitch + gap / 2, y, Math.max(2, pitch - gap), h);
  }
  context.fillStyle = paints.colour("ink");
  context.fillRect(MARGIN + latent.followed * pitch + gap / 2, QUERY.y - 4, Math.max(2, pitch - gap), 3);
}

function block(
  context: CanvasRenderingContext2D,
  { x, w }: Box,
  { paints, solid }: { paints: Inks; solid: boolean },
): void {
  context.beginPath();
  context.roundRect(x, CACHE.y, w, CACHE.h, 5);
  context.fillStyle = solid ? paints.colour("accent") : paints.colour("surface");
  context.fill();
  context.strokeStyle = paints.colour("accent");
  context.lineWidth = 2.5;
  context.stroke();
}

function input(context: CanvasRenderingContext2D, across: number, paints: Inks): void {
  context.fillStyle = translucent(paints.colour("d-model"), 0.5);
  context.beginPath();
  context.roundRect(MARGIN, INPUT.y, across - MARGIN, INPUT.h, 4);
  context.fill();
}

function texts(
  latent: Latent,
  { latent: c, rope: r }: { latent: Box; rope: Box },
  { across, pitch }: { across: number; pitch: number },
): Text[] {
  const middle = { anchor: "middle" as const };
  const followed = MARGIN + (latent.followed + 0.5) * pitch;
  const held = Math.max(40, Math.min(across - 40, followed));
  const narrow = across < 480;
  return [
    { x: held, y: 12, text: `head ${latent.followed}`, look: "axis-H strong", ...middle },
    { x: 0, y: QUERY.y + QUERY.h / 2 + 5, text: "q", look: "axis-H strong" },
    { x: 0, y: MADE.y + MADE.h - 2, text: "K", look: "strong" },
    { x: 0, y: MADE.y + 2 * MADE.h + 2, text: "V", look: "strong" },
    {
      x: narrow ? MARGIN : c.x + c.w / 2,
      y: MADE.y + 2 * MADE.h + 24,
      text: narrow ? "up, per head: W_UK, W_UV" : "rebuilt for each head by W_UK and W_UV, not kept",
      look: "quiet",
      ...(narrow ? {} : middle),
    },
    {
      x: c.x + c.w / 2,
      y: CACHE.y + 19,
      text: narrow ? "latent" : "latent c, cached",
      look: "on-strong strong",
      ...middle,
    },
    { x: c.x + c.w / 2, y: CACHE.y + 36, text: count(latent.rank), look: "on-strong mono", ...middle },
    { x: r.x + r.w / 2, y: CACHE.y + 19, text: "rotary key", look: "strong", ...middle },
    { x: r.x + r.w / 2, y: CACHE.y + 36, text: count(latent.rope), look: "mono", ...middle },
    {
      x: c.x + c.w / 2,
      y: CACHE.y + CACHE.h + 22,
      text: narrow ? "W_DKV" : "W_DKV, down",
      look: "quiet",
      ...middle,
    },
    { x: r.x + r.w / 2, y: CACHE.y + CACHE.h + 22, text: "W_KR,", look: "quiet", ...middle },
    { x: r.x + r.w / 2, y: CACHE.y + CACHE.h + 38, text: "turned", look: "quiet", ...middle },
    {
      x: across / 2,
      y: INPUT.y + 14,
      text: `x, d_model ${count(latent.d_model)}`,
      look: "strong",
      ...middle,
    },
  ];
}

/** The query head under a place; -1 beside all of them. */
export function latentHeadAt(latent: Latent, across: number, x: number): number {
  const head = Math.floor((x - MARGIN) / ((across - MARGIN) / latent.heads));
  return head >= 0 && head < latent.heads ? head : -1;
}
