import { expect, test } from "vitest";
import { largestOf, level, matrixOf, namesOf, placeOf, quoted, rowOf } from "./matrix";
import { readOut } from "./readout";
import { frameTable } from "./table";
import type { Frame, Tensor } from "./types";

const weights = { shape: [2, 2, 2], encoding: "u8sqrt", minimum: 0 } as Tensor;
const scores = { shape: [2, 2], encoding: "f16", minimum: -4 } as Tensor;

test("of several heads the asked one is taken", () => {
  const numbers = Float32Array.from([1, 0, 0, 1, 0.25, 0.75, 0.5, 0.5]);
  expect([...rowOf(matrixOf(weights, numbers, 1), 0)]).toEqual([0.25, 0.75]);
});

test("weights are placed by square root, scores evenly on two arms", () => {
  const map = matrixOf(weights, Float32Array.from([0.25, 0.75, 1, 0, 0, 0, 0, 0]), 0);
  expect(level(map, 0, 0)).toBe(0.5);
  const signed = matrixOf(scores, Float32Array.from([-4, 2, 0, Number.NEGATIVE_INFINITY]), 0);
  expect([level(signed, 0, 0), level(signed, 0, 1), level(signed, 1, 1)]).toEqual([-1, 0.5, null]);
});

test("the largest of a row are shown and the others summed", () => {
  const { shown, others, rest } = largestOf(Float32Array.from([0.1, 0.5, 0.15, 0.25]), 2);
  expect(shown.map(({ index }) => index)).toEqual([1, 3]);
  expect(others).toBe(2);
  expect(rest).toBeCloseTo(0.25, 6);
});

test("tokens name rows and columns where the table has them all, else numbers do", () => {
  const map = matrixOf(scores, new Float32Array(4), 0);
  const told = {
    table: {
      columns: ["query", "the", "cat"],
      rows: [
        ["the", 1, 2],
        ["cat", 3, 4],
      ],
    },
  };
  expect(namesOf(told as Frame, map)).toEqual({ rows: ["the", "cat"], columns: ["the", "cat"] });
  const cut = { table: { columns: ["query", "strongest"], rows: [["the", "cat"]] } };
  expect(namesOf(cut as Frame, map)).toEqual({ rows: ["0", "1"], columns: ["0", "1"] });
});

const TOKENS = ["the", "cat", "saw", "the"];

test("a token that stands more than once is told by its position", () => {
  expect(TOKENS.map((_, n) => quoted(TOKENS, n))).toEqual(["“the” 0", "“cat”", "“saw”", "“the” 3"]);
  expect(TOKENS.map((_, n) => placeOf(TOKENS, n))).toEqual([" 0", "", "", " 3"]);
});

test("the sentence and the table tell equal tokens apart", () => {
  const values = Float32Array.from({ length: 16 }, () => 0.25);
  const frame = {
    step: "weights",
    title: "Weights",
    table: { columns: ["query", ...TOKENS], rows: TOKENS.map((token) => [token, 1, 2, 3, 4]) },
  } as Frame;
  const matrix = { rows: 4, columns: 4, values, root: true, top: 1, negative: false, hidden: false };
  const read = { frame, matrix, rows: TOKENS, columns: TOKENS, row: 3, column: 0 };
  const words = document.createElement("p");
  words.append(...readOut(read));
  expect(words.textContent).toBe("This head sends 0.250 of “the” 3 to “the” 0.");
  const heads = [...frameTable(frame, "").querySelectorAll("th")].map(({ textContent }) => textContent);
  expect(heads).toEqual(["query", "the 0", "cat", "saw", "the 3", "the 0", "cat", "saw", "the 3"]);
});

test("a key that a query cannot see is said to be masked", () => {
  const matrix = {
    rows: 2,
    columns: 2,
    values: Float32Array.from([1, Number.NaN, 0.5, 0.5]),
    root: true,
    top: 1,
    negative: false,
    hidden: false,
  };
  const words = document.createElement("p");
  const read = {
    frame: { step: "weights" } as Frame,
    matrix,
    rows: ["a", "b"],
    columns: ["a", "b"],
    row: 0,
    column: 1,
  };
  words.append(...readOut(read));
  expect(words.textContent).toBe("From “a” to “b”: masked, a key after its query is not seen.");
});
