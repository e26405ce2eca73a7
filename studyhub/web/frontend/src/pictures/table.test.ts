import { afterEach, expect, test, vi } from "vitest";
import { MOST_CELLS, Twin } from "./table";
import type { Frame } from "./types";

const frame = (rows: number, columns: number): Frame =>
  ({
    step: "start",
    title: "x",
    sentence: "What is read.",
    axes: [],
    shape: [],
    strides: [],
    table: {
      columns: Array.from({ length: columns }, (_, n) => `c${n}`),
      rows: Array.from({ length: rows }, (_, r) => Array.from({ length: columns }, (_, c) => r * 100 + c)),
    },
  }) as unknown as Frame;

afterEach(() => document.body.replaceChildren());

const twin = (rows = 4, columns = 3) => {
  const pointed = vi.fn();
  const made = new Twin(pointed);
  document.body.append(made.element);
  made.show(frame(rows, columns), null);
  return { made, pointed, lines: () => [...made.element.querySelectorAll<HTMLElement>("tbody tr")] };
};

test("a row that is marked says so to a screen reader, and a cell in it is outlined", () => {
  const { made, lines } = twin();
  made.mark({ row: 2, column: 1 });
  expect(lines().map((line) => line.getAttribute("aria-current"))).toEqual([null, null, "true", null]);
  expect(made.element.querySelector(".is-pointed")?.textContent).toBe("201");
  made.mark({ row: 0 });
  expect(made.element.querySelectorAll("[aria-current], .is-pointed")).toHaveLength(1);
});

test("pointing at a cell and going to a row by key tell the picture", () => {
  const { pointed, lines } = twin();
  lines()[1]
    ?.querySelector("td")
    ?.dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
  expect(pointed).toHaveBeenLastCalledWith({ row: 1, column: 1 });
  lines()[1]?.focus();
  lines()[1]?.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true }));
  expect(document.activeElement).toBe(lines()[2]);
  expect(pointed).toHaveBeenLastCalledWith({ row: 2 });
});

test("one row of a table is reached by Tab, the others from it by arrows", () => {
  const { made, lines } = twin();
  expect(lines().map((line) => line.tabIndex)).toEqual([0, -1, -1, -1]);
  made.mark({ row: 3 });
  expect(lines().map((line) => line.tabIndex)).toEqual([-1, -1, -1, 0]);
});

test("a long table is shown in pages, and marking a row turns to its page", () => {
  const { made, lines } = twin(500, 10);
  expect(lines()).toHaveLength(MOST_CELLS / 10);
  expect(made.element.textContent).toContain("Rows 1 to 120 of 500");
  made.mark({ row: 499 });
  expect(made.element.textContent).toContain("Rows 481 to 500 of 500");
  expect(lines().at(-1)?.getAttribute("aria-current")).toBe("true");
  expect(made.element.querySelectorAll("*").length).toBeLessThan(2000);
});
