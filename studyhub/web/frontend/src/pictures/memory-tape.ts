/** Draws what a chain of operations does in memory: the tensor, the cells it reads in order, all of memory. Asks no worker. */
import { el } from "../dom";
import { Overview } from "./overview";
import { PlanesView } from "./planes-view";
import type { Host, Place, Renderer, Scene, Spot } from "./scene";
import {
  type Answer,
  carried,
  type Layout,
  offsetOf,
  readersOf,
  type Step,
  stepsOf,
  timesRead,
} from "./storage";
import { TapeAnswer } from "./tape-answer";
import { TapeCells } from "./tape-cells";
import { HALF, MOST_ROWS, PER_ROW, readsFrom, rowsShown } from "./tape-rows";
import { axesTable, coded, howRead, inkOf, linesTouched, marks, passage, reading } from "./tape-words";
import type { Facts, Frame } from "./types";
import { shape } from "./words";

export class MemoryTape implements Renderer {
  readonly element: HTMLElement;
  private readonly code = el("p", { class: "tape__code mono" });
  private readonly state = el("p", { class: "tape__state" });
  private readonly words = el("p", { class: "tape__words" });
  private readonly error = el("p", { class: "run__words" });
  private readonly table = el("div", { class: "tape__table" });
  private readonly read = el("p", { class: "tape__read", "aria-live": "polite" });
  private readonly lines = el("p", { class: "note" });
  private readonly passage = el("p", { class: "tape__passage" });
  private readonly planes = new PlanesView((index) => this.go(index));
  private readonly cells = new TapeCells("Memory around the traced number", (offset) => this.cellAt(offset));
  private readonly source = new TapeCells("Memory that is read, around the traced number", (offset) =>
    this.from(offset),
  );
  private readonly copied = el("p", { class: "note" }, "Written to new memory:");
  private readonly overview = new Overview();
  private readonly answer = new TapeAnswer((index) => this.go(index));
  private readonly whole: HTMLElement;
  private facts: Facts = {};
  private steps: Step[] = [];
  private now = 0;
  private index: number[] = [];
  private times: Uint16Array | null = null;

  constructor(private readonly host: Host) {
    const left = el(
      "div",
      { class: "tape__side" },
      el("h3", {}, "The tensor"),
      this.planes.element,
      this.table,
    );
    const right = el(
      "div",
      { class: "tape__side" },
      el("h3", {}, "Memory, cells numbered as they are read"),
      el("div", { class: "tape__lines" }, this.source.element, this.copied, this.cells.element),
      this.lines,
    );
    const below = el("div", { class: "tape__all" }, this.passage, this.overview.element);
    this.whole = el("div", {}, this.read, el("div", { class: "tape__pair" }, left, right), below);
    const head = el("div", { class: "tape__head" }, this.code, this.state, this.error, this.words);
    this.element = el("div", { class: "tape" }, head, this.whole, this.answer.element);
  }

  show(scene: Scene): void {
    const frame = scene.frames[scene.at];
    if (!frame) return;
    if (scene.facts !== this.facts) this.begin(scene.facts);
    const at = Math.max(
      0,
      this.steps.findIndex(({ step }) => step === frame.step),
    );
    const asked = frame.step === "answer";
    this.follow(asked ? this.steps.length - 1 : at);
    if (scene.place?.length === this.layout?.shape.length) this.index = this.held(scene.place ?? []);
    this.head(frame, asked);
    this.whole.hidden = asked;
    this.answer.element.hidden = !asked;
    this.draw();
    const answer = this.facts.answer as Answer | null;
    if (asked && answer && this.layout)
      this.answer.show({ answer, last: this.layout, index: this.index, ...this.sizes });
  }

  key(event: KeyboardEvent): boolean {
    if (this.whole.hidden) return this.answer.key(event);
    const focused = [this.cells, this.source].find((cells) => cells.focused);
    return (focused ?? this.planes).key(event);
  }

  point(place: Place): void {
    if (place.length !== this.layout?.shape.length) return;
    this.index = this.held(place);
    this.draw();
    this.answer.follow(this.index);
  }

  marked(): Place {
    return this.index;
  }

  /** The table names each number by its index. */
  inTable(place: Place, frame: Frame): Spot | null {
    const axes = frame.table.columns.indexOf("offset");
    const row = frame.table.rows.findIndex(
      (cells) => axes === place.length && place.every((at, n) => cells[n] === at),
    );
    return row < 0 ? null : { row };
  }

  ofTable({ row }: Spot, frame: Frame): Place | null {
    const axes = frame.table.columns.indexOf("offset");
    const cells = frame.table.rows[row]?.slice(0, Math.max(0, axes)) ?? [];
    return axes > 0 && cells.every((cell) => typeof cell === "number") ? (cells as number[]) : null;
  }

  dispose(): void {
    for (const part of [this.planes, this.cells, this.source, this.overview, this.answer]) part.dispose();
  }

