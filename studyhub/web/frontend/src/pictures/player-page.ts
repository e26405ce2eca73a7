/** Stands in for the service in tests of the player: one picture of each layout, asked for and drawn at once. */
import { afterEach, beforeAll, beforeEach, vi } from "vitest";
import { StudyPicture } from "./player";
import type { Frame } from "./types";

/** A kind that the front end has no row for: its frames are drawn by their layouts. */
export const frame = (n: number, step: string, more: Partial<Frame> = {}): Frame => ({
  n,
  step,
  layout: "series",
  title: `${step} over d_head`,
  sentence: `What ${step} says.`,
  axes: [],
  shape: [],
  strides: [],
  contiguous: true,
  dtype: "",
  values: [],
  table: {
    columns: ["d_head", "max p, scaled", "max p, ÷ 8"],
    rows: [8, 16, 32, 64].map((x) => [x, 1 / x, 0.5]),
  },
  error: "",
  tensors: [],
  stamp: { torch: "2.14.1", device: "CPU", engine: "2" },
  ...more,
});

export const FRAMES = [
  frame(0, "sweep"),
  frame(1, "map", {
    layout: "grid",
    axes: ["H", "T"],
    shape: [2, 3],
    strides: [3, 1],
    values: [1, 2, 3, 4, 5, 6],
    table: {
      columns: ["head", "t0", "t1", "t2"],
      rows: [
        ["h0", 1, 2, 3],
        ["h1", 4, 5, 6],
      ],
    },
  }),
  frame(2, "count", { layout: "blocks", error: "RuntimeError: shape '[3]' is invalid for input of size 4" }),
  frame(3, "words", { layout: "text", table: { columns: ["a", "b"], rows: [["x", 1]] } }),
  frame(4, "store", {
    layout: "tape",
    shape: [2],
    axes: ["T"],
    strides: [64],
    table: {
      columns: ["T", "offset"],
      rows: [
        [0, 0],
        [1, 64],
      ],
    },
  }),
];

/** What the service was asked, and how its first drawing fails, if it does. */
export const service: {
  posted: { parameters: Record<string, unknown>; seed: number }[];
  failure: { code: string; sentence: string } | null;
} = { posted: [], failure: null };

const json = (body: unknown) => new Response(JSON.stringify(body), { status: 200 });

/** A page whose pictures are answered with FRAMES; the script that draws them is there before it is asked for. */
export function servePictures(): void {
  beforeAll(async () => {
    await import("./generic");
    if (!customElements.get("study-picture")) customElements.define("study-picture", StudyPicture);
  });
  beforeEach(answer);
  afterEach(cleared);
}

function answer(): void {
  service.posted = [];
  service.failure = null;
  vi.stubGlobal("fetch", async (_: string, options: RequestInit = {}) => {
    if (options.method === "POST") {
      service.posted.push(JSON.parse(String(options.body)));
      const digest = `abcdef012345${service.posted.length}`;
      return json({ digest, state: "done", stream: "", poll: "/poll", facts: { d_head: 64 } });
    }
    if (service.failure && service.posted.length === 1)
      return json({ state: "failed", frames: [], ...service.failure });
    return json({ state: "done", frames: FRAMES.map((one) => ({ id: `1-${one.n}`, frame: one })) });
  });
}

function cleared(): void {
  vi.unstubAllGlobals();
  document.body.replaceChildren();
  sessionStorage.clear();
  history.replaceState(null, "", "/");
}

export const settled = async () => {
  for (let n = 0; n < 20; n++) await new Promise((resolve) => setTimeout(resolve, 0));
};

export async function player(kind = "kind_of_tomorrow"): Promise<StudyPicture> {
  const element = document.createElement("study-picture") as StudyPicture;
  element.setAttribute("kind", kind);
  element.setAttribute("parameters", '{"d_head":64}');
  element.setAttribute("title", "What d_head does");
  if (kind === "saturation") element.setAttribute("edit", "d_head divisor");
  document.body.append(element);
  await settled();
  return element;
}
export const press = (on: Element | null | undefined, key: string, more: KeyboardEventInit = {}) =>
  on?.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more }));
export const line = (element: Element) => element.querySelector(".scrub");
export const step = (element: Element) => line(element)?.getAttribute("aria-valuetext");
export const button = (element: Element, words: string) =>
  [...element.querySelectorAll("button")].find((one) => one.textContent?.startsWith(words));
