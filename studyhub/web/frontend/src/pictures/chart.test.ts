import { expect, test } from "vitest";
import { apart, dataOf, layOut, markOf, pathOf, scaleOf, xTicks } from "./chart";
import { readOut } from "./series";
import { ceilingOf, drawMarks } from "./series-lines";

const table = {
  columns: ["d_head", "max p, scaled", "max p, ÷ 8", "entropy, scaled"],
  rows: [
    [8, 0.1, 0.2, 3.9],
    [64, 0.09, "", 4],
    [512, 0.1, 0.9, 4.01],
  ],
};
const data = dataOf({ table });
const box = { x: 50, y: 20, w: 400, h: 100 };

test("headings group lines into panels, the first column is x, and d_head doubles", () => {
  expect(
    data.panels.map(({ title, lines }) => [title, lines.map(({ name, column }) => [name, column])]),
  ).toEqual([
    [
      "max p",
      [
        ["scaled", 1],
        ["÷ 8", 2],
      ],
    ],
    ["entropy", [["scaled", 3]]],
  ]);
  expect([data.xName, data.log, data.names]).toEqual(["d_head", true, ["scaled", "÷ 8"]]);
});

test("x that counts is no doubling, x that doubles is, whatever its name", () => {
  const rows = (numbers: number[]) => ({
    table: { columns: ["layer", "entropy"], rows: numbers.map((n) => [n, 1]) },
  });
  expect(dataOf(rows([0, 1, 2, 3])).log).toBe(false);
  expect(dataOf(rows([1, 2, 3, 4])).log).toBe(false);
  expect(dataOf(rows([2, 4, 8, 16])).log).toBe(true);
});

test("a point is read out in words with every line of every panel, a missing one as none", () => {
  expect(readOut(data, 1)).toBe("d_head 64. max p: scaled 0.0900, ÷ 8 none. entropy: scaled 4.");
});

test("scales end in round numbers, begin at 0 where the numbers are near it, and hold negative ones", () => {
  expect(scaleOf([0.09, 0.9])).toMatchObject({ low: 0, high: 1 });
  expect(scaleOf([3.9, 4.01]).low).toBeGreaterThan(3.5);
  expect(scaleOf([-3, 5]).low).toBeLessThanOrEqual(-3);
  expect(scaleOf([]).ticks).toEqual([0, 1]);
  const { low, high, ticks } = scaleOf([7, 7]);
  expect(low < high && ticks.length > 1).toBe(true);
});

test("panels stand side by side where they fit and under each other where they do not", () => {
  const wide = layOut(data, 1000).boxes;
  const narrow = layOut(data, 320).boxes;
  expect(wide[0]?.y).toBe(wide[1]?.y);
  expect(narrow[0]?.x).toBe(narrow[1]?.x);
  for (const one of [...wide, ...narrow]) expect(one.w).toBeGreaterThanOrEqual(40);
});

test("names at the ends of lines keep apart and inside", () => {
  const placed = apart([60, 61, 62], 15, box).sort((one, other) => one - other);
  expect(placed.slice(1).every((y, n) => y - (placed[n] ?? 0) >= 15)).toBe(true);
  expect(Math.max(...apart([119, 120], 15, box))).toBeLessThanOrEqual(box.y + box.h + 8);
});

test("a missing number breaks the line", () => {
  expect(pathOf([{ x: 0, y: 1 }, { x: 2, y: 3 }, null, { x: 4, y: 5 }])).toBe("M0.0 1.0L2.0 3.0M4.0 5.0");
});

test("every line has a mark of its own shape", () => {
  expect(new Set([0, 1, 2, 3].map((look) => markOf(look, 10, 10))).size).toBe(4);
});

test("x values that exist are named, as many as fit", () => {
  expect(xTicks(data, box)).toEqual([8, 64, 512]);
  expect(xTicks(data, { ...box, w: 60 }).length).toBeLessThanOrEqual(2);
});

test("the reader's own d_head is marked in every panel, and ln(keys) over the entropy", () => {
  const facts = { d_head: 64, keys: 64, max_entropy: "4.159" };
  const scale = { low: 0, high: 5, ticks: [0, 5] };
  const told = data.panels.map((panel) =>
    drawMarks(panel, data, facts, box, scale).map(({ textContent }) => textContent),
  );
  expect(told).toEqual([
    ["", "64"],
    ["", "64", "", "ln 64"],
  ]);
  const layers = dataOf({ table: { columns: ["layer", "entropy, scaled"], rows: [[0, 2]] } });
  expect(ceilingOf(layers.panels[0] ?? { title: "", lines: [] }, layers, facts)).toBeNull();
});
