/** Draws frames of a kind that has no renderer of its own, each by its layout. Knows no kind. */
import { el } from "../dom";
import { FrameHead } from "./frame-head";
import { PlainGrid } from "./plain-grid";
import { PlainTape } from "./plain-tape";
import type { Host, Place, Renderer, Scene, Spot } from "./scene";
import { Series } from "./series";
import type { Facts, Frame } from "./types";

/** Draws the body of frames of one layout: without title and sentence, which stand the same over all. */
export type Layouts = Record<string, (host: Host) => Renderer>;

const LAYOUTS: Layouts = {
  grid: (host) => new PlainGrid(host),
  series: (host) => new Series(host),
  tape: (host) => new PlainTape(host),
};

export class Generic implements Renderer {
  readonly element: HTMLElement;
  private readonly head = new FrameHead();
  private readonly body = el("div", { class: "generic__body" });
  private readonly more = el("details", { class: "generic__more", hidden: true });
  private readonly made = new Map<string, Renderer>();
  private now: Renderer | undefined;

  /** `layouts` puts a drawing of one's own in place of the plain one: `{ tape: (host) => new Tape(host) }`. */
  constructor(
    private readonly host: Host,
    private readonly layouts: Layouts = {},
  ) {
    this.element = el("div", { class: "generic" }, this.head.element, this.body, this.more);
  }

  show(scene: Scene): void {
    const frame = scene.frames[scene.at];
    if (!frame) return;
    this.head.show(frame);
    this.except(scene.facts);
    this.now = this.rendererOf(frame.layout);
    this.body.hidden = !this.now;
    if (!this.now) return;
    if (this.body.firstChild !== this.now.element) this.body.replaceChildren(this.now.element);
    this.now.show(scene);
  }

  point(place: Place): void {
    this.now?.point?.(place);
  }

  inTable(place: Place, frame: Frame): Spot | null | undefined {
    return this.rendererOf(frame.layout)?.inTable?.(place, frame);
  }

  ofTable(spot: Spot, frame: Frame): Place | null | undefined {
    return this.rendererOf(frame.layout)?.ofTable?.(spot, frame);
  }

  /** Blocks and texts, and layouts unknown here, are read in their tables. */
  needsTable(frame: Frame): boolean {
    const own = this.rendererOf(frame.layout);
    return own ? (own.needsTable?.(frame) ?? false) : true;
  }

  key(event: KeyboardEvent): boolean {
    return this.now?.key(event) ?? false;
  }

  dispose(): void {
    for (const renderer of this.made.values()) renderer.dispose();
  }

  /** Where a rule has exceptions the facts list them: who does otherwise, and what. */
  private except({ exceptions }: Facts): void {
    const known = Array.isArray(exceptions) ? exceptions.map(String) : [];
    if (known.length === this.more.querySelectorAll("li").length) return;
    this.more.hidden = known.length === 0;
    const list = el("ul", {}, ...known.map((one) => el("li", {}, one)));
    this.more.replaceChildren(el("summary", {}, "Where this is otherwise"), list);
  }

  private rendererOf(layout: string): Renderer | undefined {
    const make = this.layouts[layout] ?? LAYOUTS[layout];
    const known = this.made.get(layout) ?? make?.(this.host);
    if (known) this.made.set(layout, known);
    return known;
  }
}
