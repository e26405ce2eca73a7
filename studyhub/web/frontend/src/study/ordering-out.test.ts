import { describe, expect, test } from "vitest";
import { press, show, studyPages } from "./elements-page";

studyPages();

const row = (id: string) =>
  `<li class="place" data-id="${id}"><select name="place-${id}"><option value="">-</option><option>1</option><option>2</option><option>3</option><option value="out">not part</option></select><span>${id}</span></li>`;
const ROWS = `<form><study-ordering distractors><ol>${["one", "two", "odd"].map(row).join("")}</ol></study-ordering></form>`;
const at = (id: string) => document.querySelector(`[data-id=${id}]`) as HTMLElement;
const sent = () =>
  Object.fromEntries(new FormData(document.querySelector("form") as HTMLFormElement)) as Record<
    string,
    string
  >;

describe("an order with rows that are no part of it", () => {
  test("everything is part of it at first, and the line below says what it is for", () => {
    show(ROWS);
    expect(sent()).toEqual({ "place-one": "1", "place-two": "2", "place-odd": "3" });
    expect(document.querySelector("ol > li:last-child")?.textContent).toBe("Not part of it");
    expect(document.querySelector(".answer__echo")?.textContent).toBe("3 placed");
  });

  test("a row moved across the line is left out, is spoken of so, and comes back", () => {
    show(ROWS);
    press("ArrowDown", at("odd"), { altKey: true });
    expect(sent()).toEqual({ "place-one": "1", "place-two": "2", "place-odd": "out" });
    expect(document.querySelector("[aria-live]")?.textContent).toBe("odd, now not part of it");
    expect(document.querySelector(".answer__echo")?.textContent).toBe("2 placed, 1 not part of it");
    press("ArrowUp", at("odd"), { altKey: true });
    press("ArrowUp", at("odd"), { altKey: true });
    expect(sent()).toEqual({ "place-one": "1", "place-two": "3", "place-odd": "2" });
  });

  test("arrows step over the line, and Escape puts a lifted row back above it", () => {
    show(ROWS);
    press("ArrowDown", at("odd"), { altKey: true });
    at("two").focus();
    press("ArrowDown", at("two"));
    expect(document.activeElement).toBe(at("odd"));
    press(" ", at("odd"));
    press("ArrowUp", at("odd"));
    expect(sent()["place-odd"]).toBe("3");
    press("Escape", at("odd"));
    expect(sent()["place-odd"]).toBe("out");
  });

  test("rows that were left out before are below the line again", () => {
    show(ROWS.replace('name="place-one"><option value="">', 'name="place-one"><option value="" >'));
    press("ArrowDown", at("one"), { altKey: true });
    show(ROWS);
    const select = at("one").querySelector("select") as HTMLSelectElement;
    select.value = "out";
    (document.querySelector("study-ordering") as unknown as { takeUp(): void }).takeUp();
    expect([...document.querySelectorAll("li")].map((one) => one.dataset.id ?? "line")).toEqual([
      "two",
      "odd",
      "line",
      "one",
    ]);
  });
});
