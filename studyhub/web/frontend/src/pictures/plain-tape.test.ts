import { expect, test } from "vitest";
import { linesRead, numbersPerLine } from "./plain-tape";
import type { Frame } from "./types";

test("what is read is gathered by the cache line it lies in, in storage order", () => {
  const frame = {
    table: {
      columns: ["T", "offset"],
      rows: [
        [0, 0],
        [1, 768],
        [2, 3],
      ],
    },
  };
  expect(linesRead(frame as unknown as Frame, 16)).toEqual([
    {
      first: 0,
      reads: [
        { row: 0, offset: 0 },
        { row: 2, offset: 3 },
      ],
    },
    { first: 768, reads: [{ row: 1, offset: 768 }] },
  ]);
});

test("a cache line holds as many numbers as their bytes allow", () => {
  expect(numbersPerLine({ cache_line: 64, bytes_per_number: 2 })).toBe(32);
  expect(numbersPerLine({})).toBe(16);
});
