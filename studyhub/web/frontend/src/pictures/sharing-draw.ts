/** Paints query heads bundled onto the pairs they read, or onto one latent. Knows no player and no facts of a model. */
import { type Inks, translucent } from "./palette";
import { groupOf, range } from "./sharing-facts";
import type { Text } from "./surface";

/** What is drawn: `pairs` of keys and values for `heads`, `followed` one of them; `left` heads have no pair. */
export interface Bundles {
  heads: number;
  pairs: number;
  followed: number;
  left: number;
}

const QUERY = { y: 22, h: 40 };
const FUNNEL = 58;
const PAIR_H = 42;
const MARGIN = 18;
/** Bars closer than this are one block a group. */
const NEAREST = 2.4;
/** Pairs of this room carry letters; narrower ones are rows of K over V. */
const LETTERED = 46;
const NAMED = 40;

export const BUNDLES_HEIGHT = QUERY.y + QUERY.h + 4 + FUNNEL + PAIR_H + 24;

interface Slots {
  left: number;
  slot: number;
  /** Room of one query head. */
  pitch: number;
}

/** Where groups lie: all heads share the width evenly, those without a pair stand last. */
export function slotsOf(bundles: Bundles, across: number): Slots {
  const rowed = across / Math.max(1, bundles.pairs) < LETTERED;
  const left = rowed ? MARGIN : 0;
  const pitch = (across - left) / bundles.heads;
  return { left, pitch, slot: ((bundles.heads - bundles.left) / Math.max(1, bundles.pairs)) * pitch };
}

/** The query head under a place; -1 beside all of them. */
export function headAt(bundles: Bundles, across: number, x: number): number {
  const { left, pitch } = slotsOf(bundles, across);
  const head = Math.floor((x - left) / pitch);
  return head >= 0 && head < bundles.heads ? head : -1;
}

export function drawBundles(
  context: CanvasRenderingContext2D,
  bundles: Bundles,
  across: number,
  paints: Inks,
): Text[] {
  const slots = slotsOf(bundles, across);
  const sharing = bundles.heads - bundles.left;
  const own = groupOf(bundles.followed, sharing, bundles.pairs);
  const texts: Text[] = [];
  for (let pair = 0; pair < bundles.pairs && slots.slot > 0; pair++) {
    const x = slots.left + pair * slots.slot;
    const size = sharing / bundles.pairs;
    const told = { first: pair * size, last: (pair + 1) * size - 1 };
    const chosen = pair === own.pair && bundles.followed < sharing;
    funnel(context, x, slots.slot, chosen, paints);
    queries(
      context,
      { x, slots, size, chosen, tone: pair % 2, followed: bundles.followed - told.first },
      paints,
    );
    pairOf(context, x, slots.slot, chosen, paints);
    texts.push(
      ...named(pair, told, x + slots.slot / 2, { slot: slots.slot, chosen, pairs: bundles.pairs, across }),
    );
  }
  if (bundles.left) texts.push(...leftOver(context, bundles, slots, paints));
  if (slots.left) texts.push(...rowLetters());
  return texts;
}

function funnel(
  context: CanvasRenderingContext2D,
  x: number,
  slot: number,
  chosen: boolean,
  paints: Inks,
): void {
  const [top, bottom] = [QUERY.y + QUERY.h + 3, QUERY.y + QUERY.h + 3 + FUNNEL];
  const gap = Math.min(1.5, slot * 0.1);
  const [a, b] = [x + gap, x + slot - gap];
  const half = Math.min((b - a) / 2, Math.max(pairWidth(slot) / 2, 0.5));
  const middle = x + slot / 2;
  const bend = (bottom - top) * 0.55;
  context.fillStyle = translucent(paints.colour("accent"), chosen ? 0.42 : 0.16);
  context.beginPath();
  context.moveTo(a, top);
  context.bezierCurveTo(a, top + bend, middle - half, bottom - bend, middle - half, bottom);
  context.lineTo(middle + half, bottom);
  context.bezierCurveTo(middle + half, bottom - bend, b, top + bend, b, top);
  context.fill();
}

interface Bars {
  x: number;
  slots: Slots;
  size: number;
  chosen: boolean;
  tone: number;
  /** Which head of the group is followed; outside of it none. */
  followed: number;
}

function queries(context: CanvasRenderingContext2D, bars: Bars, paints: Inks): void {
  const { x, slots, size, chosen, tone, followed } = bars;
  const colour = paints.colour("H");
  const [gap, close] = [Math.min(2, slots.pitch * 0.18), slots.pitch < NEAREST];
  context.fillStyle = translucent(colour, chosen ? 0.95 : tone ? 0.5 : 0.34);
  if (close) context.fillRect(x, QUERY.y, slots.slot - Math.min(1, slots.slot * 0.2), QUERY.h);
  else
    for (let n = 0; n < size; n++)
      context.fillRect(x + n * slots.pitch + gap / 2, QUERY.y, slots.pitch - gap, QUERY.h);
  if (!chosen) return;
  // The followed head itself stands taller, and has a bar of ink over it: more than a colour.
  const at = x + followed * slots.pitch;
  const wide = Math.max(2, slots.pitch - gap);
  context.fillStyle = paints.colour("H");
  context.fillRect(at + (close ? 0 : gap / 2), QUERY.y - 5, wide, QUERY.h + 5);
  context.fillStyle = paints.colour("ink");
  context.fillRect(at + (close ? 0 : gap / 2), QUERY.y - 7, wide, 3);
}

