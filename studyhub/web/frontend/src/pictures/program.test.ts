import { expect, test } from "vitest";
import { differs, linesOf, Program } from "./program";
import type { Scene } from "./scene";
import type { Frame } from "./types";

const facts = { asks: "program", code: "y = x.view(B, T, H, D)\nreturn y.view(B, T, H)" };
const run = {
  step: "run",
  title: "return y.view(B, T, H)",
  sentence: "Line 2 asks for 96 numbers of 6,144.",
  error: "RuntimeError: shape '[2, 4, 12]' is invalid for input of size 6144",
  shape: [],
  table: {
    columns: ["line", "code", "shape", "outcome"],
    rows: [
      [1, "y = x.view(B, T, H, D)", "(2, 4, 12, 64)", "runs"],
      [2, "return y.view(B, T, H)", "", "refused"],
    ],
  },
} as unknown as Frame;

test("the program stands there before a worker has run it", () => {
  expect(linesOf(facts, undefined).map(({ number, code }) => [number, code])).toEqual([
    [1, "y = x.view(B, T, H, D)"],
    [2, "return y.view(B, T, H)"],
  ]);
});

test("the line that torch refuses is marked in a word, and torch's text stands whole under the lines", () => {
  const drawn = new Program({ retry: () => {}, point: () => {} });
  drawn.show({ facts, frames: [run], roleName: "yours", tried: false } as unknown as Scene);
  const [first, second] = drawn.element.querySelectorAll("li");
  expect([first?.className, second?.className]).toEqual(["", "is-failing"]);
  expect(second?.textContent).toContain("fails here");
  expect(first?.textContent).toContain("(2, 4, 12, 64)");
  expect(drawn.element.querySelector("samp")?.textContent).toBe(run.error);
  expect(drawn.element.dataset.outcome).toBe("incorrect");
});

test("a line that works marks nothing", () => {
  expect(linesOf(facts, { ...run, error: "" }).some(({ fails }) => fails)).toBe(false);
});

test("lines that run and give other numbers than the reference are a mistake too", () => {
  const compared = (differ: string, mine: string) =>
    ({
      step: "compare",
      table: {
        columns: ["what", "yours", "reference"],
        rows: [
          ["shape", mine, "(2, 12, 4, 64)"],
          ["numbers that differ", differ, ""],
        ],
      },
    }) as unknown as Frame;
  expect(differs(undefined)).toBe(false);
  expect(differs(compared("0", "(2, 12, 4, 64)"))).toBe(false);
  expect(differs(compared("1,056 of 1,155", "(2, 12, 4, 64)"))).toBe(true);
  expect(differs(compared("0", "(2, 4, 12, 64)"))).toBe(true);
});
