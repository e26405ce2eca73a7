/** A budget of KV bytes as bars: what stands in which row, how long, on which scale. Knows no element and no colour. */
import { memory } from "./bytes";
import { scaleOf } from "./chart";
import type { Facts } from "./types";
import { count } from "./words";

/** What a bar stands for: a row of the table, the asked cache, or what the asked one would be. */
export type Stands = "row" | "asked" | "mha" | "window";

export interface Bar {
  stands: Stands;
  /** Its row in the table of models, -1 for none. */
  row: number;
  name: string;
  scheme: string;
  /** Bytes of one token. */
  each: number;
  /** Bytes of the whole context. */
  total: number;
  /** Bytes of one token if every query head kept K and V; 0 where that is not told. */
  mha: number;
  /** Bytes of the four projections, 0 where unknown. */
  attention: number;
  /** Bytes of all weights as the name says, 0 where it says none. */
  nominal: number;
  /** True where not every layer holds every token. */
  partly: boolean;
}

type Row = [
  slug: string,
  name: string,
  scheme: string,
  numbers: number,
  mha: number,
  attention: number,
  nominal: number,
  partly: number,
];

const WEIGHT = 2;
/** Models shown above and below the asked one, unless all are. */
export const NEAR = 8;

const number = (facts: Facts, name: string): number => Number(facts[name] ?? 0);
export const rowsOf = (facts: Facts): Row[] => (Array.isArray(facts.rows) ? (facts.rows as Row[]) : []);
const spanOf = (facts: Facts): number => number(facts, "tokens") * number(facts, "batch");

function barOf(row: Row, at: number, facts: Facts): Bar {
  const [slug, name, scheme, numbers, mha, attention, nominal, partly] = row;
  const width = number(facts, "bytes_per_value");
  return {
    stands: slug === facts.slug ? "asked" : "row",
    row: at,
    name,
    scheme,
    each: numbers * width,
    total: numbers * width * spanOf(facts),
    mha: mha * width,
    attention: attention * WEIGHT,
    nominal: nominal * WEIGHT,
    partly: partly === 1,
  };
}

/** The asked cache where no row of the table has its numbers. */
function ownBar(facts: Facts): Bar {
  const [attention = 0, nominal = 0] = (facts.weights as number[] | undefined) ?? [];
  const each = number(facts, "bytes_per_token");
  return {
    stands: "asked",
    row: -1,
    name: String(facts.title ?? ""),
    scheme: String(facts.scheme ?? ""),
    each,
    total: each * spanOf(facts),
    mha: number(facts, "mha"),
    attention: attention * WEIGHT,
    nominal: nominal * WEIGHT,
    partly: false,
  };
}

/** What the asked cache would be: as MHA, and with the window its row names. */
function variants(asked: Bar, facts: Facts): Bar[] {
  const made: Bar[] = [];
  const [mha, windowed] = [number(facts, "mha"), number(facts, "windowed")];
  if (mha !== asked.each)
    made.push({
      ...asked,
      stands: "mha",
      row: -1,
      name: "same, if MHA",
      scheme: "MHA",
      each: mha,
      total: mha * spanOf(facts),
    });
  if (windowed > 0)
    made.push({
      ...asked,
      stands: "window",
      row: -1,
      name: "with its window",
      each: 0,
      total: windowed,
      partly: false,
    });
  return made;
}

/** Every bar, the largest cache first, what the asked one would be right below it; `all` or those around it. */
export function barsOf(facts: Facts, all: boolean): Bar[] {
  const listed = rowsOf(facts).map((row, at) => barOf(row, at, facts));
  if (!listed.some(({ stands }) => stands === "asked")) {
    const own = ownBar(facts);
    const place = listed.findIndex(({ each }) => each < own.each);
    listed.splice(place < 0 ? listed.length : place, 0, own);
  }
  const at = listed.findIndex(({ stands }) => stands === "asked");
  const from = all ? 0 : Math.max(0, Math.min(at - NEAR, listed.length - 2 * NEAR - 1));
  const shown = all ? listed : listed.slice(from, from + 2 * NEAR + 1);
  return shown.flatMap((bar) => (bar.stands === "asked" ? [bar, ...variants(bar, facts)] : [bar]));
}

/** Bytes of weights that a cache is stacked on: all of them where the name tells, else those of attention. */
export const under = (bar: Bar): number => Math.max(bar.nominal, bar.attention);

export interface Axis {
  log: boolean;
  low: number;
  high: number;
  ticks: readonly number[];
}

const GIB = 2 ** 30;

/** A scale over these bytes: from nothing in even steps, or by equal ratios of powers of two. */
export function axisOf(values: readonly number[], log: boolean, wanted = 4): Axis {
  const most = Math.max(1, ...values);
  if (!log) {
    const unit = 1024 ** Math.floor(Math.log2(most) / 10);
    const { high, ticks } = scaleOf([0, most / unit], wanted);
    return { log, low: 0, high: high * unit, ticks: ticks.map((tick) => tick * unit) };
  }
  const least = Math.min(most, ...values.filter((value) => value > 0));
  const [from, to] = [Math.floor(Math.log2(least)) - 1, Math.ceil(Math.log2(most))];
  const step = [1, 2, 3, 4, 5, 10].find((each) => (to - from) / each <= wanted + 2) ?? 10;
  const first = Math.ceil(from / step) * step;
  const many = Math.floor((to - first) / step) + 1;
  const ticks = Array.from({ length: many }, (_, n) => 2 ** (first + n * step));
  return { log, low: 2 ** from, high: 2 ** Math.max(to, from + 1), ticks };
}

/** Where bytes lie between the ends of a scale, 0 to 1. */
export function along({ log, low, high }: Axis, bytes: number): number {
  const at = (value: number) => (log ? Math.log2(Math.max(value, low)) : value);
  return Math.max(0, Math.min(1, (at(bytes) - at(low)) / (at(high) - at(low))));
}

export const cardBytes = (facts: Facts): number => number(facts, "card_gib") * GIB;

/** A bar in words: bytes of a token, of the context, against MHA, and the weights under it. */
export function told(bar: Bar, facts: Facts): string {
  const each = bar.each ? `${count(bar.each)} bytes a token, ` : "";
  const tokens = `${count(number(facts, "tokens"))} tokens`;
  const where = number(facts, "batch") > 1 ? `${count(number(facts, "batch"))} × ${tokens}` : tokens;
  const ratio = bar.mha / bar.each;
  const mha = bar.stands !== "mha" && ratio > 1 ? `; as MHA ${Number(ratio.toFixed(1))} times that` : "";
  const weights = bar.nominal
    ? `; weights nominally ${memory(bar.nominal)}`
    : bar.attention
      ? `; attention weights ${memory(bar.attention)}, all weights unknown`
      : "; weights unknown";
  const part = bar.partly ? "; counted as if every layer held every token" : "";
  const scheme = bar.stands === "mha" || bar.stands === "window" ? "" : `, ${bar.scheme}`;
  return `${bar.name}${scheme}: ${each}${memory(bar.total)} at ${where}${mha}${weights}${part}.`;
}
