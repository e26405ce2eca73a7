/** An answer typed and not yet sent, kept in this browser's session by card. Knows no element but the form. */

const named = (form: HTMLFormElement, name: string): string =>
  (form.elements.namedItem(name) as HTMLInputElement | null)?.value ?? "";

/** The card, its version and the drawn variant: a changed question does not get an old answer. */
export const keyOf = (form: HTMLFormElement): string =>
  `studyhub-unsent:${["card", "version", "variant_seed"].map((name) => named(form, name)).join(":")}`;

export function keep(form: HTMLFormElement, store: Storage = sessionStorage): void {
  const text = named(form, "text");
  if (text) store.setItem(keyOf(form), text);
  else store.removeItem(keyOf(form));
}

export const kept = (form: HTMLFormElement, store: Storage = sessionStorage): string =>
  store.getItem(keyOf(form)) ?? "";

/** Once an answer has its result, nothing is unsent any more. */
export function forget(store: Storage = sessionStorage): void {
  for (const key of Object.keys(store)) if (key.startsWith("studyhub-unsent:")) store.removeItem(key);
}
