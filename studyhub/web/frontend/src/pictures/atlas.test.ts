import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Atlas } from "./atlas";
import { spokenCount } from "./atlas-count";
import { type AtlasData, headOf, orderOf, patternsOf } from "./atlas-data";
import { arranged, moved, placeUnder } from "./atlas-layout";
import { patternOf } from "./atlas-open";
import { binOf } from "./atlas-paint";
import { spokenHead, written } from "./atlas-words";
import { stateIn } from "./link";
import type { Scene } from "./scene";
import type { Frame, Tensor } from "./types";

const tensor = (role: string, shape: number[], encoding: Tensor["encoding"]): Tensor =>
  ({ role, axes: [], shape, encoding, sha256: role }) as unknown as Tensor;

/** Two layers of three heads on four tokens. */
const ENTROPY = [1, 0.5, 1.3, 0.2, 1.3, 0];
const SINK = [0.1, 0.9, 0.3, 0.003, 0.5, 0.999];
const NUMBERS: Record<string, number[]> = {
  thumbnails: Array.from({ length: 6 * 4 }, (_, n) => n / 24),
  measures: [...ENTROPY, ...SINK],
  patterns: [0, 1, 0, 2, 1, 1],
  pair: [0, 0.1, 0.2, 0.1, 0.68, 0],
};
const numbers = new Map(Object.entries(NUMBERS).map(([role, values]) => [role, Float32Array.from(values)]));
const frame = (step: string, tensors: Tensor[], more: Partial<Frame> = {}): Frame =>
  ({
    ...{ step, title: step, sentence: `What ${step} says.`, values: [], tensors, shape: [2, 3] },
    table: {
      columns: ["head", "x"],
      rows: [
        ["L1 H1", 1],
        ["L0 H2", 0.5],
      ],
    },
    ...more,
  }) as unknown as Frame;
const MAPS = frame(
  "maps",
  [
    tensor("thumbnails", [2, 3, 2, 2], "u8sqrt"),
    tensor("measures", [2, 2, 3], "f32"),
    tensor("patterns", [2, 3], "f16"),
  ],
  { shape: [2, 3, 4, 4] },
);
const FRAMES = [MAPS, frame("sink", []), frame("pair", [tensor("pair", [2, 3], "f32")], { values: [2, 1] })];
const FACTS = {
  ...{ model: "minilm", layers: 2, num_heads: 3, rule: "A convention." },
  measures: [{ name: "entropy" }, { name: "sink" }],
  patterns: ["none", "sink", "previous token"],
};
const scene = (at: number, more: Partial<Scene> = {}): Scene => ({
  ...{ frames: FRAMES, at, from: null, facts: FACTS, parameters: {}, seed: 0 },
  ...{ roleName: "", tried: false, place: null },
  tensor: (one) => numbers.get(one?.sha256 ?? ""),
  ...more,
});
const DATA: AtlasData = {
  ...{ layers: 2, heads: 3, tokens: 4, small: MAPS.tensors[0] as Tensor, names: ["entropy", "sink"] },
  numbers: Float32Array.from(NUMBERS.thumbnails ?? []),
  measures: Float32Array.from(NUMBERS.measures ?? []),
  patterns: ["none", "sink", "none", "previous token", "sink", "sink"],
  pair: { weights: Float32Array.from(NUMBERS.pair ?? []), query: 2, key: 1 },
};

const host = () => ({ retry: vi.fn(), point: vi.fn(), goTo: vi.fn() });
let posted: Record<string, unknown>[];

