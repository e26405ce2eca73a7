/** A cache as its frames tell it: counters by name, one column for each token or stretch of tokens. Pure. */
import type { Facts, Frame } from "./types";

/** One token of the text, or a stretch of a long prompt whose tokens are not told one by one. */
export interface Column {
  first: number;
  last: number;
  text: string;
  /** Of its tokens how many are in the cache. */
  held: number;
  prompt: boolean;
  /** The token this step added. */
  now: boolean;
  /** Weight that this step's token sends here: mean over the heads, and by the head shown. NaN while unknown. */
  mean: number;
  head: number;
}

/** Of a longer text what is evicted stands in stretches. */
const MOST_ALONE = 96;

export type Counters = Readonly<Record<string, number>>;

/** The frame's values under the names that the facts give them. */
export function countersOf(frame: Frame, facts: Facts): Counters {
  const names = Array.isArray(facts.counters) ? facts.counters.map(String) : [];
  const told = frame.values.flatMap((value, n) => {
    const name = names[n];
    return name === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(told);
}

/** True for a frame that adds to the cache; the last one may compare instead. */
export const adds = (frame: Frame): boolean => frame.layout === "grid";

/** The step whose cache is shown: the one asked for, or before a comparison the last that added a token. */
export function stepShown(frames: readonly Frame[], at: number): Frame | undefined {
  const shown = frames[at];
  return shown && adds(shown) ? shown : frames.slice(0, at).findLast(adds);
}

/** What each position spells, as far as any frame up to this one tells it. */
function textsOf(frames: readonly Frame[], upTo: Frame): Map<number, string> {
  const told = new Map<number, string>();
  for (const frame of frames) {
    if (frame.table.columns[0] === "position")
      for (const [position, text] of frame.table.rows)
        if (typeof position === "number") told.set(position, String(text));
    if (frame === upTo) break;
  }
  return told;
}

/** Of one step: tokens so far, of them the prompt's, and which run of them is evicted. */
interface Reach {
  seen: number;
  prompt: number;
  held: number;
  from: number;
  gone: number;
  added: boolean;
}

function reachOf(frames: readonly Frame[], frame: Frame, facts: Facts): Reach {
  const counters = countersOf(frame, facts);
  const prompt = frames[0] ? (countersOf(frames[0], facts).position ?? -1) + 1 : 0;
  const gone = counters.evicted ?? 0;
  return {
    seen: (counters.position ?? -1) + 1,
    prompt,
    held: counters.held ?? 0,
    from: Number(facts.sinks ?? 0),
    gone,
    added: frame.step !== "prompt",
  };
}

function columnOf(position: number, reach: Reach, place: number, told: Told): Column {
  const out = position >= reach.from && position < reach.from + reach.gone;
  const share = (row: number) => (out ? 0 : (told.weights?.[row * reach.held + place] ?? Number.NaN));
  return {
    first: position,
    last: position,
    text: out && reach.seen > MOST_ALONE ? "" : (told.texts.get(position) ?? ""),
    held: out ? 0 : 1,
    prompt: position < reach.prompt,
    now: reach.added && position === reach.seen - 1,
    mean: share(0),
    head: share(1),
  };
}

interface Told {
  texts: ReadonlyMap<number, string>;
  weights: Float32Array | undefined;
}

/** In a long text what has no words of its own stands with what is before it, if that is held, or evicted, too. */
const joins = (before: Column, one: Column, { seen }: Reach): boolean =>
  seen > MOST_ALONE && !before.text && !one.text && !one.now && (before.held === 0) === (one.held === 0);

/** The columns of a step: every token whose text is told, the others of a long text in stretches. */
export function columnsOf(
  frames: readonly Frame[],
  frame: Frame,
  { facts, weights }: { facts: Facts; weights: Float32Array | undefined },
): Column[] {
  const reach = reachOf(frames, frame, facts);
  const told = { texts: textsOf(frames, frame), weights };
  const columns: Column[] = [];
  for (let position = 0, place = 0; position < reach.seen; position++) {
    const one = columnOf(position, reach, place, told);
    const before = columns.at(-1);
    place += one.held;
    if (!before || !joins(before, one, reach)) columns.push(one);
    else {
      before.last = position;
      before.held += one.held;
      before.mean += one.mean;
      before.head += one.head;
    }
  }
  return columns;
}

export const countOf = ({ first, last }: Column): number => last - first + 1;

/** The column that a position stands in. */
export const columnAt = (columns: readonly Column[], position: number): number =>
  columns.findIndex(({ first, last }) => first <= position && position <= last);

const MIB = 2 ** 20;

/** Lines over the steps: "panel, line", the counter it draws, and what that is divided by. */
function historyLines({ source, head }: Facts): (readonly [name: string, counter: string, by: number])[] {
  if (source === "table")
    return [
      ["MiB, held", "bytes held", MIB],
      ["MiB, all kept", "bytes without eviction", MIB],
    ];
  const weights = [
    ["weight on the first token, mean", "sink share, mean", 1],
    [`weight on the first token, head ${head ?? 0}`, "sink share, head", 1],
  ] as const;
  if (source !== "trained") return [...weights];
  return [...weights, ["entropy of the next token, nats", "entropy", 1]];
}

/** A table of one row a step, for lines over the steps. */
export function historyOf(frames: readonly Frame[], facts: Facts): Frame | null {
  const steps = frames.filter(adds);
  const first = steps[0];
  if (!first) return null;
  const lines = historyLines(facts);
  const rows = steps.map((frame, n) => {
    const counters = countersOf(frame, facts);
    const cells = lines.map(([, counter, by]) => {
      const value = counters[counter];
      const given = counter === "entropy" && frame.step === "prompt";
      return value === undefined || given ? null : value / by;
    });
    return [n, ...cells];
  });
  const columns = ["new tokens", ...lines.map(([name]) => name)];
  return { ...first, step: "history", layout: "series", table: { columns, rows }, values: [], tensors: [] };
}

/** Lines of a comparing frame: the column each is of, and the name it has in the chart, "panel, line". */
export function chartOf({ table }: Frame): { column: number; name: string }[] {
  const evicts = table.columns.includes("log p, whole cache");
  const named: Record<string, string> = {
    KL: evicts ? "KL from the whole cache (nats), KL" : "KL from one pass without (nats), KL",
    "weight on evicted": "weight of the whole cache, on evicted",
  };
  const words = /^(step|token|its .*|whole cache writes|FLOPs.*)$/;
  return table.columns.flatMap((name, column) =>
    words.test(name) ? [] : [{ column, name: named[name] ?? name }],
  );
}

/** A comparing frame without its words: numbers alone, each line in a panel. */
export function comparedOf(frame: Frame): Frame {
  const lines = chartOf(frame);
  const columns = ["new tokens", ...lines.map(({ name }) => name)];
  const rows = frame.table.rows.map((cells) => [
    cells[0] ?? 0,
    ...lines.map(({ column }) => cells[column] ?? null),
  ]);
  return { ...frame, table: { columns, rows } };
}

/** Two texts side by side, each token with where they part: of a frame that compares texts. */
export function textsBeside(frame: Frame): { here: string[]; whole: string[]; parts: number } | null {
  const at = frame.table.columns.indexOf("whole cache writes");
  if (at < 0) return null;
  const of = (column: number) => frame.table.rows.map((cells) => String(cells[column] ?? "")).filter(Boolean);
  const [here, whole] = [of(1), of(at)];
  const parts = whole.findIndex((text, n) => text !== here[n]);
  return { here, whole, parts: parts < 0 ? whole.length : parts };
}
