/** Draws caches as bars on one scale, on their weights where asked, and the memory of a card as a line. Knows no facts. */
import { svg } from "../dom";
import { type Axis, along, axisOf, type Bar, under } from "./budget-data";
import { memory, roundMemory } from "./bytes";

export interface Look {
  log: boolean;
  weights: boolean;
  card: number;
}

const NAMES = 262;
const VALUE = 92;
const TOP = 40;
const FOOT = 14;
const NARROW = 560;
/** A card this many times the longest bar away would leave the bars no room. */
const NEAR_CARD = 2;

export interface Placed {
  axis: Axis;
  left: number;
  across: number;
  /** Height of a row, and of the bar in it from its top. */
  row: number;
  bar: number;
  thick: number;
  narrow: boolean;
  height: number;
}

export function place(bars: readonly Bar[], look: Look, across: number): Placed {
  const narrow = across < NARROW;
  const ends = bars.flatMap((bar) => (look.weights ? [bar.total, under(bar) + bar.total] : [bar.total]));
  const seen = look.card > 0 && look.card <= NEAR_CARD * Math.max(1, ...ends);
  const axis = axisOf([...ends, ...(seen ? [look.card] : [])], look.log, narrow ? 2 : 4);
  const left = narrow ? 0 : NAMES;
  const row = narrow ? 40 : 24;
  return {
    axis,
    left,
    across: Math.max(60, across - left - VALUE),
    row,
    bar: narrow ? 20 : 4,
    thick: narrow ? 14 : 15,
    narrow,
    height: TOP + bars.length * row + FOOT,
  };
}

/** Everything but what is pointed at. */
export function drawBars(bars: readonly Bar[], look: Look, placed: Placed): SVGElement[] {
  return [
    ...drawAxis(placed),
    ...bars.map((bar, n) => drawBar(bar, n, look, placed)),
    ...drawCard(look, placed),
  ];
}

const xOf = ({ left, across, axis }: Placed, bytes: number): number => left + along(axis, bytes) * across;
export const topOf = ({ row }: Placed, n: number): number => TOP + n * row;

function drawAxis(placed: Placed): SVGElement[] {
  const { axis, left, height } = placed;
  const ticks = axis.ticks.flatMap((tick, n) => {
    const x = xOf(placed, tick);
    const anchor = n === 0 && x - left < 20 ? "start" : "middle";
    return [
      svg("line", { class: "budget-grid", x1: x, x2: x, y1: TOP - 4, y2: height - FOOT }),
      svg("text", { class: "budget-tick", x, y: TOP - 9, "text-anchor": anchor }, roundMemory(tick)),
    ];
  });
  const words = axis.log ? "bytes, log scale: equal steps are equal ratios" : "bytes, linear scale";
  return [svg("text", { class: "budget-tick", x: left, y: 12 }, words), ...ticks];
}

function drawBar(bar: Bar, n: number, look: Look, placed: Placed): SVGElement {
  const y = topOf(placed, n);
  const base = look.weights ? under(bar) : 0;
  const [from, to] = [base ? xOf(placed, base) : placed.left, xOf(placed, base + bar.total)];
  const box = { y: y + placed.bar, height: placed.thick };
  const name = {
    class: "budget-name",
    x: placed.narrow ? 0 : placed.left - 54,
    y: y + (placed.narrow ? 14 : 16),
  };
  const value = { class: "budget-value", x: to + 7, y: y + placed.bar + placed.thick - 3 };
  return svg(
    "g",
    { class: `budget-bar is-${bar.stands}`, "data-n": n },
    svg("rect", {
      class: "budget-ground",
      x: 0,
      y,
      width: placed.left + placed.across + VALUE,
      height: placed.row,
    }),
    svg(
      "text",
      { ...name, "text-anchor": placed.narrow ? "start" : "end" },
      `${bar.name}${placed.narrow && bar.row >= 0 ? `, ${bar.scheme}` : ""}`,
    ),
    ...(placed.narrow
      ? []
      : [svg("text", { class: "budget-scheme", x: placed.left - 46, y: y + 16 }, bar.scheme)]),
    ...(look.weights ? drawWeights(bar, placed, box) : []),
    svg("rect", { class: "budget-cache", x: from, width: Math.max(1.5, to - from), ...box }),
    svg("text", value, `${bar.partly ? "≤ " : ""}${memory(bar.total)}`),
  );
}

/** Attention's own weights filled, the rest of a nominal size hollow; a question mark where no size is told. */
function drawWeights(bar: Bar, placed: Placed, box: { y: number; height: number }): SVGElement[] {
  const [own, all] = [bar.attention, under(bar)].map((bytes) => xOf(placed, bytes)) as [number, number];
  const parts: SVGElement[] = [];
  if (bar.attention)
    parts.push(
      svg("rect", {
        class: "budget-attention",
        x: placed.left,
        width: Math.max(1, own - placed.left),
        ...box,
      }),
    );
  if (bar.nominal) {
    const start = bar.attention ? own : placed.left;
    parts.push(svg("rect", { class: "budget-nominal", x: start, width: Math.max(1, all - start), ...box }));
  } else
    parts.push(
      svg("text", { class: "budget-unknown", x: Math.max(placed.left + 3, own - 10), y: box.y + 12 }, "?"),
    );
  return parts;
}

function drawCard({ card }: Look, placed: Placed): SVGElement[] {
  if (!card) return [];
  if (card > placed.axis.high) {
    const words = { class: "budget-card-name", x: placed.left + placed.across, y: placed.height - 2 };
    return [
      svg("text", { ...words, "text-anchor": "end" }, `card of ${roundMemory(card)}: far to the right →`),
    ];
  }
  const x = xOf(placed, card);
  const right = x > placed.left + placed.across * 0.6;
  const words = {
    class: "budget-card-name",
    x: x + (right ? -5 : 5),
    y: placed.height - 2,
    "text-anchor": right ? "end" : "start",
  };
  return [
    svg("line", { class: "budget-card", x1: x, x2: x, y1: TOP - 4, y2: placed.height - FOOT + 4 }),
    svg("text", words, `card of ${roundMemory(card)}`),
  ];
}
