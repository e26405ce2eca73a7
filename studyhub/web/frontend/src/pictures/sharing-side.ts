/** The number of K/V heads on a slider that stops at divisors only, and the bytes of a token as a formula. Knows no player. */
import { el } from "../dom";
import { bytesOf, factors, NAMES, type Sharing, type Step } from "./sharing-facts";
import { count, plural } from "./words";

const MATHML = "http://www.w3.org/1998/Math/MathML";
const MOST_NAMED = 8;

function math(tag: string, ...children: (Node | string)[]): Element {
  const element = document.createElementNS(MATHML, tag);
  element.append(...children);
  return element;
}

export class Side {
  readonly element: HTMLElement;
  private readonly slider = el("input", { type: "range", min: 0, step: 1, "aria-label": "K/V heads" });
  private readonly stops = el("div", { class: "sharing-stops__dots", "aria-hidden": "true" });
  private readonly note = el("p", { class: "note" });
  private readonly formula = el("div", { class: "sharing__formula" });
  private readonly meaning = el("p", { class: "note" });
  private divisors: readonly number[] = [];

  constructor(chosen: (pairs: number) => void) {
    this.slider.addEventListener("input", () => {
      const pairs = this.divisors[Number(this.slider.value)];
      if (pairs !== undefined) chosen(pairs);
    });
    const caps = ["←", "→"].map((cap) => el("kbd", { "aria-hidden": "true" }, cap));
    this.element = el(
      "div",
      { class: "sharing__side" },
      el("h3", { class: "sharing__head" }, "K/V heads", el("span", { class: "key-hint" }, ...caps)),
      el("div", { class: "sharing-stops" }, this.stops, this.slider),
      this.note,
      el("h3", { class: "sharing__head" }, "Bytes per token"),
      this.formula,
      this.meaning,
    );
  }

  /** `pairs`: K/V heads shown now, 0 where a latent stands for them. */
  show(sharing: Sharing, step: Step, pairs: number): void {
    this.divisors = sharing.divisors;
    const found = sharing.divisors.indexOf(pairs);
    const at = found < 0 ? Math.max(0, sharing.divisors.indexOf(sharing.groups)) : found;
    this.slider.max = String(Math.max(0, sharing.divisors.length - 1));
    this.slider.value = String(at);
    this.slider.disabled = sharing.divisors.length < 2;
    this.slider.setAttribute(
      "aria-valuetext",
      pairs ? plural(pairs, "K/V head") : "a latent stands for them",
    );
    this.stops.replaceChildren(...dots(sharing.divisors, found));
    const only = `Only divisors of ${count(sharing.heads)} can be chosen.`;
    const other = pairs
      ? `${count(pairs)} is none of them. ${only}`
      : "A latent has no K/V heads to count; moving this leaves MLA.";
    this.note.textContent = found < 0 ? other : only;
    this.formula.replaceChildren(...lines(sharing, step));
    this.meaning.textContent = meaning(sharing, step);
  }
}

/** A dot a divisor, the chosen one larger; of many, the first, the last and the chosen are named. */
function dots(divisors: readonly number[], at: number): HTMLElement[] {
  const every = Math.ceil(divisors.length / MOST_NAMED);
  const last = divisors.length - 1;
  return divisors.map((pairs, n) => {
    const named = n === at || n === last || (n % every === 0 && (last - n >= every || n === 0));
    const near = n !== at && Math.abs(n - at) < every && every > 1 && at >= 0 && n !== last && n !== 0;
    return el(
      "span",
      { class: `sharing-stops__dot${n === at ? " is-now" : ""}` },
      el("i"),
      el("span", {}, named && !near ? count(pairs) : ""),
    );
  });
}

/** "2 × L × H_kv × D × bytes", its numbers, and what they come to: one relation a line. */
function lines(sharing: Sharing, step: Step): Element[] {
  const parts = factors(sharing, step);
  const joined = (inner: (part: (typeof parts)[number]) => Element[]): Element[] =>
    parts.flatMap((part, n) => (n ? [math("mo", "×"), ...inner(part)] : inner(part)));
  const symbols = math("math", math("mrow", ...joined(({ letter, sub }) => symbol(letter, sub))));
  const numbers = math(
    "math",
    math("mrow", math("mo", "="), ...joined(({ number }) => sum(number, (text) => math("mn", text)))),
  );
  const result = math("math", math("mrow", math("mo", "="), math("mn", count(bytesOf(sharing, step)))));
  return [symbols, numbers, result].map((one) => el("div", {}, one));
}

function symbol(letter: string, sub?: string): Element[] {
  if (letter === "(dc+dR)") return bracketed(withSub("d", "c"), withSub("d", "R"));
  if (letter === "(D+Dv)") return bracketed(math("mi", "D"), withSub("D", "v"));
  if (sub) return [withSub(letter, sub)];
  if (letter === "2") return [math("mn", "2")];
  return [letter.length > 1 ? math("mtext", letter) : math("mi", letter)];
}

const withSub = (letter: string, sub: string): Element =>
  math("msub", math("mi", letter), sub.length > 1 ? math("mtext", sub) : math("mi", sub));
const bracketed = (one: Element, other: Element): Element[] => [
  math("mo", "("),
  one,
  math("mo", "+"),
  other,
  math("mo", ")"),
];

/** "(512 + 64)" as a bracket of two numbers, any other text as it is. */
function sum(written: string, number: (text: string) => Element): Element[] {
  const [, one, other] = /^\((.+) \+ (.+)\)$/.exec(written) ?? [];
  return one && other ? bracketed(number(one), number(other)) : [number(written)];
}

function meaning(sharing: Sharing, step: Step): string {
  const value = `${plural(sharing.bytes, "byte")} a number, all ${count(sharing.layers)} layers.`;
  if (step === "mla")
    return `${value} d_c is the latent, d_R the one rotary key: neither grows with the number of heads.`;
  if (sharing.d_head !== sharing.d_head_v)
    return `${value} A key is ${count(sharing.d_head)} wide, a value ${count(sharing.d_head_v)}.`;
  return `${value} The 2 is one K and one V. ${NAMES[step]} keeps ${plural(step === "mha" ? sharing.heads : step === "mqa" ? 1 : sharing.groups, "pair")}.`;
}
