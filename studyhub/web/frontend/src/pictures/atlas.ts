/** Draws all heads of a model: a grid of small maps, the chosen one read out, pinned ones beside each other. */
import { el } from "../dom";
import { AtlasCount } from "./atlas-count";
import { type AtlasData, countOf, dataOf, headOf, orderOf, rowOfHead } from "./atlas-data";
import { AtlasGrid } from "./atlas-grid";
import { AtlasOpen } from "./atlas-open";
import type { Marks } from "./atlas-paint";
import { AtlasPins, MOST_PINS } from "./atlas-pins";
import { AtlasSide } from "./atlas-side";
import { onThemeChange } from "./palette";
import type { Host, Place, Renderer, Scene, Spot } from "./scene";
import type { Frame } from "./types";

/** Added to the pattern's number in a place where the smallest stand first. */
const UP = 100;

/** A place of this picture is [head, pattern looked for, ...pinned heads]; a head is layer * heads + head. */
export class Atlas implements Renderer {
  readonly element: HTMLElement;
  private readonly words = el("p", { class: "atlas__words" });
  private readonly grid = new AtlasGrid(
    (head) => this.choose(head),
    () => this.open(),
  );
  private readonly side = new AtlasSide({
    open: () => this.open(),
    pin: () => this.pin(this.head),
    turn: () => this.turn(),
    look: (pattern) => this.look(pattern),
  });
  private readonly pins = new AtlasPins(
    (head) => this.choose(head),
    (head) => this.pin(head),
  );
  private readonly opened = new AtlasOpen(() => this.close());
  private readonly maps: HTMLElement;
  private readonly count = new AtlasCount((head) => this.choose(head));
  private readonly unwatch = onThemeChange(() => this.redraw());
  private scene: Scene | null = null;
  private data: AtlasData | null = null;
  private head = 0;
  /** True once a head was chosen by a reader or a link. */
  private chosen = false;
  private pattern = "";
  private up = false;
  private pinned: number[] = [];

  constructor(private readonly host: Host) {
    const main = el("div", { class: "atlas__main" }, this.side.tools, this.grid.element);
    const both = el("div", { class: "atlas__both" }, this.side.now, main, this.side.element);
    this.maps = el("div", {}, both, this.pins.element, this.opened.element);
    this.element = el("div", { class: "atlas" }, this.words, this.maps, this.count.element);
  }

  show(scene: Scene): void {
    const first = !this.scene;
    this.scene = scene;
    this.words.textContent = scene.frames[scene.at]?.sentence ?? "";
    const drawn = scene.frames.some(({ step }) => step === "maps");
    this.maps.hidden = !drawn;
    this.count.element.hidden = drawn;
    this.data = dataOf(scene);
    if (first && scene.place) this.take(scene.place);
    if (!drawn) this.counted();
    else if (this.data) {
      this.begin(this.data);
      this.hold(this.data);
      this.draw(scene.from !== null);
      if (this.opened.isOpen) this.opened.open(scene, this.head, this.data.heads);
    }
  }

  point(place: Place): void {
    this.take(place);
    this.redraw();
  }

  marked(): Place {
    const at = this.pattern ? this.patterns.indexOf(this.pattern) + 1 : 0;
    return [this.head, at + (this.up ? UP : 0), ...this.pinned];
  }

  inTable([head = -1]: Place, frame: Frame): Spot | null {
    const row = rowOfHead(frame, head, this.heads);
    return row < 0 ? null : { row };
  }

  ofTable({ row }: Spot, frame: Frame): Place | null {
    const head = headOf(frame.table.rows[row]?.[0], this.heads);
    return head < 0 ? null : [head, ...this.marked().slice(1)];
  }

  key(event: KeyboardEvent): boolean {
    if (event.key === "Escape" && this.opened.isOpen) this.close();
    else if (this.opened.holds(event.target)) return this.opened.key(event);
    else if (!this.data) return this.count.key(event);
    else if (event.key === "Enter" && event.target === this.grid.surface.canvas) this.open();
    else if (event.key === "p") this.pin(this.head);
    else if (event.key === "r") this.turn();
    else if (event.key === "/") this.side.focus();
    else return event.target === this.grid.surface.canvas && this.grid.key(event);
    return true;
  }

  dispose(): void {
    this.unwatch();
    this.grid.dispose();
    this.count.dispose();
    this.opened.dispose();
  }

  private get step(): string {
    return this.scene?.frames[this.scene.at]?.step ?? "maps";
  }

  private get heads(): number {
    return this.data?.heads ?? Number(this.scene?.facts.num_heads ?? 1);
  }

  private get patterns(): string[] {
    const listed = this.scene?.facts.patterns;
    return Array.isArray(listed) ? listed.map(String) : [];
  }

  private get marks(): Marks {
    const { head, pattern, step } = this;
    return { head, pattern, step, pins: this.pinned };
  }

  private take([head = 0, looked = 0, ...pins]: Place): void {
    this.head = head;
    this.chosen = true;
    this.up = looked >= UP;
    this.pattern = this.patterns[(looked % UP) - 1] ?? "";
    this.pinned = [...new Set(pins)].slice(0, MOST_PINS);
  }

  /** Until one is chosen it is the head that gives the followed pair the most weight, once that is known. */
  private begin(data: AtlasData): void {
    if (data.pair && !this.chosen) this.head = orderOf(data, "pair", false)[0] ?? 0;
  }

  /** Another model may have fewer heads. */
  private hold(data: AtlasData): void {
    const many = countOf(data);
    if (this.head >= many) this.head = 0;
    this.pinned = this.pinned.filter((head) => head < many);
  }

  private choose(head: number): void {
    this.head = head;
    this.chosen = true;
    this.redraw();
    this.tell();
    if (this.opened.isOpen && this.scene) this.opened.open(this.scene, head, this.heads);
  }

  private pin(head: number): void {
    const has = this.pinned.includes(head);
    this.pinned = has ? this.pinned.filter((one) => one !== head) : [...this.pinned, head].slice(-MOST_PINS);
    this.redraw();
    this.tell();
  }

  private turn(): void {
    this.up = !this.up;
    this.draw(true);
    this.tell();
  }

  private look(pattern: string): void {
    this.pattern = pattern;
    const { data } = this;
    const fits = (head: number) => !pattern || data?.patterns[head] === pattern;
    if (data && !fits(this.head)) this.head = orderOf(data, this.step, this.up).find(fits) ?? this.head;
    this.redraw();
    this.tell();
  }

  private open(): void {
    if (!this.scene || !this.data) return;
    this.opened.open(this.scene, this.head, this.data.heads);
    this.opened.focus();
  }

  private close(): void {
    this.opened.close();
    this.grid.focus();
  }

  private tell(): void {
    this.host.point(this.marked());
  }

  private redraw(): void {
    if (this.data) this.draw(false);
    else this.counted();
  }

  private draw(moving: boolean): void {
    const { data, marks } = this;
    if (!data) return;
    const order = orderOf(data, this.step, this.up);
    this.grid.show({ data, order, marks }, moving);
    this.side.show(data, marks, { up: this.up, rule: String(this.scene?.facts.rule ?? "") });
    this.pins.show(data, marks);
  }

  private counted(): void {
    const { facts } = this.scene ?? {};
    const [layers, heads] = [Number(facts?.layers ?? 1), Number(facts?.num_heads ?? 1)];
    if (this.head >= layers * heads) this.head = 0;
    this.count.show({ layers, heads, shared: Number(facts?.num_kv_heads ?? 0), head: this.head });
  }
}
