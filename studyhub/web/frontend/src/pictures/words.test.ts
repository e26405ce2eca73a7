import { expect, test } from "vitest";
import { bandOf, blocksOf, labels } from "./band";
import { codeLine, outcomeOf, told } from "./blocks";
import { changesOf, linkTo, type State, stateIn } from "./link";
import { judged, Predict } from "./predict";
import { provenance } from "./provenance";
import { withDrafts } from "./scene";
import { sentenceFor } from "./status";
import { changed } from "./try";
import type { Frame } from "./types";
import { number, real, shape } from "./words";

const frame = (changes: Partial<Frame>) =>
  ({ axes: [], shape: [], tensors: [], stamp: {}, ...changes }) as Frame;

test("what is left over belongs to no head, what is too much stands past d_model", () => {
  expect(bandOf({ num_heads: 10, d_head: 76, q_width: 768 })).toMatchObject({ left: 8, over: 0 });
  expect(bandOf({ num_heads: 16, d_head: 256, q_width: 3072 })).toMatchObject({ left: 0, over: 1024 });
});

test("more heads than can be drawn are one block that says how many there are", () => {
  for (const heads of [129, 1_000_000, 1_000_000_000]) {
    const band = bandOf({ num_heads: heads, d_head: 2, q_width: 768 });
    expect(blocksOf(band)).toEqual([{ start: 0, width: heads * 2 }]);
    expect(labels(band, 480).map(({ text }) => text)).toEqual([`${heads.toLocaleString("en-US")} heads`]);
  }
  expect(blocksOf(bandOf({ num_heads: 1_000_000_000, d_head: 0, q_width: 768 }))).toEqual([]);
  expect(blocksOf(bandOf({ num_heads: 128, d_head: 6, q_width: 768 }))).toHaveLength(128);
});

test("only the learner's own answer and a tried one are ever red", () => {
  const of = (roleName: string, works: boolean, tried = false) =>
    outcomeOf({ facts: { works }, roleName, tried });
  expect([of("right", true), of("right", false)]).toEqual(["correct", "undecided"]);
  expect([of("yours", true), of("yours", false)]).toEqual(["undecided", "incorrect"]);
  expect([of("right", true, true), of("right", false, true)]).toEqual(["correct", "incorrect"]);
});

test("a width tells its arithmetic at once, a shape what torch found, heads have their band", () => {
  const run = frame({ step: "run", sentence: "It runs, and it is wrong" });
  expect(told({ asks: "width", sentence: "12 × 12 = 144" }, run)).toBe("12 × 12 = 144");
  expect(told({ asks: "shape", sentence: "holds 320 numbers" }, undefined)).toBe("holds 320 numbers");
  expect(told({ asks: "shape", sentence: "holds 320 numbers" }, run)).toBe("It runs, and it is wrong");
  expect(told({ asks: "heads", sentence: "768 = 10 × 76 + 8" }, run)).toBe("");
});

test("the learner's own two numbers are strong in the line of code", () => {
  const strong = [...codeLine("q.view(2, 4, 10, 76)", true).querySelectorAll("b")].map((b) => b.textContent);
  expect(strong).toEqual(["10", "76"]);
  const floored = codeLine("Linear(10, 3 * (10 // 3))(x).view(2, 4, 3, 3)", false);
  expect([...floored.querySelectorAll("b")].map((b) => b.textContent)).toEqual(["3", "3"]);
  expect(codeLine("q.view(2, 12, 4, 64)", true, false).querySelectorAll("b")).toHaveLength(0);
});

test("a shape names the axis of every length", () => {
  const parts = [...shape([2, 4, 768], ["B", "T", "H*D"]).querySelectorAll("span")];
  expect(parts.map((part) => `${part.className} ${part.title} ${part.textContent}`)).toEqual([
    "axis-B B 2",
    "axis-T T 4",
    "axis-d_model H*D 768",
  ]);
  expect(shape([2, 4, 768], []).textContent).toBe("(2, 4, 768)");
  expect(shape([10, 4], ["", "H"]).firstElementChild?.className).toBe("");
});

test("a prediction is judged by the shape, and no prediction is no mistake", () => {
  const next = frame({ step: "attend", shape: [2, 12, 4, 64] });
  expect(judged("2 12 4 64", next)).toBe("Right: attend gives (2, 12, 4, 64)");
  expect(judged("2,4,12,64", next)).toBe("Not yet: you gave (2, 4, 12, 64), attend gives (2, 12, 4, 64)");
  expect(judged("", next)).toBe("attend gives (2, 12, 4, 64)");
});

