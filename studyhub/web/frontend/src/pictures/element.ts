/** The one element that a split follows: as a place, in a table, moved by keys. Pure. */
import type { Element3 } from "./pieces";
import type { Place, Spot } from "./scene";
import type { Cell, Frame } from "./types";

export const numbers = ({ t, h, d }: Element3): Place => [t, h, d];

export const elementOf = ([t, h, d]: Place, now: Element3): Element3 => ({
  t: t ?? now.t,
  h: h ?? now.h,
  d: d ?? now.d,
});

/** The whole numbers in a table's name of an element. */
export const numbersIn = (cell: Cell | undefined): number[] =>
  (String(cell ?? "").match(/[\d,]*\d/g) ?? []).map((digits) => Number(digits.replaceAll(",", "")));

export const same = (one: Element3, other: Element3) =>
  one.t === other.t && one.h === other.h && one.d === other.d;

/** Shift with arrows walks the traced element; `[` and `]` change its head. */
export const MOVES: Record<string, Element3> = {
  "Shift+ArrowUp": { t: -1, h: 0, d: 0 },
  "Shift+ArrowDown": { t: 1, h: 0, d: 0 },
  "Shift+ArrowLeft": { t: 0, h: 0, d: -1 },
  "Shift+ArrowRight": { t: 0, h: 0, d: 1 },
  "[": { t: 0, h: -1, d: 0 },
  "]": { t: 0, h: 1, d: 0 },
};

/** The row of a frame's table that is named by an element, if there is one. */
export function rowOf(place: Place, { table }: Frame): Spot | null {
  const row = table.rows.findIndex(([element]) => String(numbersIn(element)) === String(place));
  return row < 0 ? null : { row };
}
