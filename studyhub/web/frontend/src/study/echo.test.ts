import { describe, expect, test } from "vitest";
import { readNumber } from "./arithmetic";
import { echoNumber, echoShape } from "./echo";

describe("numbers are read as the service reads them", () => {
  test.each([
    ["10", "Read as the whole number 10"],
    ["4*16", "Read as 4 × 16 = 64"],
    ["4 x 16", "Read as 4 × 16 = 64"],
    ["8e9", "Read as the whole number 8,000,000,000"],
    ["64k", "Read as the whole number 64,000"],
    ["1,024", "Read as the whole number 1,024"],
    ["2^10", "Read as 2^10 = 1,024"],
    ["(3+5)*7", "Read as (3 + 5) × 7 = 56"],
    ["768/5", "Read as 768 / 5 = 153.6"],
    ["1/3", "Read as 1 / 3 = 1/3"],
    ["sqrt(64)", "Read as sqrt(64) = 8"],
    ["2**3**2", "Read as 2^3^2 = 512"],
    ["64 dims", "Read as the whole number 64"],
    ["12.50", "Read as 12.5"],
    ["d = 64", "Read as the whole number 64"],
  ])("%s", (typed, echo) => {
    expect(echoNumber(typed, "dims")).toEqual({ text: echo, read: true });
  });

  test.each(["12x", "12 or so", "4*", "(3", "ten", "1/0", "2^9999", "alert(1)", "sqrt(2)", "1 2"])(
    "%s is not a number yet",
    (typed) => {
      expect(echoNumber(typed).read).toBe(false);
    },
  );

  test("an empty field says nothing", () => {
    expect(echoNumber("  ")).toEqual({ text: "", read: true });
  });

  test("powers bind before signs and to the right, products before sums", () => {
    const value = (text: string) => readNumber(text).value;
    expect(value("-2^2")).toEqual({ top: -4n, bottom: 1n });
    expect(value("1 + 2 * 3 - 4 / 8")).toEqual({ top: 13n, bottom: 2n });
    expect(value("2^-1")).toEqual({ top: 1n, bottom: 2n });
  });

  test("large products stay exact", () => {
    expect(echoNumber("2*80*8*128*2*131072").text).toBe(
      "Read as 2 × 80 × 8 × 128 × 2 × 131072 = 42,949,672,960",
    );
    expect(readNumber("3*333333333333333333").value.top).toBe(999999999999999999n);
  });

  test("a tower of brackets is refused, not followed", () => {
    expect(echoNumber("(".repeat(100)).read).toBe(false);
  });
});

describe("shapes", () => {
  test.each(["2,12,4,64", "(2, 12, 4, 64)", "[2 12 4 64]", "2x12x4x64", "torch.Size([2, 12, 4, 64])"])(
    "%s",
    (typed) => {
      expect(echoShape(typed).text).toBe("Read as a shape with 4 axes: (2, 12, 4, 64)");
    },
  );

  test("one axis keeps torch's comma", () => {
    expect(echoShape("(64,)").text).toBe("Read as a shape with 1 axis: (64,)");
  });

  test("axes may be named, since the service knows their sizes", () => {
    expect(echoShape("B, T, H*D").text).toBe("Read as a shape with 3 axes: (B, T, H*D)");
  });

  test.each(["2, 0, 4", "2, -1", "12 or so!", "2.5, 4"])("%s is no shape", (typed) => {
    expect(echoShape(typed).read).toBe(false);
  });
});
