/** Numbers, shapes and steps as the interface writes them. Knows no state. */
import { el } from "../dom";
import type { Facts } from "./types";

const grouped = new Intl.NumberFormat("en-US");
export const count = (value: number): string => grouped.format(value);

/** "1 head", "8 heads", "6,144 heads". */
export const plural = (many: number, one: string): string => `${count(many)} ${one}${many === 1 ? "" : "s"}`;

/** The minus sign, not the hyphen, of a written number. */
const signed = (written: string): string => written.replace("-", "−");

/** A weight or score for reading: three digits after the point for small numbers. */
export const real = (value: number): string =>
  Number.isFinite(value) ? signed(value.toFixed(3)) : value < 0 ? "−∞" : Number.isNaN(value) ? "masked" : "∞";

/** A number of a table: grouped if whole, else three significant digits: 0.0936, 3.24, 12.5, 1,024. */
export function number(value: number): string {
  if (!Number.isFinite(value)) return real(value);
  const large = Number.isInteger(value) || Math.abs(value) >= 100;
  return signed(large ? count(Math.round(value)) : value.toPrecision(3));
}

/** "B" -> "B", "" for a length that is no axis of its own, and for one without a name, "axis 1"; names of several features at once, such as "H*D", share the colour of d_model. */
export function axisClass(axis: string): string {
  const name = axis.replace(/^d_head$/, "D");
  if (!name || name.startsWith("axis ")) return "";
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
  rope_key: "rotary key",
  output: "W_O",
  scores: "Q Kᵀ",
  scaled: "scale",
  masked: "mask",
  weights: "softmax",
  mha: "MHA",
  gqa: "GQA",
  mqa: "MQA",
  mla: "MLA",
  models: "all models",
  token: "one token",
  allocated: "in memory",
  run: "really run",
  statements: "in all",
};

/** "÷ √32" from the scale that the facts tell, "1/sqrt(32)", "÷ 256" from "1/256"; else the word. */
function divisor(scale: unknown): string {
  const [, root, whole] = /^1\/(?:sqrt\((\d+)\)|([\d.]+))$/.exec(String(scale ?? "")) ?? [];
  return root ? `÷ √${root}` : whole ? `÷ ${whole}` : "scale";
}

/** The name under a dot of the scrub line; `kind` because "output" is W_O in a split, A V in attention. */
export function stepLabel(step: string, kind: string, facts: Facts = {}): string {
  if (kind === "roofline") return step === "roofline" ? "roof" : step.replace(/^d_head /, "");
  if (kind !== "attention_pattern") return SHORT[step] ?? step;
  if (step === "output") return "× V";
  return step === "scaled" ? divisor(facts.scale) : (SHORT[step] ?? step);
}
