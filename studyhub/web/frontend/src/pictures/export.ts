/** A picture as a file: PNG, SVG and JSON, made in the browser from what is on the page. Knows no renderer. */
import type { Font, Mark, Snapshot } from "./snapshot";

const escaped = (text: string): string =>
  text.replace(
    /[&<>"]/g,
    (letter) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[letter] ?? letter,
  );

const n = (value: number): string => String(Math.round(value * 100) / 100);

function markSvg(mark: Mark): string {
  switch (mark.kind) {
    case "box":
      return `<rect x="${n(mark.x)}" y="${n(mark.y)}" width="${n(mark.w)}" height="${n(mark.h)}" rx="${n(mark.radius)}" fill="${escaped(mark.fill)}"/>`;
    case "image":
      return `<image x="${n(mark.x)}" y="${n(mark.y)}" width="${n(mark.w)}" height="${n(mark.h)}" style="image-rendering:pixelated" href="${mark.canvas.toDataURL("image/png")}"/>`;
    case "path": {
      const { line } = mark;
      const dash = line?.dash.length ? ` stroke-dasharray="${line.dash.join(" ")}"` : "";
      const stroke = line ? ` stroke="${escaped(line.colour)}" stroke-width="${n(line.width)}"${dash}` : "";
      return `<path d="${escaped(mark.d)}" transform="translate(${n(mark.x)} ${n(mark.y)}) scale(${n(mark.scale)})" fill="${escaped(mark.fill)}"${stroke}/>`;
    }
    case "text": {
      const { size, family, weight, style } = mark.font;
      const turn = mark.turn ? ` transform="rotate(${mark.turn} ${n(mark.x)} ${n(mark.y)})"` : "";
      return `<text x="${n(mark.x)}" y="${n(mark.y)}"${turn} font-size="${n(size)}" font-family="${escaped(family)}" font-weight="${weight}" font-style="${style}" fill="${escaped(mark.fill)}">${escaped(mark.text)}</text>`;
    }
  }
}

/** A drawing of its own: canvases as embedded images, texts as texts, lines as paths. */
export function toSvg({ width, height, ground, marks }: Snapshot): string {
  const size = `width="${n(width)}" height="${n(height)}" viewBox="0 0 ${n(width)} ${n(height)}"`;
  const paper = ground ? `<rect width="100%" height="100%" fill="${escaped(ground)}"/>` : "";
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size}>${paper}${marks.map(markSvg).join("")}</svg>\n`;
}

const css = ({ style, weight, size, family }: Font): string => `${style} ${weight} ${size}px ${family}`;

function paint(context: CanvasRenderingContext2D, mark: Mark): void {
  context.save();
  if (mark.kind === "box") {
    context.fillStyle = mark.fill;
    context.beginPath();
    context.roundRect(mark.x, mark.y, mark.w, mark.h, mark.radius);
    context.fill();
  } else if (mark.kind === "image") {
    context.imageSmoothingEnabled = false;
    context.drawImage(mark.canvas, mark.x, mark.y, mark.w, mark.h);
  } else if (mark.kind === "text") {
    context.translate(mark.x, mark.y);
    context.rotate((mark.turn * Math.PI) / 180);
    context.font = css(mark.font);
    context.fillStyle = mark.fill;
    context.fillText(mark.text, 0, 0);
  } else paintPath(context, mark);
  context.restore();
}

function paintPath(context: CanvasRenderingContext2D, mark: Extract<Mark, { kind: "path" }>): void {
  context.translate(mark.x, mark.y);
  context.scale(mark.scale, mark.scale);
  const path = new Path2D(mark.d);
  context.fillStyle = mark.fill;
  if (mark.fill !== "none") context.fill(path);
  if (!mark.line) return;
  context.strokeStyle = mark.line.colour;
  context.lineWidth = mark.line.width / mark.scale;
  context.setLineDash(mark.line.dash);
  context.stroke(path);
}

/** The same marks as an image of `scale` pixels a CSS pixel; null where the browser makes none. */
export function toPng({ width, height, ground, marks }: Snapshot, scale = 2): Promise<Blob | null> {
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil(width * scale);
  canvas.height = Math.ceil(height * scale);
  const context = canvas.getContext("2d");
  if (!context) return Promise.resolve(null);
  context.scale(scale, scale);
  context.fillStyle = ground || "white";
  context.fillRect(0, 0, width, height);
  for (const mark of marks) paint(context, mark);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

/** Words that stand over or under the exported drawing. */
export interface Caption {
  text: string;
  font: Font;
  fill: string;
}

/** A text in lines of at most `across` pixels, by a measure of words. */
export function wrapped(text: string, across: number, measure: (text: string) => number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const longer = lines.length ? `${lines.at(-1)} ${word}` : word;
    if (lines.length && measure(longer) <= across) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

const MARGIN = 24;

/** The drawing between its title above and sentence and source below, on the page's own ground. */
export function framed(
  drawing: Snapshot,
  above: readonly Caption[],
  below: readonly Caption[],
  ground: string,
): Snapshot {
  const across = Math.max(320, drawing.width);
  const context = document.createElement("canvas").getContext("2d");
  const marks: Mark[] = [];
  let y = MARGIN;
  const set = ({ text, font, fill }: Caption) => {
    if (context) context.font = css(font);
    const measure = (words: string) => context?.measureText(words).width ?? words.length * font.size * 0.5;
    for (const line of wrapped(text, across, measure)) {
      y += font.size * 1.4;
      marks.push({ kind: "text", x: MARGIN, y: y - font.size * 0.35, text: line, font, fill, turn: 0 });
    }
  };
  above.forEach(set);
  const [dx, dy] = [MARGIN, y + 8];
  marks.push(...drawing.marks.map((mark) => ({ ...mark, x: mark.x + dx, y: mark.y + dy })));
  y = dy + drawing.height + 8;
  below.forEach(set);
  return { width: across + 2 * MARGIN, height: y + MARGIN, ground, marks };
}

/** Hands a file to the browser; it leaves no trace on the page. */
export function download(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** "saturation-0f3a9c21b7de.svg": the kind and the beginning of the picture's address. */
export const fileName = (kind: string, digest: string, ending: string): string =>
  `${kind}${digest ? `-${digest.slice(0, 12)}` : ""}.${ending}`;
