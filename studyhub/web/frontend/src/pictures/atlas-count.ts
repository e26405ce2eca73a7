/** Heads of a model without weights here: a cell a head, layers down, K and V groups in turn. Has no map to draw. */
import { el } from "../dom";
import { nameOf } from "./atlas-words";
import { inks, onThemeChange, translucent } from "./palette";
import { Surface, type Text } from "./surface";
import { count } from "./words";

interface Counted {
  layers: number;
  heads: number;
  /** Pairs of K and V a layer; 0 where K and V are unpacked from a latent. */
  shared: number;
  head: number;
}

const LEFT = 34;
const TOP = 34;
const LEAST = 6;
const MOST = 26;
/** Many layers are flatter, so that all are seen at once. */
const TALL = 640;

/** "Layer 3, head 9 reads pair 1 of K and V with heads 8 to 15". */
export function spokenCount({ heads, shared, head }: Counted): string {
  const name = nameOf(head, heads);
  if (!shared) return `${name} unpacks K and V from its layer's latent`;
  const size = heads / shared;
  const own = Math.floor((head % heads) / size);
  if (size === 1) return `${name} reads pair ${own} of K and V, alone`;
  return `${name} reads pair ${own} of K and V, with heads ${own * size} to ${(own + 1) * size - 1}`;
}

export class AtlasCount {
  readonly element: HTMLElement;
  readonly surface = new Surface("Heads by layer", () => this.draw());
  private readonly scroll = el("div", { class: "atlas__scroll" });
  private readonly inner = el("div", {}, this.surface.element);
  private readonly said = el("p", { class: "atlas__counted", role: "status", "data-testid": "atlas-said" });
  private readonly unwatch = onThemeChange(() => this.draw());
  private counted: Counted | null = null;

  constructor(private readonly choose: (head: number) => void) {
    this.scroll.append(this.inner);
    this.element = el("div", { class: "atlas__count" }, this.said, this.scroll);
    const { canvas } = this.surface;
    canvas.tabIndex = 0;
    canvas.dataset.arrows = "";
    canvas.addEventListener("pointerdown", (event) => this.pointed(event));
  }

  show(counted: Counted): void {
    this.counted = counted;
    this.inner.style.minInlineSize = `${LEFT + counted.heads * LEAST}px`;
    this.said.textContent = `${spokenCount(counted)}.`;
    this.draw();
  }

  key(event: KeyboardEvent): boolean {
    const { counted } = this;
    if (!counted) return false;
    const { head, heads, layers } = counted;
    const by = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: heads, ArrowUp: -heads }[event.key];
    if (by === undefined) return false;
    const to = head + by;
    if (to >= 0 && to < layers * heads) this.choose(to);
    return true;
  }

  dispose(): void {
    this.unwatch();
    this.surface.dispose();
  }

  private get cell(): { w: number; h: number } {
    const across = (this.surface.across || 640) - LEFT - 2;
    const w = Math.max(LEAST, Math.min(MOST, across / (this.counted?.heads ?? 1)));
    return { w, h: Math.max(LEAST, Math.min(w, 14, TALL / (this.counted?.layers ?? 1))) };
  }

  private pointed(event: PointerEvent): void {
    const { counted, cell } = this;
    if (!counted) return;
    const { x, y } = this.surface.place(event);
    const [head, layer] = [Math.floor((x - LEFT) / cell.w), Math.floor((y - TOP) / cell.h)];
    if (head >= 0 && head < counted.heads && layer >= 0 && layer < counted.layers)
      this.choose(layer * counted.heads + head);
  }

  private draw(): void {
    const { counted, cell } = this;
    if (!counted) return;
    const { layers, heads, shared, head } = counted;
    const context = this.surface.begin(TOP + layers * cell.h + 6);
    if (!context) return;
    const paints = inks();
    const [gap, size] = [cell.w > 9 ? 2 : 1, shared ? heads / shared : heads];
    const own = Math.floor((head % heads) / size);
    for (let group = 0; group * size < heads; group++) {
      const x = LEFT + group * size * cell.w;
      context.fillStyle = paints.colour(group === own ? "accent" : "ink-3");
      context.fillRect(x, TOP - 8, size * cell.w - gap, group === own ? 4 : 2);
    }
    for (let n = 0; n < layers * heads; n++) {
      const [layer, at] = [Math.floor(n / heads), n % heads];
      const group = Math.floor(at / size);
      const same = group === own && layer === Math.floor(head / heads);
      context.fillStyle = translucent(paints.colour("H"), same ? 0.8 : group % 2 ? 0.22 : 0.42);
      context.fillRect(LEFT + at * cell.w, TOP + layer * cell.h, cell.w - gap, cell.h - gap);
    }
    const [layer, at] = [Math.floor(head / heads), head % heads];
    context.strokeStyle = paints.colour("accent");
    context.lineWidth = 2.5;
    context.strokeRect(
      LEFT + at * cell.w - 1.5,
      TOP + layer * cell.h - 1.5,
      cell.w - gap + 3,
      cell.h - gap + 3,
    );
    this.intoSight(LEFT + at * cell.w, cell.w);
    this.surface.write(this.texts(counted));
    this.surface.describe(
      `${count(layers)} layers of ${count(heads)} query heads; no maps. ${spokenCount(counted)}`,
    );
  }

  /** Of a model with more heads than fit, the chosen one is brought into sight. */
  private intoSight(x: number, w: number): void {
    const { scrollLeft, clientWidth } = this.scroll;
    if (x - LEFT < scrollLeft) this.scroll.scrollLeft = x - LEFT;
    else if (x + w + 4 > scrollLeft + clientWidth) this.scroll.scrollLeft = x + w + 4 - clientWidth;
  }

  private texts({ layers, heads, head }: Counted): Text[] {
    const { cell } = this;
    const numbered = (many: number, size: number, room: number) => {
      const every = [1, 2, 4, 8, 16, 32].find((step) => step * size >= room) ?? 64;
      return Array.from({ length: many }, (_, n) => n).filter((n) => n % every === 0);
    };
    const chosen = { layer: Math.floor(head / heads), at: head % heads };
    const over = numbered(heads, cell.w, 26).map(
      (n): Text => ({
        x: LEFT + (n + 0.5) * cell.w,
        y: 14,
        text: String(n),
        look: n === chosen.at ? "axis-H strong" : "axis-H",
        anchor: "middle",
      }),
    );
    const down = numbered(layers, cell.h, 16).map(
      (n): Text => ({
        x: LEFT - 8,
        y: TOP + (n + 0.5) * cell.h + 4,
        text: String(n),
        look: n === chosen.layer ? "strong" : "",
        anchor: "end",
      }),
    );
    return [...over, ...down];
  }
}
