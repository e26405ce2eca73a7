import { describe, expect, test } from "vitest";
import { readNumber } from "./arithmetic";
import corpus from "./corpus.json";
import { echoNumber, echoShape } from "./echo";
import { parseShape } from "./shapes";

/** Written by tests/studyhub/web/test_echo_corpus.py: what the service itself makes of each text. */
describe("the service and the echo read alike", () => {
  test.each(corpus.numbers)("$text in $unit", ({ text, unit, names, read_as }) => {
    const echo = echoNumber(text, { unit, names });
    expect(echo.read ? echo.text : "").toBe(read_as);
  });

  test.each(corpus.shapes)("$text", ({ text, names, read_as }) => {
    const echo = echoShape(text, { names });
    expect(echo.read ? echo.text : "").toBe(read_as);
  });
});

test("an empty field says nothing", () => {
  expect(echoNumber("  ")).toEqual({ text: "", read: true });
  expect(echoShape("")).toEqual({ text: "", read: true });
});

test("what cannot be read yet says what is wanted", () => {
  expect(echoNumber("12x").text).toBe("Not a number yet: ");
  expect(echoShape("2, 0").text).toBe("A shape needs whole numbers of 1 or more: ");
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
