import { describe, expect, it, vi } from "vitest";
import { Decode } from "./decode";
import { chartOf, columnsOf, comparedOf, countersOf, historyOf, stepShown, textsBeside } from "./decode-data";
import { linesOf, spoken, timedOf } from "./decode-words";
import type { Scene } from "./scene";
import type { Cell, Facts, Frame, Tensor } from "./types";

const COUNTERS = [
  "position",
  "held",
  "evicted",
  "bytes held",
  "bytes by formula",
  "bytes without eviction",
  "sink share, mean",
  "sink share, head",
  "entropy",
  "log p",
  "FLOPs with cache",
  "FLOPs without cache",
];
const facts: Facts = {
  source: "trained",
  counters: COUNTERS,
  sinks: 1,
  head: 2,
  layer: 20,
  num_heads: 9,
  bytes_per_token: 10,
  factors: "2 × 5",
  meaning: "K and V × five",
};
const tensor = { role: "weights", shape: [2, 3] } as Tensor;

function step(name: string, values: number[], rows: Cell[][]): Frame {
  const table = { columns: ["position", "token", "mean of heads", "head 2"], rows };
  const shown = { n: 0, step: name, layout: "grid", title: name, sentence: `${name}.`, axes: [], shape: [] };
  const more = { strides: [], contiguous: true, dtype: "bfloat16", error: "", stamp: {} };
  return { ...shown, ...more, values, table, tensors: [tensor] };
}

const prompt = step(
  "prompt",
  [2, 3, 0, 30, 30, 30, 0.5, 0.1, 0, 0, 9, 9],
  [
    [0, "One", 0.5, 0.1],
    [1, ",", 0.25, 0.2],
    [2, " two", 0.25, 0.7],
  ],
);
const t1 = step(
  "t1",
  [3, 3, 1, 30, 30, 40, 0.6, 0.5, 1.5, -0.2, 2e9, 8e9],
  [
    [0, "One", 0.6, 0.5],
    [2, " two", 0.3, 0.4],
    [3, " three", 0.1, 0.1],
  ],
);
const evicted: Frame = {
  ...step("evicted", [], []),
  layout: "series",
  table: {
    columns: [
      "step",
      "token",
      "log p, this cache",
      "log p, whole cache",
      "KL",
      "weight on evicted",
      "whole cache writes",
      "its log p, this cache",
    ],
    rows: [
      [1, " three", -0.2, -0.3, 0.1, 0.25, " three", -0.2],
      [2, " four", -0.4, -0.5, 0.2, 0.35, " 4", -3],
      [3, "", "", "", "", "", ".", -1],
    ],
  },
};
const weights = Float32Array.from([0.6, 0.3, 0.1, 0.5, 0.4, 0.1]);

function scene(at: number, frames: Frame[] = [prompt, t1, evicted]): Scene {
  const shown = { frames, at, from: null, facts, parameters: {}, seed: 0, roleName: "", tried: false };
  return { ...shown, place: null, tensor: () => weights };
}

describe("columns of a cache", () => {
  it("give each held token its weights and an evicted one none", () => {
    const columns = columnsOf([prompt, t1], t1, { facts, weights });
    expect(columns.map(({ text, held, now }) => [text, held, now])).toEqual([
      ["One", 1, false],
      [",", 0, false],
      [" two", 1, false],
      [" three", 1, true],
    ]);
    expect(columns.map(({ mean }) => Number(mean.toFixed(2)))).toEqual([0.6, 0, 0.3, 0.1]);
  });

  it("put tokens of a long prompt that no table names into one stretch", () => {
    const long = step(
      "prompt",
      [99, 100, 0, 1, 1, 1],
      [
        [0, "a", 0.5, 0.5],
        [99, "f", 0.005, 0.005],
      ],
    );
    const shares = Float32Array.from({ length: 200 }, (_, n) => (n % 100 === 0 ? 0.5 : 0.005));
    const columns = columnsOf([long], long, { facts, weights: shares });
    expect(columns.map(({ first, last }) => [first, last])).toEqual([
      [0, 0],
      [1, 98],
      [99, 99],
    ]);
    expect(columns[1]?.mean).toBeCloseTo(0.49);
  });

  it("are those of the last token while two caches are compared", () => {
    expect(stepShown([prompt, t1, evicted], 2)).toBe(t1);
  });
});

