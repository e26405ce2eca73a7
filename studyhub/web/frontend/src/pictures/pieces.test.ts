import { describe, expect, test } from "vitest";
import { extent, outerAxis, placeOf, runs } from "./memory";
import {
  apart,
  arrange,
  elementAt,
  formOf,
  MOST_PLANES,
  ownOf,
  planed,
  planesAcross,
  reservedHeight,
  sizesOf,
} from "./pieces";
import { limits } from "./split-limits";
import { cut } from "./tape";
import type { Frame } from "./types";

const step = (name: string, axes: string[], shape: number[], strides: number[]) =>
  ({ step: name, axes, shape, strides }) as Frame;

const PROJECT = step("project", ["B", "T", "H*D"], [2, 4, 768], [3072, 768, 1]);
const VIEW = step("view", ["B", "T", "H", "D"], [2, 4, 12, 64], [3072, 768, 64, 1]);
const TRANSPOSE = step("transpose", ["B", "H", "T", "D"], [2, 12, 4, 64], [3072, 64, 768, 1]);
const ATTEND = step("attend", ["B", "H", "T", "D"], [2, 12, 4, 64], [3072, 256, 64, 1]);
const SIZES = sizesOf([PROJECT, VIEW, TRANSPOSE]);
const ELEMENT = { t: 2, h: 6, d: 5 };

describe("where an element lies", () => {
  test("view and transpose leave it where it is", () => {
    expect(placeOf(VIEW, ELEMENT, SIZES)).toEqual({ offset: 1925, sum: "2 × 768 + 6 × 64 + 5" });
    expect(placeOf(TRANSPOSE, ELEMENT, SIZES)).toEqual({ offset: 1925, sum: "2 × 768 + 6 × 64 + 5" });
  });

  test("an unbroken row counts it by its feature", () => {
    expect(placeOf(PROJECT, ELEMENT, SIZES)).toEqual({ offset: 1925, sum: "2 × 768 + 389" });
  });

  test("new numbers written head by head lie elsewhere, outer axis first", () => {
    expect(placeOf(ATTEND, ELEMENT, SIZES)).toEqual({ offset: 1669, sum: "6 × 256 + 2 × 64 + 5" });
    expect([outerAxis(VIEW), outerAxis(TRANSPOSE), outerAxis(ATTEND)]).toEqual(["T", "T", "H"]);
  });

  test("the runs of a step cover batch item 0 once", () => {
    for (const frame of [PROJECT, VIEW, TRANSPOSE, ATTEND]) {
      const starts = runs(frame, SIZES).map(({ start }) => start);
      expect([...starts].sort((a, b) => a - b)).toEqual(Array.from({ length: 48 }, (_, i) => i * 64));
      expect(extent(runs(frame, SIZES))).toBe(3072);
    }
  });
});

describe("tensors that are not as q is", () => {
  const [heads, grouped] = [
    step("transpose", ["B", "H", "T", "D"], [1, 9, 4, 64], [2304, 64, 576, 1]),
    step("keys", ["B", "H_kv", "T_k", "D"], [1, 3, 2, 64], [384, 64, 192, 1]),
  ];
  const sizes = sizesOf([heads]);
  const merged = step("merge", ["B", "T", "H*D_v"], [1, 4, 288], [1152, 288, 1]);
  const latent = step("latent", ["B", "T", "kv_rank"], [1, 4, 512], [2048, 512, 1]);

  test("query heads of a group read one head of K, at its own strides", () => {
    expect(ownOf(grouped, sizes)).toEqual({ group: 3, width: 64, tokens: 2 });
    expect(placeOf(grouped, { t: 1, h: 4, d: 5 }, sizes)).toEqual({
      offset: 261,
      sum: "1 × 192 + 1 × 64 + 5",
    });
    expect(placeOf(grouped, { t: 3, h: 4, d: 5 }, sizes).offset).toBe(261);
    expect(runs(grouped, sizes).map(({ start }) => start)).toEqual([0, 64, 128, 192, 256, 320]);
  });

  test("they share its plane, and a shorter text leaves places empty", () => {
    const { boxes, planes } = arrange("planes", sizes, 480, 4, ownOf(grouped, sizes));
    const longer = { ...grouped, shape: [1, 3, 9, 64] } as Frame;
    expect(limits(sizes, longer)).toBe("The first 4 of 9 tokens are drawn.");
    expect([...planes.keys()]).toEqual([0, 1, 2]);
    expect([boxes[3], boxes[5]]).toEqual([boxes[4], boxes[4]]);
    expect([boxes[9]?.w, boxes[18]?.w]).toEqual([boxes[0]?.w, 0]);
  });

  test("heads of V may be narrower, and a latent has none", () => {
    expect(ownOf(merged, sizes)).toMatchObject({ group: 1, width: 32 });
    expect(placeOf(merged, { t: 1, h: 4, d: 60 }, sizes).offset).toBe(288 + 4 * 32 + 31);
    expect(placeOf(latent, { t: 1, h: 4, d: 60 }, sizes)).toEqual({ offset: 512, sum: "1 × 512 + 0" });
    expect([cut(merged), cut(latent), cut(grouped)]).toEqual([true, false, true]);
    expect([apart(latent), apart(grouped), apart(merged)]).toEqual([true, true, false]);
  });
});

