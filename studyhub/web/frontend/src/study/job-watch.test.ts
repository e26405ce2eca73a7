import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { JobWatch } from "./job-watch";

customElements.define("job-watch", JobWatch);

const page = (live: boolean, body: string) =>
  `<job-watch id="plan"${live ? " data-live" : ""} data-ready="The plan is here."><p role="status"></p><div data-body>${body}</div></job-watch>`;
const waits = (percent: number) =>
  `<h2 tabindex="-1">On its way</h2><p data-said>${percent}% done.</p><progress value="${percent}"></progress><a href="">Look again</a>`;
const text = (selector: string) => document.querySelector(selector)?.textContent;

let answers: (string | null)[];

beforeEach(() => {
  vi.useFakeTimers();
  answers = [];
  vi.stubGlobal("fetch", async () => {
    const next = answers.shift();
    if (next === null || next === undefined) throw new TypeError("no network");
    return new Response(next);
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  document.body.innerHTML = "";
});

test("how far it is goes on in place, and what was made takes its place", async () => {
  answers = [page(true, waits(40)), page(false, "<h2 tabindex='-1'>The plan</h2>")];
  document.body.innerHTML = page(true, waits(10));
  await vi.advanceTimersByTimeAsync(1100);
  expect(text("[data-said]")).toBe("40% done.");
  expect(document.querySelector("progress")?.getAttribute("value")).toBe("40");
  await vi.advanceTimersByTimeAsync(1100);
  expect(text("h2")).toBe("The plan");
  expect(text("[role=status]")).toBe("The plan is here.");
});

test("focus that was in what goes away comes to the heading of what comes", async () => {
  answers = [page(false, "<h2 tabindex='-1'>The plan</h2>")];
  document.body.innerHTML = page(true, waits(10));
  document.querySelector<HTMLElement>("a")?.focus();
  await vi.advanceTimersByTimeAsync(1100);
  expect(document.activeElement?.textContent).toBe("The plan");
});

test("a service that does not answer is told and asked again", async () => {
  answers = [null, page(false, "<h2 tabindex='-1'>The plan</h2>")];
  document.body.innerHTML = page(true, waits(10));
  await vi.advanceTimersByTimeAsync(1100);
  expect(text("[role=status]")).toContain("does not answer");
  await vi.advanceTimersByTimeAsync(1100);
  expect(text("h2")).toBe("The plan");
});

test("nothing is asked where nothing is under way", async () => {
  document.body.innerHTML = page(false, "<h2>The plan</h2>");
  const asked = vi.fn();
  vi.stubGlobal("fetch", asked);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(asked).not.toHaveBeenCalled();
});
