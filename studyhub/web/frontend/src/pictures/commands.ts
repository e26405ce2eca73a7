/** What a key asks of a player that has focus inside. Knows no player. */
import { plain, typing } from "../dom";

export type Command = "next" | "back" | "first" | "last" | "play" | "table" | "link" | "edit";

const COMMANDS: Record<string, Command> = {
  ArrowRight: "next",
  ArrowLeft: "back",
  Home: "first",
  End: "last",
  " ": "play",
  t: "table",
  l: "link",
  x: "edit",
};

const SLIDES = /^(Arrow|Home|End|Page)/;

/** True where a key moves the slider that has focus. */
const sliding = ({ key, target }: KeyboardEvent): boolean =>
  target instanceof HTMLInputElement && target.type === "range" && SLIDES.test(key);

/** True for a press that belongs to the browser or to a field. */
export const foreign = (event: KeyboardEvent): boolean =>
  !plain(event) || typing(event.target) || sliding(event);

/** The command of a key press; Space on a button presses that button. */
export function commandOf(event: KeyboardEvent): Command | null {
  if (foreign(event) || event.shiftKey) return null;
  const control = event.target instanceof Element && event.target.closest("button, a, summary");
  return event.key === " " && control ? null : (COMMANDS[event.key] ?? null);
}
