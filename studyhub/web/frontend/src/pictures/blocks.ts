/** Draws an answer that was run: the line of code, torch's own words, what they mean, the band of heads. */
import { el } from "../dom";
import { BandOfHeads, bandOf } from "./band";
import { icon } from "./icons";
import { OtherLines } from "./other-lines";
import { onThemeChange } from "./palette";
import type { Renderer, Scene } from "./scene";
import type { Facts, Frame } from "./types";
import { count, shape } from "./words";

type Outcome = "correct" | "incorrect" | "undecided";

/** `q.view(2, 4, 10, 76)` with heads and their width, its last two numbers, set strong. */
export function codeLine(code: string, wrong: boolean, strong = true): HTMLElement {
  const parts = code.split(/(\d+)/).filter(Boolean);
  const numbers = parts.flatMap((part, i) => (/^\d+$/.test(part) ? [i] : []));
  const marked = new Set(strong && numbers.length > 3 ? numbers.slice(-2) : []);
  const look = { class: wrong ? "run__wrong" : "" };
  return el("code", {}, ...parts.map((part, i) => (marked.has(i) ? el("b", look, part) : part)));
}

/** Red only beside the learner's own answer: a line that is shown because it fails is not the learner's fault. */
export function outcomeOf({ facts, roleName, tried }: Pick<Scene, "facts" | "roleName" | "tried">): Outcome {
  const works = facts.works === true;
  if (tried) return works ? "correct" : "incorrect";
  if (roleName === "yours") return works ? "undecided" : "incorrect";
  return works ? "correct" : "undecided";
}

/** What the arithmetic says at once, and for a shape, what torch found its axes to hold. */
export function told(facts: Facts, run: Frame | undefined): string {
  if (facts.asks === "heads") return "";
  return facts.asks === "shape" && run ? run.sentence : String(facts.sentence ?? "");
}

export class Blocks implements Renderer {
  readonly element: HTMLElement;
  private readonly heading = el("h3", { class: "run__title" });
  private readonly code = el("p", { class: "run__code", "data-testid": "picture-code" });
  private readonly words = el("div", { class: "run__words", "data-testid": "picture-words" });
  private readonly meaning = el("p", { class: "run__told", "data-testid": "picture-told" });
  private readonly next = el("div", { class: "run__next" });
  private readonly band = new BandOfHeads();
  private readonly others = new OtherLines();
  private readonly unwatch = onThemeChange(() => this.band.draw());

  constructor() {
    const said = [this.heading, this.code, this.words, this.meaning, this.next];
    this.element = el("div", { class: "run" }, ...said, this.band.element, this.others.element);
  }

  show(scene: Scene): void {
    const { facts, frames } = scene;
    const frame = frames.find(({ step }) => step === "run") ?? frames[0];
    const outcome = outcomeOf(scene);
    this.element.dataset.outcome = outcome;
    this.heading.replaceChildren(icon(outcome), titleOf(scene));
    const line = codeLine(String(facts.code ?? ""), outcome === "incorrect", facts.asks !== "shape");
    const on = facts.on ? [" ", el("span", { class: "run__on" }, `on ${facts.on}`)] : [];
    this.code.replaceChildren(line, ...on);
    this.words.replaceChildren(...said(frame));
    this.meaning.textContent = told(facts, frame);
    this.meaning.hidden = !this.meaning.textContent;
    this.next.replaceChildren(...then(frames.find(({ step }) => step === "output")));
    this.band.show(facts.asks === "heads" || facts.asks === "width" ? bandOf(facts) : null);
    this.others.show(frames);
  }

  key(): boolean {
    return false;
  }

  dispose(): void {
    this.unwatch();
    this.band.dispose();
  }
}

function titleOf({ roleName, tried, facts }: Scene): string {
  if (tried) return `What ${count(Number(facts.num_heads ?? 0))} heads do`;
  if (roleName === "right") return facts.works ? "What works" : "What torch makes of it";
  return roleName === "yours" ? "What you ran" : "What was run";
}

/** torch's text whole and unchanged, or the shape it gave. */
function said(frame: Frame | undefined): Node[] {
  if (!frame) return [el("span", { class: "run__wait" }, "torch is running it")];
  if (frame.error) return [el("samp", {}, frame.error)];
  if (frame.shape.length === 0) return [el("span", { class: "run__gave" }, "It is built")];
  return [el("span", { class: "run__gave" }, "shape ", shape(frame.shape, frame.axes))];
}

/** The line after the one that ran, where it is the first to fail. */
function then(output: Frame | undefined): Node[] {
  if (!output) return [];
  const words = el("div", { class: "run__words" }, ...said(output));
  const line = el("p", { class: "run__code" }, "then ", codeLine(output.title, false, false));
  return [line, words, el("p", { class: "run__told" }, output.sentence)];
}
