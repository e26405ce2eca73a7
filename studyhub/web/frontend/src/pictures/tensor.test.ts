import { describe, expect, test } from "vitest";
import { decode, half, storedCount } from "./tensor";
import type { Tensor } from "./types";

const tensor = (changes: Partial<Tensor>): Tensor => ({
  role: "weights",
  axes: ["T", "T"],
  shape: [2, 2],
  encoding: "u8",
  minimum: 0,
  maximum: 1,
  packed: "none",
  sha256: "0",
  bytes: 4,
  ...changes,
});
const bytes = (...values: number[]) => Uint8Array.from(values).buffer;

describe("halves", () => {
  test.each([
    [0x3c00, 1],
    [0xc000, -2],
    [0x3555, 0.333251953125],
    [0x7bff, 65504],
    [0x0001, 2 ** -24],
    [0x8000, -0],
    [0x7c00, Number.POSITIVE_INFINITY],
    [0xfc00, Number.NEGATIVE_INFINITY],
    [0x7e00, Number.NaN],
  ])("bits %i are %d", (bits, value) => {
    expect(half(bits)).toBe(value);
  });
});

describe("decoding", () => {
  test("square-root bytes are squared back", () => {
    const numbers = decode(tensor({ encoding: "u8sqrt" }), bytes(0, 51, 255, 102));
    expect([...numbers].map((value) => value.toFixed(4))).toEqual(["0.0000", "0.0400", "1.0000", "0.1600"]);
  });

  test("linear bytes run from the minimum to the maximum", () => {
    expect([...decode(tensor({ minimum: -1, maximum: 1 }), bytes(0, 255, 0, 255))]).toEqual([-1, 1, -1, 1]);
  });

  test("halves and floats are little-endian", () => {
    const halves = Uint16Array.from([0x3c00, 0xc000, 0x4200, 0x0000]).buffer;
    expect([...decode(tensor({ encoding: "f16" }), halves)]).toEqual([1, -2, 3, 0]);
    const floats = Float32Array.from([1.5, -2.25, 0, 9]).buffer;
    expect([...decode(tensor({ encoding: "f32" }), floats)]).toEqual([1.5, -2.25, 0, 9]);
  });

  test("a packed triangle leaves the future masked, for weights as for scores", () => {
    const packed = tensor({ shape: [2, 3, 3], encoding: "u8", packed: "tril", maximum: 255 });
    expect(storedCount(packed)).toBe(12);
    const numbers = decode(packed, bytes(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12));
    expect([...numbers]).toEqual([
      1,
      Number.NaN,
      Number.NaN,
      2,
      3,
      Number.NaN,
      4,
      5,
      6,
      7,
      Number.NaN,
      Number.NaN,
      8,
      9,
      Number.NaN,
      10,
      11,
      12,
    ]);
  });

  test("a packed triangle of scores marks the future as not there", () => {
    const numbers = decode(
      tensor({ encoding: "f16", packed: "tril" }),
      Uint16Array.from([0x3c00, 0x4000, 0x4200]).buffer,
    );
    expect([...numbers]).toEqual([1, Number.NaN, 2, 3]);
  });

  test("a body of another length is refused with both lengths", () => {
    expect(() => decode(tensor({}), bytes(1, 2, 3))).toThrow("has 3 bytes, its shape needs 4");
  });
});
