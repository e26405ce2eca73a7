import { expect, test } from "vitest";
import { ConfigMuseum } from "./config-museum";
import { read } from "./edits";
import { kindOf } from "./kinds";
import { arithmetic, modelsOf, neighbour, rangeOf, sourcesOf, spotsOf, told } from "./museum-data";
import { listOf, statementsOf } from "./museum-list";
import { drawPlot, plotOf, sizeOf, xOf, yOf } from "./museum-plot";
import type { Frame } from "./types";

const facts = {
  schemes: ["MHA", "GQA", "MQA", "MLA"],
  statuses: ["primary", "unverified"],
  dates: ["2026-11-30"],
  points: [
    ["a", "Alpha", 768, 12, 64, 64, 0, 0, 8],
    ["b", "Beta", 1024, 16, 64, 64, 0, 0, 10],
    ["c", "Gamma-7B", 3072, 16, 256, 256, 0, 0, 9],
    ["d", "Delta", 7168, 128, 192, 128, 3, 0, 5],
    ["e", "Epsilon", 4096, 64, 512, 512, 2, 1, 9],
  ],
  picked: { slug: "c", name: "Gamma-7B" },
  statements: [["d_head is 64 or 128", 2, 5]],
  asked_sentence: "5 models: in 3 of them d_head is not d_model / num_heads.",
};
const COLUMNS = ["model", "d_head", "as of", "source", "note"];
const frame = (step: string, rows: Frame["table"]["rows"]): Frame => ({
  ...{ n: 0, step, layout: "text", title: "t", sentence: "s", axes: [], shape: [], strides: [] },
  ...{ contiguous: true, dtype: "", values: [], table: { columns: COLUMNS, rows } },
  ...{ error: "", tensors: [], stamp: {} },
});
const models = modelsOf(facts);
const spots = spotsOf(models);

test("models of one quotient and width share a spot", () => {
  expect(spots.map(({ models }) => models.map(({ name }) => name))).toEqual([
    ["Alpha", "Beta"],
    ["Gamma-7B"],
    ["Delta"],
    ["Epsilon"],
  ]);
  expect(models.map(({ breaks }) => breaks)).toEqual([false, false, true, true, true]);
  expect([models[1]?.disputed, models[3]?.scaled, models[3]?.asked]).toEqual([true, true, false]);
});

test("the arithmetic is written with the model's numbers, and what W_O reads where values differ", () => {
  expect(arithmetic(models[2] as never)).toBe(
    "3,072 / 16 = 192, d_head 256; 16 × 256 = 4,096, wider than d_model",
  );
  expect(arithmetic(models[3] as never)).toContain("values are 128 wide, so W_O reads 16,384");
  expect(told(spots[0] as never)).toBe(
    "d_model / heads 64, d_head 64, the convention holds. 2 models: Alpha, Beta.",
  );
});

test("each arrow goes to the nearest spot on its side, and nowhere where none is", () => {
  expect(neighbour(spots, 0, "up")).toBe(2);
  expect(neighbour(spots, 0, "right")).toBe(1);
  expect(neighbour(spots, 2, "right")).toBe(1);
  expect(neighbour(spots, 0, "down")).toBe(-1);
});

test("both axes are log scales with powers of two, and equal numbers lie on the diagonal", () => {
  expect(rangeOf([32, 256]).ticks).toEqual([32, 64, 128, 256]);
  const plot = plotOf(spots, [], 900);
  const drawn = drawPlot(spots, [], plot, { picked: "c", faded: () => false });
  const line = drawn.find((one) => one.getAttribute("class") === "museum-diagonal");
  const [x1, y1, x2, y2] = ["x1", "y1", "x2", "y2"].map((name) => Number(line?.getAttribute(name)));
  const slope = ((y2 ?? 0) - (y1 ?? 0)) / ((x2 ?? 0) - (x1 ?? 0));
  expect(yOf(plot, 64)).toBeCloseTo((y1 ?? 0) + slope * (xOf(plot, 64) - (x1 ?? 0)));
});

test("rule-breakers are diamonds, others discs with the number of models; what is filtered out is dimmed", () => {
  const plot = plotOf(spots, [], 900);
  const faded = ({ models }: (typeof spots)[number]) => !models.some(({ asked }) => asked);
  const marks = drawPlot(spots, [], plot, { picked: "c", faded }).filter((one) => one.hasAttribute("data-n"));
  const look = (n: number) => marks.find((one) => one.getAttribute("data-n") === String(n)) as SVGElement;
  expect(look(0).querySelector("circle.museum-mark")).not.toBeNull();
  expect(look(0).textContent).toContain("2");
  expect(look(0).textContent).toContain("!");
  expect(look(1).querySelector("path.museum-mark")).not.toBeNull();
  expect(look(1).getAttribute("class")).toContain("is-picked");
  expect(look(2).getAttribute("class")).toContain("is-faded");
  expect(look(3).getAttribute("class")).toContain("is-unsure");
  expect(sizeOf(spots[0] as never, plot)).toBeGreaterThan(sizeOf(spots[1] as never, plot));
});

