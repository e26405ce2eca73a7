import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { StudyPicture } from "./player";
import type { Frame } from "./types";

/** A kind that the front end has no row for: its frames are drawn by their layouts. */
const frame = (n: number, step: string, more: Partial<Frame> = {}): Frame => ({
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
    columns: ["d_head", "max p, scaled", "max p, yours"],
    rows: [8, 16, 32, 64].map((x) => [x, 1 / x, 0.5]),
  },
  error: "",
  tensors: [],
  stamp: { torch: "2.14.1", device: "CPU", engine: "2" },
  ...more,
});

const FRAMES = [
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

let posted: { parameters: Record<string, unknown>; seed: number }[];
let failure: { code: string; sentence: string } | null;

const json = (body: unknown) => new Response(JSON.stringify(body), { status: 200 });

beforeAll(() => customElements.define("study-picture", StudyPicture));

beforeEach(() => {
  posted = [];
  failure = null;
  vi.stubGlobal("fetch", async (_: string, options: RequestInit = {}) => {
    if (options.method === "POST") {
      posted.push(JSON.parse(String(options.body)));
      const digest = `abcdef012345${posted.length}`;
      return json({ digest, state: "done", stream: "", poll: "/poll", facts: { d_head: 64 } });
    }
    if (failure && posted.length === 1) return json({ state: "failed", frames: [], ...failure });
    return json({ state: "done", frames: FRAMES.map((one) => ({ id: `1-${one.n}`, frame: one })) });
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
  document.body.replaceChildren();
  sessionStorage.clear();
  history.replaceState(null, "", "/");
});

const settled = async () => {
  for (let n = 0; n < 20; n++) await new Promise((resolve) => setTimeout(resolve, 0));
};

async function player(kind = "kind_of_tomorrow"): Promise<StudyPicture> {
  const element = document.createElement("study-picture") as StudyPicture;
  element.setAttribute("kind", kind);
  element.setAttribute("parameters", '{"d_head":64}');
  element.setAttribute("title", "What d_head does");
  if (kind === "saturation") element.setAttribute("edit", "d_head divisor");
  document.body.append(element);
  await settled();
  return element;
}
const press = (on: Element | null | undefined, key: string, more: KeyboardEventInit = {}) =>
  on?.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more }));
const line = (element: Element) => element.querySelector(".scrub");
const step = (element: Element) => line(element)?.getAttribute("aria-valuetext");
const button = (element: Element, words: string) =>
  [...element.querySelectorAll("button")].find((one) => one.textContent?.startsWith(words));

test("a kind without a row is drawn by the layout of each frame", async () => {
  const element = await player();
  expect(element.dataset.phase).toBe("drawn");
  const drawn: Record<string, string> = {};
  for (const { step: name } of FRAMES) {
    const body = element.querySelector<HTMLElement>(".generic__body");
    drawn[name] = body?.hidden ? "table" : (body?.firstElementChild?.className ?? "");
    expect(element.querySelector(".frame-head")?.textContent).toContain(`What ${name} says.`);
    press(line(element), "ArrowRight");
  }
  expect(drawn).toEqual({ sweep: "series", map: "maps", count: "table", words: "table", store: "tape" });
});

test("torch's own words are shown whole, and a frame read in its table shows it in every view", async () => {
  const element = await player();
  press(line(element), "ArrowRight");
  press(line(element), "ArrowRight");
  expect(element.querySelector("samp")?.textContent).toBe(FRAMES[2]?.error);
  expect(element.querySelector<HTMLElement>(".picture__table")?.hidden).toBe(false);
});

test("arrows, Home and End walk the steps, T shows the table and keeps the choice", async () => {
  const element = await player();
  press(line(element), "End");
  expect(step(element)).toBe("store, step 5 of 5");
  press(line(element), "Home");
  press(line(element), "ArrowRight");
  expect(step(element)).toBe("map, step 2 of 5");
  press(line(element), "t");
  expect(element.querySelector<HTMLElement>(".picture__stage")?.hidden).toBe(true);
  expect(element.querySelector("caption")?.textContent).toBe("map over d_head");
  const other = await player();
  expect(other.querySelector<HTMLElement>(".picture__table")?.hidden).toBe(false);
});

test("a point of a chart marks its row, a row marks its point, and the selection outlives the toggle", async () => {
  const element = await player();
  const plot = element.querySelector(".series__plot");
  press(plot, "ArrowRight");
  press(plot, "ArrowRight");
  expect(plot?.getAttribute("aria-valuetext")).toContain("d_head 16. max p: scaled 0.063, yours 0.500");
  expect(step(element)).toBe("sweep, step 1 of 5");
  press(line(element), "t");
  const rows = () => [...element.querySelectorAll<HTMLElement>("tbody tr")];
  expect(rows().findIndex((row) => row.getAttribute("aria-current") === "true")).toBe(1);
  rows()[3]?.dispatchEvent(new FocusEvent("focusin", { bubbles: true }));
  press(line(element), "t");
  expect(plot?.getAttribute("aria-valuetext")).toContain("d_head 64");
  expect(element.querySelectorAll(".series__now .series__mark")).toHaveLength(2);
});

