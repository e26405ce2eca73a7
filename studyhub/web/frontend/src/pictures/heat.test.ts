import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { broughtTo } from "./contributions";
import { Heat } from "./heat";
import type { Scene } from "./scene";
import type { Frame, Tensor } from "./types";

const TOKENS = ["so", "it", "is"];
const tensor = (role: string, shape: number[], encoding: Tensor["encoding"] = "f16"): Tensor =>
  ({ role, axes: [], shape, encoding, sha256: role }) as unknown as Tensor;
const frame = (step: string, tensors: Tensor[], values: number[] = []): Frame =>
  ({
    step,
    title: step,
    sentence: `What ${step} says.`,
    values,
    table: { columns: ["query", ...TOKENS], rows: TOKENS.map((name) => [name, 1, 2, 3]) },
    tensors,
    shape: [],
  }) as unknown as Frame;

const WEIGHTS = frame(
  "weights",
  [tensor("weights", [3, 3], "u8sqrt"), tensor("thumbnails", [4, 2, 2], "u8sqrt")],
  [1, 2, 3, 4],
);
const OUTPUT = frame("output", [tensor("output", [3, 2]), tensor("contributions", [3, 3])]);
const NUMBERS: Record<string, number[]> = {
  weights: [1, 0, 0, 0.25, 0.75, 0, 0.1, 0.2, 0.7],
  thumbnails: Array.from({ length: 16 }, (_, n) => n / 16),
  output: [1, 2, 3, 4, 5, 6],
  contributions: [1, 0, 0, 1.5, -0.5, 0, 0.2, 0.2, 0.6],
  row: [0.2, 0.2, 0.6],
};
const numbers = new Map(Object.entries(NUMBERS).map(([name, values]) => [name, Float32Array.from(values)]));

const scene = (at: number, more: Partial<Scene> = {}): Scene => ({
  frames: [WEIGHTS, OUTPUT],
  at,
  from: null,
  facts: { num_heads: 4 },
  parameters: { layer: 0, head: 1 },
  seed: 0,
  roleName: "",
  tried: false,
  place: null,
  tensor: (one) => numbers.get(one?.sha256 ?? ""),
  ...more,
});

const host = () => ({ retry: vi.fn(), point: vi.fn() });
let posted: Record<string, unknown>[];

beforeEach(() => {
  posted = [];
  vi.stubGlobal(
    "ImageData",
    class {
      data = new Uint8ClampedArray(64);
    },
  );
  vi.stubGlobal("fetch", async (_: string, { body }: RequestInit = {}) => {
    if (body) posted.push(JSON.parse(String(body)).parameters);
    return new Response("{}", { status: 503 });
  });
});
afterEach(() => vi.unstubAllGlobals());

const bars = (heat: Heat) =>
  [...heat.element.querySelectorAll(".readout__bars tbody tr")].map((row) =>
    [...row.children].map((cell) => cell.textContent).filter(Boolean),
  );

test("the output is told by what every key brings to the row that is chosen, the largest part first", () => {
  const heat = new Heat(host());
  heat.show(scene(1));
  expect(heat.element.querySelector(".readout__bars thead")?.textContent).toContain("part of “it”");
  expect(bars(heat)).toEqual([
    ["so", "0.250", "150%"],
    ["it", "0.750", "−50%"],
    ["is", "0.000", "0.0%"],
  ]);
  heat.point([2, 0]);
  expect(bars(heat)[0]).toEqual(["is", "0.700", "60%"]);
});

test("of a long sentence the parts are those of the row that was sent, whichever is chosen", () => {
  const sent = { ...tensor("contributions", [3]), sha256: "row" };
  const output = frame("output", [tensor("output", [3, 2]), sent], [2]);
  const asked = scene(1, { frames: [WEIGHTS, output] });
  expect(broughtTo(0, output, asked)?.row).toBe(2);
  const heat = new Heat(host());
  heat.show(asked);
  expect(heat.element.querySelector(".readout__words")?.textContent).toContain("that of “is”");
});

test("C sets the next head beside the one shown, asks for its picture and is part of the link; C ends it", () => {
  const told = host();
  const heat = new Heat(told);
  heat.show(scene(0));
  const press = (key: string) => heat.key(new KeyboardEvent("keydown", { key }));
  press("c");
  expect(heat.element.hasAttribute("data-two")).toBe(true);
  expect(told.point).toHaveBeenLastCalledWith([1, 1, 2]);
  press("}");
  press("}");
  expect(told.point).toHaveBeenLastCalledWith([1, 1, 0]);
  press("c");
  expect(told.point).toHaveBeenLastCalledWith([1, 1]);
  expect(heat.element.hasAttribute("data-two")).toBe(false);
});

test("a link that names a second head opens with it, and its refusal is told", async () => {
  const heat = new Heat(host());
  heat.show(scene(0, { place: [1, 0, 3] }));
  await vi.waitFor(() => expect(posted).toEqual([{ layer: 0, head: 3 }]));
  await vi.waitFor(() => {
    const said = heat.element.querySelector(".heat__wait")?.textContent ?? "";
    expect(said && !said.includes("is being computed")).toBe(true);
  });
});

test("while heads are compared a press on a small map chooses the second, else the first", () => {
  const told = host();
  const heat = new Heat(told);
  heat.show(scene(0));
  const maps = () => heat.element.querySelectorAll<HTMLElement>(".readout__grid button");
  maps()[3]?.click();
  expect(told.retry).toHaveBeenLastCalledWith({ head: 3 });
  heat.element.querySelector<HTMLElement>("[data-testid=compare]")?.click();
  maps()[0]?.click();
  expect(told.point).toHaveBeenLastCalledWith([1, 1, 0]);
  expect([...maps()].map((one) => one.getAttribute("aria-pressed"))).toEqual([
    "true",
    "true",
    "false",
    "false",
  ]);
});
