/** What a `<study-picture>` says of itself on its page, what a link to it asks, and the link to what it shows. Draws nothing. */
import type { Kind } from "./kinds";
import { changesOf, labLink, linkTo, type State, spotIn, stateIn } from "./link";
import type { Spec } from "./types";

/** Kind, parameters and seed of the picture that the page asks for. */
export function specOf(element: HTMLElement): Spec {
  return {
    kind: element.getAttribute("kind") ?? "",
    parameters: JSON.parse(element.getAttribute("parameters") || "{}"),
    seed: Number(element.getAttribute("seed") ?? 0),
  };
}

/** Names of what the page lets a reader change. */
export const allowedOf = (element: HTMLElement): string[] =>
  (element.getAttribute("edit") ?? "").split(" ").filter(Boolean);

/** True where the page is about this picture alone: its address says the picture's state, and made the attributes. */
export const inLab = (element: HTMLElement): boolean => element.hasAttribute("lab");

/** Which of the page's pictures of its kind it is. */
function nthOf(element: HTMLElement): number {
  const kind = element.getAttribute("kind") ?? "";
  return Math.max(
    0,
    [...document.querySelectorAll(`study-picture[kind="${CSS.escape(kind)}"]`)].indexOf(element),
  );
}

/** What a link may change: what the page lets a reader change, and what the picture changes by itself. */
function takes(element: HTMLElement, { edits, carries }: Kind): Map<string, boolean> {
  const texts = (name: string) => edits.some((edit) => edit.name === name && edit.takes !== "number");
  return new Map([...allowedOf(element), ...carries].map((name) => [name, texts(name)]));
}

/** The state that the page's address asks of this picture; null where it asks nothing of it. */
export function askedOf(element: HTMLElement, kind: Kind): State | null {
  const { kind: name, seed } = specOf(element);
  if (!inLab(element)) return stateIn(location.href, name, nthOf(element), takes(element, kind));
  const spot = spotIn(new URL(location.href).searchParams);
  return { kind: name, nth: 0, changes: {}, seed, ...spot };
}

/** The address of what the picture shows now, with the section around it as anchor. */
export function addressOf(element: HTMLElement, kind: Kind, shown: Shown): string {
  if (inLab(element)) return labAddressOf(shown);
  const { step, parameters, seed, place } = shown;
  const first = specOf(element);
  const may = takes(element, kind);
  const carried = Object.entries(changesOf(first.parameters, parameters)).filter(([name]) => may.has(name));
  const state: State = {
    kind: first.kind,
    nth: nthOf(element),
    step,
    changes: Object.fromEntries(carried),
    seed: seed === first.seed ? null : seed,
    place,
  };
  return linkTo(location.href, state, element.closest("[id]:not(main)")?.id ?? "");
}

/** The address in the lab of what is shown. */
export const labAddressOf = ({ kind, step, parameters, seed, place }: Shown): string =>
  labLink(location.href, `/lab/${kind}/`, { step, changes: parameters, seed, place });

export type Shown = Spec & Pick<State, "step" | "place">;