describe("words", () => {
  it("say of a column where it stands and what it gets", () => {
    const [first, out] = columnsOf([prompt, t1], t1, { facts, weights });
    if (!first || !out) throw new Error("no columns");
    expect(spoken(first, facts)).toBe(
      "“One”, position 0: weight 0.60 (layer 20, mean of 9 heads), 0.50 by head 2.",
    );
    expect(spoken(out, facts)).toBe("“,”, position 1: evicted, not in the cache.");
  });

  it("put formula, storage and what eviction saves side by side", () => {
    const lines = linesOf(countersOf(t1, facts), facts).map(({ name, value }) => `${name}: ${value}`);
    expect(lines).toEqual([
      "One token: 2 × 5 = 10",
      "By formula: 3 × 10 = 30",
      "In its storage: 30",
      "Were all kept: 40",
      "GFLOPs, this token: 2",
      "GFLOPs, all again: 8",
    ]);
  });

  it("say what the learner's bytes count", () => {
    const yours = (more: Facts) => linesOf(countersOf(t1, facts), { ...facts, ...more }).at(-1);
    expect(yours({ answer_bytes: 15, bytes_at_end: 30, mistake: "K only" })).toEqual({
      name: "Your answer",
      value: "15",
      note: "K counted, V left out: not the 30 held at the end",
    });
    expect(yours({ answer_bytes: 30, bytes_at_end: 30, mistake: "right" })?.note).toBe(
      "what is held at the end",
    );
    expect(yours({ answer_bytes: 7 })?.note).toBe("told at the last step");
  });

  it("say no time that was not taken", () => {
    expect(timedOf(t1)).toEqual([]);
    const stamp = { token_ms: 90, whole_ms: 300 } as Frame["stamp"];
    expect(timedOf({ step: "whole", stamp }).map(({ value }) => value)).toEqual(["90 ms", "300 ms"]);
  });
});

describe("lines over the steps", () => {
  it("draw the sink of every step, and entropy where a token was chosen", () => {
    const history = historyOf([prompt, t1, evicted], facts);
    expect(history?.table.columns.slice(1)).toEqual([
      "weight on the first token, mean",
      "weight on the first token, head 2",
      "entropy of the next token, nats",
    ]);
    expect(history?.table.rows).toEqual([
      [0, 0.5, 0.1, null],
      [1, 0.6, 0.5, 1.5],
    ]);
  });

  it("draw numbers of a comparison and leave its words to the texts", () => {
    expect(comparedOf(evicted).table.columns).toEqual([
      "new tokens",
      "log p, this cache",
      "log p, whole cache",
      "KL from the whole cache (nats), KL",
      "weight of the whole cache, on evicted",
    ]);
    expect(chartOf(evicted).map(({ column }) => column)).toEqual([2, 3, 4, 5]);
    expect(textsBeside(evicted)).toEqual({
      here: [" three", " four"],
      whole: [" three", " 4", "."],
      parts: 1,
    });
  });
});

describe("the picture", () => {
  const host = () => ({ retry: vi.fn(), point: vi.fn() });
  const press = (key: string) => new KeyboardEvent("keydown", { key });

  it("walks the tokens by up and down and leaves left and right to the steps", () => {
    const asked = host();
    const picture = new Decode(asked);
    picture.show(scene(1));
    expect(picture.key(press("ArrowRight"))).toBe(false);
    expect(picture.key(press("ArrowDown"))).toBe(true);
    expect(asked.point).toHaveBeenCalledWith([1]);
    const strip = picture.element.querySelector(".decode__strip");
    expect(strip?.getAttribute("aria-valuetext")).toBe("“,”, position 1: evicted, not in the cache.");
    picture.dispose();
  });

  it("marks the row of the table that its position has, and back", () => {
    const picture = new Decode(host());
    expect(picture.inTable([2], t1)).toEqual({ row: 1 });
    expect(picture.inTable([1], t1)).toBeNull();
    expect(picture.ofTable({ row: 2 }, t1)).toEqual([3]);
    expect(picture.inTable([1, 2], evicted)).toEqual({ row: 1, column: 4 });
    expect(picture.ofTable({ row: 1, column: 4 }, evicted)).toEqual([1, 2]);
    picture.dispose();
  });

  it("shows both texts and a chart where two caches are compared", () => {
    const picture = new Decode(host());
    picture.show(scene(2));
    expect(picture.element.querySelector<HTMLElement>(".decode__tokens")?.hidden).toBe(true);
    expect(picture.element.querySelectorAll(".decode__text")[1]?.textContent).toBe("three 4.");
    expect(picture.element.querySelectorAll(".is-parted")).toHaveLength(3);
    picture.dispose();
  });
});
