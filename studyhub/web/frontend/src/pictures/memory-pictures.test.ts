import { beforeEach, expect, test, vi } from "vitest";
import { MemoryTape } from "./memory-tape";
import type { Host, Scene } from "./scene";
import { withDrafts } from "./scene";
import { Silent } from "./silent";
import type { Facts } from "./types";

/** A drawing may use no more elements than this, whatever the numbers. */
const MOST_ELEMENTS = 2000;

const host = () => ({ retry: vi.fn(), point: vi.fn() }) satisfies Host;
/** A context that takes every call and draws nothing. */
const context = new Proxy({}, { get: () => () => undefined, set: () => true }) as CanvasRenderingContext2D;

beforeEach(() => {
  vi.spyOn(HTMLCanvasElement.prototype, "getContext").mockReturnValue(context);
  vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(480);
});

const scene = (facts: Facts, step: string, more: Partial<Scene> = {}): Scene => {
  const frames = withDrafts(facts, []);
  return {
    frames,
    at: Math.max(
      0,
      frames.findIndex((frame) => frame.step === step),
    ),
    from: null,
    facts,
    parameters: {},
    seed: 0,
    roleName: "",
    tried: false,
    place: null,
    tensor: () => undefined,
    ...more,
  };
};

const step = (name: string, axes: string[], shape: number[], strides: number[], more = {}) => ({
  step: name,
  code: `x.${name}()`,
  axes,
  shape,
  strides,
  offset: 0,
  contiguous: false,
  copies: false,
  bytes_copied: 0,
  note: `same memory: ${name}`,
  ...more,
});

/** DeepSeek's width with a long context: nothing of it is drawn number by number. */
const tape = (batch = 2, tokens = 4, heads = 12, width = 64) => {
  const row = heads * width;
  return {
    numbers: batch * tokens * row,
    bytes_per_number: 4,
    cache_line: 64,
    steps: [
      step("start", ["B", "T", "H*D"], [batch, tokens, row], [tokens * row, row, 1]),
      step("transpose", ["B", "H", "T", "D"], [batch, heads, tokens, width], [tokens * row, width, row, 1]),
      step("view-2", [], [], [], { refused: true }),
    ],
    answer: null,
  };
};
const silent = (mistake: string, tokens = 4, heads = 12) => ({
  mistake,
  code_right: "right",
  code_wrong: "wrong",
  tokens,
  num_heads: heads,
  d_head: 64,
  cells: 6144,
  wrong_cells: 5888,
  share: "95.8 %",
  strides_right: [3072, 64, 768, 1],
  strides_wrong: [3072, 256, 64, 1],
  steps: ["right", "wrong", "count", "meaning"].map((name) =>
    step(name, ["B", "H", "T", "D"], [2, heads, tokens, 64], [1]),
  ),
});

test("the memory tape is drawn from its facts, before any frame has come", () => {
  const picture = new MemoryTape(host());
  picture.show(scene(tape(), "transpose", { place: [0, 1, 2, 5] }));
  expect(picture.element.querySelector(".tape__read")?.textContent).toBe(
    "b 0, h 1, t 2, d 5 → 0·3072 + 1·64 + 2·768 + 5 = 1605, byte 6420, cache line 100",
  );
  expect(picture.element.textContent).toContain("not contiguous");
  expect(picture.element.textContent).toContain("Read in runs of 64 numbers, then a jump: 95 jumps");
});

test("a refused step waits for torch's own words and then shows them whole", () => {
  const picture = new MemoryTape(host());
  const facts = tape();
  picture.show(scene(facts, "view-2"));
  expect(picture.element.querySelector(".run__words")?.textContent).toBe("torch is running it");
  const error = "RuntimeError: view size is not compatible with input tensor's size and stride.";
  const frames = withDrafts(facts, []).map((frame) =>
    frame.step === "view-2" ? { ...frame, error } : frame,
  );
  picture.show(scene(facts, "view-2", { frames }));
  expect(picture.element.querySelector(".run__words samp")?.textContent).toBe(error);
});

test("arrows trace the next number and say where it lies", () => {
  const player = host();
  const picture = new MemoryTape(player);
  picture.show(scene(tape(), "transpose"));
  picture.key(new KeyboardEvent("keydown", { key: "ArrowRight" }));
  picture.key(new KeyboardEvent("keydown", { key: "ArrowDown" }));
  picture.key(new KeyboardEvent("keydown", { key: "ArrowRight", shiftKey: true }));
  expect(player.point).toHaveBeenLastCalledWith([0, 1, 1, 1]);
  expect(picture.element.querySelector(".tape__read")?.textContent).toContain(
    "= 833, byte 3332, cache line 52",
  );
});

