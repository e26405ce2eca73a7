/** A list of rows in order, and what moving one says. Pure. */

/** The list with the item at `from` standing at `to`; places outside the list are held at its ends. */
export function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const rest = list.filter((_, i) => i !== from);
  const item = list[from];
  if (item === undefined) return [...list];
  rest.splice(Math.max(0, Math.min(rest.length, to)), 0, item);
  return rest;
}

/** "2 of 5", or below the line "not part of it". */
export const where = (at: number, length: number): string =>
  at < length ? `${at + 1} of ${length}` : "not part of it";

/** "view, now 2 of 5": what is spoken after a move. */
export const spoken = (name: string, at: number, length: number): string =>
  `${name}, now ${where(at, length)}`;

/** Which place a pointer at `y` asks for among rows whose middles are given, the lifted row left out. */
export const placeFor = (y: number, middles: readonly number[]): number =>
  middles.filter((middle) => y > middle).length;
