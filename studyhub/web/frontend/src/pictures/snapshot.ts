/** A drawing read off the page as plain marks: boxes, texts, paths, canvases. Knows no picture and no file. */

export interface Font {
  size: number;
  family: string;
  weight: string;
  style: string;
}

export type Mark =
  | { kind: "box"; x: number; y: number; w: number; h: number; fill: string; radius: number }
  | { kind: "text"; x: number; y: number; text: string; font: Font; fill: string; turn: number }
  | { kind: "path"; d: string; x: number; y: number; scale: number; fill: string; line: Stroke | null }
  | { kind: "image"; x: number; y: number; w: number; h: number; canvas: HTMLCanvasElement };

export interface Stroke {
  colour: string;
  width: number;
  dash: number[];
}

export interface Snapshot {
  width: number;
  height: number;
  ground: string;
  marks: Mark[];
}

interface Origin {
  left: number;
  top: number;
}

const unseen = (colour: string): boolean => /^(none|transparent|)$|, 0\)$|\/ 0\)$/.test(colour);

/** Everything seen inside an element, in its own coordinates. */
export function marksOf(root: HTMLElement): Snapshot {
  const box = root.getBoundingClientRect();
  const origin = { left: box.left, top: box.top };
  const marks = [...root.children].flatMap((child) => read(child, origin));
  return { width: box.width, height: box.height, ground: "", marks };
}

function read(element: Element, origin: Origin): Mark[] {
  const style = getComputedStyle(element);
  if (style.display === "none" || style.visibility === "hidden") return [];
  if (element.matches(".visually-hidden, [data-unexported], script")) return [];
  if (element.matches("details:not([open]) > :not(summary)")) return [];
  if (element instanceof SVGSVGElement) return readSvg(element, origin);
  const box = element.getBoundingClientRect();
  if (element instanceof HTMLCanvasElement)
    return box.width > 0
      ? [{ kind: "image", ...placeOf(box, origin), w: box.width, h: box.height, canvas: element }]
      : [];
  const inner = [...element.childNodes].flatMap((child) =>
    child instanceof Text ? texts(child, style, origin) : child instanceof Element ? read(child, origin) : [],
  );
  return [...boxes(box, style, origin), ...inner];
}

const placeOf = (box: DOMRect, origin: Origin) => ({ x: box.left - origin.left, y: box.top - origin.top });

/** The ground of an element and its edges, each as a filled box. */
function boxes(box: DOMRect, style: CSSStyleDeclaration, origin: Origin): Mark[] {
  const { x, y } = placeOf(box, origin);
  const [w, h] = [box.width, box.height];
  const radius = Number.parseFloat(style.borderTopRightRadius) || 0;
  const found: Mark[] = [];
  if (!unseen(style.backgroundColor))
    found.push({ kind: "box", x, y, w, h, fill: style.backgroundColor, radius });
  const edge = (width: string, fill: string, place: (size: number) => Omit<Box, "fill">) => {
    const size = Number.parseFloat(width) || 0;
    if (size > 0 && !unseen(fill)) found.push({ kind: "box", radius: 0, fill, ...place(size) });
  };
  edge(style.borderTopWidth, style.borderTopColor, (size) => ({ x, y, w, h: size }));
  edge(style.borderBottomWidth, style.borderBottomColor, (size) => ({ x, y: y + h - size, w, h: size }));
  edge(style.borderLeftWidth, style.borderLeftColor, (size) => ({ x, y, w: size, h }));
  edge(style.borderRightWidth, style.borderRightColor, (size) => ({ x: x + w - size, y, w: size, h }));
  return found;
}

interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
  fill: string;
}

export const fontOf = (style: CSSStyleDeclaration): Font => ({
  size: Number.parseFloat(style.fontSize) || 15,
  family: style.fontFamily,
  weight: style.fontWeight,
  style: style.fontStyle,
});