test("a link opens the very state: step, numbers, seed and what is pointed at", async () => {
  history.replaceState(
    null,
    "",
    "/topics/x/?picture=saturation&step=sweep&d_head=128&divisor=8&seed=7&at=2.1",
  );
  const element = await player("saturation");
  expect(posted[0]).toMatchObject({ parameters: { d_head: 128, divisor: "8" }, seed: 7 });
  expect(element.querySelector(".series__plot")?.getAttribute("aria-valuetext")).toContain("d_head 32");
});

test("L copies the address of the state", async () => {
  const written = vi.fn(async (_text: string) => {});
  vi.stubGlobal("navigator", { clipboard: { writeText: written } });
  const element = await player("saturation");
  press(element.querySelector(".series__plot"), "ArrowRight");
  press(line(element), "l");
  await settled();
  expect(new URL(String(written.mock.calls[0]?.[0])).search).toBe("?picture=saturation&step=sweep&at=0.0");
});

test("only what the page lets change has a field, and a change asks for the picture of the new numbers", async () => {
  const element = await player("saturation");
  expect([...element.querySelectorAll("[name]")].map((one) => one.getAttribute("name"))).toEqual([
    "d_head",
    "divisor",
  ]);
  const field = element.querySelector<HTMLInputElement>("[name=d_head]");
  expect(field?.value).toBe("64");
  if (field) field.value = "256";
  field?.dispatchEvent(new Event("change", { bubbles: true }));
  await settled();
  expect(posted.at(-1)?.parameters).toEqual({ d_head: 256 });
});

test("X goes to the first field that may be changed", async () => {
  const element = await player("saturation");
  press(line(element), "x");
  expect(document.activeElement?.getAttribute("name")).toBe("d_head");
});

test("an engine updated in between is asked again by itself", async () => {
  failure = { code: "invalid-spec", sentence: "engine 1 drew this; here is 2: ask again" };
  const element = await player();
  expect([posted.length, element.dataset.phase]).toEqual([2, "drawn"]);
});

test("a picture that failed says why and offers another try", async () => {
  failure = { code: "no-worker", sentence: "No worker took this picture." };
  const element = await player();
  expect(element.querySelector(".picture__stamp")?.textContent).toContain("No worker took this picture.");
  button(element, "Try again")?.click();
  await settled();
  expect(element.dataset.phase).toBe("drawn");
});

test("the files are a menu that keys reach: Escape closes it, JSON holds spec, address, facts and frames", async () => {
  const element = await player();
  let saved: Blob | null = null;
  vi.stubGlobal(
    "URL",
    Object.assign(URL, {
      createObjectURL: (blob: Blob) => {
        saved = blob;
        return "blob:x";
      },
      revokeObjectURL: () => {},
    }),
  );
  const menu = element.querySelector<HTMLDetailsElement>(".picture__export");
  if (menu) menu.open = true;
  press(menu?.querySelector("button"), "Escape");
  expect(menu?.open).toBe(false);
  button(element, "JSON")?.click();
  await vi.waitFor(() => expect(saved).not.toBeNull(), 10_000);
  const told = JSON.parse(await (saved as unknown as Blob).text());
  expect(Object.keys(told)).toEqual(["spec", "digest", "facts", "frames"]);
  expect([told.digest, told.frames.length]).toEqual(["abcdef0123451", 5]);
}, 15_000);

test("no step of any layout has more than 2,000 elements, table and all", async () => {
  const most = 500;
  FRAMES[0] = frame(0, "sweep", {
    table: {
      columns: ["d_head", ...Array.from({ length: 9 }, (_, n) => `panel ${n % 3}, line ${n}`)],
      rows: Array.from({ length: most }, (_, r) => [r + 1, ...Array.from({ length: 9 }, (_, c) => r * c)]),
    },
  });
  const element = await player();
  press(line(element), "t");
  for (let n = 0; n < FRAMES.length; n++) {
    expect(element.querySelectorAll("*").length).toBeLessThanOrEqual(2000);
    press(line(element), "ArrowRight");
  }
});

test("everything that can be operated has a name", async () => {
  const element = await player("saturation");
  for (const one of element.querySelectorAll(
    "button, summary, input, select, canvas, [role=slider], [role=group], [role=region]",
  ))
    if (!one.closest("[hidden]"))
      expect(
        one.getAttribute("aria-label") || one.textContent?.trim() || one.closest("label")?.textContent,
        one.outerHTML,
      ).toBeTruthy();
});
