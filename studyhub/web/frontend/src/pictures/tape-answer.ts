/** The learner's strides beside the right ones: what each reads of the same memory. Knows no step. */
import { el } from "../dom";
import { icon } from "./icons";
import { Overview } from "./overview";
import { type Answer, type Layout, offsetOf, readersOf, timesRead, triedOn } from "./storage";
import { TapeCells } from "./tape-cells";
import { PER_ROW, readsFrom, rowsShown } from "./tape-rows";
import { axesTable, inkOf, marks, missed, reading } from "./tape-words";
import { count } from "./words";

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

  /** How often each cell is read, where there are strides that run and it was counted. */
  get counted(): Uint16Array | null {
    return this.read.hidden ? null : this.times.counted;
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
  private readonly marks = el("p", { class: "note" });
  private asked: Asked | null = null;

  constructor(private readonly go: (index: readonly number[]) => void) {
    const pair = el(
      "div",
      { class: "tape__pair tape__pair--answer" },
      this.yours.element,
      this.right.element,
    );
    this.element = el("div", { class: "tape__answer", hidden: true }, this.table, pair, this.marks);
  }

  show(asked: Asked): void {
    this.asked = asked;
    const { answer, last } = asked;
    const { works, strides, right_strides: right } = answer;
    this.yours.heading.replaceChildren(icon(works ? "correct" : "incorrect"), "What you gave");
    this.right.heading.replaceChildren(icon("correct"), "What it is");
    this.yours.told.textContent = missed(answer, last.cells);
    this.right.told.textContent = itself(last);
    const ranked = right.length === strides.length;
    const differs = (stride: number, axis: number) => answer.shape[axis] !== 1 && stride !== right[axis];
    const wrong = ranked ? strides.map(differs) : [];
    const names = triedOn(answer, last).names;
    this.table.replaceChildren(
      axesTable("Strides, axis by axis", names, [
        { head: "length", cells: answer.shape },
        { head: "your stride", cells: strides, wrong },
        ...(ranked ? [{ head: "its stride", cells: right }] : []),
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
    this.yours.show(yours, { ...this.asked, index: yours ? this.indexIn(yours) : [] });
    this.right.show(right, this.asked);
    this.marks.textContent = marks(this.yours.counted);
  }

  /** The traced number by the learner's axes: of another number of axes, that which reads the same cell. */
  private indexIn(layout: Layout): number[] {
    const { index = [], last } = this.asked ?? {};
    const alike = index.length === layout.shape.length;
    const same = alike || !last ? [...index] : readersOf(layout, offsetOf(last, index)).first;
    return layout.shape.map((size, axis) => Math.min(size - 1, same?.[axis] ?? 0));
  }

  private at(layout: Layout | null, offset: number): void {
    const last = this.asked?.last;
    if (!layout || !last) return;
    const found = readersOf(layout.shape.length === last.shape.length ? layout : last, offset).first;
    if (found) this.go(found);
  }
}

/** How the tensor's own strides read its memory; nothing where there is too much to count. */
function itself(last: Layout): string {
  const times = timesRead(last);
  if (!times) return "";
  const [twice, never] = [times.filter((often) => often > 1).length, times.filter((often) => !often).length];
  if (twice === 0 && never === 0) return `Each of ${count(last.cells)} cells is read once, in its own order.`;
  return `Of ${count(last.cells)} cells ${count(twice)} are read more than once and ${count(never)} never.`;
}
