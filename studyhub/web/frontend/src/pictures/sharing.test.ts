import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { memory } from "./bytes";
import type { Scene } from "./scene";
import { HeadSharing } from "./sharing";
import { lineOf } from "./sharing-cards";
import { headAt, slotsOf } from "./sharing-draw";
import { bytesOf, factors, groupOf, type Sharing, sharingOf } from "./sharing-facts";
import { cached } from "./sharing-latent";
import { percent } from "./sharing-measured";
import { bundlesOf, reads } from "./sharing-stage";
import { titleOf } from "./sharing-words";
import type { Facts, Frame } from "./types";

const divisors = (n: number) => Array.from({ length: n }, (_, i) => i + 1).filter((d) => n % d === 0);
const facts = (more: Facts = {}): Facts => ({
  num_heads: 64,
  num_kv_heads: 8,
  groups: 8,
  d_head: 128,
  d_head_v: 128,
  d_model: 8192,
  kv_rank: 512,
  d_head_rope: 64,
  layers: 80,
  cache_tokens: 8192,
  bytes_per_value: 2,
  head: 16,
  own: "gqa",
  divisors: divisors(Number(more.num_heads ?? 64)),
  ships: "Llama-3 70B has GQA.",
  no_groups: "",
  steps: ["mha", "gqa", "mqa", "mla"].map((step) => ({ step, note: `${step}.` })),
  ...more,
});
const frame = (step: string, more: Partial<Frame> = {}): Frame =>
  ({
    step,
    sentence: `${step}. On the sentence nothing moves.`,
    values: [],
    tensors: [],
    shape: [],
    table: { columns: ["query head", "reads"], rows: Array.from({ length: 64 }, (_, n) => [n, "pair"]) },
    error: "",
    ...more,
  }) as unknown as Frame;
const FRAMES = [
  ...["mha", "gqa", "mqa", "mla"].map((step) => frame(step)),
  frame("compare", {
    table: {
      columns: ["K and V", "numbers", "bytes", "moved"],
      rows: [
        ["64 K/V heads", 16384, 1, 0],
        ["8 K/V heads", 2048, 1, 0],
        ["1 K/V head", 256, 1, 0.96],
        ["latent of 2", 2, 1, 0.5],
      ],
    },
  }),
  frame("maps"),
];
const scene = (step: string, more: Partial<Scene> = {}): Scene => ({
  frames: FRAMES,
  at: FRAMES.findIndex((one) => one.step === step),
  from: null,
  facts: facts(),
  parameters: {},
  seed: 0,
  roleName: "",
  tried: false,
  place: null,
  tensor: () => undefined,
  ...more,
});
const host = () => ({ retry: vi.fn(), point: vi.fn(), goTo: vi.fn() });
const key = (name: string) => new KeyboardEvent("keydown", { key: name });
const words = (picture: HeadSharing) => picture.element.querySelector(".sharing__words")?.textContent;

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  document.body.replaceChildren();
});

describe("numbers", () => {
  test.each([
    ["mha", 2_621_440],
    ["gqa", 327_680],
    ["mla", 92_160],
    ["mqa", 40_960],
  ] as const)("a token under %s takes %d bytes, the product of the factors shown", (step, size) => {
    const sharing = sharingOf(facts());
    expect(bytesOf(sharing, step)).toBe(size);
    const value = (text: string) =>
      text
        .replace(/[(),]/g, "")
        .split(" + ")
        .reduce((sum, part) => sum + Number(part), 0);
    const product = factors(sharing, step).reduce((all, { number }) => all * value(number), 1);
    expect(product).toBe(size);
  });

  test("keys and values of two widths are one factor, a sum", () => {
    const sharing = sharingOf(facts({ d_head: 192, d_head_v: 128, num_heads: 128, layers: 61 }));
    expect(factors(sharing, "mha").map(({ number }) => number)).toEqual(["61", "128", "(192 + 128)", "2"]);
    expect(bytesOf(sharing, "mha")).toBe(4_997_120);
  });

  test("memory of all rows stands in the unit of the largest, but never as nothing", () => {
    expect(memory(2_684_354_560)).toBe("2.50 GiB");
    expect(memory(335_544_320, 21_474_836_480)).toBe("0.31 GiB");
    expect(memory(1024, 2 ** 40)).toBe("1.00 KiB");
    expect(memory(12)).toBe("12 bytes");
  });

  test("a share is told in two digits, rounding as 0", () => {
    expect([0, 0.00004, 0.0123, 0.341, 1.06].map(percent)).toEqual(["0", "0", "1.2 %", "34 %", "106 %"]);
  });
});

