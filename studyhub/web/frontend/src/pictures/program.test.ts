import { expect, test } from "vitest";
import { differs, linesOf, Program } from "./program";
import { axesFrom, lengthsIn, programTable } from "./program-table";
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

const beside = {
  step: "compare",
  title: "Yours beside the reference",
  sentence: "The shape is right, and the contents are not: 1,056 of 1,155 numbers differ.",
  table: {
    columns: ["what", "yours", "reference"],
    rows: [
      ["code", "q.view(B, H, T, D)", "q.view(B, T, H, D)"],
      ["shape", "(2, 12, 4, 64)", "(2, 12, 4, 64)"],
      ["numbers that differ", "1,056 of 1,155", ""],
    ],
  },
} as unknown as Frame;

test("the verdict stands under the result's shape, and once only", () => {
  const drawn = new Program({ retry: () => {}, point: () => {} });
  const ran = { ...run, error: "", axes: ["B", "H", "T", "D"], shape: [2, 12, 4, 64] };
  drawn.show({ facts, frames: [ran, beside], roleName: "yours", tried: false } as unknown as Scene);
  expect(drawn.element.querySelector(".run__words + p")?.textContent).toBe(beside.sentence);
  expect(drawn.element.textContent?.split("1,056 of 1,155 numbers differ").length).toBe(2);
  const captions = drawn.tables().flatMap((part) => part.getAttribute("aria-label") ?? []);
  expect(captions).toEqual([run.title, "Yours beside the reference"]);
});

test("in the tables of a program code is code, and a shape has the colours of its axes", () => {
  const axesOf = axesFrom([], { names: { q: [2, 4, 768], B: 2, H: 12, T: 4, D: 64 } });
  const table = programTable(beside, axesOf);
  const [code, shape] = table.querySelectorAll("tbody tr");
  expect(code?.querySelector("code")?.textContent).toBe("q.view(B, H, T, D)");
  const axes = [...(shape?.querySelector(".shape")?.children ?? [])].map(({ className }) => className);
  expect(axes).toEqual(["axis-B", "axis-H", "axis-T", "axis-D"]);
  expect(shape?.querySelectorAll("td")[1]?.getAttribute("data-head")).toBe("reference");
});

test("a length that two names share has no colour, and words are no shape", () => {
  const axesOf = axesFrom([], { names: { B: 4, T: 4, H: 12 } });
  expect(axesOf([4, 12, 1])).toEqual(["", "H", ""]);
  expect([lengthsIn("(5,)"), lengthsIn("refused"), lengthsIn("()")]).toEqual([[5], null, null]);
});
