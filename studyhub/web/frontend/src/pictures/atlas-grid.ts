/** The small maps of all heads on one canvas: one is chosen by pointer or arrows, and they move when they are sorted. */
import { el, still } from "../dom";
import { type AtlasData, countOf } from "./atlas-data";
import { type Arranged, arranged, moved, placeUnder } from "./atlas-layout";
import { type Marks, type Place, paintHeads } from "./atlas-paint";
import { drawLegend, LEGEND, legendTexts } from "./legend";
import type { Matrix } from "./matrix";
import { inks, onThemeChange } from "./palette";
import { Surface, type Text } from "./surface";

/** What stands on the grid. */
export interface Shown {
  data: AtlasData;
  order: readonly number[];
  marks: Marks;
}

const MOVE_MS = 600;
/** Room at either end of the window that bars may cover. */
const SIGHT = 110;
const SCALE: Matrix = {
  rows: 1,
  columns: 1,
  values: new Float32Array(1),
  root: true,
  top: 1,
  negative: false,
  hidden: false,
};
/** Names of heads over a block of layers stand at every so many. */
const NAME_ROOM = 18;

export class AtlasGrid {
  readonly element: HTMLElement;
  readonly surface = new Surface("All heads", () => this.draw());
  private readonly unwatch = onThemeChange(() => this.draw());
  private shown: Shown | null = null;
  private layout: Arranged | null = null;
  /** Where heads stood when the last move began, and when that was. */
  private from = new Map<number, Place>();
  private began = 0;
  private frame = 0;

  constructor(
    private readonly choose: (head: number) => void,
    private readonly open: () => void,
  ) {
    this.element = el("div", { class: "atlas__grid" }, this.surface.element);
    const { canvas } = this.surface;
    canvas.tabIndex = 0;
    canvas.dataset.arrows = "";
    canvas.addEventListener("pointerdown", (event) => this.pointed(event));
    canvas.addEventListener("dblclick", () => this.open());
  }

  /** `moving`: heads go to their new places, where a reader asked for another order. */
  show(shown: Shown, moving: boolean): void {
    const before = this.places();
    this.shown = shown;
    this.from = moving && !still() ? before : new Map();
    this.began = performance.now();
    this.draw();
  }

  /** True for an arrow: it goes to the next head that way, of a pattern that is looked for to the next of these. */
  key(event: KeyboardEvent): boolean {
    const { shown, layout } = this;
    if (!shown || !layout || !event.key.startsWith("Arrow")) return false;
    const { order, data, marks } = shown;
    const found = (place: number) => !marks.pattern || data.patterns[order[place] ?? -1] === marks.pattern;
    let [place, before] = [order.indexOf(marks.head), -1];
    do [place, before] = [moved(place, event.key, order.length, layout), place];
    while (place !== before && !found(place));
    const head = order[place];
    if (head !== undefined && found(place)) this.choose(head);
    this.intoSight();
    return true;
  }

  focus(): void {
    this.surface.canvas.focus({ preventScroll: true });
    this.intoSight();
  }

  /** Scrolls the page where the chosen head lies outside the window. */
  private intoSight(): void {
    const { shown, layout } = this;
    if (!shown || !layout) return;
    const { top } = this.surface.canvas.getBoundingClientRect();
    const y = top + layout.at(shown.order.indexOf(shown.marks.head)).y;
    const below = y + layout.cell + layout.words - (innerHeight - SIGHT);
    if (y < SIGHT) scrollBy(0, y - SIGHT);
    else if (below > 0) scrollBy(0, below);
  }

  dispose(): void {
    cancelAnimationFrame(this.frame);
    this.unwatch();
    this.surface.dispose();
  }

  private pointed(event: PointerEvent): void {
    if (!this.shown || !this.layout) return;
    const place = placeUnder(this.layout, this.shown.order.length, this.surface.place(event));
    const head = this.shown.order[place];
    if (head !== undefined) this.choose(head);
  }

  /** Where each head stands now, part of the way where it moves. */
  private places(): Map<number, Place> {
    const { shown, layout } = this;
    if (!shown || !layout) return new Map();
    const share = eased(Math.min(1, (performance.now() - this.began) / MOVE_MS));
    return new Map(
      shown.order.map((head, place) => {
        const [to, from] = [layout.at(place), this.from.get(head)];
        if (!from || share === 1) return [head, to];
        return [head, { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share }];
      }),
    );
  }

  private draw(): void {
    cancelAnimationFrame(this.frame);
    const { shown, surface } = this;
    if (!shown) return;
    const { data, marks } = shown;
    const across = surface.across || 640;
    const byLayer = isByLayer(marks.step);
    this.layout = arranged({ layers: data.layers, heads: data.heads, across, byLayer });
    const context = surface.begin(this.layout.height + LEGEND);
    if (!context) return;
    const paints = inks();
    paintHeads(context, this.places(), { data, arranged: this.layout, marks, paints });
    const ground = { left: -4, width: surface.width, height: surface.height };
    const scale = { ...SCALE, hidden: data.small.packed === "tril" };
    drawLegend(context, scale, ground, paints);
    surface.write([...namesOf(this.layout, data), ...legendTexts(scale, ground)]);
    surface.describe(
      `${countOf(data)} small maps of weights, ${byLayer ? "by layer" : `sorted by ${marks.step}`}`,
    );
    if (this.from.size > 0 && performance.now() - this.began < MOVE_MS)
      this.frame = requestAnimationFrame(() => this.draw());
    else this.from.clear();
  }
}

export const isByLayer = (step: string): boolean => step.startsWith("maps");

const eased = (share: number): number => share * share * (3 - 2 * share);

/** The number of each layer at its left, and of each head over the first one of a block; where a layer takes
 * several lines, the head that each further one begins with. */
function namesOf({ blocks, cell, words, wrap, at }: Arranged, { heads }: AtlasData): Text[] {
  const across = Math.ceil(heads / wrap);
  const every = Math.ceil(NAME_ROOM / cell);
  const shown = Array.from({ length: across }, (_, n) => n).filter((n) => n % every === 0);
  const beside = (x: number, y: number, text: string, look: string): Text => ({
    ...{ x: x - 8, y: y + cell / 2 + 2, text, look, anchor: "end" as const },
  });
  return blocks.flatMap(({ x, first, layers }): Text[] => {
    const over = shown.map((n): Text => {
      const middle = at(first * heads + n).x + cell / 2 - 2;
      return { x: middle, y: 14, text: String(n), look: "axis-H strong", anchor: "middle" };
    });
    const lines = Array.from({ length: layers * wrap }, (_, n): Text => {
      const [layer, line] = [first + Math.floor(n / wrap), n % wrap];
      const y = at(layer * heads).y + line * (cell + words);
      return line === 0
        ? beside(x, y, String(layer), "strong")
        : beside(x, y, String(line * across), "axis-H");
    });
    return [{ x: x - 8, y: 14, text: "L", look: "strong", anchor: "end" }, ...over, ...lines];
  });
}
