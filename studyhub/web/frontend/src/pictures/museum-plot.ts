/** The scatter of the museum as drawn: axes, the diagonal, a mark a spot, names where there is room. Knows no pointer. */
import { svg } from "../dom";
import { along, type Range, rangeOf, type Spot } from "./museum-data";

export interface Plot {
  x: Range;
  y: Range;
  left: number;
  top: number;
  w: number;
  h: number;
  height: number;
}

/** A place of one's own, or of an answer. */
export interface Extra {
  quotient: number;
  dHead: number;
  name: string;
  look: "own" | "answer";
}

interface Marked {
  picked: string;
  /** Spots that are dimmed, by their place. */
  faded(spot: Spot): boolean;
}

export function plotOf(spots: readonly Spot[], extras: readonly Extra[], across: number): Plot {
  const all = [...spots, ...extras];
  const left = 52;
  const h = Math.max(300, Math.min(520, across * 0.62));
  return {
    x: rangeOf(all.map(({ quotient }) => quotient)),
    y: rangeOf(all.map(({ dHead }) => dHead)),
    left,
    top: 22,
    w: Math.max(160, across - left - 16),
    h,
    height: h + 22 + 46,
  };
}

export const xOf = ({ x, left, w }: Plot, value: number): number => left + along(x, value) * w;
export const yOf = ({ y, top, h }: Plot, value: number): number => top + (1 - along(y, value)) * h;
/** Half the width of a mark: its area grows by the models on it. */
export const sizeOf = ({ models }: Spot, { w }: Pick<Plot, "w">): number =>
  (w < 460 ? 0.72 : 1) * (4.5 + 2.2 * Math.sqrt(models.length));

export function drawPlot(
  spots: readonly Spot[],
  extras: readonly Extra[],
  plot: Plot,
  marked: Marked,
): SVGElement[] {
  const order = [...spots].sort(
    (one, other) =>
      Number(marked.faded(other)) - Number(marked.faded(one)) || other.models.length - one.models.length,
  );
  return [
    ...axes(plot),
    ...diagonal(plot),
    ...order.map((spot) => mark(spot, plot, marked, spots)),
    ...extras.map((extra) => extraMark(extra, plot)),
    ...names(spots, extras, plot, marked),
  ];
}

function axes(plot: Plot): SVGElement[] {
  const { left, top, w, h } = plot;
  const down = plot.x.ticks.flatMap((tick) => {
    const x = xOf(plot, tick);
    return [
      svg("line", { class: "museum-grid", x1: x, x2: x, y1: top, y2: top + h }),
      svg("text", { class: "museum-tick", x, y: top + h + 17, "text-anchor": "middle" }, String(tick)),
    ];
  });
  const across = plot.y.ticks.flatMap((tick) => {
    const y = yOf(plot, tick);
    return [
      svg("line", { class: "museum-grid", x1: left, x2: left + w, y1: y, y2: y }),
      svg("text", { class: "museum-tick", x: left - 8, y: y + 4, "text-anchor": "end" }, String(tick)),
    ];
  });
  const words = { class: "museum-axis", x: left + w / 2, y: top + h + 36, "text-anchor": "middle" };
  return [
    ...down,
    ...across,
    svg("text", words, "d_model / num_heads, log scale"),
    svg("text", { class: "museum-axis axis-D", x: 0, y: 12 }, "d_head of the model, log scale"),
  ];
}

/** Where d_head is d_model / num_heads. */
function diagonal(plot: Plot): SVGElement[] {
  const low = Math.max(plot.x.low, plot.y.low);
  const high = Math.min(plot.x.high, plot.y.high);
  const [x1, y1, x2, y2] = [xOf(plot, low), yOf(plot, low), xOf(plot, high), yOf(plot, high)];
  const words = { class: "museum-rule", x: x1 + 30, y: y1 - 5 };
  return [
    svg("line", { class: "museum-diagonal", x1, y1, x2, y2 }),
    svg("text", words, "the convention: equal"),
  ];
}

