/** The parts of a chart as drawn: axes, lines with marks, names at their ends. Knows no pointer. */
import { svg } from "../dom";
import {
  across,
  apart,
  type Box,
  type Data,
  type Line,
  markOf,
  type Panel,
  pathOf,
  type Scale,
  upwards,
  xTicks,
} from "./chart";
import type { Facts } from "./types";
import { count, number } from "./words";

/** The line of a divisor of its own has the accent, wherever it stands among the others: "÷ 64". */
const isOwn = (name: string): boolean => name.startsWith("÷ ");
const MOST_MARKS = 32;
const LABEL_ROOM = 15;

export const lookOf = (data: Data, name: string): number =>
  data.names.filter((one) => !isOwn(one)).indexOf(name) + 1;

export const classOf = (data: Data, name: string): string =>
  isOwn(name) ? "line-own" : `line-${(lookOf(data, name) - 1) % 4}`;

export function drawPanel(panel: Panel, data: Data, box: Box, scale: Scale): SVGElement {
  const lines = panel.lines.flatMap((line) => drawLine(line, data, box, scale));
  const title = panel.title
    ? [svg("text", { class: "strong", x: box.x - 38, y: box.y - 16 }, panel.title)]
    : [];
  return svg("g", {}, ...title, ...axes(data, box, scale), ...lines, ...labels(panel, data, box, scale));
}

/** The highest number that a panel can reach, where the facts tell it: entropy is at most that of equal weights. */
export function ceilingOf(panel: Panel, data: Data, facts: Facts): number | null {
  const told = panel.title === "entropy" && data.xName === "d_head" ? Number(facts.max_entropy) : Number.NaN;
  return Number.isFinite(told) ? told : null;
}

/** What lines are read against: the reader's own d_head, and the ceiling of a panel. */
export function drawMarks(panel: Panel, data: Data, facts: Facts, box: Box, scale: Scale): SVGElement[] {
  const [own, ceiling] = [Number(facts.d_head), ceilingOf(panel, data, facts)];
  const marks: SVGElement[] = [];
  if (data.xName === "d_head" && data.x.includes(own)) {
    const x = across(data, own, box);
    const line = { class: "series__own", x1: x, x2: x, y1: box.y, y2: box.y + box.h };
    const words = { class: "axis-D strong", x, y: box.y - 4, "text-anchor": "middle" };
    marks.push(svg("line", line), svg("text", words, count(own)));
  }
  if (ceiling !== null) {
    const y = upwards(scale, ceiling, box);
    const line = { class: "series__ceiling", x1: box.x, x2: box.x + box.w, y1: y, y2: y };
    const words = { class: "quiet", x: box.x + 4, y: y - 4 };
    marks.push(svg("line", line), svg("text", words, `ln ${count(Number(facts.keys))}`));
  }
  return marks;
}

function axes(data: Data, box: Box, scale: Scale): SVGElement[] {
  const floor = box.y + box.h;
  const across_ = scale.ticks.flatMap((tick) => {
    const y = upwards(scale, tick, box);
    const words = svg("text", { x: box.x - 8, y: y + 4, "text-anchor": "end" }, tickText(tick));
    return [svg("line", { class: "series__grid", x1: box.x, x2: box.x + box.w, y1: y, y2: y }), words];
  });
  const down = xTicks(data, box).flatMap((tick) => {
    const x = across(data, tick, box);
    const mark = svg("line", { class: "series__tick", x1: x, x2: x, y1: floor, y2: floor + 4 });
    return [mark, svg("text", { x, y: floor + 17, "text-anchor": "middle" }, tickText(tick))];
  });
  const name = svg(
    "text",
    {
      class: data.xName === "d_head" ? "axis-D strong" : "quiet",
      x: box.x + box.w / 2,
      y: floor + 34,
      "text-anchor": "middle",
    },
    data.log ? `${data.xName}, log scale` : data.xName,
  );
  return [...across_, ...down, name];
}

const tickText = (tick: number): string =>
  (Number.isInteger(tick) ? number(tick) : Number(tick.toPrecision(3)).toString()).replace("-", "−");

function drawLine({ points, name }: Line, data: Data, box: Box, scale: Scale): SVGElement[] {
  const places = points.map((value, n) =>
    value === null ? null : { x: across(data, data.x[n] ?? 0, box), y: upwards(scale, value, box) },
  );
  const look = classOf(data, name);
  const line = svg("path", { class: `series__line ${look}`, d: pathOf(places) });
  if (points.length > MOST_MARKS) return [line];
  const marks = places.flatMap((place) => (place ? [markOf(lookOf(data, name), place.x, place.y)] : []));
  return [line, svg("path", { class: `series__mark ${look}`, d: marks.join("") })];
}

/** Each line's name at its end, in the line's own look; no legend to look up. */
function labels(panel: Panel, data: Data, box: Box, scale: Scale): SVGElement[] {
  const ends = panel.lines.map(({ points }) => points.findLast((value) => value !== null) ?? scale.low);
  const heights = apart(
    ends.map((value) => upwards(scale, value, box)),
    LABEL_ROOM,
    box,
  );
  return panel.lines.map(({ name }, n) =>
    svg(
      "text",
      { class: `series__name ${classOf(data, name)}`, x: box.x + box.w + 10, y: (heights[n] ?? 0) + 4 },
      name,
    ),
  );
}
