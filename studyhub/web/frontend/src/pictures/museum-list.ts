/** Who stands on a spot of the museum, with source and status; what the whole table says, and what the marks stand for. Knows no pointer. */
import { el } from "../dom";
import { arithmetic, type Model, type Said, type Spot } from "./museum-data";
import type { Facts, Frame } from "./types";
import { count } from "./words";

const FIRST = 6;

/** The models of a spot, the filtered ones first; `open` for all of them. */
export function listOf(
  spot: Spot,
  sources: ReadonlyMap<string, Said>,
  facts: Facts,
  open: boolean,
): HTMLElement[] {
  const order = [...spot.models].sort((one, other) => Number(other.asked) - Number(one.asked));
  const shown = open ? order : order.slice(0, FIRST);
  const rest = order.length - shown.length;
  return [
    el("ul", { class: "museum-list" }, ...shown.map((model) => entry(model, sources.get(model.name), facts))),
    ...(rest > 0
      ? [el("p", { class: "note" }, `${rest} more on this point: press Enter, or the point once more.`)]
      : []),
  ];
}

function entry(model: Model, said: Said | undefined, facts: Facts): HTMLElement {
  const dates = (facts.dates as string[] | undefined) ?? [];
  const flags = [
    model.breaks ? "breaks the rule" : "holds",
    model.scaled && "own score scale",
    model.disputed && "sources do not agree",
  ].filter(Boolean);
  const source = said ? `${said.source}; ` : "";
  const note = said?.note ? ` Note: ${said.note}.` : "";
  return el(
    "li",
    { class: "museum-entry", "data-breaks": model.breaks },
    el("b", {}, model.name),
    el("span", { class: "note" }, ` ${model.scheme}, ${flags.join(", ")}`),
    el("span", { class: "museum-entry__sum mono" }, arithmetic(model)),
    el(
      "span",
      { class: "note" },
      `Source: ${source}${model.status}, ${said?.date || dates.at(-1) || ""}.${note}`,
    ),
  );
}

/** What is true of how many rows, each with its bar. */
export function statementsOf(facts: Facts, frame: Frame | undefined): HTMLElement[] {
  const told = (facts.statements as [string, number, number][] | undefined) ?? [];
  return told.map(([says, many, of], n) => {
    const line = el("span", { class: "museum-share" });
    line.style.inlineSize = `${(100 * many) / of}%`;
    const which = frame?.table.rows[n]?.[3];
    return el(
      "div",
      { class: "museum-statement" },
      el("p", {}, el("b", { class: "mono" }, `${count(many)} of ${count(of)}`), ` ${says}`),
      el("span", { class: "museum-share__ground", "aria-hidden": "true" }, line),
      el("p", { class: "note" }, which ? String(which) : ""),
    );
  });
}

/** What the marks of the plot stand for. */
export function legend(): HTMLElement {
  const mark = (look: string, words: string) =>
    el(
      "span",
      { class: "museum-key" },
      el("i", { class: `museum-key__mark is-${look}`, "aria-hidden": "true" }),
      words,
    );
  return el(
    "p",
    { class: "note museum__legend" },
    mark("holding", "disc: the convention holds"),
    mark("breaking", "diamond: it does not"),
    mark("unsure", "dashed edge: unverified class defaults"),
    "number: models on one point",
    el("span", {}, "!: sources do not agree"),
  );
}
