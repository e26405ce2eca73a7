import { expect, test } from "vitest";
import { commandOf, foreign } from "./commands";

const pressed = (key: string, target: Element, more: KeyboardEventInit = {}) => {
  const event = new KeyboardEvent("keydown", { key, ...more });
  Object.defineProperty(event, "target", { value: target });
  return event;
};
const line = document.createElement("div");
const button = document.createElement("button");
const field = document.createElement("input");

test("arrows, Home, End, Space, T and L are the player's", () => {
  const commands = ["ArrowRight", "ArrowLeft", "Home", "End", " ", "t", "l"].map((key) =>
    commandOf(pressed(key, line)),
  );
  expect(commands).toEqual(["next", "back", "first", "last", "play", "table", "link"]);
});

test("Space on a button presses the button, arrows there still step", () => {
  expect(commandOf(pressed(" ", button))).toBeNull();
  expect(commandOf(pressed("ArrowRight", button))).toBe("next");
});

test("nothing acts while a field has focus or a browser's key is held", () => {
  expect(commandOf(pressed("t", field))).toBeNull();
  expect(commandOf(pressed("l", line, { ctrlKey: true }))).toBeNull();
  expect(foreign(pressed("[", field))).toBe(true);
  expect(foreign(pressed("[", line))).toBe(false);
});

test("Shift with an arrow is left to the picture", () => {
  expect(commandOf(pressed("ArrowRight", line, { shiftKey: true }))).toBeNull();
});

test("arrows on a slider move the slider, other keys are still the player's", () => {
  const slider = Object.assign(document.createElement("input"), { type: "range" });
  document.body.append(slider);
  const heard: (string | null)[] = [];
  slider.addEventListener("keydown", (event) => heard.push(commandOf(event)));
  for (const key of ["ArrowRight", "Home", "t"])
    slider.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  expect(heard).toEqual([null, null, "table"]);
});
