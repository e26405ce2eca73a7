/** Draws a learner's program that was run: its lines, the one that fails, torch's own words, what differs. */
import { el } from "../dom";
import { icon, type Outcome } from "./icons";
import { type AxesOf, axesFrom, coloured, programTable } from "./program-table";
import type { Host, Renderer, Scene } from "./scene";
import type { Cell, Facts, Frame } from "./types";
import { shape } from "./words";

export interface CodeLine {
  number: number;
  code: string;
  shape: string;
  outcome: string;
  fails: boolean;
}

const FOLDED: Readonly<Record<string, string>> = {
  run: "Call by call",
  tiny: "On small numbers",
  compare: "Beside the reference",
};

const cell = (cells: readonly Cell[], n: number): string => (n < 0 ? "" : String(cells[n] ?? ""));

/** The program line by line: as the facts have it, then with what the worker found in each line. */
export function linesOf(facts: Facts, run: Frame | undefined): CodeLine[] {
  const known = new Map<number, CodeLine>();
  for (const [n, code] of String(facts.code ?? "")
    .split("\n")
    .entries())
    known.set(n + 1, { number: n + 1, code, shape: "", outcome: "", fails: false });
  const columns = run?.table.columns ?? [];
  const at = (name: string) => columns.indexOf(name);
  for (const cells of run?.table.rows ?? []) {
    const number = Number(cell(cells, at("line"))) || 0;
    const line = known.get(number) ?? { number, code: cell(cells, at("code")) };
    known.set(number, {
      ...line,
      shape: cell(cells, at("shape")),
      outcome: cell(cells, at("outcome")),
      fails: false,
    });
  }
  return marked(
    [...known.values()].sort((one, other) => one.number - other.number),
    run,
  );
}

/** Where torch refuses, the frame's title is the line that it refused; else the last line that had an outcome. */
function marked(lines: CodeLine[], run: Frame | undefined): CodeLine[] {
  if (!run?.error) return lines;
  const titled = lines.findLast(({ code }) => code.trim() === run.title.trim());
  const failing = titled ?? lines.findLast(({ outcome }) => outcome !== "") ?? lines.at(-1);
  return lines.map((line) => ({ ...line, fails: line === failing }));
}

export class Program implements Renderer {
  readonly element: HTMLElement;
  private readonly heading = el("h3", { class: "run__title" });
  private readonly lines = el("ol", { class: "program__lines", "data-testid": "picture-code" });
  private readonly words = el("div", { class: "run__words", "data-testid": "picture-words" });
  private readonly verdict = el("p", { class: "program__verdict", "data-testid": "picture-verdict" });
  private readonly told = el("p", { class: "run__told", "data-testid": "picture-told" });
  private readonly names = el("p", { class: "note" });
  private readonly others = el("div", { class: "program__others" });

  private frames: readonly Frame[] = [];
  private axesOf: AxesOf = () => [];

  constructor(_host: Host) {
    const said = [this.heading, this.names, this.lines, this.words, this.verdict, this.told, this.others];
    this.element = el("div", { class: "run" }, ...said);
  }

  show({ facts, frames, roleName, tried }: Scene): void {
    const run = frames.find(({ step }) => step === "run");
    const compared = frames.find(({ step }) => step === "compare");
    const wrong = Boolean(run?.error) || differs(compared);
    this.frames = frames;
    this.axesOf = axesFrom(frames, facts);
    const outcome: Outcome = wrong && (tried || roleName === "yours") ? "incorrect" : "undecided";
    this.element.dataset.outcome = outcome;
    this.heading.replaceChildren(icon(outcome), tried ? "What this program does" : titled(roleName));
    this.names.textContent = given(facts.names);
    this.lines.toggleAttribute("data-waiting", !run);
    this.lines.replaceChildren(...linesOf(facts, run).map((line) => lineElement(line, this.axesOf)));
    this.words.replaceChildren(...said(run));
    this.verdict.textContent = compared?.sentence ?? "";
    this.verdict.hidden = !this.verdict.textContent;
    this.told.textContent = run?.sentence ?? "";
    this.told.hidden = !this.told.textContent;
    this.others.replaceChildren(...frames.flatMap((frame) => part(frame, this.axesOf)));
  }

  /** A program is read in all its tables at once. */
  tables(): HTMLElement[] {
    const told = this.frames.filter(({ table }) => table.rows.length > 0);
    return told.flatMap((frame) => [
      programTable(frame, this.axesOf),
      el("p", { class: "note" }, frame.sentence),
    ]);
  }

  key(): boolean {
    return false;
  }

  dispose(): void {}
}

const titled = (roleName: string): string =>
  roleName === "yours" ? "What you ran" : roleName === "right" ? "What works" : "What was run";

/** Whether the lines run and give another shape, or other numbers, than the reference: the silent mistake. */
export function differs(compared: Frame | undefined): boolean {
  return (compared?.table.rows ?? []).some(([what, yours, reference]) =>
    what === "numbers that differ"
      ? yours !== "0"
      : (what === "shape" || what === "shape, small") && yours !== reference,
  );
}

function said(run: Frame | undefined): Node[] {
  if (!run) return [el("span", { class: "run__wait" }, "torch is running it")];
  if (run.error) return [el("samp", {}, run.error)];
  return [el("span", { class: "run__gave" }, "shape ", shape(run.shape, run.axes))];
}

/** The line's number stands as a list marker; a failing line says so in a word, then in colour. */
function lineElement({ number, code, shape: out, fails }: CodeLine, axesOf: AxesOf): HTMLElement {
  const after = fails
    ? el("b", { class: "run__wrong" }, "fails here")
    : out && el("span", { class: "note mono" }, coloured(out, axesOf));
  const item = el(
    "li",
    { class: fails ? "is-failing" : "", value: number },
    el("code", {}, code || " "),
    " ",
    after,
  );
  if (fails) item.setAttribute("aria-current", "true");
  return item;
}

/** What the program is given: "q (2, 4, 768), B = 2, T = 4". */
function given(names: unknown): string {
  const entries = Object.entries((names ?? {}) as Record<string, number | number[]>);
  const told = entries.map(([name, value]) =>
    Array.isArray(value) ? `${name} (${value.join(", ")})` : `${name} = ${value}`,
  );
  return told.length > 0 ? `Given: ${told.join(", ")}` : "";
}

/** The numbers behind the verdict, each table folded under what it holds; the verdict itself stands above. */
function part(frame: Frame, axesOf: AxesOf): Node[] {
  if (frame.table.rows.length === 0) return frame.step === "run" ? [] : [el("p", {}, frame.sentence)];
  const summary = el("summary", {}, FOLDED[frame.step] ?? frame.title);
  const sentence = frame.step === "run" || frame.step === "compare" ? null : el("p", {}, frame.sentence);
  return [el("details", { class: "run__others" }, summary, sentence, programTable(frame, axesOf))];
}
