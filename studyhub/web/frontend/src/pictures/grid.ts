/** Draws a split into heads: the step before and the step now side by side, one element traced through. */
import { el, still } from "../dom";
import { elementOf, MOVES, numbers, numbersIn, rowOf, same } from "./element";
import { feature } from "./memory";
import { paint, texture } from "./paint";
import { inks, onThemeChange } from "./palette";
import { Pane } from "./pane";
import {
  type Arrangement,
  apart,
  arrange,
  type Element3,
  elementAt,
  formOf,
  ownOf,
  reservedHeight,
  type Sizes,
  sizesOf,
} from "./pieces";
import { type Host, type Place, type Renderer, type Scene, type Spot, tensorOf } from "./scene";
import { limits } from "./split-limits";
import type { Surface } from "./surface";
import { cut, Tape } from "./tape";
import type { Frame } from "./types";

const STEP_MS = 600;
const STAGGER_MS = 240;
const ease = (share: number) => (share < 0.5 ? 4 * share ** 3 : 1 - (-2 * share + 2) ** 3 / 2);

export class Grid implements Renderer {
  readonly element: HTMLElement;
  private readonly before = new Pane("Before", () => this.drawBefore());
  private readonly now = new Pane("Now", () => this.drawNow());
  private readonly limit = el("p", { class: "note split__limit" });
  private readonly tape = new Tape();
  private readonly unwatch: () => void;
  private readonly textures = new Map<string, HTMLCanvasElement>();
  private scene: Scene | null = null;
  private sizes: Sizes = { tokens: 1, rows: 1, heads: 1, width: 1 };
  private traced: Element3 = { t: 0, h: 0, d: 0 };
  private followed = "";
  private started = 0;
  private beat = 0;

  constructor(private readonly host: Host) {
    const panes = el("div", { class: "split__panes" }, this.before.element, this.now.element);
    this.element = el("div", { class: "split" }, panes, this.limit, this.tape.element);
    for (const pane of [this.before, this.now]) {
      const trace = (event: PointerEvent) => this.trace(pane, event);
      pane.surface.canvas.addEventListener("pointermove", trace);
      pane.surface.canvas.addEventListener("pointerdown", trace);
    }
    this.unwatch = onThemeChange(() => {
      this.textures.clear();
      this.drawAll();
    });
  }

  show(scene: Scene): void {
    this.scene = scene;
    this.sizes = sizesOf(scene.frames);
    this.follow(scene);
    if (scene.place) this.traced = elementOf(scene.place, this.traced);
    this.hold();
    this.limit.textContent = limits(this.sizes, scene.frames[scene.at]);
    this.before.name(scene.frames[scene.at - 1]);
    this.now.name(scene.frames[scene.at]);
    const ends = [scene.frames[scene.from ?? scene.at], scene.frames[scene.at]];
    const stays = still() || ends.some((frame) => frame && apart(frame));
    const moves = scene.from !== null && scene.from !== scene.at && !stays;
    this.started = moves ? performance.now() : 0;
    this.drawAll();
    if (moves) this.animate();
  }

  key(event: KeyboardEvent): boolean {
    const by = MOVES[`${event.shiftKey ? "Shift+" : ""}${event.key}`];
    if (!by) return false;
    this.traced = { t: this.traced.t + by.t, h: this.traced.h + by.h, d: this.traced.d + by.d };
    this.hold();
    this.drawAll();
    this.host.point(numbers(this.traced));
    return true;
  }

  point(place: Place): void {
    this.traced = elementOf(place, this.traced);
    this.hold();
    this.drawAll();
  }

  marked(): Place {
    return numbers(this.traced);
  }

  /** The table names each element it follows: "t 2, h 6, d 5". */
  inTable(place: Place, frame: Frame): Spot | null {
    return rowOf(place, frame);
  }

  ofTable({ row }: Spot, frame: Frame): Place | null {
    const place = numbersIn(frame.table.rows[row]?.[0]);
    return place.length === 3 ? place : null;
  }

  dispose(): void {
    cancelAnimationFrame(this.beat);
    this.unwatch();
    for (const part of [this.before.surface, this.now.surface, this.tape]) part.dispose();
  }

