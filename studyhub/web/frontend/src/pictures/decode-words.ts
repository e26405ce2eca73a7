/** What is said of a column and of the counters of a cache. Knows no drawing. */
import { type Column, type Counters, countOf } from "./decode-data";
import type { Facts, Frame } from "./types";
import { count } from "./words";

/** "0.26"; what is not nothing is never said to be 0.00. */
export const share = (weight: number): string =>
  !Number.isFinite(weight)
    ? "not yet known"
    : weight > 0 && weight < 0.005
      ? "under 0.01"
      : weight.toFixed(2);

const named = (column: Column): string => {
  const places =
    column.first === column.last ? `position ${column.first}` : `positions ${column.first} to ${column.last}`;
  if (countOf(column) > 1 || !column.text) return places;
  const name = column.text === "…" ? "part of a letter" : `“${column.text.trimStart()}”`;
  return `${name}, ${places}`;
};

/** What is read out of a column: which token, whether it is held, and what the new token sends to it. */
export function spoken(column: Column, facts: Facts): string {
  const words = named(column);
  const said = `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
  if (column.held === 0) return `${said}: evicted, not in the cache.`;
  const part = column.held < countOf(column) ? `${column.held} of ${countOf(column)} in the cache; ` : "";
  if (facts.source === "table") return `${said}: ${part}in the cache.`;
  const where = `layer ${facts.layer ?? 0}, mean of ${facts.num_heads ?? ""} heads`;
  return `${said}: ${part}weight ${share(column.mean)} (${where}), ${share(column.head)} by head ${facts.head ?? 0}.`;
}

export interface Line {
  name: string;
  value: string;
  note?: string;
}

/** The counters as lines: formula, storage, what eviction saved, what the cache saved. */
export function linesOf(counters: Counters, facts: Facts): Line[] {
  const held = counters.held ?? 0;
  const [counted, formula] = [counters["bytes held"] ?? 0, counters["bytes by formula"] ?? 0];
  const each = held > 0 ? formula / held : 0;
  const own = each === Number(facts.bytes_per_token);
  const lines: Line[] = [
    {
      name: "One token",
      value: `${own ? `${facts.factors} = ` : ""}${count(each)}`,
      note: own ? String(facts.meaning) : "of the random layers that stand in",
    },
    { name: "By formula", value: `${count(held)} × ${count(each)} = ${count(formula)}` },
    {
      name: "In its storage",
      value: count(counted),
      note: counted === formula ? "equal to the byte" : "not what the formula gives",
    },
  ];
  const whole = counters["bytes without eviction"] ?? formula;
  if (whole > formula)
    lines.push({
      name: "Were all kept",
      value: count(whole),
      note: `${count(counters.evicted ?? 0)} tokens evicted`,
    });
  return [...lines, ...costOf(counters), ...answerOf(facts)];
}

const MISTAKES: Readonly<Record<string, string>> = {
  right: "what is held at the end",
  "K only": "K counted, V left out",
  "query heads": "K and V of every query head",
  "one layer": "one layer alone",
  "one token": "one token alone",
  "nothing evicted": "the evicted tokens too",
  "4 bytes a number": "4 bytes a number, where 2 are held",
};

/** The learner's bytes, and what they count where that is known beforehand; else the last step tells. */
function answerOf({ answer_bytes: answer, bytes_at_end: end, mistake }: Facts): Line[] {
  if (!Number(answer)) return [];
  const held = typeof end === "number" ? `not the ${count(end)} held at the end` : "told at the last step";
  const why = MISTAKES[String(mistake ?? "")];
  const note = mistake === "right" ? why : why ? `${why}: ${held}` : held;
  return [{ name: "Your answer", value: count(Number(answer)), note: note ?? held }];
}

const giga = (flops: number): string => `${Number((flops / 1e9).toPrecision(3))}`;

function costOf(counters: Counters): Line[] {
  const [cached, whole] = [counters["FLOPs with cache"], counters["FLOPs without cache"]];
  if (cached === undefined || whole === undefined || cached >= whole) return [];
  return [
    { name: "GFLOPs, this token", value: giga(cached), note: "with the cache" },
    {
      name: "GFLOPs, all again",
      value: giga(whole),
      note: `without a cache, ${Math.round(whole / cached)} times as many`,
    },
  ];
}

/** What was really timed; nothing where no model was run. */
export function timedOf({ stamp, step }: Pick<Frame, "stamp" | "step">): Line[] {
  const { token_ms: token, whole_ms: whole } = stamp as Record<string, unknown>;
  const [name, note] =
    step === "prompt"
      ? ["Time, prompt", "measured on this worker"]
      : /^t\d/.test(step)
        ? ["Time, this token", "measured on this worker"]
        : ["Time, one token", "with the cache, the median of all, measured"];
  const lines: Line[] = typeof token === "number" ? [{ name: name ?? "", value: `${token} ms`, note }] : [];
  if (typeof whole === "number")
    lines.push({
      name: "Time, all at once",
      value: `${whole} ms`,
      note: "one pass without a cache, measured once",
    });
  return lines;
}
