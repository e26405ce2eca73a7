import { expect, test } from "vitest";
import { drawBars, place } from "./budget-bars";
import { along, axisOf, barsOf, NEAR, told, under } from "./budget-data";
import { answerOf, factorRows, lengthOf, productLine } from "./budget-factors";
import { linesOf, memoryRows } from "./budget-memory";
import { memory, roundMemory } from "./bytes";
import { KvBudget } from "./kv-budget";
import type { Frame } from "./types";

const row = (n: number) => [
  `m-${n}`,
  `M ${n}`,
  "GQA",
  1000 * n,
  4000 * n,
  10,
  n % 2 ? 2e9 : 0,
  n === 3 ? 1 : 0,
];
const facts = {
  tokens: 1024,
  batch: 2,
  bytes_per_value: 2,
  card_gib: 1,
  slug: "m-20",
  title: "M 20",
  scheme: "GQA",
  bytes_per_token: 40_000,
  mha: 160_000,
  windowed: 0,
  formula: [
    ["K and V", 2],
    ["layers", 10],
    ["bytes", 2000],
  ],
  rows: Array.from({ length: 40 }, (_, n) => row(40 - n)),
  left_out: 11,
};
const frame = (step: string, table: Frame["table"]): Frame => ({
  ...{ n: 0, step, layout: "text", title: "t", sentence: "s", axes: [], shape: [], strides: [] },
  ...{ contiguous: true, dtype: "", values: [], table, error: "", tensors: [], stamp: {} },
});

test("bars stand by size, the asked one with what it would be as MHA right below it", () => {
  const bars = barsOf(facts, true);
  expect(bars).toHaveLength(41);
  const at = bars.findIndex(({ stands }) => stands === "asked");
  expect([bars[at]?.name, bars[at + 1]?.name, bars[at + 1]?.each]).toEqual(["M 20", "same, if MHA", 160_000]);
  const totals = bars.filter(({ stands }) => stands !== "mha").map(({ total }) => total);
  expect(totals).toEqual([...totals].sort((one, other) => other - one));
  expect(bars[at]?.total).toBe(40_000 * 2048);
});

test("around the asked one stand as many larger as smaller ones, and at an end as many in all", () => {
  const near = barsOf(facts, false).filter(({ stands }) => stands !== "mha");
  expect(near).toHaveLength(2 * NEAR + 1);
  expect(near[NEAR]?.stands).toBe("asked");
  const top = barsOf({ ...facts, slug: "m-40", mha: 80_000 }, false);
  expect([top.length, top[0]?.stands]).toEqual([2 * NEAR + 1, "asked"]);
});

test("numbers that no row has stand where their size puts them", () => {
  const own = barsOf(
    { ...facts, slug: "", bytes_per_token: 41_000, mha: 41_000, title: "Your numbers" },
    true,
  );
  const at = own.findIndex(({ stands }) => stands === "asked");
  expect([own[at - 1]?.name, own[at]?.name, own[at + 1]?.name]).toEqual(["M 21", "Your numbers", "M 20"]);
});

test("a linear scale begins at nothing, a log scale keeps equal ratios equal", () => {
  const linear = axisOf([5e9, 1e9], false);
  expect([linear.low, along(linear, 0), along(linear, linear.high / 2)]).toEqual([0, 0, 0.5]);
  const log = axisOf([2 ** 20, 2 ** 30], true);
  const step = along(log, 2 ** 24) - along(log, 2 ** 22);
  expect(along(log, 2 ** 28) - along(log, 2 ** 26)).toBeCloseTo(step);
  expect(log.ticks.length).toBeLessThanOrEqual(8);
  expect(log.low).toBeGreaterThan(0);
});

test("bytes are written in binary units", () => {
  expect([memory(2 ** 31 * 1.25), memory(512), memory(2 ** 40 * 3)]).toEqual([
    "2.50 GiB",
    "512 bytes",
    "3.00 TiB",
  ]);
  expect([roundMemory(2 ** 34), roundMemory(0), memory(1010.25 * 2 ** 20)]).toEqual([
    "16 GiB",
    "0",
    "1,010.25 MiB",
  ]);
});

test("a bar on its weights begins where they end; where no size is told a question mark stands", () => {
  const bars = barsOf(facts, false);
  const look = { log: false, weights: true, card: 0 };
  const placed = place(bars, look, 900);
  const drawn = drawBars(bars, look, placed);
  const bar = (name: string) => drawn.find((one) => one.textContent?.includes(name)) as SVGElement;
  const known = bar("M 21").querySelector(".budget-cache");
  const heavy = bars.find(({ name }) => name === "M 21");
  expect(Number(known?.getAttribute("x"))).toBeCloseTo(
    placed.left + along(placed.axis, under(heavy as never)) * placed.across,
  );
  expect(bar("M 22").querySelector(".budget-unknown")?.textContent).toBe("?");
  expect(bar("M 21").querySelector(".budget-unknown")).toBeNull();
});

