import { expect, test } from "vitest";
import { cellSize } from "./cell-grid";
import { cellsOf, home, inPlace, limits, misplaced, piece, reads } from "./misplaced";
import type { Frame, Tensor } from "./types";

const facts = (mistake: string, more = {}) => ({ mistake, num_heads: 12, tokens: 4, d_head: 64, ...more });
const none = () => undefined;

/** As the engine's own table has them for BERT-base and 4 tokens. */
const TOLD = {
  view_as_heads: {
    "0 1": "t 0, h 1",
    "1 0": "t 0, h 4",
    "5 3": "t 1, h 11",
    "11 3": "t 3, h 11",
    "8 2": "t 2, h 10",
  },
  merge_without_transpose: { "0 1": "t 0, h 3", "1 0": "t 1, h 0", "7 2": "t 3, h 7", "11 3": "t 3, h 11" },
  width_before_heads: { "0 0": "t 0, 12 heads", "11 3": "t 3, 12 heads" },
};

test("each cell holds what the engine found there", () => {
  for (const [mistake, cells] of Object.entries(TOLD))
    for (const [at, words] of Object.entries(cells)) {
      const [head = 0, token = 0] = at.split(" ").map(Number);
      expect(piece(misplaced(facts(mistake), head, token))).toBe(words);
    }
});

test("every piece is held once, and the two that stay are in place", () => {
  const cells = cellsOf(facts("view_as_heads"), undefined, none, false);
  expect(new Set(cells.held.map(piece)).size).toBe(48);
  expect(cells.held.filter((_, n) => inPlace(cells, n)).map(piece)).toEqual(["t 0, h 0", "t 3, h 11"]);
  expect(new Set(cells.held.map((_, n) => home(cells, n))).size).toBe(48);
});

test("the line that works has every piece at home, a mixture has none", () => {
  const right = cellsOf(facts("view_as_heads"), undefined, none, true);
  expect(right.held.every((_, n) => inPlace(right, n) && home(right, n) === n)).toBe(true);
  const mixed = cellsOf(facts("width_before_heads"), undefined, none, false);
  expect(mixed.held.every((_, n) => !inPlace(mixed, n) && home(mixed, n) === -1)).toBe(true);
});

test("what torch really moved is drawn once it has come", () => {
  const tensor = (role: string) => ({ role, shape: [1, 2] }) as Tensor;
  const frame = { tensors: ["token", "head", "parts"].map(tensor) } as Frame;
  const numbers: Record<string, number[]> = { token: [1, 0], head: [3, 2], parts: [1, 1] };
  const sent = (one: Tensor | undefined) => (one ? Float32Array.from(numbers[one.role] ?? []) : undefined);
  const cells = cellsOf(facts("view_as_heads"), frame, sent, false);
  expect(cells).toEqual({
    heads: 1,
    tokens: 2,
    held: [
      { token: 1, head: 3, parts: 1 },
      { token: 0, head: 2, parts: 1 },
    ],
  });
});

test("at most 512 cells are shown, as high as a screen and no wider than their room", () => {
  for (const [num_heads, tokens] of [
    [12, 4],
    [128, 4],
    [128, 4096],
    [1, 512],
    [71, 1],
  ])
    for (const across of [311, 480]) {
      const cells = cellsOf(facts("view_as_heads", { num_heads, tokens }), undefined, none, false);
      const size = cellSize(cells, across);
      expect(cells.held.length).toBe(cells.heads * cells.tokens);
      expect(cells.held.length).toBeLessThanOrEqual(512);
      expect(size.w * cells.tokens).toBeLessThanOrEqual(across);
      expect(size.h * cells.heads).toBeLessThanOrEqual(2048);
    }
});

test("a cell is read out with what is wrong in it", () => {
  const cells = cellsOf(facts("view_as_heads"), undefined, none, false);
  expect(reads(cells, 9)).toBe("The cell of head 2, token 1 holds t 0, h 9: another token and another head.");
  expect(reads(cells, 1)).toBe("The cell of head 0, token 1 holds t 0, h 1: another token and another head.");
  expect(reads(cells, 0)).toBe("The cell of head 0, token 0 holds t 0, h 0, as it should.");
  const mixed = cellsOf(facts("width_before_heads"), undefined, none, false);
  expect(reads(mixed, 0)).toBe("The cell of head 0, token 0 holds numbers of 12 heads of token 0, mixed.");
});

test("what is not drawn is said", () => {
  const told = (more: object) => {
    const of = facts("view_as_heads", more);
    return limits(cellsOf(of, undefined, none, false), of);
  };
  expect(told({})).toBe("");
  expect(told({ tokens: 4096 })).toBe("Drawn are 12 of 12 heads and 32 of 4,096 tokens.");
});
