import { expect, test } from "vitest";
import { logScale, nearestPoint, placed, roofLine, roofOf, walk, xOf, yOf } from "./roof";
import { readOut } from "./roof-chart";
import { charted, measuredAt } from "./roofline";

const table = {
  columns: ["what", "d_head", "FLOP a byte", "GFLOP/s", "roof GFLOP/s", "share %"],
  rows: [
    ["matmul peak", "", "", 150, "", ""],
    ["copy, GB/s", "", "", 15, "", ""],
    ["written out", 16, 2.5, 15, 37.5, 40],
    ["written out", 64, 9, 90, 135, 66.7],
    ["SDPA", 16, 64, 48, 150, 32],
    ["SDPA", 64, 64, 105, 150, 70],
    ["SDPA", 128, 64, 120, 150, 80],
  ],
};
const roof = roofOf({ table });

test("the floors are read from their rows, and points only from what was measured", () => {
  expect([roof.peak, roof.bandwidth]).toEqual([150, 15]);
  expect(roof.ways).toEqual(["written out", "SDPA"]);
  expect(roof.points.map(({ row, dHead }) => [row, dHead])).toEqual([
    [2, 16],
    [3, 64],
    [4, 16],
    [5, 64],
    [6, 128],
  ]);
});

test("the roof climbs to the ridge and is flat from there, and points on it lie on its line", () => {
  const place = placed(roof, 900);
  const [first, ridge, last] = roofLine(roof, place);
  expect(ridge?.x).toBeCloseTo(xOf(place, 10));
  expect(ridge?.y).toBeCloseTo(yOf(place, 150));
  expect(last?.y).toBe(ridge?.y);
  const slope = ((ridge?.y ?? 0) - (first?.y ?? 0)) / ((ridge?.x ?? 0) - (first?.x ?? 0));
  const between = (first?.y ?? 0) + slope * (xOf(place, 5) - (first?.x ?? 0));
  expect(between).toBeCloseTo(yOf(place, 75), 3);
});

test("every point lies inside the plot at 375 and 1440 pixels", () => {
  for (const across of [320, 1040]) {
    const place = placed(roof, across);
    const { box } = place;
    for (const { intensity, rate } of roof.points) {
      expect(xOf(place, intensity)).toBeGreaterThan(box.x);
      expect(xOf(place, intensity)).toBeLessThan(box.x + box.w);
      expect(yOf(place, rate)).toBeGreaterThan(box.y);
      expect(yOf(place, rate)).toBeLessThan(box.y + box.h);
    }
  }
});

test("scales have round ticks between their ends", () => {
  expect(logScale([3, 90], "doubling").ticks).toEqual([2, 4, 8, 16, 32, 64, 128]);
  expect(logScale([3, 90], "decades").ticks).toEqual([2, 5, 10, 20, 50, 100]);
  expect(logScale([], "decades").ticks.length).toBeGreaterThan(0);
});

test("arrows walk the widths of a way, and cross to the same width of the other", () => {
  const right = { width: 1, way: 0 };
  expect(walk(roof, -1, right)).toBe(0);
  expect(walk(roof, 0, right)).toBe(1);
  expect(walk(roof, 1, right)).toBe(1);
  expect(walk(roof, 1, { width: 0, way: 1 })).toBe(3);
  expect(walk(roof, 3, { width: 0, way: 1 })).toBe(3);
  expect(walk(roof, 4, { width: 0, way: -1 })).toBe(4);
});

test("the point under the pointer is the nearest", () => {
  const place = placed(roof, 900);
  const [x, y] = [xOf(place, 64), yOf(place, 105)];
  expect(nearestPoint(roof, place, { x: x + 3, y: y - 2 })).toBe(3);
});

test("a point is read out with its share of the roof", () => {
  const [, , , point] = roof.points;
  expect(point && readOut(point)).toBe(
    "SDPA at d_head 64: 105 GFLOP/s at 64 FLOPs a byte, 70% of the 150 GFLOP/s above it.",
  );
});

test("lines are drawn of rates, latencies and maps, and not of heads or kernels", () => {
  const columns = [
    "d_head",
    "heads",
    "GFLOP/s, SDPA",
    "score maps MiB, written out",
    "spread %, SDPA",
    "SDPA kernel",
  ];
  const row = [64, 12, 90.5, 3, 4, "flash"];
  expect(charted({ table: { columns, rows: [row] } })).toEqual([0, 2, 3]);
  const refused = [64, 12, "not measured", 3, "not measured", "not measured"];
  expect(charted({ table: { columns, rows: [refused] } })).toEqual([0, 3]);
});

test("a measurement says when and on what it was taken; one without a time says nothing", () => {
  const stamp = { measured: "2026-12-01T12:31:05Z", device: "CPU", processor: "Test CPU", threads: 1 };
  expect(measuredAt({ stamp })).toMatch(
    /^Measured at \d\d:31 on 1 December 2026 on CPU, Test CPU, 1 thread\./,
  );
  expect(measuredAt({ stamp: { ...stamp, device: "NVIDIA H200" } })).not.toContain("thread");
  expect(measuredAt({ stamp: {} })).toBe("");
});
