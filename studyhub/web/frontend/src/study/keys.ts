/** Single keys of a page: whatever carries `data-key`, where no field has focus. Knows no action. */
import { plain, typing } from "../dom";

/** The element that a key press acts on, or null. Escape first leaves a field. */
export function target(key: string, root: ParentNode = document): HTMLElement | null {
  const wanted = key.length === 1 ? key.toLowerCase() : key;
  const found = [...root.querySelectorAll<HTMLElement>("[data-key]")];
  return found.find((one) => one.dataset.key === wanted && !one.matches(":disabled")) ?? null;
}

/** A field of text, or with Escape anything of the answer that has focus: a row, a choice, a button. */
const inField = (event: KeyboardEvent): boolean =>
  typing(event.target) ||
  (event.key === "Escape" && event.target instanceof Element && event.target.closest("form.answer") !== null);

function leaveField(event: KeyboardEvent): void {
  if (event.key === "Escape" && event.target instanceof HTMLElement) event.target.blur();
}

/** "Why" opens by E, "Try another" is focused by X: keys that pages name in words only. */
function open(key: string): HTMLElement | null {
  if (key === "x") return document.querySelector<HTMLElement>('[data-testid="try-another"], #try');
  if (key !== "e") return null;
  const named = [...document.querySelectorAll<HTMLElement>("summary")];
  return named.find((summary) => summary.querySelector("kbd")?.textContent === "E") ?? null;
}

export function act(event: KeyboardEvent): void {
  if (event.defaultPrevented || !plain(event) || event.isComposing || event.repeat) return;
  if (document.querySelector("dialog[open]")) return;
  if (inField(event)) leaveField(event);
  else press(event);
}

function press(event: KeyboardEvent): void {
  const found = target(event.key) ?? open(event.key.toLowerCase());
  if (!found) return;
  event.preventDefault();
  if (found instanceof HTMLInputElement) found.focus();
  else if (found.tagName === "SUMMARY") unfold(found);
  else found.click();
}

/** Opens a fold and goes to it; pressed again there, it closes. */
function unfold(summary: HTMLElement): void {
  const fold = summary.closest("details");
  if (fold) fold.open = !fold.open || document.activeElement !== summary;
  summary.focus();
  summary.scrollIntoView({ block: "nearest" });
}

export function startKeys(): void {
  document.addEventListener("keydown", act);
}
