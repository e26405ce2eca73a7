import { expect, test, vi } from "vitest";
import type { Scrub } from "./scrub";
import { Dots, Segments } from "./steps";

const names = ["scores", "masked", "weights"];
const scrub = (at: number, ready = 3): Scrub => ({ names, at, ready, revealed: ready, playing: false });
const naming = { label: (step: string) => step.toUpperCase(), idle: ["masked"] };

test("dots are one slider that says its step by name", () => {
  const dots = new Dots(vi.fn());
  dots.show(scrub(1, 2), naming);
  expect(dots.element.getAttribute("aria-valuetext")).toBe("masked, step 2 of 3");
  expect([...dots.element.children].map((stop) => [stop.className, stop.hasAttribute("data-waits")])).toEqual(
    [
      ["scrub__stop is-past", false],
      ["scrub__stop is-now", false],
      ["scrub__stop", true],
    ],
  );
});

test("stages are buttons: the one shown is pressed, one not computed waits, an idle one is struck through", () => {
  const goTo = vi.fn();
  const stages = new Segments(goTo);
  stages.show(scrub(0, 2), naming);
  const buttons = [...stages.element.querySelectorAll("button")];
  expect(buttons.map((one) => [one.getAttribute("aria-pressed"), one.disabled])).toEqual([
    ["true", false],
    ["false", false],
    ["false", true],
  ]);
  expect(stages.element.querySelector("s")?.textContent).toBe("MASKED");
  buttons[1]?.click();
  expect(goTo).toHaveBeenCalledWith(1);
});

test("the focus goes with the stage that keys have chosen, and stays away where it was not", () => {
  const stages = new Segments(vi.fn());
  document.body.append(stages.element);
  stages.show(scrub(0), naming);
  const buttons = [...stages.element.querySelectorAll("button")];
  stages.show(scrub(1), naming);
  expect(document.activeElement).toBe(document.body);
  buttons[0]?.focus();
  stages.show(scrub(2), naming);
  expect(document.activeElement).toBe(buttons[2]);
});
