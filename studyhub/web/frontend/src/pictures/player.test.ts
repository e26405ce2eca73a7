import { expect, test, vi } from "vitest";
import { button, FRAMES, frame, line, player, press, servePictures, step } from "./player-page";

servePictures();

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
  expect(plot?.getAttribute("aria-valuetext")).toContain("d_head 16. max p: scaled 0.0625, ÷ 8 0.500");
  expect(step(element)).toBe("sweep, step 1 of 5");
  press(line(element), "t");
  const rows = () => [...element.querySelectorAll<HTMLElement>("tbody tr")];
  expect(rows().findIndex((row) => row.getAttribute("aria-current") === "true")).toBe(1);
  rows()[3]?.dispatchEvent(new FocusEvent("focusin", { bubbles: true }));
  press(line(element), "t");
  expect(plot?.getAttribute("aria-valuetext")).toContain("d_head 64");
  expect(element.querySelectorAll(".series__now .series__mark")).toHaveLength(2);
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
