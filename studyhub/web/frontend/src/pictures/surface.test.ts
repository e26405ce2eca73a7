import { expect, test, vi } from "vitest";
import { Surface } from "./surface";

test("a surface knows its width before it is first drawn on, so that its height need not change", () => {
  const surface = new Surface("Map", vi.fn());
  Object.defineProperty(surface.element, "clientWidth", { value: 311 });
  expect([surface.width, surface.across, surface.width]).toEqual([0, 311, 311]);
});
