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

/** True for a press that belongs to the browser or to a field. */
export const foreign = (event: KeyboardEvent): boolean => !plain(event) || typing(event.target);

/** The command of a key press; Space on a button presses that button. */
export function commandOf(event: KeyboardEvent): Command | null {
  if (foreign(event) || event.shiftKey) return null;
  const control = event.target instanceof Element && event.target.closest("button, a, summary");
  return event.key === " " && control ? null : (COMMANDS[event.key] ?? null);
}