test("a number of the table is the number that is traced", () => {
  const picture = new MemoryTape(host());
  const facts = tape();
  const frame = {
    ...(withDrafts(facts, [])[1] as Scene["frames"][number]),
    table: {
      columns: ["B", "H", "T", "D", "offset"],
      rows: [
        [0, 0, 0, 0, 0],
        [0, 1, 0, 63, 127],
      ],
    },
  };
  expect(picture.inTable([0, 1, 0, 63], frame)).toEqual({ row: 1 });
  expect(picture.inTable([0, 1, 0, 62], frame)).toBeNull();
  expect(picture.ofTable({ row: 1 }, frame)).toEqual([0, 1, 0, 63]);
});

test("the learner's strides stand beside the right ones, marked where they differ", () => {
  const picture = new MemoryTape(host());
  const answer = {
    shape: [2, 12, 4, 64],
    strides: [3072, 128, 64, 1],
    right_strides: [3072, 64, 768, 1],
    runs: true,
    note: "",
    read_twice: 2816,
    never_read: 2816,
    works: false,
  };
  const facts = { ...tape(), answer };
  const base = scene(facts, "transpose");
  const last = { ...(base.frames[1] as Scene["frames"][number]), step: "answer" };
  picture.show({ ...base, frames: [...base.frames, last], at: 3 });
  const told = picture.element.querySelector(".tape__answer")?.textContent ?? "";
  expect(told).toContain("Of 6,144 cells 2,816 are read more than once and 2,816 never.");
  expect(told).toContain("Each of 6,144 cells is read once, in its own order.");
  expect([...picture.element.querySelectorAll(".is-wrong")].map((cell) => cell.textContent)).toEqual([
    "✗ 128",
    "✗ 64",
  ]);
});

test("a silent mistake counts its numbers and reads a cell out before any frame has come", () => {
  const player = host();
  const picture = new Silent(player);
  picture.show(scene(silent("view_as_heads"), "wrong"));
  expect(picture.element.querySelector(".silent__count")?.textContent).toBe(
    "5,888 of 6,144 numbers (95.8 %) stand in another place",
  );
  for (const key of ["ArrowDown", "ArrowDown", "ArrowRight"])
    picture.key(new KeyboardEvent("keydown", { key }));
  expect(player.point).toHaveBeenLastCalledWith([2, 1]);
  expect(picture.element.querySelector(".silent__read")?.textContent).toContain("holds t 0, h 9");
});

test("the step that works shows one grid, and says that all stands in its place", () => {
  const picture = new Silent(host());
  picture.show(scene(silent("view_as_heads"), "right"));
  const [wrong, right] = picture.element.querySelectorAll<HTMLElement>(".silent__side");
  expect([wrong?.hidden, right?.hidden]).toEqual([true, false]);
  expect(picture.element.querySelector(".silent__count")?.textContent).toBe(
    "All 6,144 numbers stand where they belong",
  );
});

test("over the sentence stand no strides and no count of another layer", () => {
  const picture = new Silent(host());
  picture.show(scene(silent("view_as_heads"), "meaning"));
  expect(picture.element.textContent).not.toContain("5,888");
  expect(picture.element.querySelector(".silent__strides")?.textContent).toBe("");
  expect(picture.element.querySelector(".silent__side .mono")?.textContent).toBe("The same line in MiniLM");
});

test("fixing shows the line that works in place of the one that was written", () => {
  const picture = new Silent(host());
  picture.show(scene(silent("view_as_heads"), "wrong"));
  const [written, fixed] = picture.element.querySelectorAll<HTMLButtonElement>(".silent__toggle button");
  const code = () => picture.element.querySelector(".silent__side .mono")?.textContent;
  expect([written?.getAttribute("aria-pressed"), code()]).toEqual(["true", "wrong"]);
  fixed?.click();
  expect([fixed?.getAttribute("aria-pressed"), code()]).toEqual(["true", "right"]);
});

test("no picture has more than 2,000 elements, however many numbers it is of", () => {
  for (const [tokens, heads] of [
    [4, 12],
    [32, 16],
    [131_072, 128],
    [1, 512],
  ] as const) {
    const memory = new MemoryTape(host());
    memory.show(scene(tape(2, tokens, heads), "transpose"));
    expect(memory.element.querySelectorAll("*").length).toBeLessThan(MOST_ELEMENTS);
    expect(memory.element.querySelectorAll("svg text").length).toBeGreaterThan(10);
    for (const mistake of ["view_as_heads", "width_before_heads", "softmax_over_queries"]) {
      const picture = new Silent(host());
      picture.show(scene(silent(mistake, tokens, heads), "wrong"));
      expect(picture.element.querySelectorAll("*").length).toBeLessThan(MOST_ELEMENTS);
    }
  }
});
