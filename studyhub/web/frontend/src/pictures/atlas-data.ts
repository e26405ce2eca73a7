/** All heads of a picture as numbers: small maps, measures, patterns, one pair; and their order. Draws nothing. */
import { type Matrix, matrixOf } from "./matrix";
import { type Scene, tensorOf } from "./scene";
import type { Cell, Frame, Tensor } from "./types";

/** A head is its place: layer * heads + head. */
export interface AtlasData {
  layers: number;
  heads: number;
  /** Tokens of the sentence. */
  tokens: number;
  small: Tensor;
  numbers: Float32Array;
  names: readonly string[];
  measures: Float32Array;
  /** Name of the pattern of each head. */
  patterns: readonly string[];
  /** Weights of the followed pair in each head, and where it stands; null until its frame has come. */
  pair: { weights: Float32Array; query: number; key: number } | null;
}

const listed = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Everything about the heads that the frames brought; null while numbers come, or where there are no maps. */
export function dataOf(scene: Scene): AtlasData | null {
  const maps = scene.frames.find(({ step }) => step === "maps");
  const [small, measured, named] = ["thumbnails", "measures", "patterns"].map((role) => tensorOf(maps, role));
  const [numbers, measures, codes] = [small, measured, named].map((tensor) => scene.tensor(tensor));
  if (!maps || !small || !numbers || !measures || !codes) return null;
  const patterns = listed(scene.facts.patterns).map(String);
  const [layers = 1, heads = 1, tokens = 1] = maps.shape;
  return {
    ...{ layers, heads, tokens, small, numbers, measures },
    names: listed(scene.facts.measures).map((one) => String((one as { name?: unknown }).name)),
    patterns: [...codes].map((code) => patterns[code] ?? "none"),
    pair: pairOf(scene),
  };
}

function pairOf(scene: Scene): AtlasData["pair"] {
  const frame = scene.frames.find(({ step }) => step === "pair");
  const weights = scene.tensor(tensorOf(frame, "pair"));
  const [query, key] = frame?.values ?? [];
  return weights && query !== undefined && key !== undefined ? { weights, query, key } : null;
}

export const countOf = ({ layers, heads }: AtlasData): number => layers * heads;

/** The small map of one head. */
export const mapOf = ({ small, numbers }: AtlasData, head: number): Matrix => matrixOf(small, numbers, head);

/** What a step sorts by: one number a head; null where it sorts by nothing. */
export function sortedBy(data: AtlasData, step: string): Float32Array | null {
  const [name = ""] = step.split(" ");
  if (name === "pair") return data.pair?.weights ?? null;
  const at = data.names.indexOf(name);
  const count = countOf(data);
  return at < 0 ? null : data.measures.subarray(at * count, (at + 1) * count);
}

/** Heads in the order in which they stand: the largest first, equal ones by layer; `up` turns it round. */
export function orderOf(data: AtlasData, step: string, up: boolean): number[] {
  const heads = Array.from({ length: countOf(data) }, (_, head) => head);
  const by = sortedBy(data, step);
  if (!by) return heads;
  heads.sort((one, other) => (by[other] ?? 0) - (by[one] ?? 0) || one - other);
  return up ? heads.reverse() : heads;
}

/** The measures of a head by name. */
export const measuresOf = (data: AtlasData, head: number): { name: string; value: number }[] =>
  data.names.map((name, at) => ({ name, value: data.measures[at * countOf(data) + head] ?? 0 }));

/** How many heads have each pattern, the most first. */
export function patternsOf({ patterns }: AtlasData): { name: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const name of patterns) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => ({ name, count })).sort((one, other) => other.count - one.count);
}

/** The head of a row of a table, -1 where the row is none's. */
export function headOf(cell: Cell | undefined, heads: number): number {
  const found = /^L(\d+) H(\d+)$/.exec(String(cell));
  return found ? Number(found[1]) * heads + Number(found[2]) : -1;
}

/** Row of a frame's table in which a head stands, -1 for none. */
export const rowOfHead = ({ table }: Frame, head: number, heads: number): number =>
  table.rows.findIndex(([cell]) => headOf(cell, heads) === head);