const pairWidth = (slot: number): number =>
  slot >= LETTERED ? Math.min(slot * 0.74, 64) : Math.max(1, slot - Math.min(2, slot * 0.25));

function pairOf(
  context: CanvasRenderingContext2D,
  x: number,
  slot: number,
  chosen: boolean,
  paints: Inks,
): void {
  const y = QUERY.y + QUERY.h + 4 + FUNNEL;
  const colour = paints.colour("accent");
  const wide = pairWidth(slot);
  const from = x + slot / 2 - wide / 2;
  const lettered = slot >= LETTERED;
  const boxes = lettered
    ? [
        [from, y, wide / 2 - 1, PAIR_H],
        [from + wide / 2 + 1, y, wide / 2 - 1, PAIR_H],
      ]
    : [
        [from, y, wide, PAIR_H / 2 - 2],
        [from, y + PAIR_H / 2 + 2, wide, PAIR_H / 2 - 2],
      ];
  for (const [bx, by, bw, bh] of boxes as [number, number, number, number][]) {
    const outlined = wide >= 8;
    context.fillStyle = outlined
      ? chosen
        ? paints.colour("accent-soft")
        : paints.colour("surface")
      : colour;
    context.strokeStyle = colour;
    context.lineWidth = chosen ? 3 : 1.5;
    context.beginPath();
    context.roundRect(bx, by, bw, bh, lettered ? 4 : Math.min(2, bw / 3));
    context.globalAlpha = outlined || chosen ? 1 : 0.55;
    context.fill();
    if (outlined) context.stroke();
    context.globalAlpha = 1;
  }
}

interface Naming {
  slot: number;
  chosen: boolean;
  pairs: number;
  across: number;
}

/** Ranges over the bars and names under the pairs, where there is room; the followed one is always named. */
function named(
  pair: number,
  { first, last }: { first: number; last: number },
  middle: number,
  { slot, chosen, pairs, across }: Naming,
): Text[] {
  const every = Math.ceil(NAMED / slot);
  if (!chosen && (slot < NAMED ? pair % every !== 0 || pairs > 64 : false)) return [];
  const held = (half: number) => Math.max(half, Math.min(across - half, middle));
  const look = chosen ? "strong" : "";
  const y = QUERY.y + QUERY.h + 4 + FUNNEL;
  const texts: Text[] = [
    { x: held(24), y: 11, text: range(first, last), look: `axis-H ${look}`, anchor: "middle" },
    {
      x: held(18),
      y: y + PAIR_H + 17,
      text: `kv ${pair}`,
      look: chosen ? "strong" : "quiet",
      anchor: "middle",
    },
  ];
  if (slot < LETTERED) return texts;
  const wide = pairWidth(slot);
  for (const [letter, side] of [
    ["K", -1],
    ["V", 1],
  ] as const)
    texts.push({
      x: middle + (side * wide) / 4,
      y: y + PAIR_H / 2 + 5,
      text: letter,
      look: "strong",
      anchor: "middle",
    });
  return texts;
}

function rowLetters(): Text[] {
  const y = QUERY.y + QUERY.h + 4 + FUNNEL;
  return [
    { x: 0, y: y + PAIR_H / 4 + 3, text: "K", look: "strong" },
    { x: 0, y: y + (3 * PAIR_H) / 4 + 6, text: "V", look: "strong" },
  ];
}

/** Heads that no pair is left for: hatched, with a line of the outcome's colour and a word. */
function leftOver(
  context: CanvasRenderingContext2D,
  bundles: Bundles,
  { left, pitch }: Slots,
  paints: Inks,
): Text[] {
  const [x, wide] = [left + (bundles.heads - bundles.left) * pitch, bundles.left * pitch];
  const colour = paints.colour("incorrect");
  context.save();
  context.beginPath();
  context.rect(x + 1, QUERY.y, Math.max(2, wide - 1), QUERY.h);
  context.clip();
  context.strokeStyle = colour;
  context.lineWidth = 2;
  for (let at = x - QUERY.h; at < x + wide; at += 7) {
    context.beginPath();
    context.moveTo(at, QUERY.y + QUERY.h);
    context.lineTo(at + QUERY.h, QUERY.y);
    context.stroke();
  }
  context.restore();
  context.strokeStyle = colour;
  context.lineWidth = 2;
  context.strokeRect(x + 1, QUERY.y, Math.max(2, wide - 2), QUERY.h);
  const words = `${bundles.left} read${bundles.left === 1 ? "s" : ""} no pair`;
  return [{ x: x + wide, y: QUERY.y + QUERY.h + 18, text: words, look: "left", anchor: "end" }];
}
