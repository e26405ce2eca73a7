import { expect, test } from "vitest";
import { wholeNumber } from "../pictures/try";
import { startTrying } from "./trying";

test.each([
  ["16", 16],
  [" 1,024 ", 1024],
  ["0", null],
  ["-1", null],
  ["abc", null],
  ["2.5", null],
  ["1e3", null],
  ["", null],
])("%s heads to try", (typed, value) => {
  expect(wholeNumber(typed)).toBe(value);
});

test("what is no whole number is told so beside the field, and nothing is sent", () => {
  document.body.innerHTML = `<div class="result__foot"><form><input name="try" value="2.5"></form><p class="result__untried"></p></div>`;
  startTrying();
  const event = new Event("submit", { cancelable: true, bubbles: true });
  document.querySelector("form")?.dispatchEvent(event);
  expect(event.defaultPrevented).toBe(true);
  expect(document.querySelector("p")?.textContent).toBe("Give one whole number of 1 or more.");
  expect(document.querySelector("input")?.getAttribute("aria-invalid")).toBe("true");
});