/** A text node as one mark a line, at the places the browser gave its words. */
function texts(node: Text, style: CSSStyleDeclaration, origin: Origin): Mark[] {
  const words = [...node.data.matchAll(/\S+/g)];
  const range = document.createRange();
  const lines: { x: number; top: number; bottom: number; text: string }[] = [];
  for (const word of words) {
    range.setStart(node, word.index);
    range.setEnd(node, word.index + word[0].length);
    const [box] = range.getClientRects();
    if (!box) continue;
    const last = lines.at(-1);
    if (last && Math.abs(last.top - box.top) < 2) last.text += ` ${word[0]}`;
    else lines.push({ x: box.left, top: box.top, bottom: box.bottom, text: word[0] });
  }
  const font = fontOf(style);
  return lines.map(({ x, top, bottom, text }) => ({
    kind: "text",
    x: x - origin.left,
    y: (top + bottom) / 2 - origin.top + font.size * 0.35,
    text,
    font,
    fill: style.color,
    turn: 0,
  }));
}

/** The shapes of an inner drawing; its own units are CSS pixels unless it was scaled. */
function readSvg(drawing: SVGSVGElement, origin: Origin): Mark[] {
  const box = drawing.getBoundingClientRect();
  if (box.width === 0) return [];
  const { x, y } = placeOf(box, origin);
  const across = drawing.viewBox?.baseVal?.width || box.width;
  const scale = box.width / across;
  return [...drawing.querySelectorAll("path, line, circle, rect, text")].flatMap((shape): Mark[] => {
    const style = getComputedStyle(shape);
    if (shape instanceof SVGTextElement) return svgTexts(shape, x, y);
    const colour = style.stroke;
    const width = (Number.parseFloat(style.strokeWidth) || 1) * scale;
    const dash =
      style.strokeDasharray === "none" ? [] : style.strokeDasharray.split(/[ ,]+/).map(Number.parseFloat);
    const line = unseen(colour) ? null : { colour, width, dash: dash.filter(Number.isFinite) };
    const fill = unseen(style.fill) ? "none" : style.fill;
    return [{ kind: "path", d: pathData(shape), x, y, scale, fill, line }];
  });
}

/** Any simple shape as path data. */
export function pathData(shape: Element): string {
  const get = (name: string) => Number(shape.getAttribute(name) ?? 0);
  switch (shape.tagName.toLowerCase()) {
    case "line":
      return `M${get("x1")} ${get("y1")}L${get("x2")} ${get("y2")}`;
    case "circle":
      return `M${get("cx") - get("r")} ${get("cy")}a${get("r")} ${get("r")} 0 1 0 ${2 * get("r")} 0a${get("r")} ${get("r")} 0 1 0 ${-2 * get("r")} 0Z`;
    case "rect":
      return `M${get("x")} ${get("y")}h${get("width")}v${get("height")}h${-get("width")}Z`;
    default:
      return shape.getAttribute("d") ?? "";
  }
}

/** Each part of a text where its first letter stands; turned texts keep their angle. */
function svgTexts(text: SVGTextElement, x: number, y: number): Mark[] {
  const turn = Number(/rotate\((-?[\d.]+)/.exec(text.getAttribute("transform") ?? "")?.[1] ?? 0);
  let from = 0;
  return [...text.childNodes].flatMap((part): Mark[] => {
    const words = part.textContent ?? "";
    if (words.length === 0) return [];
    const start = text.getStartPositionOfChar(from);
    from += words.length;
    const style = getComputedStyle(part instanceof Element ? part : text);
    const place = turned({ x: start.x, y: start.y }, text, turn);
    return [
      {
        kind: "text",
        x: x + place.x,
        y: y + place.y,
        text: words,
        font: fontOf(style),
        fill: style.fill,
        turn,
      },
    ];
  });
}

/** A place in a turned text's own frame as the drawing sees it. */
function turned(place: { x: number; y: number }, text: Element, degrees: number): { x: number; y: number } {
  if (degrees === 0) return place;
  const [cx, cy] = [Number(text.getAttribute("x")), Number(text.getAttribute("y"))];
  const [sin, cos] = [Math.sin((degrees * Math.PI) / 180), Math.cos((degrees * Math.PI) / 180)];
  const [dx, dy] = [place.x - cx, place.y - cy];
  return { x: cx + dx * cos - dy * sin, y: cy + dx * sin + dy * cos };
}
