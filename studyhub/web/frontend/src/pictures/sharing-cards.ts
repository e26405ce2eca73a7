/** Four cards that choose a scheme, each with its sharing in small; over them a learner's own number. Knows no player. */
import { el } from "../dom";
import { inks, translucent } from "./palette";
import { NAMES, pairsOf, SCHEMES, type Sharing, type Step } from "./sharing-facts";
import { Surface } from "./surface";
import { count, plural } from "./words";

const HEIGHT = 44;
const key = (text: string) => el("kbd", { "aria-hidden": "true", class: "key-hint" }, text);

export class Cards {
  readonly element = el("div", { class: "sharing-cards", role: "group", "aria-label": "Scheme" });
  private readonly answer: HTMLButtonElement;
  private readonly cards: Card[];

  constructor(choose: (step: string) => void) {
    this.answer = el("button", {
      type: "button",
      class: "sharing-cards__answer",
      hidden: true,
      onclick: () => choose("answer"),
    });
    this.cards = SCHEMES.map((step, n) => new Card(step, String(n + 1), () => choose(step)));
    this.element.append(this.answer, ...this.cards.map(({ element }) => element));
  }

  show(sharing: Sharing, step: string): void {
    const { answer } = sharing;
    this.answer.hidden = !answer;
    if (answer) {
      const outcome = answer.works ? "runs" : "does not run";
      this.answer.replaceChildren(el("b", {}, plural(answer.kv_heads, "K/V head")), ` ${outcome} `, key("0"));
      this.answer.setAttribute("aria-pressed", String(step === "answer"));
    }
    for (const card of this.cards) card.show(sharing, step === card.step);
  }

  dispose(): void {
    for (const card of this.cards) card.dispose();
  }
}

class Card {
  readonly element: HTMLButtonElement;
  private readonly line = el("span", { class: "sharing-cards__line" });
  private readonly surface: Surface;
  private sharing: Sharing | null = null;

  constructor(
    readonly step: Step,
    cap: string,
    choose: () => void,
  ) {
    this.surface = new Surface(NAMES[step], () => this.draw());
    this.surface.canvas.setAttribute("aria-hidden", "true");
    const name = el("b", { class: "sharing-cards__name" }, NAMES[step]);
    this.element = el(
      "button",
      { type: "button", class: "sharing-cards__card", "data-scheme": step, onclick: choose },
      el("span", { class: "sharing-cards__head" }, name, key(cap)),
      this.line,
      this.surface.element,
    );
  }

  show(sharing: Sharing, chosen: boolean): void {
    this.sharing = sharing;
    this.element.setAttribute("aria-pressed", String(chosen));
    this.element.toggleAttribute("data-own", sharing.own === this.step);
    this.line.replaceChildren(
      lineOf(sharing, this.step),
      sharing.own === this.step ? el("span", { class: "sharing-cards__own" }, "its own") : "",
    );
    this.draw();
  }

  dispose(): void {
    this.surface.dispose();
  }

  private draw(): void {
    const context = this.sharing && this.surface.begin(HEIGHT);
    if (context && this.sharing) drawSmall(context, this.sharing, this.step, this.surface.width);
  }
}

/** "64 query heads, 64 K/V", "8 queries share each K/V". */
export function lineOf(sharing: Sharing, step: Step): string {
  const { heads } = sharing;
  if (step === "mha") return `${plural(heads, "query head")}, ${count(heads)} K/V`;
  if (step === "mqa") return heads === 1 ? "one reads one K/V" : "all share one K/V";
  if (step === "mla") return "one latent, K/V rebuilt";
  if (sharing.noGroups || heads === 1) return `no equal groups of ${count(heads)}`;
  return `${count(heads / sharing.groups)} ${heads === sharing.groups ? "query has" : "queries share"} each K/V`;
}

/** Queries over funnels over pairs, in 44 px. */
function drawSmall(context: CanvasRenderingContext2D, sharing: Sharing, step: Step, across: number): void {
  const paints = inks();
  const [H, accent] = [paints.colour("H"), paints.colour("accent")];
  const pitch = across / sharing.heads;
  bars(context, { many: sharing.heads, pitch, y: 2, h: 11 }, translucent(H, 0.75));
  const pairs = pairsOf(sharing, step) || 1;
  const slot = across / pairs;
  const wide = step === "mla" ? Math.min(across * 0.2, 60) : Math.max(1, Math.min(10, slot * 0.62));
  for (let n = 0; n < pairs && slot >= 3; n++) {
    const middle = (n + 0.5) * slot;
    context.fillStyle = translucent(accent, 0.34);
    context.beginPath();
    context.moveTo(n * slot + slot * 0.04, 14);
    context.bezierCurveTo(n * slot + slot * 0.04, 22, middle - wide / 2, 18, middle - wide / 2, 27);
    context.lineTo(middle + wide / 2, 27);
    context.bezierCurveTo(middle + wide / 2, 18, (n + 0.96) * slot, 22, (n + 0.96) * slot, 14);
    context.fill();
  }
  context.fillStyle = accent;
  context.strokeStyle = accent;
  if (step !== "mla") bars(context, { many: pairs, pitch: slot, y: 28, h: 14, wide }, accent);
  else {
    context.fillRect(across / 2 - wide / 2, 28, wide, 14);
    context.lineWidth = 1.5;
    context.strokeRect(across / 2 + wide / 2 + 3, 28.75, 6, 12.5);
  }
}

interface Row {
  many: number;
  pitch: number;
  y: number;
  h: number;
  wide?: number;
}

function bars(context: CanvasRenderingContext2D, { many, pitch, y, h, wide }: Row, colour: string): void {
  context.fillStyle = colour;
  if (pitch < 2) {
    context.fillRect(0, y, many * pitch, h);
    return;
  }
  const each = wide ?? pitch - Math.min(1.5, pitch * 0.3);
  for (let n = 0; n < many; n++) context.fillRect((n + 0.5) * pitch - each / 2, y, each, h);
}
