import { describe, expect, test } from "vitest";
import { moved, placeFor, spoken } from "./order";

const ROWS = ["project", "view", "transpose", "attend"];

describe("moving a row", () => {
  test("takes it out and puts it in", () => {
    expect(moved(ROWS, 0, 2)).toEqual(["view", "transpose", "project", "attend"]);
    expect(moved(ROWS, 3, 0)).toEqual(["attend", "project", "view", "transpose"]);
  });

  test("beyond the ends stays at the ends", () => {
    expect(moved(ROWS, 1, -5)[0]).toBe("view");
    expect(moved(ROWS, 1, 50).at(-1)).toBe("view");
  });

  test("a row that is not there changes nothing", () => {
    expect(moved(ROWS, 9, 0)).toEqual(ROWS);
  });

  test("says where it stands now", () => {
    expect(spoken("view", 1, 5)).toBe("view, now 2 of 5");
  });

  test("a pointer asks for the place between the middles it has passed", () => {
    expect([placeFor(5, [10, 30, 50]), placeFor(31, [10, 30, 50]), placeFor(99, [10, 30, 50])]).toEqual([
      0, 2, 3,
    ]);
  });
});
