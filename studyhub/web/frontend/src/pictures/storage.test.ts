import { expect, test } from "vitest";
import { indexUnder, planesOf, rolesOf } from "./planes";
import {
  carried,
  indexAt,
  type Layout,
  numbersOf,
  offsetOf,
  placeAt,
  readersOf,
  runOf,
  stepsOf,
  timesRead,
  triedOn,
} from "./storage";
import { jumpsFrom, MOST_ROWS, PER_ROW, readsFrom, rowsShown, stretch } from "./tape-rows";

const layout = (shape: number[], strides: number[], more: Partial<Layout> = {}): Layout => ({
  names: shape.map((_, n) => `axis ${n}`),
  shape,
  strides,
  offset: 0,
  cells: numbersOf(shape),
  ...more,
});
const VIEW = layout([2, 4, 12, 64], [3072, 768, 64, 1], { names: ["B", "T", "H", "D"] });
const TRANSPOSED = layout([2, 12, 4, 64], [3072, 64, 768, 1], { names: ["B", "H", "T", "D"] });
const COPIED = layout([2, 12, 4, 64], [3072, 256, 64, 1], { names: ["B", "H", "T", "D"] });

test("the traced number of a transposed tensor lies where its strides say", () => {
  expect(offsetOf(TRANSPOSED, [0, 1, 2, 5])).toBe(1605);
  expect(readersOf(TRANSPOSED, 1605)).toEqual({ first: [0, 1, 2, 5], times: 1, more: false });
});

test("every cell leads back to the index that reads it", () => {
  for (const one of [VIEW, TRANSPOSED, COPIED, layout([3, 5, 2], [1, 6, 3])])
    for (let place = 0; place < numbersOf(one.shape); place += 7) {
      const index = indexAt(one.shape, place);
      expect(placeAt(one.shape, index)).toBe(place);
      expect(readersOf(one, offsetOf(one, index)).first).toEqual(index);
    }
});

test("cells that several indices read, or none, are told", () => {
  const overlapping = layout([3, 4], [2, 1], { cells: 12 });
  expect(readersOf(overlapping, 2)).toEqual({ first: [0, 2], times: 2, more: false });
  expect(readersOf(overlapping, 9).first).toBeNull();
  expect([...(timesRead(overlapping) ?? [])]).toEqual([1, 1, 2, 2, 2, 2, 1, 1, 0, 0, 0, 0]);
  const expanded = layout([5, 3], [0, 1], { cells: 3 });
  expect(readersOf(expanded, 1)).toEqual({ first: [0, 1], times: 5, more: false });
});

test("a search among millions of readers ends and says that there are more", () => {
  const wild = layout([128, 4096, 128, 64], [1, 1, 1, 1], { cells: 8192 });
  const found = readersOf(wild, 4000);
  expect(found.more).toBe(true);
  expect(found.times).toBeGreaterThan(1);
  expect(timesRead(wild)).toBeNull();
});

test("a run ends where the next number lies elsewhere", () => {
  expect([VIEW, TRANSPOSED, COPIED].map(runOf)).toEqual([6144, 64, 6144]);
  expect(runOf(layout([4, 3], [1, 4]))).toBe(1);
});

test("sixteen numbers are followed, then the jump at the end of their run", () => {
  const reads = readsFrom(TRANSPOSED, [0, 0, 0, 0]);
  expect(reads.slice(0, 3)).toEqual([
    { offset: 0, order: 1 },
    { offset: 1, order: 2 },
    { offset: 2, order: 3 },
  ]);
  expect(reads.slice(16)).toEqual([
    { offset: 63, order: 64 },
    { offset: 768, order: 65 },
  ]);
  expect(readsFrom(VIEW, [0, 0, 0, 0])).toHaveLength(16);
  expect(jumpsFrom(TRANSPOSED, [0, 0, 0, 0]).slice(0, 5)).toEqual([0, 768, 1536, 2304, 64]);
});

test("the tape shows what is read, at most 512 cells, in the order of memory", () => {
  const scattered = layout([768, 64], [1, 768], { cells: 49_152 });
  for (const index of [
    [0, 0],
    [700, 63],
  ]) {
    const reads = readsFrom(scattered, index);
    const rows = rowsShown(reads, scattered.cells);
    expect(rows.length * PER_ROW).toBeLessThanOrEqual(512);
    expect(rows).toHaveLength(MOST_ROWS);
    expect(rows).toEqual(rows.toSorted((one, other) => one - other));
    expect(rows).toContain(Math.floor((reads[0]?.offset ?? 0) / PER_ROW) * PER_ROW);
  }
  expect(rowsShown(readsFrom(layout([5], [1]), [0]), 5)).toEqual([0]);
});

