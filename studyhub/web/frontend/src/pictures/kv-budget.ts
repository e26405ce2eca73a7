/** Draws what a KV cache weighs: its product, its place among the models, its tensors in memory, an answer's factors. */
import { el, svg } from "../dom";
import { drawBars, type Look, type Placed, place, topOf } from "./budget-bars";
import { type Bar, barsOf, cardBytes, rowsOf, told } from "./budget-data";
import { answerOf, factorRows, productLine } from "./budget-factors";
import { memoryRows } from "./budget-memory";
import type { Host, Place, Renderer, Scene, Spot } from "./scene";
import type { Facts, Frame } from "./types";
import { count } from "./words";

const HINT = "Point at a bar, or walk along the bars with the arrow keys, to read its numbers.";

/** A place of this picture is [row] of the table of models. */
export class KvBudget implements Renderer {
  readonly element: HTMLElement;
  private readonly product = el("p", { class: "budget__product", "data-testid": "budget-product" });
  private readonly sentence = el("p", { class: "budget__sentence" });
  private readonly drawing = svg("svg", { "aria-hidden": "true", focusable: "false" });
  private readonly plot: HTMLElement;
  private readonly read = el("p", { class: "series__read", "data-testid": "picture-read" }, HINT);
  private readonly bars = el("div", { class: "budget__bars" });
  private readonly rows = el("div", { class: "budget__rows" });
  private readonly legend = el("p", { class: "note budget__legend" });
  private readonly tools = el("div", { class: "budget__tools", "data-unexported": true });
  private readonly toggles: { element: HTMLButtonElement; on: () => boolean }[] = [];
  private readonly watcher: ResizeObserver;
  private facts: Facts = {};
  private frame: Frame | null = null;
  private shown: Bar[] = [];
  private placed: Placed | null = null;
  private readonly look: Look = { log: false, weights: false, card: 0 };
  private all = false;
  private at = -1;
  private width = -1;

  constructor(private readonly host: Host) {
    const plot = { role: "slider", tabindex: 0, "data-arrows": true, "aria-label": "Model of the chart" };
    this.plot = el("div", { class: "budget__plot", ...plot }, this.drawing);
    this.buildTools();
    this.bars.append(this.tools, this.plot, this.legend, this.read);
    this.element = el("div", { class: "budget" }, this.product, this.sentence, this.bars, this.rows);
    for (const name of ["pointermove", "pointerdown"] as const)
      this.plot.addEventListener(name, (event) => this.follow(event));
    this.watcher = new ResizeObserver(() => this.draw());
    this.watcher.observe(this.plot);
  }

  show(scene: Scene): void {
    const frame = scene.frames[scene.at] ?? null;
    if (scene.facts !== this.facts) this.at = -1;
    this.frame = frame;
    this.facts = scene.facts;
    this.look.card = cardBytes(scene.facts);
    this.product.replaceChildren(...productLine(scene.facts));
    this.sentence.textContent = frame?.sentence ?? "";
    const step = frame?.step ?? "";
    const listed = step === "models" || step === "token";
    this.bars.hidden = !listed;
    this.rows.hidden = listed;
    if (!listed && frame) this.rows.replaceChildren(...this.rowsOf(frame));
    this.width = -1;
    this.draw();
    if (scene.place) this.point(scene.place);
  }

  point([row]: Place): void {
    this.at = this.shown.findIndex((bar) => bar.row === row && row >= 0);
    this.mark();
  }

