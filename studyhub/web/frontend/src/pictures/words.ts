/** Numbers, shapes and steps as the interface writes them. Knows no state. */
import { el } from "../dom";

const grouped = new Intl.NumberFormat("en-US");
export const count = (value: number): string => grouped.format(value);

/** A weight or score for reading: three digits after the point for small numbers. */
export const real = (value: number): string =>
  Number.isFinite(value) ? value.toFixed(3) : value < 0 ? "−∞" : Number.isNaN(value) ? "masked" : "∞";

/** "B" -> "B", "" for a length that is no axis of its own; names of several features at once, such as "H*D", share the colour of d_model. */
export function axisClass(axis: string): string {
  const name = axis.replace(/^d_head$/, "D");
  if (!name) return "";
  const [first = ""] = name.split("_");
  return `axis-${["B", "T", "H", "D"].includes(first) ? first : "d_model"}`;
}

/** `(2, 12, 4, 64)` with every length in the colour of its axis and the axis named in a title. */
export function shape(lengths: readonly number[], axes: readonly string[]): HTMLElement {
  const parts = lengths.map((length, i) =>
    el("span", { class: axisClass(axes[i] ?? ""), title: axes[i] ?? "" }, String(length)),
  );
  const inner = parts.flatMap((part, i) => (i ? [", ", part] : [part]));
  return el("span", { class: "shape" }, "(", ...inner, lengths.length === 1 ? ",)" : ")");
}

export const tuple = (lengths: readonly number[]): string => `(${lengths.join(", ")})`;

const SHORT: Record<string, string> = {
  input: "x",
  output: "W_O",
  scores: "Q Kᵀ",
  scaled: "scale",
  masked: "mask",
  weights: "softmax",
};

/** The name under a dot of the scrub line; `kind` because "output" is W_O in a split, A V in attention. */
export function stepLabel(step: string, kind: string): string {
  if (kind === "attention_pattern" && step === "output") return "× V";
  return SHORT[step] ?? step;
}