test("an overview of a huge memory shows the stretch that is read", () => {
  expect(stretch([0, 2304], 6144)).toEqual({ from: 0, to: 6144 });
  expect(stretch([1_000_000, 1_000_100], 1e9)).toEqual({ from: 999_899, to: 1_000_201 });
});

const told = (step: string, one: Layout, copies = false) => ({
  step,
  code: step,
  axes: [...one.names],
  shape: [...one.shape],
  strides: [...one.strides],
  offset: 0,
  copies,
  bytes_copied: copies ? 24_576 : 0,
});

test("the traced number is the same one after every step and back again", () => {
  const steps = stepsOf({
    numbers: 6144,
    steps: [told("view", VIEW), told("transpose", TRANSPOSED), told("contiguous", COPIED, true)],
  });
  const [, transpose, contiguous] = steps;
  if (!transpose || !contiguous) throw new Error("steps are missing");
  expect(carried(transpose, [0, 2, 1, 5])).toEqual([0, 1, 2, 5]);
  expect(carried(contiguous, [0, 1, 2, 5])).toEqual([0, 1, 2, 5]);
  expect(carried(transpose, [0, 1, 2, 5], true)).toEqual([0, 2, 1, 5]);
});

test("a refused step keeps the tensor it was given, and what is narrowed keeps its memory", () => {
  const refused = { ...told("view-2", layout([], [])), refused: true };
  const narrowed = layout([2, 4], [6, 1]);
  const steps = stepsOf({
    numbers: 12,
    steps: [told("start", layout([2, 6], [6, 1])), told("narrow", narrowed), refused],
  });
  expect(steps[2]?.layout.shape).toEqual([2, 4]);
  expect(steps[2]?.refused).toBe(true);
  expect(steps[1]?.layout.cells).toBe(12);
});

test("strides that were tried read the memory of the last tensor", () => {
  const answer = { shape: [2, 12, 4, 64], strides: [3072, 128, 64, 1] } as Parameters<typeof triedOn>[0];
  const times = timesRead(triedOn(answer, TRANSPOSED)) ?? new Uint16Array();
  expect(times.filter((often) => often > 1)).toHaveLength(2816);
  expect(times.filter((often) => often === 0)).toHaveLength(2816);
});

test("tokens are lines, heads are planes, sequences stand behind", () => {
  expect(rolesOf(["B", "H", "T", "D"])).toEqual({ along: 3, lines: 2, planes: 1, behind: [0], bands: false });
  expect(rolesOf(["B", "T", "H", "D"])).toEqual({ along: 3, lines: 1, planes: 2, behind: [0], bands: true });
  expect(rolesOf(["B", "T", "H*D"])).toEqual({ along: 2, lines: 1, planes: -1, behind: [0], bands: false });
  expect(rolesOf(["axis 0"])).toEqual({ along: 0, lines: -1, planes: -1, behind: [], bands: false });
});

test("a point of the drawing is the number that is drawn there", () => {
  for (const across of [311, 480])
    for (const one of [VIEW, TRANSPOSED]) {
      const drawn = planesOf(one, [0, 0, 0, 0], across);
      const plane = drawn.planes[5];
      if (!plane) throw new Error("six planes were expected");
      const point = { x: plane.x + drawn.line.w * 0.508, y: plane.y + drawn.line.h * 2.5 };
      const index = indexUnder(drawn, one, [1, 0, 0, 0], point);
      expect(index?.[0]).toBe(1);
      expect(index?.[drawn.roles.planes]).toBe(5);
      expect(index?.[drawn.roles.lines]).toBe(2);
      expect(index?.[3]).toBe(32);
      expect(plane.x + drawn.line.w).toBeLessThanOrEqual(across);
      expect(indexUnder(drawn, one, [0, 0, 0, 0], { x: 1, y: 1 })).toBeNull();
    }
});

test("of long axes the places around the traced one are drawn", () => {
  const long = layout([1, 128, 512, 64], [4_194_304, 64, 8192, 1], { names: ["B", "H", "T", "D"] });
  const drawn = planesOf(long, [0, 100, 300, 0], 480);
  expect(drawn.planes.map(({ at }) => at)).toContain(100);
  expect(drawn.lines).toContain(300);
  expect(drawn.planes.length * drawn.lines.length).toBeLessThanOrEqual(96);
});
