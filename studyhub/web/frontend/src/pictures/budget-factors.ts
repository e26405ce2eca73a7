/** A product of bytes as its factors: in one line with its names, and kept beside answered. Knows no model. */
import { el } from "../dom";
import { icon } from "./icons";
import type { Facts } from "./types";
import { count } from "./words";

const AXES: Record<string, string> = {
  "K/V heads": "axis-H",
  d_head: "axis-D",
  "d_head of K + of V": "axis-D",
  tokens: "axis-T",
};

type Factor = [name: string, kept: number, answered?: number];

export interface Answer {
  bytes: number;
  right: number;
  works: boolean;
  mistakes: string[];
  factors: Factor[];
  sentence: string;
}

export const answerOf = (facts: Facts): Answer | null => (facts.answer as Answer | undefined) ?? null;

/** "2 × 80 × 8 × 128 × 2 = 327,680 bytes a token", each number over its name. */
export function productLine(facts: Facts): HTMLElement[] {
  const factors = (facts.formula as Factor[] | undefined) ?? [];
  const piece = (name: string, value: number, look = "") =>
    el(
      "span",
      { class: `budget-factor ${look}` },
      el("b", { class: AXES[name] ?? "" }, count(value)),
      el("small", {}, name),
    );
  const sign = (text: string) => el("span", { class: "budget-sign" }, text);
  return [
    ...factors.flatMap(([name, value], n) => (n ? [sign("×"), piece(name, value)] : [piece(name, value)])),
    sign("="),
    piece("bytes a token", Number(facts.bytes_per_token), "is-result"),
  ];
}

/** Length of a bar of a factor, by the logarithm: 1 is seen, and 64 is not lost beside 8,192. */
export const lengthOf = (value: number, most: number): number =>
  Math.log2(1 + Math.max(0, value)) / Math.log2(1 + Math.max(1, most));

/** One line a factor: what is kept, what was answered, and which differs. */
export function factorRows(answer: Answer): HTMLElement[] {
  const told = answer.works || answer.mistakes.length > 0;
  const most = Math.max(...answer.factors.flatMap(([, kept, yours = 0]) => [kept, yours]));
  const rows = answer.factors.map(([name, kept, yours = 0]) => {
    const differs = told && kept !== yours;
    return el(
      "div",
      { class: "budget-row", "data-differs": differs },
      el("span", { class: `budget-row__name ${AXES[name] ?? ""}` }, name),
      bar("kept", kept, most),
      told
        ? bar("answered", yours, most)
        : el("span", { class: "budget-row__none note" }, "not told by the number alone"),
      differs ? el("span", { class: "budget-row__flag" }, icon("incorrect"), "differs") : "",
    );
  });
  const total = el(
    "div",
    { class: "budget-row budget-row--total" },
    el("span", { class: "budget-row__name" }, "bytes a token"),
    el("b", { class: "mono" }, count(answer.right)),
    el("b", { class: "mono" }, count(answer.bytes)),
    el(
      "span",
      { class: "budget-row__flag" },
      icon(answer.works ? "correct" : "incorrect"),
      answer.works ? "equal" : "not equal",
    ),
  );
  return [heads(), ...rows, total];
}

const heads = (): HTMLElement =>
  el(
    "div",
    { class: "budget-row budget-row--heads note" },
    el("span", {}, "factor, bars on a log scale"),
    el("span", {}, "kept"),
    el("span", {}, "answered"),
  );

function bar(look: string, value: number, most: number): HTMLElement {
  const line = el("span", { class: `budget-row__bar is-${look}` });
  line.style.inlineSize = `${Math.max(2, 70 * lengthOf(value, most))}%`;
  return el("span", { class: "budget-row__cell" }, line, el("span", { class: "mono" }, count(value)));
}
