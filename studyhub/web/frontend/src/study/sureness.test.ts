import { beforeAll, expect, test } from "vitest";
import { press, show, studyPages } from "./elements-page";
import { startMenus } from "./menus";
import { startSureness } from "./sureness";

studyPages();
beforeAll(() => {
  startMenus();
  startSureness();
});

const SURE = `<fieldset class="sure"><label><input type="radio" name="confidence" value="40"> Guess 40%</label>
  <label><input type="radio" name="confidence" value="95"> Sure 95%</label><p role="status"></p></fieldset>`;
const chosen = () => document.querySelector<HTMLInputElement>(":checked")?.value ?? "";
const said = () => document.querySelector("[role=status]")?.textContent;

test("F2 steps through how sure one is, says it, and ends at nothing said, in a field too", () => {
  show(`${SURE}<input id="answer">`);
  const field = document.querySelector("#answer") as Element;
  const heard = [1, 2, 3, 4].map(() => {
    press("F2", field);
    return [chosen(), said()];
  });
  expect(heard).toEqual([
    ["40", "Guess 40%"],
    ["95", "Sure 95%"],
    ["", "Nothing said"],
    ["40", "Guess 40%"],
  ]);
});

test("F2 stays the browser's where nothing is to be sure of", () => {
  show("<p>Read</p>");
  expect(press("F2")).toBe(true);
});

test("Escape closes an open menu and does not end the session", () => {
  show(
    '<a data-key="Escape" href="#end">End</a><details class="more" open><summary>More</summary></details>',
  );
  const menu = document.querySelector("details") as HTMLDetailsElement;
  expect(press("Escape")).toBe(false);
  expect(menu.open).toBe(false);
});

test("a press elsewhere closes the menu, one inside leaves it open", () => {
  show('<p>Text</p><details class="more" open><summary>More</summary><button>Suspend</button></details>');
  const menu = document.querySelector("details") as HTMLDetailsElement;
  const down = (selector: string) =>
    document.querySelector(selector)?.dispatchEvent(new Event("pointerdown", { bubbles: true }));
  down("button");
  expect(menu.open).toBe(true);
  down("p");
  expect(menu.open).toBe(false);
});
