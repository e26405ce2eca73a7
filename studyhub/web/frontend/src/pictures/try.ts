/** "Nearest that divide" and "Try another": runs the picture with another value. Never touches the grade. */
import { el } from "../dom";
import type { Host } from "./scene";
import type { Facts, Parameters } from "./types";
import { count } from "./words";

interface Near {
  num_heads: number;
  d_head: number;
}

const nearest = (facts: Facts): Near[] => (Array.isArray(facts.nearest) ? (facts.nearest as Near[]) : []);

/** What follows from a parameter, and is derived anew when it changes. */
const FOLLOWS: Record<string, readonly string[]> = {
  num_heads: ["d_head", "answer_shape"],
  mask: ["causal"],
  model: [
    ...["d_model", "num_heads", "num_kv_heads", "d_head", "d_head_v", "answer_shape", "kv_rank"],
    ...["layers", "layer", "head", "mask", "causal", "window", "rotary", "scale", "weights"],
  ],
};

/** The parameters with one value changed, "" for none; what followed from the old value is derived again. */
export function changed(parameters: Parameters, name: string, value: unknown): Parameters {
  const gone = FOLLOWS[name] ?? [];
  const kept = Object.entries(parameters).filter(([one]) => !gone.includes(one));
  const all = { ...Object.fromEntries(kept), [name]: value };
  if (value === "") delete all[name];
  return all;
}

const LABELS: Record<string, string> = {
  num_heads: "heads",
  d_model: "d_model",
  tokens: "tokens",
  batch: "batch",
};

export const NOT_WHOLE = "Give one whole number of 1 or more.";

/** The whole number of 1 or more that was typed, thousands grouped or not; null for anything else. */
export function wholeNumber(typed: string): number | null {
  const text = typed.replaceAll(",", "").trim();
  return /^\d{1,9}$/.test(text) && Number(text) > 0 ? Number(text) : null;
}

export class TryAnother {
  readonly element: HTMLElement;
  private readonly chips = el("span", { class: "try__chips" });
  private first: number | undefined;
  private readonly field: HTMLInputElement;
  private readonly note = el("p", { class: "try__note note", role: "status" });

  constructor(
    private readonly name: string,
    private readonly host: Host,
  ) {
    const label = `Try another number of ${LABELS[name] ?? name}`;
    this.field = el("input", {
      class: "try__field",
      inputmode: "numeric",
      autocomplete: "off",
      "aria-label": label,
      "data-testid": "try-another",
    });
    const form = el("form", { class: "try__form", onsubmit: (event) => this.submit(event) });
    form.append(
      el("label", { class: "try__label" }, `Try another number of ${LABELS[name] ?? name} `, this.field),
    );
    this.element = el("div", { class: "try" }, this.chips, form, this.note);
  }

  focus(): void {
    this.field.focus();
  }

  /** Shows the chips of these facts, the one shown now marked, and the way back to the first value. */
  show(facts: Facts): void {
    const now = facts[this.name];
    if (typeof now === "number") this.first ??= now;
    const back =
      this.first !== undefined && now !== this.first ? [this.chip(this.first, "as first asked")] : [];
    const near = nearest(facts).map((value) => this.chip(value.num_heads, `heads of ${value.d_head}`));
    const known = near.length > 0 ? [el("span", { class: "try__lead" }, "Nearest that divide"), ...near] : [];
    this.chips.replaceChildren(...back, ...known);
  }

  say(sentence: string): void {
    this.note.textContent = sentence;
  }

  private chip(value: number, consequence: string): HTMLElement {
    const run = () => this.run(value);
    return el(
      "button",
      { type: "button", class: "chip", onclick: run },
      el("strong", {}, count(value)),
      consequence,
    );
  }

  private submit(event: Event): void {
    event.preventDefault();
    event.stopPropagation();
    const value = wholeNumber(this.field.value);
    if (value) this.run(value);
    else this.say(NOT_WHOLE);
  }

  private run(value: number): void {
    this.say("");
    this.host.retry({ [this.name]: value });
  }
}
