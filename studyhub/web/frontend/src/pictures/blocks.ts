/** Draws an answer that was run: the line of code, torch's own words, the band of heads and what is left over. */
import { el } from "../dom";
import { icon } from "./icons";
import { OtherLines } from "./other-lines";
import { rounded } from "./paint";
import { inks, onThemeChange, translucent } from "./palette";
import { labelEvery } from "./pieces";
import type { Renderer, Scene } from "./scene";
import { Surface, type Text } from "./surface";
import type { Facts, Frame } from "./types";
import { count, shape } from "./words";

/** The split as numbers: `heads` blocks of `width` in a row of `total`, `left` features over. */
export interface Band {
  heads: number;
  width: number;
  model: number;
  total: number;
  left: number;
}

const whole = (value: unknown): number => (typeof value === "number" && Number.isFinite(value) ? value : 0);

export function bandOf(facts: Facts): Band {
  const [heads, model] = [whole(facts.num_heads), whole(facts.d_model)];
  const width = whole(facts.d_head) || whole(facts.quotient);
  const used = heads * width;
  return { heads, width, model, total: Math.max(model, used), left: used < model ? model - used : 0 };
}

const HEIGHT = 92;
const WIDE_REST = 24;
const BAND = { y: 6, h: 44 };

/** `q.view(2, 4, 10, 76)` with the learner's own numbers, the third and fourth, set strong. */
export function codeLine(code: string, wrong: boolean): HTMLElement {
  let at = 0;
  const parts = code.split(/(\d+)/).map((part) => {
    if (!/^\d+$/.test(part)) return part;
    at += 1;
    return at > 2 ? el("b", { class: wrong ? "run__wrong" : "" }, part) : part;
  });
  return el("code", {}, ...parts);
}

export class Blocks implements Renderer {
  readonly element: HTMLElement;
  private readonly heading = el("h3", { class: "run__title" });
  private readonly code = el("p", { class: "run__code", "data-testid": "picture-code" });
  private readonly words = el("div", { class: "run__words", "data-testid": "picture-words" });
  private readonly surface = new Surface("The band of heads", () => this.draw());
  private readonly others = new OtherLines();
  private readonly unwatch = onThemeChange(() => this.draw());
  private scene: Scene | null = null;

  constructor() {
    this.element = el(
      "div",
      { class: "run" },
      this.heading,
      this.code,
      this.words,
      this.surface.element,
      this.others.element,
    );
  }

  show(scene: Scene): void {
    this.scene = scene;
    const frame = scene.frames.find(({ step }) => step === "run") ?? scene.frames[0];
    const wrong = fails(scene.facts, frame);
    const outcome = wrong
      ? "incorrect"
      : scene.roleName === "yours" && !scene.tried
        ? "undecided"
        : "correct";
    this.element.dataset.outcome = outcome;
    this.heading.replaceChildren(icon(outcome), titleOf(scene));
    this.code.replaceChildren(codeLine(String(scene.facts.code ?? ""), wrong));
    this.words.replaceChildren(...said(frame));
    this.others.show(scene.frames);
    this.draw();
  }

  key(): boolean {
    return false;
  }

  dispose(): void {
    this.unwatch();
    this.surface.dispose();
  }

  private draw(): void {
    const band = bandOf(this.scene?.facts ?? {});
    const context = this.surface.begin(HEIGHT);
    if (!context || band.heads < 1 || band.total < 1) return;
    drawBand(context, band, this.surface);
    this.surface.write(labels(band, this.surface.width));
    this.surface.describe(spoken(band));
  }
}

/** Before torch has spoken the arithmetic already tells whether a split can run. */
const fails = (facts: Facts, frame: Frame | undefined): boolean =>
  frame ? frame.error !== "" : facts.divides === false;

function titleOf({ roleName, tried, facts }: Scene): string {
  if (tried) return `What ${count(whole(facts.num_heads))} heads do`;
  return roleName === "yours" ? "What you ran" : roleName === "right" ? "What works" : "What was run";
}

/** torch's text whole and unchanged, or the shape it gave. */
function said(frame: Frame | undefined): Node[] {
  if (!frame) return [el("span", { class: "run__wait" }, "torch is running it")];
  if (frame.error) return [el("samp", {}, frame.error)];
  return [el("span", { class: "run__gave" }, "shape ", shape(frame.shape, frame.axes))];
}

function drawBand(context: CanvasRenderingContext2D, band: Band, surface: Surface): void {
  const paints = inks(surface.element);
  const scale = (surface.width - (band.left ? 3 : 0)) / band.total;
  const gap = Math.min(2, band.width * scale * 0.2);
  for (let h = 0; h < band.heads; h++) {
    context.fillStyle = translucent(paints.colour("H"), h % 2 ? 0.3 : 0.17);
    const box = { x: h * band.width * scale, y: BAND.y, w: band.width * scale - gap, h: BAND.h };
    rounded(context, box, 4);
  }
  const end = band.heads * band.width * scale;
  if (band.left) remainder(context, end, surface.width, paints.colour("incorrect"));
  bracket(context, end - gap, paints.colour("ink-3"));
}

/** What belongs to no head: taller than the band, never thinner than 4 px; a wide rest is an edge and a tint. */
function remainder(context: CanvasRenderingContext2D, from: number, to: number, colour: string): void {
  const across = Math.max(4, to - from);
  const edge = across > WIDE_REST ? 3 : across;
  context.fillStyle = translucent(colour, 0.14);
  context.fillRect(from, BAND.y, across, BAND.h);
  context.fillStyle = colour;
  context.fillRect(from, BAND.y - 6, edge, BAND.h + 12);
  context.fillRect(from + Math.min(across, edge) / 2 - 0.75, BAND.y + BAND.h + 8, 1.5, 10);
}

function bracket(context: CanvasRenderingContext2D, end: number, colour: string): void {
  const y = BAND.y + BAND.h + 8.5;
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.beginPath();
  for (const [x, up] of [
    [0.75, true],
    [0.75, false],
    [end, false],
    [end, true],
  ] as const)
    context.lineTo(x, up ? y : y + 6);
  context.stroke();
}

function labels(band: Band, across: number): Text[] {
  const each = (band.width / band.total) * across;
  const every = labelEvery(each, band.heads);
  const numbers: Text[] = Array.from({ length: band.heads }, (_, h) => h)
    .filter((h) => h % every === 0)
    .map((h) => ({
      x: (h + 0.5) * each,
      y: BAND.y + BAND.h / 2 + 4,
      text: String(h),
      look: "strong",
      anchor: "middle",
    }));
  return [...numbers, ...sums(band, across)];
}

function sums(band: Band, across: number): Text[] {
  const y = HEIGHT - 8;
  const tail = band.heads * band.width > band.model ? `, d_model is ${count(band.model)}` : "";
  const sum = [
    { text: `${count(band.heads)} heads`, look: "axis-H strong" },
    { text: " × " },
    { text: count(band.width), look: "axis-D strong" },
    { text: ` = ${count(band.heads * band.width)}${tail}` },
  ];
  const text: Text = {
    x: band.left ? across * 0.43 : across / 2,
    y,
    text: sum,
    look: "mono sum",
    anchor: "middle",
  };
  if (!band.left) return [text];
  return [text, { x: across, y, text: `${count(band.left)} left over`, look: "left strong", anchor: "end" }];
}

const spoken = (band: Band) =>
  `${band.heads} heads of ${band.width} in ${band.model} features` +
  (band.left ? `, ${band.left} left over` : "");