  /** Begins with the element that the frames' own sentences and tables follow; a new picture begins anew. */
  private follow({ facts }: Scene): void {
    const { t, h, d } = (facts.traced ?? {}) as Partial<Element3>;
    const key = `${this.sizes.heads} ${this.sizes.width} ${t} ${h} ${d}`;
    if (key === this.followed || t === undefined || h === undefined || d === undefined) return;
    this.followed = key;
    this.traced = { t, h, d };
  }

  /** Keeps the traced element inside what is shown. */
  private hold(): void {
    const held = (value: number, length: number) => Math.max(0, Math.min(length - 1, value));
    const { rows, heads, width } = this.sizes;
    this.traced = {
      t: held(this.traced.t, rows),
      h: held(this.traced.h, heads),
      d: held(this.traced.d, width),
    };
  }

  private trace(pane: Pane, event: PointerEvent): void {
    const frame = this.frameOf(pane);
    if (!frame) return;
    const arrangement = this.arrangement(pane.surface, frame);
    const found = elementAt(arrangement, this.sizes, pane.surface.place(event));
    if (!found || same(found, this.traced)) return;
    this.traced = found;
    this.drawAll();
    this.host.point(numbers(found));
  }

  private frameOf(pane: Pane): Frame | undefined {
    const at = this.scene?.at ?? 0;
    return this.scene?.frames[pane === this.now ? at : at - 1];
  }

  private drawAll(): void {
    this.drawBefore();
    this.drawNow();
    const [frame, before] = [this.frameOf(this.now), this.frameOf(this.before)];
    if (frame) this.tape.show({ frame, before, traced: this.traced, sizes: this.sizes });
  }

  private drawBefore(): void {
    const frame = this.frameOf(this.before);
    this.drawPane(this.before, frame, frame, () => 1);
  }

  private drawNow(): void {
    const { scene } = this;
    const moving = scene && this.started > 0 && scene.from !== null ? scene.frames[scene.from] : undefined;
    this.drawPane(this.now, moving ?? this.frameOf(this.now), this.frameOf(this.now), (h) => this.share(h));
  }

  private drawPane(
    pane: Pane,
    from: Frame | undefined,
    to: Frame | undefined,
    share: (h: number) => number,
  ): void {
    const context = pane.surface.begin(reservedHeight(this.sizes, pane.surface.across || 480));
    if (!context) return;
    if (!from || !to) {
      pane.surface.write([]);
      return;
    }
    const arrangement = this.arrangement(pane.surface, to);
    const row = to.shape.at(-1) ?? 1;
    paint(context, {
      from: this.arrangement(pane.surface, from),
      to: arrangement,
      coat: {
        frame: to,
        numbers: this.values(to),
        cut: cut(to),
        along: (feature(this.traced, this.sizes, row) + 0.5) / row,
      },
      share,
      traced: this.traced,
      sizes: this.sizes,
      inks: inks(),
    });
    pane.surface.write([...arrangement.texts, ...this.note(to)]);
  }

  private note(frame: Frame) {
    const width = frame.shape.at(-1) ?? 1;
    const bars = formOf(frame) === "bars";
    const text = `${frame.axes.at(-1) ?? ""} ${width}`;
    return bars ? [{ x: 34, y: 12, text, look: "axis-d_model strong" }] : [];
  }

  private arrangement(surface: Surface, frame: Frame): Arrangement {
    return arrange(formOf(frame), this.sizes, surface.width, this.traced.h, ownOf(frame, this.sizes));
  }

  private values(frame: Frame): HTMLCanvasElement | null {
    const tensor = tensorOf(frame, "values");
    const numbers = this.scene?.tensor(tensor);
    if (!tensor || !numbers) return null;
    const key = `${tensor.sha256}${frame.step}`;
    const ink = inks().colour(formOf(frame) === "bars" ? "d-model" : "H");
    const made = this.textures.get(key) ?? texture(frame, numbers, ink);
    this.textures.set(key, made);
    return made;
  }

  /** Heads leave one after the other, the last 240 ms after the first. */
  private share(h: number): number {
    if (this.started === 0) return 1;
    const delay = (h / Math.max(1, this.sizes.heads - 1)) * STAGGER_MS;
    return ease(Math.max(0, Math.min(1, (performance.now() - this.started - delay) / STEP_MS)));
  }

  private animate(): void {
    cancelAnimationFrame(this.beat);
    const over = performance.now() - this.started > STEP_MS + STAGGER_MS;
    if (over) this.started = 0;
    this.drawNow();
    if (!over) this.beat = requestAnimationFrame(() => this.animate());
  }
}