beforeEach(() => {
  posted = [];
  vi.stubGlobal(
    "ImageData",
    class {
      data = new Uint8ClampedArray(64);
    },
  );
  vi.stubGlobal("fetch", async (_: string, { body }: RequestInit = {}) => {
    if (body) posted.push(JSON.parse(String(body)).parameters);
    return new Response("{}", { status: 503 });
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  document.body.replaceChildren();
});

function drawn(at: number, more: Partial<Scene> = {}) {
  const told = host();
  const atlas = new Atlas(told);
  document.body.append(atlas.element);
  atlas.element.addEventListener("keydown", (event) => atlas.key(event));
  atlas.show(scene(at, more));
  return { atlas, told };
}
const press = (on: Element | null, key: string) =>
  on?.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
const canvas = (atlas: Atlas) => atlas.element.querySelector("canvas[data-arrows]");
const said = (atlas: Atlas) => atlas.element.querySelector("[data-testid=atlas-said]")?.textContent;

test("heads are sorted by the step's measure, the largest first, equal ones by layer, and turned round", () => {
  expect(orderOf(DATA, "maps", false)).toEqual([0, 1, 2, 3, 4, 5]);
  expect(orderOf(DATA, "entropy", false)).toEqual([2, 4, 0, 1, 3, 5]);
  expect(orderOf(DATA, "sink 2", true)).toEqual([3, 0, 2, 4, 1, 5]);
  expect(orderOf(DATA, "pair", false)[0]).toBe(4);
});

test("a head is found by the name that its table gives it", () => {
  expect([headOf("L0 H2", 3), headOf("L1 H1", 3), headOf("L1 H2", 3)]).toEqual([2, 4, 5]);
  expect(headOf("pair 0", 3)).toBe(-1);
});

test("patterns are counted, the most frequent first", () => {
  expect(patternsOf(DATA)).toEqual([
    { name: "sink", count: 3 },
    { name: "none", count: 2 },
    { name: "previous token", count: 1 },
  ]);
});

test("a head is spoken with its layer, its measures and its pattern; the sorted measure stands among them", () => {
  expect(spokenHead(DATA, 3, "maps")).toBe(
    "Layer 1, head 0: entropy 0.20 nats, sink <0.01, pattern previous token",
  );
  expect(spokenHead(DATA, 4, "pair")).toContain("weight of the pair 0.68, entropy 1.30 nats");
  expect([written(0.999, true), written(1, true), written(0, true)]).toEqual([">0.99", "1.00", "0.00"]);
});

test.each([
  [6, 12, 740],
  [6, 12, 311],
  [30, 9, 740],
  [30, 9, 311],
  [1, 4, 740],
  [12, 16, 250],
])("%i layers of %i heads stand apart, inside %i px and not too small", (layers, heads, across) => {
  for (const byLayer of [true, false]) {
    const found = arranged({ layers, heads, across, byLayer });
    expect(found.cell).toBeGreaterThanOrEqual(30);
    const places = Array.from({ length: layers * heads }, (_, place) => found.at(place));
    expect(new Set(places.map(({ x, y }) => `${x} ${y}`)).size).toBe(places.length);
    for (const [place, { x, y }] of places.entries()) {
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x + found.cell).toBeLessThanOrEqual(across + 4);
      expect(y + found.cell + found.words).toBeLessThanOrEqual(found.height);
      expect(placeUnder(found, places.length, { x: x + 1, y: y + 1 })).toBe(place);
    }
  }
});

test("arrows lead to the head beside and to the same head of the next layer, and stay at the edge", () => {
  const found = arranged({ layers: 6, heads: 12, across: 311, byLayer: true });
  expect(moved(14, "ArrowDown", 72, found)).toBe(26);
  expect(moved(14, "ArrowUp", 72, found)).toBe(2);
  expect(moved(2, "ArrowUp", 72, found)).toBe(2);
  expect(moved(71, "ArrowRight", 72, found)).toBe(71);
});

test("a token falls into the bin of the small map that the engine pooled it into", () => {
  const [tokens, bins] = [461, 40];
  const starts = Array.from({ length: bins }, (_, n) => Math.floor((n * tokens) / bins));
  for (let at = 0; at < tokens; at++)
    expect(binOf(at, tokens, bins)).toBe(starts.filter((start) => start <= at).length - 1);
});

test("the head that gives the pair most is chosen at first, and arrows choose another", () => {
  const { atlas, told } = drawn(0);
  expect(said(atlas)).toContain("Layer 1, head 1");
  press(canvas(atlas), "ArrowUp");
  expect(told.point).toHaveBeenLastCalledWith([1, 0]);
  expect(said(atlas)).toBe("Layer 0, head 1: entropy 0.50 nats, sink 0.90, pattern sink");
});

test("pins stand side by side in the order in which they were pinned, and go again", () => {
  const { atlas, told } = drawn(1);
  press(canvas(atlas), "p");
  press(canvas(atlas), "ArrowRight");
  press(canvas(atlas), "p");
  const pins = () => [...atlas.element.querySelectorAll(".atlas__pin b")].map((one) => one.textContent);
  expect(pins()).toEqual(["1. Layer 1, head 1", expect.stringMatching(/^2\. Layer/)]);
  expect(told.point.mock.lastCall?.[0].slice(2)[0]).toBe(4);
  press(canvas(atlas), "p");
  expect(pins()).toHaveLength(1);
});

test("a link holds the head, the pattern looked for, the direction and the pins, and brings them back", () => {
  const { atlas } = drawn(1, { place: [3, 102, 5, 0] });
  expect(atlas.marked()).toEqual([3, 102, 5, 0]);
  expect(atlas.element.querySelector("select")?.value).toBe("sink");
  expect(atlas.element.querySelector("[aria-pressed=true]")?.textContent).toContain("Smallest first");
  const address = "http://x/?picture=head_atlas&at=3.102.5.0.1.2.4";
  expect(stateIn(address, "head_atlas", 0, new Map())?.place).toEqual([3, 102, 5, 0, 1, 2, 4]);
});

test("a pattern that is looked for is counted", () => {
  const { atlas } = drawn(0);
  const select = atlas.element.querySelector("select") as HTMLSelectElement;
  expect([...select.options].map(({ text }) => text)).toEqual([
    "all heads (6)",
    "sink (3)",
    "no pattern (2)",
    "previous token (1)",
  ]);
  select.value = "sink";
  select.dispatchEvent(new Event("change"));
  expect(atlas.element.querySelector(".atlas__tools .note")?.textContent).toBe("3 of 6 heads");
});

test("Enter asks for the whole map of the chosen head, Escape puts it away", async () => {
  const { atlas } = drawn(0);
  press(canvas(atlas), "Enter");
  await vi.waitFor(() => expect(posted).toHaveLength(1));
  expect(posted[0]).toEqual({ model: "minilm", layer: 1, head: 1 });
  const opened = atlas.element.querySelector(".atlas__open");
  expect(opened?.hasAttribute("hidden")).toBe(false);
  expect(opened?.querySelector("a")?.getAttribute("href")).toMatch(/\/lab\/attention_pattern\/.*head=1/);
  press(canvas(atlas), "Escape");
  expect(opened?.hasAttribute("hidden")).toBe(true);
  atlas.dispose();
});

test("Enter on a button presses the button and opens nothing", () => {
  const { atlas } = drawn(0);
  press(atlas.element.querySelector("[data-testid=atlas-pin]"), "Enter");
  expect(atlas.element.querySelector(".atlas__open")?.hasAttribute("hidden")).toBe(true);
});

test("a head is asked for by its own layer, on the sentence that is shown", () => {
  const asked = scene(0, { parameters: { sentence: "It is.", query: "It" }, facts: { model: "smollm2" } });
  expect(patternOf(asked, 22, 9)).toEqual({ sentence: "It is.", model: "smollm2", layer: 2, head: 4 });
});

test("the table and the picture point at the same head", () => {
  const { atlas } = drawn(1);
  expect(atlas.inTable([4, 0], FRAMES[1] as Frame)).toEqual({ row: 0 });
  expect(atlas.inTable([0, 0], FRAMES[1] as Frame)).toBeNull();
  expect(atlas.ofTable({ row: 1 }, FRAMES[1] as Frame)).toEqual([2, 0]);
});

test("a model without maps is counted: a head says which pair of K and V it reads and with whom", () => {
  const counted = { layers: 80, heads: 64, shared: 8, head: 64 + 9 };
  expect(spokenCount(counted)).toBe("Layer 1, head 9 reads pair 1 of K and V, with heads 8 to 15");
  expect(spokenCount({ ...counted, shared: 64 })).toContain("reads pair 9 of K and V, alone");
  expect(spokenCount({ ...counted, shared: 0 })).toContain("unpacks K and V from its layer's latent");
  const frames = [frame("heads", []), frame("groups", [])];
  const facts = { layers: 80, num_heads: 64, num_kv_heads: 8, model: "llama-3-70b" };
  const { atlas, told } = drawn(0, { frames, facts });
  const grid = atlas.element.querySelector(".atlas__count");
  expect(grid?.hasAttribute("hidden")).toBe(false);
  press(grid?.querySelector("canvas") ?? null, "ArrowDown");
  expect(told.point).toHaveBeenLastCalledWith([64, 0]);
  expect(grid?.querySelector("[role=status]")?.textContent).toContain("Layer 1, head 0 reads pair 0");
});