test("the line of a card is drawn where it leaves the bars room, and named where it does not", () => {
  const bars = barsOf(facts, false);
  const near = { log: false, weights: false, card: 2 ** 29 };
  const lines = (card: number) => drawBars(bars, { ...near, card }, place(bars, { ...near, card }, 900));
  expect(lines(2 ** 29).some((one) => one.getAttribute("class") === "budget-card")).toBe(true);
  expect(lines(2 ** 40).some((one) => one.getAttribute("class") === "budget-card")).toBe(false);
  expect(lines(2 ** 40).at(-1)?.textContent).toBe("card of 1 TiB: far to the right →");
});

test("a bar is told with bytes of a token, context, MHA and weights", () => {
  const [asked] = barsOf(facts, true).filter(({ stands }) => stands === "asked");
  expect(told(asked as never, facts)).toBe(
    "M 20, GQA: 40,000 bytes a token, 78.13 MiB at 2 × 1,024 tokens; as MHA 4 times that; attention weights 20 bytes, all weights unknown.",
  );
});

test("the product is read as one line, and an answer's wrong factor is flagged in words", () => {
  const line = productLine(facts).map(({ textContent }) => textContent);
  expect(line.join(" ")).toBe("2K and V × 10layers × 2,000bytes = 40,000bytes a token");
  const answer = {
    ...{ bytes: 20_000, right: 40_000, works: false, mistakes: ["V forgotten"], sentence: "" },
    factors: [
      ["K and V", 2, 1],
      ["layers", 10, 10],
    ],
  };
  const rows = factorRows(answerOf({ answer }) as never);
  expect(rows.map((one) => one.hasAttribute("data-differs"))).toEqual([false, true, false, false]);
  expect(rows[1]?.textContent).toContain("differs");
  expect(rows.at(-1)?.textContent).toContain("not equal");
  const unknown = factorRows({ ...answer, mistakes: [] } as never);
  expect(unknown[1]?.textContent).toContain("not told by the number alone");
});

test("bars of factors grow with their numbers, and the largest has the whole length", () => {
  expect([lengthOf(0, 64), lengthOf(64, 64)]).toEqual([0, 1]);
  expect(lengthOf(8, 64)).toBeGreaterThan(lengthOf(2, 64));
});

const MEMORY = {
  columns: ["tensor", "axes", "shape", "bytes by formula", "bytes in memory", "difference"],
  rows: [
    ["K", "layers B H_kv T D", "(2, 1, 3, 4, 5)", 240, 240, 0],
    ["all", "", "", 480, 512, 32],
  ],
};

test("tensors show shape and both counts of bytes, equal or by how much not", () => {
  const made = frame("allocated", MEMORY);
  expect(linesOf(made)[0]).toEqual({
    ...{ name: "K", axes: ["layers", "B", "H_kv", "T", "D"], sizes: ["2", "1", "3", "4", "5"] },
    ...{ formula: 240, held: 240 },
  });
  const words = memoryRows(made).map(({ textContent }) => textContent);
  expect(words[0]).toContain("layers 2 × B 1 × H_kv 3 × T 4 × D 5");
  expect(words[0]).toContain("equal to the byte");
  expect(words[1]).toContain("32 bytes more");
});

test("arrows walk the bars from the asked one on, and point at rows of the table", () => {
  const pointed: number[][] = [];
  const host = {
    retry: () => {},
    goTo: () => {},
    point: (place: readonly number[]) => pointed.push([...place]),
  };
  const picture = new KvBudget(host);
  const scene = {
    ...{
      frames: [frame("models", { columns: ["model"], rows: facts.rows.map(([, name]) => [name as string]) })],
    },
    ...{ at: 0, from: null, facts, parameters: {}, seed: 0, roleName: "", tried: false, place: null },
    tensor: () => undefined,
  };
  picture.show(scene);
  const press = (key: string) => picture.key(new KeyboardEvent("keydown", { key }));
  expect([press("ArrowUp"), press("ArrowUp"), press("x")]).toEqual([true, true, false]);
  expect(pointed.at(-1)).toEqual([19]);
  expect(picture.element.querySelector(".series__read")?.textContent).toContain("M 21, GQA");
  expect(picture.inTable([19], scene.frames[0] as Frame)).toEqual({ row: 19 });
  picture.dispose();
});
