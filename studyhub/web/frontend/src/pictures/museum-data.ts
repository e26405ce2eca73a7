/** Published models as points: quotient across, real d_head up, those on one place together. Pure; knows no element. */
import type { Facts, Frame } from "./types";

export interface Model {
  /** Its place in the facts, from 0. */
  at: number;
  slug: string;
  name: string;
  dModel: number;
  heads: number;
  dHead: number;
  dHeadV: number;
  scheme: string;
  status: string;
  breaks: boolean;
  disputed: boolean;
  scaled: boolean;
  /** True where the filters keep it. */
  asked: boolean;
}

/** Models whose quotient and d_head are the same. */
export interface Spot {
  quotient: number;
  dHead: number;
  models: Model[];
}

type Row = [string, string, number, number, number, number, number, number, number];
const [BREAKS, DISPUTED, SCALED, ASKED] = [1, 2, 4, 8];

export function modelsOf(facts: Facts): Model[] {
  const [schemes, statuses] = [facts.schemes as string[], facts.statuses as string[]];
  return ((facts.points as Row[] | undefined) ?? []).map((row, at) => {
    const [slug, name, dModel, heads, dHead, dHeadV, scheme, status, bits] = row;
    return {
      at,
      slug,
      name,
      dModel,
      heads,
      dHead,
      dHeadV,
      scheme: schemes[scheme] ?? "",
      status: statuses[status] ?? "",
      breaks: (bits & BREAKS) > 0,
      disputed: (bits & DISPUTED) > 0,
      scaled: (bits & SCALED) > 0,
      asked: (bits & ASKED) > 0,
    };
  });
}

export function spotsOf(models: readonly Model[]): Spot[] {
  const found = new Map<string, Spot>();
  for (const model of models) {
    const quotient = model.dModel / model.heads;
    const key = `${quotient.toFixed(4)} ${model.dHead}`;
    const spot = found.get(key) ?? { quotient, dHead: model.dHead, models: [] };
    spot.models.push(model);
    found.set(key, spot);
  }
  return [...found.values()];
}

export interface Range {
  low: number;
  high: number;
  ticks: readonly number[];
}

/** From half an octave below the least to as much above the most, ticks at powers of two. */
export function rangeOf(values: readonly number[]): Range {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const [low, high] = [least / 1.45, most * 1.45];
  const first = Math.ceil(Math.log2(low));
  const many = Math.floor(Math.log2(high)) - first + 1;
  return { low, high, ticks: Array.from({ length: many }, (_, n) => 2 ** (first + n)) };
}

export const along = ({ low, high }: Range, value: number): number =>
  Math.log(value / low) / Math.log(high / low);

export type Way = "left" | "right" | "up" | "down";

/** The nearest spot in a direction, -1 where there is none: what lies more along it than across is preferred. */
export function neighbour(spots: readonly Spot[], from: number, way: Way): number {
  const here = spots[from];
  if (!here) return spots.length ? 0 : -1;
  let [best, least] = [-1, Number.POSITIVE_INFINITY];
  for (const [n, { quotient, dHead }] of spots.entries()) {
    const [dx, dy] = [Math.log2(quotient / here.quotient), Math.log2(dHead / here.dHead)];
    const [along_, across] = { left: [-dx, dy], right: [dx, dy], up: [dy, dx], down: [-dy, dx] }[way] as [
      number,
      number,
    ];
    const away = along_ + 2.5 * Math.abs(across);
    if (along_ > 1e-6 && away < least) [best, least] = [n, away];
  }
  return best;
}

const grouped = (value: number): string => value.toLocaleString("en-US", { maximumFractionDigits: 2 });

/** "3,072 / 16 = 192, d_head 256; 16 × 256 = 4,096, wider than d_model". */
export function arithmetic({ dModel, heads, dHead, dHeadV }: Model): string {
  const inner = heads * dHead;
  const against =
    inner === dModel ? "as wide as d_model" : inner > dModel ? "wider than d_model" : "narrower than d_model";
  const reads =
    dHeadV === dHead ? "" : `; values are ${dHeadV} wide, so W_O reads ${grouped(heads * dHeadV)}`;
  return `${grouped(dModel)} / ${heads} = ${grouped(dModel / heads)}, d_head ${dHead}; ${heads} × ${dHead} = ${grouped(inner)}, ${against}${reads}`;
}

export interface Said {
  date: string;
  source: string;
  note: string;
}

/** Source, date and note of each model, as far as the frames that came tell them. */
export function sourcesOf(frames: readonly Frame[]): Map<string, Said> {
  const found = new Map<string, Said>();
  for (const { table } of frames) {
    const [date, source, note] = ["as of", "source", "note"].map((name) => table.columns.indexOf(name));
    if (source === undefined || source < 0) continue;
    for (const cells of table.rows) {
      const text = (at: number | undefined) => String(cells[at ?? -1] ?? "");
      found.set(String(cells[0]), { date: text(date), source: text(source), note: text(note) });
    }
  }
  return found;
}

/** A spot in words: where it lies and who is there. */
export function told({ quotient, dHead, models }: Spot): string {
  const names = models.map(({ name }) => name);
  const rule = Math.abs(quotient - dHead) < 1e-9 ? "the convention holds" : "the convention is broken";
  const many = models.length === 1 ? "" : `${models.length} models: `;
  return `d_model / heads ${grouped(quotient)}, d_head ${dHead}, ${rule}. ${many}${names.join(", ")}.`;
}
