/** Makes a picture's file: loaded when the first one is asked for, as most pages make none. Knows no menu. */
import { type Caption, download, fileName, framed, toPng, toSvg } from "./export";
import type { Session } from "./session";
import { fontOf, marksOf, type Snapshot } from "./snapshot";
import type { Exported, Format } from "./tools";

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
  const drawn = await seen(exported.stage, () => picture(exported));
  return format === "SVG" ? new Blob([toSvg(drawn)], { type: "image/svg+xml" }) : toPng(drawn);
}

/** What `read` finds in the drawing; one that stands behind its table is shown for the two frames it takes to draw. */
async function seen<T>(stage: HTMLElement, read: () => T): Promise<T> {
  if (!stage.hidden) return read();
  stage.hidden = false;
  for (let n = 0; n < 2; n++) await new Promise((resolve) => requestAnimationFrame(resolve));
  const found = read();
  stage.hidden = true;
  return found;
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
