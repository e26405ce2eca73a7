/** A picture's exact state as an address, and back. Knows no player. */
import type { Place } from "./scene";
import type { Parameters } from "./types";

export interface State {
  kind: string;
  /** Which of the page's pictures of this kind, counted from 0. */
  nth: number;
  step: string;
  /** Parameters that are not what the page asked for. */
  changes: Parameters;
  /** The seed, where it is not the page's own. */
  seed: number | null;
  place: Place | null;
}

/** The step in an address whose other names are parameters: one kind has a parameter `step`. */
const SHOWN = "show";
const OURS = ["picture", "nth", "step", "seed", "at"];

const written = (value: unknown): string => (Array.isArray(value) ? `[${value.join(",")}]` : String(value));

/** The page's address with the state of one picture; the section around it as anchor. */
export function linkTo(address: string, state: State, anchor: string): string {
  const url = new URL(address);
  for (const name of OURS) url.searchParams.delete(name);
  url.searchParams.set("picture", state.kind);
  if (state.nth > 0) url.searchParams.set("nth", String(state.nth));
  if (state.step) url.searchParams.set("step", state.step);
  for (const [name, value] of Object.entries(state.changes)) url.searchParams.set(name, written(value));
  if (state.seed !== null) url.searchParams.set("seed", String(state.seed));
  if (state.place?.length) url.searchParams.set("at", state.place.join("."));
  if (anchor) url.hash = anchor;
  return url.href;
}

/** The address of the page whose one picture this is: every parameter that was given, the step, the place, the seed. */
export function labLink(address: string, path: string, state: Omit<State, "kind" | "nth">): string {
  const url = new URL(address);
  url.pathname = path;
  url.search = url.hash = "";
  for (const [name, value] of Object.entries(state.changes))
    if (value !== "" && String(value) !== "") url.searchParams.set(name, written(value));
  if (state.seed) url.searchParams.set("seed", String(state.seed));
  if (state.step) url.searchParams.set(SHOWN, state.step);
  if (state.place?.length) url.searchParams.set("at", state.place.join("."));
  return url.href;
}

/** Puts the address on the clipboard; false where the browser does not let it. */
export async function copied(link: string): Promise<boolean> {
  return (
    (await navigator.clipboard?.writeText(link).then(
      () => true,
      () => false,
    )) ?? false
  );
}

const whole = (text: string | null): number | null => (text && /^\d{1,9}$/.test(text) ? Number(text) : null);

/** A parameter as it stood in an address: a text stays text where its field takes text. */
function value(text: string, texts: boolean): unknown {
  if (texts) return text;
  const list = /^\[([\d,]*)\]$/.exec(text);
  if (list) return (list[1] ?? "").split(",").filter(Boolean).map(Number);
  return whole(text) ?? text;
}

/** The parameters that `now` has otherwise than `first`. */
export function changesOf(first: Parameters, now: Parameters): Parameters {
  const differs = ([name, value]: [string, unknown]) => written(value) !== written(first[name]);
  return Object.fromEntries(Object.entries(now).filter(differs));
}

/** What an address asks of the picture `nth` of a kind; null where it asks of another, or of none.
 * `takes` are the parameters that may be asked for, true where one takes text. */
export function stateIn(
  address: string,
  kind: string,
  nth: number,
  takes: ReadonlyMap<string, boolean>,
): State | null {
  const asked = new URL(address).searchParams;
  if (asked.get("picture") !== kind || (whole(asked.get("nth")) ?? 0) !== nth) return null;
  const changes: Parameters = {};
  for (const [name, texts] of takes) {
    const text = asked.get(name);
    if (text) changes[name] = value(text, texts);
  }
  return { kind, nth, changes, seed: whole(asked.get("seed")), ...spotIn(asked) };
}

/** The step and the place in it that an address asks for. */
export function spotIn(asked: URLSearchParams): Pick<State, "step" | "place"> {
  const at = asked.get("at") ?? "";
  const place = /^\d{1,6}(\.\d{1,6}){0,9}$/.test(at) ? at.split(".").map(Number) : null;
  return { step: asked.get(SHOWN) ?? asked.get("step") ?? "", place };
}
