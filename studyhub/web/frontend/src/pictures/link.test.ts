/** Addresses of pictures in the lab, and back. */
import { expect, test } from "vitest";
import { labLink, spotIn } from "./link";

const state = { step: "weights", seed: 3, place: [10, 2] };

test("an address of the lab says what was given, the step under a name of its own, and nothing that is empty", () => {
  const changes = { model: "", shape: [2, 4], step: "view", ops: "transpose(1, 2)", inputs: [] };
  const link = labLink("http://h/topics/d-head/?picture=x#there", "/lab/memory_tape/", { ...state, changes });
  expect(link).toBe(
    "http://h/lab/memory_tape/?shape=%5B2%2C4%5D&step=view&ops=transpose%281%2C+2%29&seed=3&show=weights&at=10.2",
  );
  expect(spotIn(new URL(link).searchParams)).toEqual({ step: "weights", place: [10, 2] });
});

test("a place that is none is passed over", () => {
  expect(spotIn(new URL("http://h/lab/x/?at=1.x&step=view").searchParams)).toEqual({
    step: "view",
    place: null,
  });
});