describe("laying pieces out", () => {
  test("the form follows from the order of the axes", () => {
    expect([PROJECT, VIEW, TRANSPOSE].map(formOf)).toEqual(["bars", "columns", "planes"]);
  });

  test("every form has the same pieces inside its width", () => {
    for (const form of ["bars", "columns", "planes"] as const) {
      const { boxes, height } = arrange(form, SIZES, 480);
      expect(boxes).toHaveLength(48);
      expect(boxes.every(({ x, w, y, h }) => x >= 0 && x + w <= 480.5 && y + h <= height)).toBe(true);
    }
  });

  test("no step is taller than the room reserved", () => {
    const room = reservedHeight(SIZES, 480);
    for (const form of ["bars", "columns", "planes"] as const)
      expect(arrange(form, SIZES, 480).height).toBeLessThanOrEqual(room);
  });

  test("at most 512 pieces move, however long the text and many the heads", () => {
    const wide = step("view", ["B", "T", "H", "D"], [1, 512, 96, 128], [0, 12288, 128, 1]);
    const sizes = sizesOf([wide]);
    expect(sizes).toMatchObject({ tokens: 512, rows: 5, heads: 96 });
    expect(sizes.rows * sizes.heads).toBeLessThanOrEqual(512);
  });

  test("planes stand in whole rows where the heads allow it", () => {
    expect([planesAcross(12, 480), planesAcross(16, 480), planesAcross(12, 320)]).toEqual([6, 8, 4]);
  });

  test("of many heads the first have a plane and the traced one the last", () => {
    const many = step("transpose", ["B", "H", "T", "D"], [2, 768, 4, 1], [3072, 1, 768, 1]);
    const sizes = sizesOf([many]);
    expect(planed(768, 384).slice(-2)).toEqual([62, 384]);
    expect(planed(768, 5)).toHaveLength(MOST_PLANES);
    expect(planed(12, 6)).toEqual(Array.from({ length: 12 }, (_, h) => h));
    const { boxes, planes, height } = arrange("planes", sizes, 480, 384);
    expect([boxes.length, planes.size]).toEqual([sizes.rows * 768, MOST_PLANES]);
    expect(boxes[384]?.w).toBeGreaterThan(0);
    expect(boxes[100]?.w).toBe(0);
    expect(Math.max(height, reservedHeight(sizes, 280))).toBeLessThan(700);
    expect(limits(sizes, many)).toContain("704 more are not drawn");
    expect(limits(SIZES, TRANSPOSE)).toBe("");
  });

  test("the element under a pointer is found in every form", () => {
    for (const form of ["columns", "planes"] as const) {
      const arrangement = arrange(form, SIZES, 480);
      const box = arrangement.boxes[2 * 12 + 6] ?? { x: 0, y: 0, w: 0, h: 0 };
      const place = { x: box.x + (5.5 / 64) * box.w, y: box.y + 2 };
      expect(elementAt(arrangement, SIZES, place)).toEqual(ELEMENT);
    }
    expect(elementAt(arrange("columns", SIZES, 480), SIZES, { x: 2, y: 2 })).toBeNull();
  });
});
