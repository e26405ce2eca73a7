/** What the facts of head_sharing say, and what follows from another number of K/V heads before it is asked for. Pure. */
import type { Facts } from "./types";
import { count } from "./words";

export type Step = "mha" | "gqa" | "mqa" | "mla";
export const SCHEMES: readonly Step[] = ["mha", "gqa", "mqa", "mla"];
export const NAMES: Record<Step, string> = { mha: "MHA", gqa: "GQA", mqa: "MQA", mla: "MLA" };

/** A learner's number of K/V heads as it came out. */
export interface Answer {
  kv_heads: number;
  works: boolean;
  size: number;
  left_over: number;
  nearest: readonly number[];
  sentence: string;
}

export interface Sharing {
  heads: number;
  /** K/V heads of the grouped scheme. */
  groups: number;
  d_head: number;
  d_head_v: number;
  d_model: number;
  rank: number;
  rope: number;
  layers: number;
  tokens: number;
  bytes: number;
  head: number;
  /** The model's own scheme; "" for numbers of one's own. */
  own: string;
  divisors: readonly number[];
  ships: string;
  noGroups: string;
  answer: Answer | null;
}

const whole = (value: unknown): number => (typeof value === "number" && Number.isFinite(value) ? value : 0);

/** `groups`: K/V heads of the grouped scheme where a slider is ahead of the facts, else 0. */
export function sharingOf(facts: Facts, groups = 0): Sharing {
  const heads = Math.max(1, whole(facts.num_heads));
  return {
    heads,
    groups: groups || whole(facts.groups) || heads,
    d_head: whole(facts.d_head),
    d_head_v: whole(facts.d_head_v),
    d_model: whole(facts.d_model),
    rank: whole(facts.kv_rank),
    rope: whole(facts.d_head_rope),
    layers: whole(facts.layers),
    tokens: whole(facts.cache_tokens),
    bytes: whole(facts.bytes_per_value),
    head: whole(facts.head),
    own: isOwn(facts, groups) ? String(facts.own ?? "") : "",
    divisors: Array.isArray(facts.divisors) ? (facts.divisors as number[]) : [1],
    ships: String(facts.ships ?? ""),
    noGroups: String(facts.no_groups ?? ""),
    answer: (facts.answer as Answer | undefined) ?? null,
  };
}

/** K/V heads under a scheme; 0 where a latent stands for them. */
export const pairsOf = (sharing: Sharing, step: Step): number =>
  ({ mha: sharing.heads, gqa: sharing.groups, mqa: 1, mla: 0 })[step];

/** The factors of the bytes of one token: [letter, number] each; a sum of two widths is one factor. */
export function factors(sharing: Sharing, step: Step): { letter: string; sub?: string; number: string }[] {
  const layers = { letter: "L", number: count(sharing.layers) };
  const bytes = { letter: "bytes", number: count(sharing.bytes) };
  if (step === "mla")
    return [
      layers,
      { letter: "(dc+dR)", number: `(${count(sharing.rank)} + ${count(sharing.rope)})` },
      bytes,
    ];
  const heads = { letter: "H", sub: "kv", number: count(pairsOf(sharing, step)) };
  if (sharing.d_head === sharing.d_head_v)
    return [
      { letter: "2", number: "2" },
      layers,
      heads,
      { letter: "D", number: count(sharing.d_head) },
      bytes,
    ];
  const both = `(${count(sharing.d_head)} + ${count(sharing.d_head_v)})`;
  return [layers, heads, { letter: "(D+Dv)", number: both }, bytes];
}

export function bytesOf(sharing: Sharing, step: Step): number {
  const each =
    step === "mla"
      ? sharing.rank + sharing.rope
      : pairsOf(sharing, step) * (sharing.d_head + sharing.d_head_v);
  return sharing.layers * each * sharing.bytes;
}

/** First and last query head of the group that a head is in. */
export function groupOf(
  head: number,
  heads: number,
  pairs: number,
): { pair: number; first: number; last: number } {
  const size = heads / Math.max(1, pairs);
  const pair = Math.floor(head / size);
  return { pair, first: pair * size, last: (pair + 1) * size - 1 };
}

export const range = (first: number, last: number, dash = "–"): string =>
  first === last ? String(first) : `${first}${dash}${last}`;

/** "3", "4 and 5", "16 to 23": heads of a group in a sentence. */
export const spokenRange = (first: number, last: number): string =>
  range(first, last, last === first + 1 ? " and " : " to ");

/** Whether the grouped scheme keeps as many pairs as the model does: with a reader's number it is not its own. */
function isOwn(facts: Facts, groups: number): boolean {
  const shown = groups || whole(facts.groups);
  return facts.own !== "gqa" || shown === whole(facts.num_kv_heads);
}
