/** Where a player stands among its steps. Pure: no DOM, no clock. */

export interface Scrub {
  readonly names: readonly string[];
  /** The step shown, from 0. */
  readonly at: number;
  /** How many steps can be shown now. */
  readonly ready: number;
  /** How many steps have been looked at; the next one may still be predicted. */
  readonly revealed: number;
  readonly playing: boolean;
}

export const EMPTY: Scrub = { names: [], at: 0, ready: 0, revealed: 0, playing: false };

/** Stands at `at`, held between the first step and the last ready one. */
export function goTo(scrub: Scrub, at: number): Scrub {
  const held = Math.max(0, Math.min(scrub.ready - 1, Math.round(at)));
  return { ...scrub, at: held, revealed: Math.max(scrub.revealed, Math.min(scrub.ready, held + 1)) };
}

export const step = (scrub: Scrub, by: number): Scrub => goTo(scrub, scrub.at + by);

/** More steps have become ready, or (after a reset) fewer. */
export function extend(scrub: Scrub, names: readonly string[], ready: number): Scrub {
  return goTo({ ...scrub, names, ready, revealed: Math.min(scrub.revealed, ready) }, scrub.at);
}

/** Starts playing, from the beginning if the end is shown; stops if playing. */
export function toggle(scrub: Scrub): Scrub {
  if (scrub.playing) return { ...scrub, playing: false };
  const atEnd = scrub.at >= scrub.names.length - 1;
  return { ...(atEnd ? goTo(scrub, 0) : scrub), playing: scrub.ready > 1 };
}

/** One beat of playing: the next step, a rest where the next is not ready, a stop at the end. */
export function tick(scrub: Scrub): Scrub {
  if (!scrub.playing) return scrub;
  const next = scrub.at + 1 < scrub.ready ? step(scrub, 1) : scrub;
  return next.at >= next.names.length - 1 ? { ...next, playing: false } : next;
}

/** The step after the one shown, if it has not been looked at: what can still be predicted. */
export function predictable(scrub: Scrub): string {
  const next = scrub.at + 1;
  return next < scrub.ready && next >= scrub.revealed ? (scrub.names[next] ?? "") : "";
}

/** What a screen reader says of the slider: "transpose, step 4 of 7". */
export function valueText(scrub: Scrub): string {
  return `${scrub.names[scrub.at] ?? "no step yet"}, step ${scrub.at + 1} of ${scrub.names.length}`;
}
