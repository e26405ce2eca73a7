import { expect, test, vi } from "vitest";
import { layoutOf, numbersPerLine, PlainTape } from "./plain-tape";
import type { Scene } from "./scene";
import type { Frame } from "./types";

const FRAME = {
  axes: ["T", "D"],
  shape: [3, 2],
  strides: [1, 3],
  table: {
    columns: ["T", "D", "offset"],
    rows: [
      [0, 0, 4],
      [0, 1, 7],
    ],
  },
} as unknown as Frame;

test("a frame of memory is the tensor its shape and strides say, from the first offset of its table", () => {
  expect(layoutOf(FRAME)).toEqual({
    names: ["T", "D"],
    shape: [3, 2],
    strides: [1, 3],
    offset: 4,
    cells: 10,
  });
  expect(layoutOf({ ...FRAME, shape: [], strides: [] })).toBeNull();
});

test("a cache line holds as many numbers as their bytes allow", () => {
  expect(numbersPerLine({ cache_line: 64, bytes_per_number: 2 })).toBe(32);
  expect(numbersPerLine({})).toBe(16);
});

test("a cell that is walked to is told by its place in the order of reading; memory before the tensor is not read", () => {
  const host = { retry: vi.fn(), point: vi.fn() };
  const tape = new PlainTape(host);
  tape.show({ frames: [FRAME], at: 0, facts: {}, place: null } as unknown as Scene);
  const press = (key: string) => tape.key(new KeyboardEvent("keydown", { key }));
  press("ArrowRight");
  expect(host.point).toHaveBeenLastCalledWith([2]);
  press("ArrowLeft");
  press("ArrowLeft");
  expect(host.point).toHaveBeenLastCalledWith([0]);
  expect(tape.marked()).toEqual([0]);
});
