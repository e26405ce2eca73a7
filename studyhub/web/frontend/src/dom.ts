/** Makes elements without markup in strings, so that no policy needs loosening. Knows no page. */

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | null | undefined | EventListener>;

function assign(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.replace(/^on/, ""), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined)
      element.setAttribute(name, String(value));
  }
}

/** `el("p", { class: "note" }, "text")`; functions become listeners, `false` and `null` are left out. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  assign(element, attributes);
  element.append(...kept(children));
  return element;
}

export function svg(tag: string, attributes: Attributes = {}, ...children: Child[]): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  assign(element, attributes);
  element.append(...kept(children));
  return element;
}

const kept = (children: Child[]): (Node | string)[] =>
  children.filter(
    (child): child is Node | string => child !== null && child !== undefined && child !== false,
  );

/** True where a key press belongs to what is being typed or chosen, so no single letter may act. */
export function typing(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement) return true;
  if (target instanceof HTMLSelectElement) return true;
  if (!(target instanceof HTMLInputElement)) return false;
  return !["radio", "checkbox", "button", "submit", "reset", "range", "color", "file"].includes(target.type);
}

/** True for a key press without Ctrl, Alt or Meta: only those may be single-letter commands. */
export const plain = (event: KeyboardEvent): boolean => !event.ctrlKey && !event.altKey && !event.metaKey;

export const still = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;