test("names lie on no other name", () => {
  const many = Array.from({ length: 30 }, (_, n) => [
    "m",
    `Model number ${n}`,
    1000 + 20 * n,
    10,
    300,
    300,
    0,
    0,
    9,
  ]);
  const close = spotsOf(modelsOf({ ...facts, points: many }));
  const plot = plotOf(close, [], 700);
  const names = drawPlot(close, [], plot, { picked: "", faded: () => false }).filter((one) =>
    one.getAttribute("class")?.startsWith("museum-name"),
  );
  const boxes = names.map((one) => {
    const [x, y] = [Number(one.getAttribute("x")), Number(one.getAttribute("y"))];
    return { x, y, w: (one.textContent ?? "").length * 7.1 };
  });
  for (const [n, one] of boxes.entries())
    for (const other of boxes.slice(n + 1))
      expect(one.x + one.w < other.x || other.x + other.w < one.x || Math.abs(one.y - other.y) >= 14).toBe(
        true,
      );
});

test("a list tells source, status, date and note, once a frame has brought them", () => {
  const sources = sourcesOf([frame("mha", [["Gamma-7B", 256, "2026-11-30", "config.py", "16*256"]])]);
  const text = listOf(spots[1] as never, sources, facts, false)
    .map(({ textContent }) => textContent)
    .join("");
  expect(text).toContain("breaks the rule");
  expect(text).toContain("Source: config.py; primary, 2026-11-30. Note: 16*256.");
  const before = listOf(spots[1] as never, new Map(), facts, false)[0]?.textContent;
  expect(before).toContain("Source: primary, 2026-11-30.");
});

test("statements have their share and, from the frame, which models they are true of", () => {
  const made = frame("statements", [["d_head is 64 or 128", 2, 5, "Alpha and Beta"]]);
  const [one] = statementsOf(facts, made);
  expect(one?.textContent).toBe("2 of 5 d_head is 64 or 128Alpha and Beta");
  expect(one?.querySelector<HTMLElement>(".museum-share")?.style.inlineSize).toBe("40%");
});

test("Enter lists all who stand on a spot, arrows walk on, and the table marks the same model", () => {
  const pointed: number[][] = [];
  const host = {
    retry: () => {},
    goTo: () => {},
    point: (place: readonly number[]) => pointed.push([...place]),
  };
  const many = Array.from({ length: 9 }, (_, n) => [`s${n}`, `Same ${n}`, 640, 10, 64, 64, 0, 0, 8]);
  const points = [...many, ...facts.points.slice(2)];
  const picture = new ConfigMuseum(host);
  const frames = [frame("why", [["Gamma-7B", 256, "", "", ""]])];
  const state = { at: 0, from: null, parameters: {}, seed: 0, roleName: "", tried: false };
  picture.show({ ...state, frames, place: [0], facts: { ...facts, points }, tensor: () => undefined });
  const plot = picture.element.querySelector(".museum__plot") as HTMLElement;
  const press = (key: string) => {
    let taken = false;
    plot.addEventListener("keydown", (event) => (taken = picture.key(event)), { once: true });
    plot.dispatchEvent(new KeyboardEvent("keydown", { key }));
    return taken;
  };
  const shown = () => picture.element.querySelectorAll(".museum-entry").length;
  expect(shown()).toBe(6);
  expect(press("Enter")).toBe(true);
  expect(shown()).toBe(9);
  expect(press("ArrowRight")).toBe(true);
  expect(pointed).toEqual([[9]]);
  expect(picture.inTable([9], frames[0] as Frame)).toEqual({ row: 0 });
  expect(picture.ofTable({ row: 0 }, frames[0] as Frame)).toEqual([9]);
  picture.dispose();
});

test("the filter by name can be emptied again, other texts cannot", () => {
  const find = kindOf("config_museum").edits.find(({ name }) => name === "find");
  expect(read(find as never, "  ")).toEqual({ value: "" });
  expect(read({ name: "sentence", label: "Sentence", takes: "text" }, "")).toHaveProperty("why");
});
