import { describe, expect, test } from "vitest";
import { HEAT, inks, luminance, oklab, type Rgb, ramp, rgb, translucent } from "./palette";

const triples = (table: Uint8ClampedArray): Rgb[] =>
  Array.from({ length: 256 }, (_, i) => [...table.subarray(3 * i, 3 * i + 3)] as unknown as Rgb);

describe("the heat scale", () => {
  test.each(["light", "dark"] as const)("more leaves the ground at every step in %s", (theme) => {
    const lightness = triples(ramp(HEAT[theme])).map((colour) => oklab(colour)[0]);
    const steps = lightness.slice(1).map((value, i) => value - (lightness[i] ?? 0));
    const away = theme === "light" ? -1 : 1;
    expect(steps.every((step) => step * away > -1e-3)).toBe(true);
    expect((lightness.at(-1) ?? 0) * away).toBeGreaterThan((lightness[0] ?? 0) * away + 0.5);
  });

  test("begins and ends at the outer stops and passes through the middle one", () => {
    const table = triples(ramp(HEAT.light));
    expect(table[0]).toEqual(rgb("#FFFFFF"));
    expect(table[255]).toEqual(rgb("#201B68"));
    const middle = table[Math.round(255 / 2)] ?? [0, 0, 0];
    for (const [i, value] of rgb("#5A97BA").entries())
      expect(Math.abs((middle[i] ?? 0) - value)).toBeLessThan(4);
  });
});

describe("colours", () => {
  test("long and short hexadecimals are read alike", () => {
    expect(rgb("#fa0")).toEqual(rgb("#ffaa00"));
  });

  test("luminance of white is 1 and of black 0", () => {
    expect(luminance(rgb("#fff"))).toBeCloseTo(1, 6);
    expect(luminance(rgb("#000"))).toBe(0);
  });

  test("a share of a colour keeps its channels", () => {
    expect(translucent("#b5500f", 0.13)).toBe("rgb(181 80 15 / 0.13)");
  });
});

test("colours are read off the root, once a theme, whatever has drawn before", () => {
  const root = document.documentElement;
  root.dataset.theme = "light";
  root.style.setProperty("--accent", "#3a43be");
  expect(inks().colour("accent")).toBe("#3a43be");
  root.dataset.theme = "dark";
  root.style.setProperty("--accent", "#aab0ff");
  expect(inks().colour("accent")).toBe("#aab0ff");
  root.dataset.theme = "light";
  expect(inks().colour("accent")).toBe("#3a43be");
  delete root.dataset.theme;
});