  private begin(facts: Facts): void {
    this.facts = facts;
    this.steps = stepsOf(facts);
    this.now = 0;
    this.index = (this.layout?.shape ?? []).map(() => 0);
    this.times = null;
  }

  private get step(): Step | undefined {
    return this.steps[this.now];
  }

  private get layout(): Layout | undefined {
    return this.step?.layout;
  }

  private get sizes() {
    const [each, line] = [Number(this.facts.bytes_per_number ?? 4), Number(this.facts.cache_line ?? 64)];
    return { each, line, perLine: Math.max(1, Math.floor(line / each)) };
  }

  /** The number that is traced stays the same one from step to step. */
  private follow(to: number): void {
    while (this.now < to) {
      this.now += 1;
      if (this.step) this.index = carried(this.step, this.index);
    }
    while (this.now > to) {
      if (this.step) this.index = carried(this.step, this.index, true);
      this.now -= 1;
    }
    this.times = this.layout ? timesRead(this.layout) : null;
  }

  private held(place: Place): number[] {
    return (this.layout?.shape ?? []).map((size, axis) => Math.max(0, Math.min(size - 1, place[axis] ?? 0)));
  }

  private go(index: readonly number[]): void {
    this.index = this.held(index);
    this.draw();
    this.answer.follow(this.index);
    this.host.point(this.index);
  }

  /** A cell is pointed at: the number that reads it first is traced, if one does. */
  private cellAt(offset: number): void {
    if (!this.layout) return;
    const { first, times, more } = readersOf(this.layout, offset);
    if (first) this.go(first);
    const said = howRead(offset, times, more);
    if (said) this.read.prepend(said, " ");
    if (!first) this.read.replaceChildren(said);
  }

  /** A cell that was copied is pointed at: the number is traced where it is now. */
  private from(offset: number): void {
    const found = this.step && readersOf(this.step.before, offset).first;
    if (found && this.step) this.go(carried(this.step, found));
  }

  private head(frame: Frame, asked: boolean): void {
    const { step } = this;
    this.code.replaceChildren(...coded(frame.title || step?.code || ""));
    const told = frame.shape.length > 0 && !asked;
    this.state.hidden = !told;
    if (told)
      this.state.replaceChildren(
        "shape ",
        shape(frame.shape, frame.axes),
        " strides ",
        shape(frame.strides, frame.axes),
        " ",
        el("b", { class: "tape__chip" }, frame.contiguous ? "contiguous" : "not contiguous"),
      );
    this.element.toggleAttribute("data-refused", Boolean(step?.refused));
    this.error.hidden = !frame.error && !step?.refused;
    this.error.replaceChildren(
      frame.error ? el("samp", {}, frame.error) : el("span", { class: "run__wait" }, "torch is running it"),
    );
    this.words.textContent = frame.sentence;
  }

  private draw(): void {
    const { step, layout, index } = this;
    if (!step || !layout || this.whole.hidden) return;
    const { each, line, perLine } = this.sizes;
    const reads = readsFrom(layout, index);
    const { ink } = inkOf(layout);
    this.planes.show({ layout, index, ink, others: this.steps.map((one) => one.layout) });
    this.drawCells(step, step.copies);
    const source = step.copies ? step.before : null;
    this.overview.show({ layout, source, index, ink, times: this.times });
    this.read.replaceChildren(...reading(layout, index, each, line));
    this.lines.textContent = [linesTouched(reads, perLine), marks(this.times)].join(" ").trim();
    this.passage.textContent = passage(step, each);
    const { names, shape: lengths, strides } = layout;
    const adds = index.map((at, n) => at * (strides[n] ?? 0));
    this.table.replaceChildren(
      axesTable("The traced number, axis by axis", names, [
        { head: "length", cells: lengths },
        { head: "stride", cells: strides },
        { head: "index", cells: index },
        { head: "index × stride", cells: adds },
      ]),
    );
  }

  /** One tape; of a copy two, that which is read over that which is written. */
  private drawCells(step: Step, copies: boolean): void {
    this.source.element.hidden = !copies;
    this.copied.hidden = !copies;
    const most = Math.max(...this.steps.map((one) => one.layout.cells));
    const room = Math.min(copies ? HALF : MOST_ROWS, Math.ceil(most / PER_ROW));
    const show = (cells: TapeCells, layout: Layout, index: readonly number[], times: Uint16Array | null) => {
      const reads = readsFrom(layout, index);
      const rows = rowsShown(reads, layout.cells, room);
      const offset = offsetOf(layout, index);
      cells.show({ layout, offset, reads, rows, perLine: this.sizes.perLine, times, ...inkOf(layout), room });
    };
    show(this.cells, step.layout, this.index, this.times);
    if (copies) show(this.source, step.before, carried(step, this.index, true), null);
  }
}
