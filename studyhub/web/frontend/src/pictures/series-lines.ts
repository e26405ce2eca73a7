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
import { number } from "./words";

/** The line of the reader's own numbers has the accent, wherever it stands among the others. */
const OWN = "yours";
const MOST_MARKS = 32;
const LABEL_ROOM = 15;

export const lookOf = (data: Data, name: string): number =>
  data.names.filter((one) => one !== OWN).indexOf(name) + 1;

export const classOf = (data: Data, name: string): string =>
  name === OWN ? "line-own" : `line-${(lookOf(data, name) - 1) % 4}`;

export function drawPanel(panel: Panel, data: Data, box: Box, scale: Scale): SVGElement {
  const lines = panel.lines.flatMap((line) => drawLine(line, data, box, scale));
  const title = panel.title
    ? [svg("text", { class: "strong", x: box.x - 38, y: box.y - 16 }, panel.title)]
    : [];
  return svg("g", {}, ...title, ...axes(data, box, scale), ...lines, ...labels(panel, data, box, scale));
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
    data.log ? `${data.xName}, doubling` : data.xName,
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