/** A disc on the diagonal, a lit diamond beside it; how many are there where it is more than one. */
function mark(spot: Spot, plot: Plot, marked: Marked, all: readonly Spot[]): SVGElement {
  const [x, y, size] = [xOf(plot, spot.quotient), yOf(plot, spot.dHead), sizeOf(spot, plot)];
  const breaks = spot.models.some((model) => model.breaks);
  const unsure = spot.models.every(({ status }) => status === "unverified");
  const look = [
    "museum-spot",
    breaks ? "is-breaking" : "is-holding",
    marked.faded(spot) && "is-faded",
    unsure && "is-unsure",
    spot.models.some(({ slug }) => slug === marked.picked) && "is-picked",
  ];
  const r = size * 1.3;
  const shape = breaks
    ? svg("path", { class: "museum-mark", d: `M${x} ${y - r}L${x + r} ${y}L${x} ${y + r}L${x - r} ${y}Z` })
    : svg("circle", { class: "museum-mark", cx: x, cy: y, r: size });
  const many = spot.models.length;
  const aside = shift(spot, plot, all);
  const count =
    many > 1
      ? [
          svg(
            "text",
            { class: "museum-count", x: x - aside, y: y + 4 - aside, "text-anchor": "middle" },
            String(many),
          ),
        ]
      : [];
  const disputed = spot.models.some((model) => model.disputed)
    ? [svg("text", { class: "museum-disputed", x: x + r * 0.8, y: y - r * 0.6 }, "!")]
    : [];
  return svg(
    "g",
    { class: look.filter(Boolean).join(" "), "data-n": all.indexOf(spot) },
    shape,
    ...count,
    ...disputed,
  );
}

/** How far a count stands left of the middle and over it, where another mark covers that. */
const shift = (spot: Spot, plot: Plot, all: readonly Spot[]): number => {
  const [x, y, size] = [xOf(plot, spot.quotient), yOf(plot, spot.dHead), sizeOf(spot, plot)];
  const covered = all.some((other) => {
    const far = Math.hypot(xOf(plot, other.quotient) - x, yOf(plot, other.dHead) - y);
    return other !== spot && other.models.length < spot.models.length && far < size * 0.6;
  });
  return covered ? size * 0.42 : 0;
};

function extraMark({ quotient, dHead, look }: Extra, plot: Plot): SVGElement {
  const [x, y] = [xOf(plot, quotient), yOf(plot, dHead)];
  const d = `M${x - 9} ${y}H${x + 9}M${x} ${y - 9}V${y + 9}`;
  return svg("g", {}, svg("path", { class: `museum-extra is-${look}`, d }));
}

const CHARACTER = 7.1;
const APART = 3;

/** Names of what was picked, of one's own and of what breaks the rule, each where it lies on no other. */
function names(spots: readonly Spot[], extras: readonly Extra[], plot: Plot, marked: Marked): SVGElement[] {
  const taken = spots.map((spot) => {
    const size = sizeOf(spot, plot) * 1.3 + 1;
    const [x, y] = [xOf(plot, spot.quotient), yOf(plot, spot.dHead)];
    return { x: x - size, y: y - size, w: 2 * size, h: 2 * size };
  });
  const wanted = [
    ...extras.map(({ quotient, dHead, name, look }) => ({
      quotient,
      dHead,
      name,
      size: 9,
      look: `is-${look}`,
    })),
    ...[...spots]
      .sort((one, other) => rank(other, marked) - rank(one, marked))
      .flatMap((spot) => {
        const chosen = spot.models.find(({ slug }) => slug === marked.picked);
        if (!chosen && (!spot.models.some((model) => model.breaks) || marked.faded(spot))) return [];
        const [first, more] = [(chosen ?? spot.models[0])?.name ?? "", spot.models.length - 1];
        const name = `${first}${more ? ` +${more}` : ""}`;
        return [
          {
            quotient: spot.quotient,
            dHead: spot.dHead,
            name,
            size: sizeOf(spot, plot) * 1.3,
            look: chosen ? "is-picked" : "",
          },
        ];
      }),
  ];
  return wanted.flatMap(({ quotient, dHead, name, size, look }) => {
    const [x, y, w] = [xOf(plot, quotient), yOf(plot, dHead), name.length * CHARACTER];
    const places = [
      { x: x + size + 6, y: y - 7 },
      { x: x - size - 6 - w, y: y - 7 },
      { x: x - w / 2, y: y - size - 17 },
      { x: x - w / 2, y: y + size + 3 },
    ];
    const free = places.find((box) => fits({ ...box, w, h: 14 }, plot, taken));
    if (!free) return [];
    taken.push({ ...free, w, h: 14 });
    return [svg("text", { class: `museum-name ${look}`, x: free.x, y: free.y + 11 }, name)];
  });
}

const rank = (spot: Spot, { picked }: Marked): number =>
  (spot.models.some(({ slug }) => slug === picked) ? 1000 : 0) + spot.models.length;

interface Area {
  x: number;
  y: number;
  w: number;
  h: number;
}

const fits = (box: Area, { left, top, w, h }: Plot, taken: readonly Area[]): boolean =>
  box.x >= left &&
  box.x + box.w <= left + w + 12 &&
  box.y >= top - 8 &&
  box.y + box.h <= top + h &&
  taken.every(
    (other) =>
      box.x + box.w + APART < other.x ||
      other.x + other.w + APART < box.x ||
      box.y + box.h < other.y ||
      other.y + other.h < box.y,
  );
