import { describe, expect, test } from "vitest";
import { EMPTY, extend, goTo, predictable, step, tick, toggle, valueText } from "./scrub";

const NAMES = ["input", "project", "view", "transpose"];
const full = extend(EMPTY, NAMES, 4);

describe("the scrub line", () => {
  test("stops at the first and at the last ready step", () => {
    expect(step(full, -1).at).toBe(0);
    expect(goTo(full, 99).at).toBe(3);
    expect(goTo(extend(EMPTY, NAMES, 2), 3).at).toBe(1);
  });

  test("keeps its place when more steps become ready", () => {
    const early = goTo(extend(EMPTY, NAMES, 2), 1);
    expect(extend(early, NAMES, 4).at).toBe(1);
  });

  test("falls back to what is there after a reset", () => {
    expect(extend(goTo(full, 3), NAMES, 1)).toMatchObject({ at: 0, revealed: 1 });
    expect(extend(goTo(full, 3), NAMES, 0).at).toBe(0);
  });

  test("says the step by name and number", () => {
    expect(valueText(goTo(full, 3))).toBe("transpose, step 4 of 4");
  });
});

describe("predicting", () => {
  test("only a step not yet looked at can be predicted", () => {
    const at = goTo(full, 1);
    expect(predictable(at)).toBe("view");
    expect(predictable(step(step(at, 1), -1))).toBe("");
  });

  test("after the last step nothing is left", () => {
    expect(predictable(goTo(full, 3))).toBe("");
  });
});

describe("playing", () => {
  test("begins again from the end", () => {
    expect(toggle(goTo(full, 3))).toMatchObject({ at: 0, playing: true });
  });

  test("rests where the next step is not ready and goes on when it is", () => {
    const waiting = tick(toggle(goTo(extend(EMPTY, NAMES, 2), 1)));
    expect(waiting).toMatchObject({ at: 1, playing: true });
    expect(tick(extend(waiting, NAMES, 3)).at).toBe(2);
  });

  test("stops at the end", () => {
    expect(tick(toggle(goTo(full, 2)))).toMatchObject({ at: 3, playing: false });
  });

  test("a second press pauses where it stands", () => {
    expect(toggle(toggle(goTo(full, 1)))).toMatchObject({ at: 1, playing: false });
  });
});