describe("who reads what", () => {
  test("groups follow each other as torch's repeat_interleave lays them", () => {
    for (const heads of [1, 9, 12, 64, 71, 128])
      for (const pairs of divisors(heads)) {
        const by = Array.from({ length: pairs }, (_, n) => Array(heads / pairs).fill(n)).flat();
        expect(Array.from({ length: heads }, (_, head) => groupOf(head, heads, pairs).pair)).toEqual(by);
      }
  });

  test("a place in the drawing is the head that is drawn there, for any number of heads and any width", () => {
    for (const across of [311, 700])
      for (const heads of [1, 9, 64, 71, 256])
        for (const pairs of divisors(heads)) {
          const bundles = { heads, pairs, followed: 0, left: 0 };
          const { left, pitch, slot } = slotsOf(bundles, across);
          expect(left + pitch * heads).toBeCloseTo(across);
          expect(slot * pairs).toBeCloseTo(pitch * heads);
          for (const head of [0, heads - 1, Math.floor(heads / 2)])
            expect(headAt(bundles, across, left + (head + 0.5) * pitch)).toBe(head);
          expect(headAt(bundles, across, across + 1)).toBe(-1);
        }
  });

  test("an answer that does not divide leaves heads without a pair", () => {
    const answer = { kv_heads: 5, works: false, size: 12, left_over: 4, nearest: [4, 8], sentence: "" };
    const sharing = sharingOf(facts({ answer }));
    expect(bundlesOf(sharing, "answer", 0)).toEqual({ heads: 64, pairs: 5, followed: 0, left: 4 });
    expect(reads(sharing, "answer", 61)).toBe("Query head 61 reads no pair: 4 are left over.");
    expect(reads(sharing, "answer", 13)).toBe("Query heads 12 to 23 would read pair kv 1.");
    const many = { ...answer, kv_heads: 128, size: 0, left_over: 64 };
    expect(reads(sharingOf(facts({ answer: many })), "answer", 0)).toContain(
      "a pair would have no whole head",
    );
  });

  test("the latent and the rotary key fit any width and never lose their names", () => {
    for (const across of [290, 700])
      for (const rope of [1, 64, 512]) {
        const boxes = cached(
          { heads: 8, followed: 0, rank: 512, rope, d_model: 1, d_head: 1, d_head_v: 1, own: true },
          across,
        );
        expect(boxes.latent.x).toBeGreaterThanOrEqual(0);
        expect(boxes.rope.x + boxes.rope.w).toBeLessThanOrEqual(across + 1);
        expect(Math.min(boxes.latent.w, boxes.rope.w)).toBeGreaterThanOrEqual(78);
      }
  });

  test("a card says its scheme in a line, also where there are no groups", () => {
    expect(lineOf(sharingOf(facts()), "gqa")).toBe("8 queries share each K/V");
    const falcon = sharingOf(facts({ num_heads: 71, groups: 71, no_groups: "No number" }));
    expect(lineOf(falcon, "gqa")).toBe("no equal groups of 71");
    expect(titleOf(sharingOf(facts()), "mqa", 0)).toBe("64 query heads, 1 pair of keys and values");
  });
});