  key(event: KeyboardEvent): boolean {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!by || this.bars.hidden) return false;
    const from = this.at < 0 ? this.askedAt - (by > 0 ? 1 : -1) : this.at;
    this.go(Math.max(0, Math.min(this.shown.length - 1, from + by)));
    return true;
  }

  inTable([row = -1]: Place, frame: Frame): Spot | null {
    return frame.step === "models" && row >= 0 && row < frame.table.rows.length ? { row } : null;
  }

  ofTable({ row }: Spot, frame: Frame): Place | null {
    return frame.step === "models" ? [row] : null;
  }

  marked(): Place {
    return [rowsOf(this.facts).findIndex(([slug]) => slug === this.facts.slug)];
  }

  dispose(): void {
    this.watcher.disconnect();
  }

  private get askedAt(): number {
    return this.shown.findIndex(({ stands }) => stands === "asked");
  }

  private rowsOf(frame: Frame): HTMLElement[] {
    const answer = answerOf(this.facts);
    if (frame.step === "answer") return answer ? factorRows(answer) : [];
    if (frame.table.rows.length > 0) return memoryRows(frame);
    const waiting = frame.title ? "" : "No byte is shown before it is measured.";
    return waiting ? [el("p", { class: "note" }, waiting)] : [];
  }

  private buildTools(): void {
    const group = (label: string, ...buttons: HTMLElement[]) =>
      el("div", { class: "segmented budget__group", role: "group", "aria-label": label }, ...buttons);
    const toggle = (words: string, on: () => boolean, press: () => void) => {
      const onclick = () => {
        press();
        this.width = -1;
        this.draw();
      };
      const element = el("button", { type: "button", onclick }, words);
      this.toggles.push({ element, on });
      return element;
    };
    const set = (change: () => void) => change;
    this.tools.append(
      group(
        "Scale",
        toggle(
          "Linear",
          () => !this.look.log,
          set(() => {
            this.look.log = false;
          }),
        ),
        toggle(
          "Log",
          () => this.look.log,
          set(() => {
            this.look.log = true;
          }),
        ),
      ),
      group(
        "Models",
        toggle(
          "Around it",
          () => !this.all,
          set(() => {
            this.all = false;
          }),
        ),
        toggle(
          "All models",
          () => this.all,
          set(() => {
            this.all = true;
          }),
        ),
      ),
      group(
        "Weights",
        toggle(
          "Cache",
          () => !this.look.weights,
          set(() => {
            this.look.weights = false;
          }),
        ),
        toggle(
          "On weights",
          () => this.look.weights,
          set(() => {
            this.look.weights = true;
          }),
        ),
      ),
    );
  }

  private draw(): void {
    const width = Math.floor(this.plot.clientWidth);
    if (this.bars.hidden || width === this.width) return;
    this.width = width;
    const step = this.frame?.step ?? "";
    const bars = barsOf(this.facts, this.all);
    const own = bars.filter(({ stands }) => stands !== "row");
    this.shown = step === "token" ? own : bars;
    const look = step === "token" ? { ...this.look, weights: true } : this.look;
    this.placed = place(this.shown, look, width || 640);
    this.drawing.setAttribute("viewBox", `0 0 ${width || 640} ${this.placed.height}`);
    this.drawing.setAttribute("height", String(this.placed.height));
    this.drawing.replaceChildren(
      svg("g", { class: "budget-now" }),
      ...drawBars(this.shown, look, this.placed),
    );
    this.tools.hidden = step === "token";
    for (const { element, on } of this.toggles) element.setAttribute("aria-pressed", String(on()));
    this.legend.textContent = this.legendOf(look.weights);
    this.mark();
  }

  private legendOf(weights: boolean): string {
    const parts = [
      this.shown.some(({ partly }) => partly) ? "≤: not every layer of the row holds every token." : "",
    ];
    if (weights)
      parts.push(
        "Left of the cache: weights at 2 bytes each, those of attention filled, the rest of a nominal size hollow; ? where no size is told.",
      );
    const left = Number(this.facts.left_out ?? 0);
    if (this.all) parts.push(`${count(left)} rows of the table keep no cache.`);
    return parts.filter(Boolean).join(" ");
  }

  private follow(event: PointerEvent): void {
    if (!this.placed) return;
    const y = event.clientY - this.drawing.getBoundingClientRect().top;
    const n = Math.floor((y - topOf(this.placed, 0)) / this.placed.row);
    if (n >= 0 && n < this.shown.length && n !== this.at) this.go(n);
  }

  private go(n: number): void {
    this.at = n;
    this.mark();
    const row = this.shown[n]?.row ?? -1;
    if (row >= 0) this.host.point([row]);
  }

  private mark(): void {
    const bar = this.shown[this.at];
    const text = bar ? told(bar, this.facts) : "";
    this.read.textContent = text || HINT;
    this.read.toggleAttribute("data-unexported", !text);
    const ground = this.drawing.querySelector(".budget-now");
    const { placed } = this;
    ground?.replaceChildren(
      ...(bar && placed
        ? [
            svg("rect", {
              x: 0,
              y: topOf(placed, this.at),
              width: this.width || 640,
              height: placed.row,
              rx: 4,
            }),
          ]
        : []),
    );
    this.plot.setAttribute("aria-valuemin", "1");
    this.plot.setAttribute("aria-valuemax", String(Math.max(1, this.shown.length)));
    this.plot.setAttribute("aria-valuenow", String(Math.max(1, this.at + 1)));
    this.plot.setAttribute("aria-valuetext", text || `${this.shown.length} bars, none read yet`);
  }
}
