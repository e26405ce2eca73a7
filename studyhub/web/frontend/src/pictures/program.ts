/** Draws a learner's program that was run: its lines, the one that fails, torch's own words, what differs. */
import { el } from "../dom";
import { icon, type Outcome } from "./icons";
import type { Host, Renderer, Scene } from "./scene";
import { tableTwin } from "./table";
import type { Cell, Facts, Frame } from "./types";

export interface CodeLine {
  number: number;
  code: string;
  shape: string;
  outcome: string;
  fails: boolean;
}

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
  private readonly told = el("p", { class: "run__told", "data-testid": "picture-told" });
  private readonly others = el("div", { class: "program__others" });

  constructor(_host: Host) {
    this.element = el("div", { class: "run" }, this.heading, this.lines, this.words, this.told, this.others);
  }

  show({ facts, frames, roleName, tried }: Scene): void {
    const run = frames.find(({ step }) => step === "run");
    const others = frames.filter(({ step }) => step !== "run");
    const outcome: Outcome = run?.error && (tried || roleName === "yours") ? "incorrect" : "undecided";
    this.element.dataset.outcome = outcome;
    this.heading.replaceChildren(icon(outcome), tried ? "What this program does" : titled(roleName));
    this.lines.replaceChildren(...linesOf(facts, run).map(lineElement));
    this.words.replaceChildren(...said(run));
    this.told.textContent = run?.sentence ?? "";
    this.told.hidden = !this.told.textContent;
    this.others.replaceChildren(...others.flatMap(part));
  }

  key(): boolean {
    return false;
  }

  dispose(): void {}
}

const titled = (roleName: string): string =>
  roleName === "yours" ? "What you ran" : roleName === "right" ? "What works" : "What was run";

function said(run: Frame | undefined): Node[] {
  if (!run) return [el("span", { class: "run__wait" }, "torch is running it")];
  if (run.error) return [el("samp", {}, run.error)];
  return [
    el("span", { class: "run__gave" }, "shape ", el("span", { class: "shape" }, `(${run.shape.join(", ")})`)),
  ];
}

/** The line's number stands as a list marker; a failing line says so in a word, then in colour. */
function lineElement({ number, code, shape, fails }: CodeLine): HTMLElement {
  const after = fails
    ? el("b", { class: "run__wrong" }, "fails here")
    : shape && el("span", { class: "note" }, shape);
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

/** "tiny" and "compare": their sentence and their numbers. */
function part(frame: Frame): Node[] {
  const words = el("p", {}, frame.sentence);
  if (frame.table.rows.length === 0) return [words];
  return [words, tableTwin(frame.title || frame.step, frame.table.columns, frame.table.rows)];
}
