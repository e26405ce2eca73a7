import { expect, test, vi } from "vitest";
import { MapView, spoken } from "./map";
import { fitted, layoutOf, type Mapped, names, topOf } from "./map-paint";
import type { Matrix } from "./matrix";
import { matricesOf } from "./plain-grid";
import type { Frame, Tensor } from "./types";

const matrix = (rows: number, columns: number): Matrix => ({
  rows,
  columns,
  values: Float32Array.from({ length: rows * columns }, (_, n) => n / (rows * columns)),
  root: false,
  top: 1,
  negative: false,
  hidden: false,
});
const numbered = (length: number, word = "") => Array.from({ length }, (_, n) => `${word}${n}`);
const mapped = (rows: number, columns: number): Mapped => ({
  title: "scores",
  matrix: matrix(rows, columns),
  rows: numbered(rows, "token "),
  columns: numbered(columns, "token "),
  sides: { rows: { name: "query", look: "" }, columns: { name: "key", look: "" } },
  numbers: "all",
  word: "number",
});

test("a cell's number has as many digits as fit, and none where its whole part does not", () => {
  expect([fitted(0.6774, 5), fitted(-12.44, 5), fitted(-12.44, 3), fitted(123.4, 2)]).toEqual([
    ".68",
    "−12.4",
    "−12",
    "",
  ]);
  expect([fitted(11, 2), fitted(3000, 3), fitted(Number.NaN, 5)]).toEqual(["11", "", ""]);
});

test("few rows are high enough for their numbers on a phone, many are not", () => {
  expect(layoutOf(matrix(12, 4), 300).cell.h).toBeGreaterThanOrEqual(28);
  expect(layoutOf(matrix(512, 512), 600).cell.h).toBeLessThan(1.1);
});

test("of 512 tokens only as many are named as can be read", () => {
  const many = mapped(512, 512);
  const layout = layoutOf(many.matrix, 640, topOf(many.columns));
  expect(names(many, layout, { row: 100, column: 7 }).length).toBeLessThan(100);
});

test("a map says the cell that is pointed at, with the names of both sides", () => {
  expect(spoken(mapped(2, 2), 1, 0)).toBe("scores: query “token 1”, key “token 0”, 0.500");
  expect(spoken(mapped(2, 3), -1, -1)).toBe("scores: 2 by 3 numbers");
});

test("arrows move what is pointed at and stop at the edges", () => {
  const pointed = vi.fn();
  const view = new MapView("Map", pointed);
  view.show(mapped(2, 2));
  view.select(0, 0);
  for (const key of ["ArrowRight", "ArrowRight", "ArrowDown", "ArrowUp"])
    view.key(new KeyboardEvent("keydown", { key }));
  expect(pointed.mock.calls).toEqual([
    [0, 1],
    [1, 1],
    [0, 1],
  ]);
  expect(view.key(new KeyboardEvent("keydown", { key: "Home" }))).toBe(false);
});

const tensor = (role: string, shape: number[]): Tensor =>
  ({ role, axes: ["H", "T", "T"].slice(-shape.length), shape, encoding: "f16", sha256: role }) as Tensor;

test("every tensor with two axes is a map of its own; of three axes the first slice is shown, which is said", () => {
  const frame = {
    tensors: [tensor("right", [2, 2]), tensor("wrong", [2, 2]), tensor("all", [3, 2, 2])],
    values: [],
  };
  const numbers = (one: Tensor | undefined) => new Float32Array(one?.shape.length === 3 ? 12 : 4);
  const found = matricesOf(frame as unknown as Frame, { tensor: numbers });
  expect(found.map(({ title, note }) => title + note)).toEqual(["right", "wrong", "all, at H 0 of 3"]);
});

test("numbers that travel in the frame are drawn without a tensor", () => {
  const frame = { tensors: [], shape: [2, 2], axes: ["H", "T"], values: [1, 2, 3, -4] };
  const [found] = matricesOf(frame as unknown as Frame, { tensor: () => undefined });
  expect([found?.matrix.top, found?.matrix.negative]).toEqual([4, true]);
});
