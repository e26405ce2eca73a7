import { expect, test } from "vitest";
import { bandOf, codeLine } from "./blocks";
import { askedOf, linkTo } from "./link";
import { judged } from "./predict";
import { provenance } from "./provenance";
import { withDrafts } from "./scene";
import { sentenceFor } from "./status";
import { changed } from "./try";
import type { Frame } from "./types";
import { shape } from "./words";

const frame = (changes: Partial<Frame>) =>
  ({ axes: [], shape: [], tensors: [], stamp: {}, ...changes }) as Frame;

test("what is left over belongs to no head, what is too much stands past d_model", () => {
  expect(bandOf({ num_heads: 10, d_head: 76, d_model: 768 })).toMatchObject({ total: 768, left: 8 });
  expect(bandOf({ num_heads: 16, d_head: 256, d_model: 3072 })).toMatchObject({ total: 4096, left: 0 });
});

test("the learner's own two numbers are strong in the line of code", () => {
  const strong = [...codeLine("q.view(2, 4, 10, 76)", true).querySelectorAll("b")].map((b) => b.textContent);
  expect(strong).toEqual(["10", "76"]);
});

test("a shape names the axis of every length", () => {
  const parts = [...shape([2, 4, 768], ["B", "T", "H*D"]).querySelectorAll("span")];
  expect(parts.map((part) => `${part.className} ${part.title} ${part.textContent}`)).toEqual([
    "axis-B B 2",
    "axis-T T 4",
    "axis-d_model H*D 768",
  ]);
  expect(shape([2, 4, 768], []).textContent).toBe("(2, 4, 768)");
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

test("a link brings back step and number, for its own kind only", () => {
  const place = { kind: "head_split", step: "merge", edit: "num_heads", value: 8 };
  const link = linkTo("https://study.test/topics/d-head/?a=1#old", place, "five-steps");
  expect(link).toBe(
    "https://study.test/topics/d-head/?a=1&picture=head_split&step=merge&num_heads=8#five-steps",
  );
  expect(askedOf(link, "head_split", "num_heads")).toEqual({ step: "merge", changes: { num_heads: 8 } });
  expect(askedOf(link, "attention_pattern", "head")).toEqual({ step: "", changes: {} });
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