test("another number of heads derives its width again", () => {
  const parameters = { model: "bert-base", num_heads: 12, d_head: 64, answer_shape: [1] };
  expect(changed(parameters, "num_heads", 8)).toEqual({ model: "bert-base", num_heads: 8 });
  expect(changed({ layer: 3, head: 1 }, "head", 2)).toEqual({ layer: 3, head: 2 });
});

test("a link brings back step, changed numbers, seed and what is pointed at, for its own picture only", () => {
  const state: State = {
    kind: "head_split",
    nth: 0,
    step: "merge",
    changes: { num_heads: 8, divisor: "8", shape: [2, 4] },
    seed: 3,
    place: [2, 6, 5],
  };
  const link = linkTo("https://study.test/topics/d-head/?a=1#old", state, "five-steps");
  expect(link).toBe(
    "https://study.test/topics/d-head/?a=1&picture=head_split&step=merge&num_heads=8&divisor=8&shape=%5B2%2C4%5D&seed=3&at=2.6.5#five-steps",
  );
  const takes = new Map([
    ["num_heads", false],
    ["divisor", true],
    ["shape", false],
  ]);
  expect(stateIn(link, "head_split", 0, takes)).toEqual(state);
  expect(stateIn(link, "head_split", 1, takes)).toBeNull();
  expect(stateIn(link, "attention_pattern", 0, takes)).toBeNull();
  expect(stateIn(link, "head_split", 0, new Map())?.changes).toEqual({});
});

test("only what differs from the page's own numbers goes into a link", () => {
  const first = { d_head: 64, shape: [2, 4], sentence: "it" };
  expect(changesOf(first, { ...first, shape: [2, 4], d_head: 32 })).toEqual({ d_head: 32 });
});

test("steps the facts promise stand in until their frames come", () => {
  const facts = {
    steps: [{ step: "view", axes: ["T"], shape: [4], strides: [1], contiguous: true }, { step: "merge" }],
  };
  const came = frame({ step: "merge", title: "merge" });
  expect(withDrafts(facts, [came]).map(({ n, step, title }) => [n, step, title])).toEqual([
    [0, "view", ""],
    [undefined, "merge", "merge"],
  ]);
});

test("a drawing says its step after 300 ms, what still works after 10 s, and why it failed", () => {
  const drawing = { phase: "drawing" as const, failure: null, frames: [1, 2] };
  expect(sentenceFor(drawing, 7, 100)).toBe("");
  expect(sentenceFor(drawing, 7, 400)).toBe("Step 3 of 7 is being computed");
  expect(sentenceFor(drawing, 7, 11_000)).toContain("answering and rating work without the picture");
  const failed = {
    phase: "failed" as const,
    failure: { code: "x", sentence: "No worker took it." },
    frames: [],
  };
  expect(sentenceFor(failed, 7, 0)).toBe("The picture is not here. No worker took it.");
});

test("the provenance names the weights, the batch item, torch and the device", () => {
  const stamp = { torch: "2.14.1", device: "CPU", weights: "all-MiniLM-L6-v2" };
  const drawn = frame({ axes: ["B", "T"], shape: [2, 4], stamp });
  expect(provenance(drawn, {})).toBe(
    "Computed for this question from all-MiniLM-L6-v2, batch item 0 of 2, torch 2.14.1, CPU",
  );
  expect(provenance(frame({}), {})).toBe("");
});

test("a number has three significant digits, thousands are grouped, and minus is a minus sign", () => {
  const written = [0.09356, 3.2, 12.345, 0.00001234, 1234.6, 64, -12.34, -0.5].map(number);
  expect(written).toEqual(["0.0936", "3.20", "12.3", "0.0000123", "1,235", "64", "−12.3", "−0.500"]);
  expect(real(-1.5)).toBe("−1.500");
});

test("on the last step nothing is asked, and what was just judged stays", () => {
  const last = frame({ step: "output", shape: [2, 4, 768] });
  const asked = new Predict(() => asked.ask(null, false, true));
  asked.ask(last, false, true);
  expect(asked.element.hidden).toBe(false);
  asked.element.dispatchEvent(new Event("submit"));
  expect([asked.element.hidden, asked.element.textContent?.includes("output gives (2, 4, 768)")]).toEqual([
    false,
    true,
  ]);
  expect(
    [...asked.element.querySelectorAll("label, button")].every((one) => one.hasAttribute("hidden")),
  ).toBe(true);
  asked.ask(last, true, true);
  asked.ask(null, true, true);
  expect(asked.element.hidden).toBe(true);
});
