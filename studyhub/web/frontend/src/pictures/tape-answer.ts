/** The learner's strides beside the right ones: what each reads of the same memory. Knows no step. */
import { el } from "../dom";
import { icon } from "./icons";
import { Overview } from "./overview";
import { type Answer, type Layout, offsetOf, readersOf, timesRead, triedOn } from "./storage";
import { TapeCells } from "./tape-cells";
import { PER_ROW, readsFrom, rowsShown } from "./tape-rows";
import { axesTable, inkOf, missed, reading } from "./tape-words";

const ROWS = 6;

interface Asked {
  answer: Answer;
  last: Layout;
  index: readonly number[];
  each: number;
  line: number;
  perLine: number;
}

/** One of the two: words, the strip of all memory, the cells around the traced number. */
class Half {
  readonly heading = el("h3", { class: "run__title" });
  readonly told = el("p", { class: "tape__told" });
  readonly read = el("p", { class: "tape__read" });
  readonly overview = new Overview();
  readonly cells: TapeCells;
  readonly element: HTMLElement;
  private times: { of: string; counted: Uint16Array | null } = { of: "", counted: null };

  constructor(name: string, pointed: (offset: number) => void) {
    this.cells = new TapeCells(`${name}: memory around the traced number`, pointed);
    const drawn = [this.overview.element, this.read, this.cells.element];
    this.element = el(
      "section",
      { class: "tape__side", "aria-label": name },
      this.heading,
      this.told,
      ...drawn,
    );
  }

  show(layout: Layout | null, { index, each, line, perLine }: Asked): void {
    for (const { element } of [this.overview, this.cells]) element.hidden = !layout;
    this.read.hidden = !layout;
    if (!layout) return;
    const reads = readsFrom(layout, index);
    const key = `${layout.shape}|${layout.strides}`;
    if (this.times.of !== key) this.times = { of: key, counted: timesRead(layout) };
    const times = this.times.counted;
    this.read.replaceChildren(...reading(layout, index, each, line));
    this.overview.show({ layout, source: null, index, ink: inkOf(layout).ink, times });
    const rows = rowsShown(reads, layout.cells, ROWS);
    const room = Math.min(ROWS, Math.ceil(layout.cells / PER_ROW));
    this.cells.show({
      layout,
      offset: offsetOf(layout, index),
      reads,
      rows,
      perLine,
      times,
      ...inkOf(layout),
      room,
    });
  }

  dispose(): void {
    this.overview.dispose();
    this.cells.dispose();
  }
}

export class TapeAnswer {
  readonly element: HTMLElement;
  private readonly table = el("div", { class: "tape__table" });
  private readonly yours = new Half("What you gave", (offset) => this.at(this.halves[0], offset));
  private readonly right = new Half("What it is", (offset) => this.at(this.halves[1], offset));
  private asked: Asked | null = null;

  constructor(private readonly go: (index: readonly number[]) => void) {
    const pair = el(
      "div",
      { class: "tape__pair tape__pair--answer" },
      this.yours.element,
      this.right.element,
    );
    const key = el("p", { class: "note" }, "Hatched cells are read more than once, dotted ones never.");
    this.element = el("div", { class: "tape__answer", hidden: true }, this.table, pair, key);
  }

  show(asked: Asked): void {
    this.asked = asked;
    const { answer, last } = asked;
    const { works, strides, right_strides: right } = answer;
    this.yours.heading.replaceChildren(icon(works ? "correct" : "incorrect"), "What you gave");
    this.right.heading.replaceChildren(icon("correct"), "What it is");
    this.yours.told.textContent = missed(answer, last.cells);
    this.right.told.textContent = missed({ ...answer, note: "", works: false, ...whole(last) }, last.cells);
    const wrong = strides.map((stride, axis) => answer.shape[axis] !== 1 && stride !== right[axis]);
    const names = triedOn(answer, last).names;
    this.table.replaceChildren(
      axesTable("Strides, axis by axis", names, [
        { head: "length", cells: answer.shape },
        { head: "your stride", cells: strides, wrong },
        { head: "its stride", cells: right },
      ]),
    );
    this.draw();
  }

  follow(index: readonly number[]): void {
    if (!this.asked) return;
    this.asked = { ...this.asked, index };
    this.draw();
  }

  key(event: KeyboardEvent): boolean {
    const half = [this.yours, this.right].find(({ cells }) => cells.focused);
    return half?.cells.key(event) ?? false;
  }

  dispose(): void {
    this.yours.dispose();
    this.right.dispose();
  }

  /** What the learner's strides read, if they run, and what the right ones read. */
  private get halves(): readonly [Layout | null, Layout | null] {
    if (!this.asked) return [null, null];
    const { answer, last } = this.asked;
    return [answer.runs ? triedOn(answer, last) : null, last];
  }

  private draw(): void {
    if (!this.asked || this.element.hidden) return;
    const [yours, right] = this.halves;
    const alike = yours?.shape.length === this.asked.index.length;
    this.yours.show(alike ? yours : null, this.asked);
    this.right.show(right, this.asked);
  }

  private at(layout: Layout | null, offset: number): void {
    const found = layout && readersOf(layout, offset).first;
    if (found) this.go(found);
  }
}

/** What the right strides miss, counted where that is little work. */
function whole(last: Layout): { read_twice: number | null; never_read: number | null } {
  const times = timesRead(last);
  if (!times) return { read_twice: null, never_read: null };
  return {
    read_twice: times.filter((often) => often > 1).length,
    never_read: times.filter((often) => often === 0).length,
  };
}
