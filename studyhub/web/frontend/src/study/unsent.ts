/** An answer given and not yet sent, kept in this browser's session by card. Knows no element but the form. */
import { el } from "../dom";

const KEPT = "studyhub-unsent:";
const SENT = "studyhub-sent";
const ANSWERS = /^(text|choices|order|(place|cell)-.+)$/;

type Fields = [name: string, value: string][];

const named = (form: HTMLFormElement, name: string): string =>
  (form.elements.namedItem(name) as HTMLInputElement | null)?.value ?? "";

/** The card, its version and the drawn variant: a changed question does not get an old answer. */
export const keyOf = (form: HTMLFormElement): string =>
  KEPT + ["card", "version", "variant_seed"].map((name) => named(form, name)).join(":");

export function keep(form: HTMLFormElement, store: Storage = sessionStorage): void {
  const given = [...new FormData(form)].filter(([name, value]) => ANSWERS.test(name) && value !== "");
  if (given.length) store.setItem(keyOf(form), JSON.stringify(given));
  else store.removeItem(keyOf(form));
}

/** Puts an unsent answer back where nothing is written or chosen yet. True if there was one. */
export function restore(form: HTMLFormElement, store: Storage = sessionStorage): boolean {
  const fields = read(store.getItem(keyOf(form)));
  const empty = ![...new FormData(form)].some(
    ([name, value]) => /^(text|choices|cell-.+)$/.test(name) && value !== "",
  );
  if (!empty || !fields.length) return false;
  for (const [name, value] of fields) put(form, name, value);
  return true;
}

function put(form: HTMLFormElement, name: string, value: string): void {
  for (const field of form.querySelectorAll<HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement>(
    `[name="${CSS.escape(name)}"]`,
  ))
    if (field instanceof HTMLInputElement && ["radio", "checkbox"].includes(field.type))
      field.checked ||= field.value === value;
    else field.value = value;
}

function read(text: string | null): Fields {
  try {
    const fields: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(fields) ? (fields as Fields) : [];
  } catch {
    return [];
  }
}

/** Remembers which answer is on its way. */
export const sending = (form: HTMLFormElement, store: Storage = sessionStorage): void =>
  store.setItem(SENT, keyOf(form));

/** Once an answer has its result, it is unsent no more; those of other cards stay. */
export function forget(store: Storage = sessionStorage): void {
  store.removeItem(store.getItem(SENT) ?? "");
  store.removeItem(SENT);
}

/** Where an answer could not be sent: says that it is still here, which it is, and leads back to its card. */
export function tellKept(root: ParentNode = document, store: Storage = sessionStorage): void {
  const sent = store.getItem(SENT) ?? "";
  const fields = read(store.getItem(sent));
  const line = root.querySelector<HTMLElement>("[data-kept]");
  if (!line || !fields.length) return;
  const text = fields.find(([name]) => name === "text")?.[1];
  const answer = text ? [el("code", {}, text), " "] : [];
  line.replaceChildren(
    "Your answer ",
    ...answer,
    `is kept in this browser. ${line.dataset.kept ?? ""}`.trim(),
  );
  const again = root.querySelector<HTMLAnchorElement>("a[data-again]");
  const card = sent.slice(KEPT.length).split(":")[0] ?? "";
  if (again) again.search = new URLSearchParams({ card }).toString();
}
