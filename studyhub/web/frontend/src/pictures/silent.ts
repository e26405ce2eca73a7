/** Draws a line that runs and is wrong beside the line that works: cells, or maps of the same rows. Asks no worker. */
import { el } from "../dom";
import { CellGrid } from "./cell-grid";
import { MapPair, type Two } from "./map-pair";
import { matrixOf } from "./matrix";
import { type Cells, cellsOf, limits, reads } from "./misplaced";
import type { Host, Place, Renderer, Scene, Spot } from "./scene";
import { Side, strides } from "./silent-side";
import type { Facts, Frame, Tensor } from "./types";
import { count } from "./words";

const SOFTMAX = "softmax_over_queries";

export class Silent implements Renderer {
  readonly element: HTMLElement;
  private readonly count = el("p", { class: "silent__count" });
  private readonly bar = el("span", { class: "silent__wrong" });
  private readonly share = el("div", { class: "silent__bar", "aria-hidden": "true" });
  private readonly words = el("p", { class: "tape__words" });
  private readonly toggles = [false, true].map((fixed) =>
    el("button", { type: "button", onclick: () => this.fix(fixed) }, fixed ? "Fixed" : "As written"),
  );
  private readonly toggle = el(
    "div",
    { class: "segmented silent__toggle", role: "group", "aria-label": "Pieces stand" },
    ...this.toggles,
  );
  private readonly read = el("p", { class: "silent__read", "aria-live": "polite" });
  private readonly wrong = new Side("What runs and is wrong");
  private readonly right = new Side("What works");
  private readonly written = new CellGrid("What the cells hold, as written", (cell) => this.go(cell));
  private readonly works = new CellGrid("What the cells hold, with the line that works", (cell) =>
    this.go(cell),
  );
  private readonly maps: MapPair;
  private scene: Scene | null = null;
  private fixed = false;
  private cell = -1;

  constructor(private readonly host: Host) {
    this.maps = new MapPair((row, column) => host.point([row, column]));
    this.wrong.drawing.append(this.written.element, this.maps.wrong.element);
    this.right.drawing.append(this.works.element, this.maps.right.element);
    this.share.append(this.bar);
    const head = el("div", { class: "tape__head" }, this.count, this.share, this.words, this.toggle);
    const pair = el("div", { class: "silent__pair" }, this.wrong.element, this.right.element);
    this.element = el("div", { class: "silent" }, head, pair, this.read, this.maps.element);
  }

  show(scene: Scene): void {
    this.scene = scene;
    const { facts } = scene;
    const frame = scene.frames[scene.at];
    this.headed(facts);
    this.words.textContent = frame?.sentence ?? "";
    const moves = scene.from !== null && scene.from !== scene.at;
    if (moves || scene.from === null) this.fixed = frame?.step === "right";
    this.draw(moves);
    if (scene.place) this.point(scene.place);
  }

  point([row, column]: Place): void {
    if (this.mapped) this.maps.select(row ?? 0, column ?? -1);
    else this.select((row ?? 0) * this.grid(true).tokens + (column ?? 0));
  }

  key(event: KeyboardEvent): boolean {
    if (this.mapped) return this.maps.key(event);
    const { heads, tokens } = this.grid(true);
    const by = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
    if (event.key === "f") this.fix(!this.fixed);
    else if (!by) return false;
    else {
      const [head, token] = [Math.floor(Math.max(0, this.cell) / tokens), Math.max(0, this.cell) % tokens];
      const held = (at: number, length: number) => Math.max(0, Math.min(length - 1, at));
      this.go(held(head + (by[0] ?? 0), heads) * tokens + held(token + (by[1] ?? 0), tokens));
    }
    return true;
  }

  marked(): Place {
    const { tokens } = this.grid(true);
    if (this.mapped) return [this.maps.right.row, this.maps.right.column];
    return this.cell < 0 ? [] : [Math.floor(this.cell / tokens), this.cell % tokens];
  }

  /** Tables of cells and of weights have a column a token, that of meaning a row a query, that of counts neither. */
  inTable([row, column]: Place, frame: Frame): Spot | null {
    if (frame.step === "count" || row === undefined || row < 0 || row >= frame.table.rows.length) return null;
    return frame.step === "meaning" || column === undefined ? { row } : { row, column: column + 1 };
  }

  ofTable({ row, column }: Spot, frame: Frame): Place | null {
    if (frame.step === "count") return null;
    return frame.step === "meaning" || !column || column > (frame.shape.at(-1) ?? 0)
      ? [row]
      : [row, column - 1];
  }

  dispose(): void {
    for (const part of [this.written, this.works, this.maps]) part.dispose();
  }

  private get step(): string {
    return this.scene?.frames[this.scene.at]?.step ?? "";
  }

  private get facts(): Facts {
    return this.scene?.facts ?? {};
  }

  /** True where maps stand in place of cells. */
  private get mapped(): boolean {
    return this.step === "meaning" || this.facts.mistake === SOFTMAX;
  }

  /** True where only cells in their places stand: nothing to compare them with. */
  private get alone(): boolean {
    return this.step === "right" && !this.mapped;
  }

  private frame(step: string): Frame | undefined {
    return this.scene?.frames.find((frame) => frame.step === step);
  }

  private grid(right: boolean): Cells {
    return cellsOf(
      this.facts,
      this.frame(right ? "right" : "wrong"),
      (tensor) => this.scene?.tensor(tensor),
      right,
    );
  }

