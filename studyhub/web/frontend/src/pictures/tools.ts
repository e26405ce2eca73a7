/** The link and the files of a picture, as buttons at its foot. Knows no drawing. */
import { el } from "../dom";
import { type Caption, download, fileName, framed, toPng, toSvg } from "./export";
import type { Session } from "./session";
import { fontOf, marksOf, type Snapshot } from "./snapshot";
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

/** The picture as another program reads it: what was asked, its address, its facts and its frames. */
export function asJson({ spec, digest, facts, frames }: Session): string {
  return `${JSON.stringify({ spec, digest, facts, frames }, null, 2)}\n`;
}

function picture({ stage, title, frame, source }: Exported): Snapshot {
  const style = getComputedStyle(stage);
  const token = (name: string) => style.getPropertyValue(`--${name}`).trim() || "#808080";
  const font = fontOf(style);
  const caption = (text: string, size: number, weight: string, fill: string): Caption => ({
    text,
    font: { ...font, size, weight },
    fill,
  });
  const named = caption(title, 19, "600", token("ink"));
  const above = title ? [{ ...named, font: { ...named.font, family: token("font-prose") } }] : [];
  const said = frame && !stage.textContent?.includes(frame.sentence) ? [frame.sentence] : [];
  const below = [
    ...said.map((text) => caption(text, 15, "400", token("ink-2"))),
    caption(source, 12, "400", token("ink-3")),
  ];
  return framed(marksOf(stage), above, below, token("surface"));
}

async function blobOf(format: Format, exported: Exported): Promise<Blob | null> {
  if (format === "JSON") return new Blob([asJson(exported.session)], { type: "application/json" });
  const drawn = picture(exported);
  return format === "SVG" ? new Blob([toSvg(drawn)], { type: "image/svg+xml" }) : toPng(drawn);
}

/** Makes the file and hands it to the browser; the sentence says what came of it. */
export async function save(format: Format, exported: Exported): Promise<string> {
  const blob = await blobOf(format, exported);
  if (!blob) return "This browser made no image. SVG and JSON can still be saved.";
  const { spec, digest } = exported.session;
  const name = fileName(spec.kind, digest, format.toLowerCase());
  download(blob, name);
  return `Saved as ${name}`;
}

/** "Copy link", where the page has one, and the menu of files; Escape closes the menu and goes back to its button. */
export function toolsOf(link: (() => void) | null, chosen: (format: Format) => void): Node[] {
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
  if (!link) return [menu];
  return [el("button", { type: "button", class: "button--link", onclick: link }, "Copy link"), menu];
}
