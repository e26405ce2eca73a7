/** A canvas at the screen's own resolution with a layer of text over it. Knows no picture. */
import { el, svg } from "../dom";

/** Draws in CSS pixels; `draw` runs again whenever the width changes. */
export class Surface {
  readonly element: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  readonly labels: SVGElement;
  private readonly watcher: ResizeObserver;
  private readonly written = new Map<string, SVGElement>();
  ratio = 1;
  width = 0;
  height = 0;

  constructor(
    label: string,
    private readonly draw: () => void,
  ) {
    this.canvas = el("canvas", { "data-testid": "picture-canvas", role: "img", "aria-label": label });
    this.labels = svg("svg", { "aria-hidden": "true", focusable: "false" });
    this.element = el("div", { class: "surface" }, this.canvas, this.labels);
    this.watcher = new ResizeObserver(() => this.measure() && this.draw());
    this.watcher.observe(this.element);
  }

  /** True if the width or the screen's resolution is not what was drawn for. */
  private measure(): boolean {
    const width = Math.floor(this.element.clientWidth);
    const ratio = globalThis.devicePixelRatio || 1;
    if (width === this.width && ratio === this.ratio) return false;
    this.width = width;
    this.ratio = ratio;
    return width > 0;
  }

  /** The width to draw for: a height that follows from it is right the first time. */
  get across(): number {
    if (this.width === 0) this.measure();
    return this.width;
  }

  /** Makes room for `height` CSS pixels and returns an empty context in CSS pixels; null while unseen.
   *
   * The width is the one last measured: asking for it anew after each change of text would lay out the page
   * once a drawing, and whatever changes it is seen by the observer. */
  begin(height: number): CanvasRenderingContext2D | null {
    if (this.width === 0) this.measure();
    if (this.height !== Math.ceil(height)) {
      this.height = Math.ceil(height);
      this.element.style.height = `${this.height}px`;
    }
    const [across, down] = [Math.round(this.width * this.ratio), Math.round(this.height * this.ratio)];
    if (this.canvas.width !== across) this.canvas.width = across;
    if (this.canvas.height !== down) this.canvas.height = down;
    const context = this.canvas.getContext("2d");
    if (!context || this.width === 0) return null;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    return context;
  }

  /** Replaces the text layer; a text that stands there already stays, so that only what changes is laid out. */
  write(texts: readonly Text[]): void {
    const box = `0 0 ${this.width} ${this.height}`;
    if (this.labels.getAttribute("viewBox") !== box) this.labels.setAttribute("viewBox", box);
    const now = new Map(texts.map((text) => [JSON.stringify(text), text]));
    for (const [key, element] of this.written)
      if (!now.has(key)) {
        element.remove();
        this.written.delete(key);
      }
    for (const [key, text] of now)
      if (!this.written.has(key)) {
        const element = textElement(text);
        this.labels.append(element);
        this.written.set(key, element);
      }
  }

  describe(label: string): void {
    this.canvas.setAttribute("aria-label", label);
  }

  /** A pointer's place in CSS pixels of the drawing. */
  place(event: PointerEvent): { x: number; y: number } {
    const box = this.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  dispose(): void {
    this.watcher.disconnect();
  }
}

/** A part of a text with a look of its own. */
export interface Run {
  text: string;
  look?: string;
}

export interface Text {
  x: number;
  y: number;
  text: string | readonly Run[];
  /** Classes of the style sheet: an axis colour, "strong", "mono". */
  look?: string;
  anchor?: "start" | "middle" | "end";
  /** Degrees, counter-clockwise, about the text's own place. */
  turn?: number;
}

function textElement({ x, y, text, look, anchor, turn }: Text): SVGElement {
  const parts =
    typeof text === "string" ? [text] : text.map((run) => svg("tspan", { class: run.look }, run.text));
  const place = { x, y, class: look, "text-anchor": anchor };
  return svg("text", { ...place, transform: turn ? `rotate(${-turn} ${x} ${y})` : null }, ...parts);
}