describe("the picture", () => {
  const shown = (step = "gqa", more: Partial<Scene> = {}) => {
    const asked = host();
    const picture = new HeadSharing(asked);
    picture.show(scene(step, more));
    return { picture, asked };
  };

  test("keys choose a scheme, arrows a group, brackets a head", () => {
    const { picture, asked } = shown();
    expect(words(picture)).toBe(
      "Query heads 16 to 23 read pair kv 2. Every head stays 128 wide; only the pairs are fewer.",
    );
    expect(picture.key(key("4"))).toBe(true);
    expect(asked.goTo).toHaveBeenLastCalledWith("mla");
    picture.key(key("ArrowRight"));
    expect(asked.point).toHaveBeenLastCalledWith([24]);
    picture.key(key("["));
    expect(words(picture)).toContain("16 to 23");
    picture.key(key("ArrowLeft"));
    picture.key(key("ArrowLeft"));
    picture.key(key("ArrowLeft"));
    expect(words(picture)).toContain("56 to 63");
    expect(picture.key(key("q"))).toBe(false);
  });

  test("the slider stops at divisors, shows a grouping at once and asks for it when it rests", () => {
    const { picture, asked } = shown();
    const slider = picture.element.querySelector<HTMLInputElement>("input[type=range]");
    if (!slider) throw new Error("no slider");
    expect([slider.max, slider.value, slider.getAttribute("aria-valuetext")]).toEqual([
      "6",
      "3",
      "8 K/V heads",
    ]);
    const move = (to: number) => {
      slider.value = String(to);
      slider.dispatchEvent(new Event("input"));
    };
    move(5);
    move(4);
    expect(picture.element.querySelector(".sharing__formula")?.textContent).toContain("655,360");
    expect(asked.retry).not.toHaveBeenCalled();
    vi.runAllTimers();
    expect(asked.retry.mock.calls).toEqual([[{ num_kv_heads: 16 }]]);
    move(6);
    expect(asked.goTo).toHaveBeenLastCalledWith("mha");
    move(0);
    expect(asked.goTo).toHaveBeenLastCalledWith("mqa");
  });

  test("the bytes stand as MathML, the rows of the cache by size", () => {
    const { picture } = shown("mla");
    const maths = [...picture.element.querySelectorAll("math")].map((one) => one.textContent);
    expect(maths).toEqual(["L×(dc+dR)×bytes", "=80×(512+64)×2", "=92,160"]);
    const rows = [...picture.element.querySelectorAll(".sharing-cache tbody tr")];
    expect(rows.map((row) => row.querySelector("b")?.textContent)).toEqual(["MHA", "GQA", "MLA", "MQA"]);
    expect(rows.map((row) => row.getAttribute("aria-current"))).toEqual([null, null, "true", null]);
  });

  test("maps are asked for of the head that is followed, once the reader rests", () => {
    const { picture, asked } = shown("maps");
    vi.runAllTimers();
    expect(asked.retry).not.toHaveBeenCalled();
    picture.key(key("]"));
    picture.key(key("]"));
    vi.runAllTimers();
    expect(asked.retry.mock.calls).toEqual([[{ head: 18 }]]);
  });

  test("a link's place is the head that is followed; a row of a table follows its head", () => {
    const { picture } = shown("gqa", { place: [40] });
    expect(picture.marked()).toEqual([40]);
    expect(picture.ofTable({ row: 7 }, FRAMES[1] as Frame)).toEqual([7]);
    picture.point([7]);
    expect(words(picture)).toContain("0 to 7");
    expect(picture.ofTable({ row: 1 }, FRAMES[4] as Frame)).toBeNull();
  });

  test("an answer shows torch's words and runs the nearest by a press", () => {
    const answer = {
      kv_heads: 5,
      works: false,
      size: 12,
      left_over: 4,
      nearest: [4, 8],
      sentence: "5 does not.",
    };
    const lines = [["F.sdpa", "RuntimeError: must divide"]];
    const answered = frame("answer", { table: { columns: ["line", "what came of it"], rows: lines } });
    const { picture, asked } = shown("gqa", { frames: [answered], at: 0, facts: facts({ answer }) });
    expect(picture.element.querySelector("samp")?.textContent).toBe("RuntimeError: must divide");
    const chips = [...picture.element.querySelectorAll<HTMLButtonElement>(".chip")];
    expect(chips.map((chip) => chip.textContent)).toEqual(["416 query heads each", "88 query heads each"]);
    chips[1]?.click();
    expect(asked.retry).toHaveBeenCalledWith({ answer_kv_heads: 8 });
    expect(picture.chooser.querySelector(".sharing-cards__answer")?.textContent).toContain("does not run");
  });

  test("errors of all variants stand in two tables, pairs and latents", () => {
    const { picture } = shown("compare");
    const parts = [...picture.element.querySelectorAll(".sharing-compare__part")];
    expect(parts.map((part) => part.querySelectorAll("tbody tr").length)).toEqual([3, 1]);
    expect(parts[0]?.textContent).toContain("96 %");
  });
});

const asSharing: Sharing = sharingOf({});
test("facts that have not come draw nothing and break nothing", () => {
  expect(asSharing.heads).toBe(1);
  const picture = new HeadSharing(host());
  picture.show(scene("gqa", { frames: [], facts: {} }));
  picture.dispose();
});
