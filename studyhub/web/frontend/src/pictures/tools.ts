/** The link and the files of a picture, as buttons at its foot. Knows no drawing. */
import { el } from "../dom";
import type { Session } from "./session";
import type { Frame } from "./types";

/** What is exported: the session, its element on the page, and the words round it. */
export interface Exported {
  session: Session;
  stage: HTMLElement;
  title: string;
  frame: Frame | undefined;
  source: string;
}

export type Format = "PNG" | "SVG" | "JSON";

/** Makes the file and hands it to the browser; the sentence says what came of it. */
export async function saveAs(format: Format, exported: Exported): Promise<string> {
  const files = await import("./files").catch(() => null);
  if (!files) return "The service cannot be reached, so no file was made. Try again in a moment.";
  return files.save(format, exported);
}

/** "Open in the lab" and "Copy link", where the page has them, and the menu of files; Escape closes the menu and goes
 * back to its button. */
export function toolsOf(
  links: { copy: (() => void) | null; lab: (() => string) | null },
  chosen: (format: Format) => void,
): Node[] {
  const entry = (format: Format) =>
    el("button", { type: "button", class: "button--link", onclick: () => take(format) }, format);
  const summary = el("summary", { class: "button--link" }, "Export");
  const entries = (["PNG", "SVG", "JSON"] as const).map(entry);
  const list = el("div", { class: "picture__files", role: "group", "aria-label": "Save as" }, ...entries);
  const menu = el("details", { class: "picture__export" }, summary, list);
  const close = () => {
    menu.open = false;
    summary.focus();
  };
  const take = (format: Format) => {
    close();
    chosen(format);
  };
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    event.stopPropagation();
    close();
  });
  const { copy, lab } = links;
  const copying = copy && el("button", { type: "button", class: "button--link", onclick: copy }, "Copy link");
  return [lab && toLab(lab), copying, menu].filter((one) => one !== null);
}

/** A link to the picture as it is shown when the link is gone for, by pointer or by key. */
function toLab(address: () => string): HTMLElement {
  const link = el("a", { class: "picture__lab", href: address() }, "Open in the lab");
  for (const name of ["pointerenter", "focus", "click"])
    link.addEventListener(name, () => {
      link.href = address();
    });
  return link;
}
