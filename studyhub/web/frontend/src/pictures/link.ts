/** A picture's exact state as an address, and back. Knows no player. */
import type { Parameters } from "./types";

export interface Place {
  kind: string;
  step: string;
  edit: string;
  value: number | null;
}

/** The page's address with the picture, its step and its edited number; the section around it as anchor. */
export function linkTo(address: string, place: Place, anchor: string): string {
  const url = new URL(address);
  url.searchParams.set("picture", place.kind);
  url.searchParams.set("step", place.step);
  if (place.edit && place.value !== null) url.searchParams.set(place.edit, String(place.value));
  if (anchor) url.hash = anchor;
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

/** The step and changed parameters an address asks of a picture of this kind; nothing for another kind. */
export function askedOf(address: string, kind: string, edit: string): { step: string; changes: Parameters } {
  const asked = new URL(address).searchParams;
  if (asked.get("picture") !== kind) return { step: "", changes: {} };
  const value = edit ? asked.get(edit) : null;
  const changes = value && /^\d{1,9}$/.test(value) ? { [edit]: Number(value) } : {};
  return { step: asked.get("step") ?? "", changes };
}