  /** Over the step that works, and over the sentence, whose layer is another, the count would be untrue. */
  private headed(facts: Facts): void {
    const { alone } = this;
    const counts = !alone && this.step !== "meaning";
    this.share.toggleAttribute("data-empty", !counts);
    if (counts) {
      this.counted(facts);
      return;
    }
    const all = `All ${count(Number(facts.cells ?? 0))} numbers stand where they belong`;
    this.count.textContent = alone ? all : `Either line in ${this.reader}, on the sentence`;
  }

  /** What reads the sentence: a trained model, or what stands in for it. */
  private get reader(): string {
    return this.frame("meaning")?.title.split(",")[0] || "MiniLM";
  }

  /** "5,888 of 6,144 numbers (95.8 %) stand in another place", and the same as a share of a bar. */
  private counted({ wrong_cells: wrong, cells, share, mistake }: Facts): void {
    const words = mistake === SOFTMAX ? "are other numbers" : "stand in another place";
    const many = el("b", {}, count(Number(wrong ?? 0)));
    this.count.replaceChildren(
      many,
      ` of ${count(Number(cells ?? 0))} numbers (${String(share ?? "")}) ${words}`,
    );
    this.bar.hidden = !wrong;
    this.bar.style.inlineSize = `${(100 * Number(wrong ?? 0)) / Math.max(1, Number(cells ?? 1))}%`;
  }

  private fix(fixed: boolean): void {
    if (fixed === this.fixed || this.alone) return;
    this.fixed = fixed;
    this.draw(true);
  }

  private go(cell: number): void {
    this.select(cell);
    const { tokens } = this.grid(true);
    this.host.point([Math.floor(cell / tokens), cell % tokens]);
  }

  private select(cell: number): void {
    this.cell = cell;
    this.written.select(cell);
    this.works.select(cell);
    const shown = this.grid(this.fixed);
    const said = cell < 0 ? (this.fixed ? HOME : POINT) : reads(shown, cell);
    this.read.textContent = `${said} ${limits(shown, this.facts)}`.trim();
  }

  private draw(moving: boolean): void {
    const { facts, mapped } = this;
    this.toggle.hidden = mapped || this.alone;
    this.wrong.element.hidden = this.alone;
    this.read.hidden = mapped;
    for (const part of [this.written, this.works]) part.element.hidden = mapped;
    for (const part of [this.maps.element, this.maps.wrong.element, this.maps.right.element])
      part.hidden = !mapped;
    this.toggles.forEach((button, n) => {
      button.setAttribute("aria-pressed", String((n === 1) === this.fixed));
    });
    const fixed = this.fixed && !mapped;
    const works = fixed || facts.wrong_cells === 0;
    const elsewhere = this.step === "meaning";
    const code = (right: boolean) =>
      elsewhere
        ? `The same line in ${this.reader}`
        : String((right ? facts.code_right : facts.code_wrong) ?? "");
    const under = (right: boolean) => (elsewhere ? [] : strides(facts, right));
    this.wrong.show(fixed ? "Fixed" : "As written", works, code(fixed), under(fixed));
    this.right.show("What works", true, code(true), under(true));
    if (mapped) this.maps.show(this.step === "meaning" ? this.meaning() : this.softened());
    else this.drawCells(moving);
  }

  private drawCells(moving: boolean): void {
    this.written.show(this.grid(false), this.fixed, moving);
    this.works.show(this.grid(true), false, false);
    this.select(this.cell);
  }

  private matrix(tensor: Tensor | undefined) {
    const numbers = this.scene?.tensor(tensor);
    return tensor && numbers ? matrixOf(tensor, numbers, 0) : null;
  }

  /** The sentence under either line; what is said of a row is the last number its table has of it. */
  private meaning(): Two {
    const frame = this.frame("meaning");
    const of = (role: string) => this.matrix(frame?.tensors.find((tensor) => tensor.role === role));
    const tokens = (frame?.table.rows ?? []).map(([token]) => String(token));
    const told = (row: number) => {
      const { columns = [], rows = [] } = frame?.table ?? {};
      const [apart, held] = [rows[row]?.[5], rows[row]?.[6]];
      const whose = held === undefined ? "" : `; as written its row is that of ${held}`;
      return `“${tokens[row] ?? ""}”: ${columns[5]} ${apart}${whose}.`;
    };
    return {
      wrong: of("wrong"),
      right: of("right"),
      rows: { wrong: tokens, right: tokens },
      columns: tokens,
      told,
    };
  }

  /** Weights over the wrong axis: each row is named with its sum. */
  private softened(): Two {
    const [wrong, right] = [this.frame("wrong"), this.frame("right")];
    const sums = (frame: Frame | undefined) =>
      (frame?.table.rows ?? []).map((cells) => Number(cells.at(-1)).toFixed(2));
    const named = (frame: Frame | undefined) => sums(frame).map((sum, n) => `t ${n}  Σ ${sum}`);
    const columns = sums(right).map((_, n) => `t ${n}`);
    const told = (row: number) =>
      `The weights of query t ${row} sum to ${sums(wrong)[row] ?? ""} as written, to ${sums(right)[row] ?? ""} with the line that works.`;
    const maps = { wrong: this.matrix(wrong?.tensors[0]), right: this.matrix(right?.tensors[0]) };
    return { ...maps, rows: { wrong: named(wrong), right: named(right) }, columns, told };
  }
}

const HOME = "Every piece stands where it belongs.";
const POINT = "Point at a cell to read what it holds, and where that belongs.";
