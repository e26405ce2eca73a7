/** A picture's title: the heading just before the element, else its `title` attribute (which would be a tooltip). */
import { el } from "../dom";

/** Takes the title out of the page's flow; it gets an id, so that it can name the picture. */
export function takeTitle(element: HTMLElement): HTMLElement | null {
  const text = element.getAttribute("title") ?? "";
  element.removeAttribute("title");
  const before = element.previousElementSibling;
  const heading = before instanceof HTMLHeadingElement ? before : text ? el("h3", {}, text) : null;
  if (heading && !heading.id) heading.id = `picture-${crypto.randomUUID().slice(0, 8)}`;
  return heading;
}
