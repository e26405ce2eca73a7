import { describe, expect, test } from "vitest";
import { readNumber } from "./arithmetic";
import corpus from "./corpus.json";
import { echoNumber, echoShape } from "./echo";
import { parseShape } from "./shapes";

/** Written by tests/studyhub/web/test_echo_corpus.py: what the service itself makes of each text. */
describe("what is read here is read as the service reads it", () => {
  const numbers = corpus.numbers.map(({ text, unit, names, read_as }) => ({
    text,
    asked: `${text} in ${unit}`,
    here: echoNumber(text, { unit, names }),
    read_as,
  }));
  const shapes = corpus.shapes.map(({ text, names, read_as }) => ({
    text,
    asked: text,
    here: echoShape(text, { names }),
    read_as,
  }));

  test.each([...numbers, ...shapes].filter(({ here }) => here))("$asked", ({ here, read_as }) => {
    expect(here).toBe(read_as);
  });

  test.each([
    ["numbers", numbers, 0.75],
    ["shapes", shapes, 0.95],
  ] as const)("most %s that the service reads are read here", (_, rows, share) => {
    const read = rows.filter(({ read_as }) => read_as);
    expect(read.filter(({ here }) => here).length).toBeGreaterThan(share * read.length);
  });
});

test("what cannot be read here says nothing", () => {
  expect([echoNumber("  "), echoNumber("12x"), echoShape(""), echoShape("2, 0")]).toEqual(["", "", "", ""]);
});

test("powers bind before signs and to the right, products before sums", () => {
  const value = (text: string) => readNumber(text).value;
  expect(value("-2^2")).toEqual({ top: -4n, bottom: 1n });
  expect(value("1 + 2 * 3 - 4 / 8")).toEqual({ top: 13n, bottom: 2n });
  expect(value("2^-1")).toEqual({ top: 1n, bottom: 2n });
  expect(value("3*333333333333333333").top).toBe(999999999999999999n);
});

test("a prediction is a shape in numbers alone", () => {
  expect(parseShape("2x12x4x64")).toEqual([2, 12, 4, 64]);
  expect(parseShape("(2, 12")).toBeNull();
  expect(parseShape("B, T")).toBeNull();
});
