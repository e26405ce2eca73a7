/** The outcome icons, as the pages have them: shape first, then colour. */
import { svg } from "../dom";

export type Outcome = "correct" | "incorrect" | "undecided";

const stroke = { "stroke-width": 3.2, "stroke-linecap": "round", "stroke-linejoin": "round" };

const DRAWN: Record<Outcome, () => SVGElement[]> = {
  correct: () => [
    svg("circle", { class: "ground", cx: 16, cy: 16, r: 15 }),
    svg("path", { class: "cut", d: "M9 16.5l5 5 9-10", ...stroke }),
  ],
  incorrect: () => [
    svg("rect", { class: "ground", x: 1.5, y: 1.5, width: 29, height: 29, rx: 5 }),
    svg("path", { class: "cut", d: "M10.5 10.5l11 11m0-11l-11 11", ...stroke }),
  ],
  undecided: () => [
    svg("circle", {
      class: "ring",
      cx: 16,
      cy: 16,
      r: 13.5,
      "stroke-width": 2.6,
      "stroke-dasharray": "5 3.5",
    }),
  ],
};

/** Disc with a tick: it runs. Square with a cross: it does not. Dashed ring: it runs, which decides nothing. */
export function icon(outcome: Outcome): SVGElement {
  const look = `outcome-icon outcome-icon--small is-${outcome}`;
  const frame = { class: look, viewBox: "0 0 32 32", "aria-hidden": "true", focusable: "false" };
  return svg("svg", frame, ...DRAWN[outcome]());
}
