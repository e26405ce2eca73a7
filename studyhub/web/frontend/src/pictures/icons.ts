/** The outcome icons: shape first, then colour. */
import { svg } from "../dom";

const line = (d: string) =>
  svg("path", { d, fill: "none", class: "icon__stroke", "stroke-width": 2.5, "stroke-linecap": "round" });

/** Square with a cross: it does not run. */
export const cross = () =>
  svg(
    "svg",
    { viewBox: "0 0 20 20", class: "icon icon--incorrect", "aria-hidden": "true" },
    svg("rect", { x: 0, y: 0, width: 20, height: 20, rx: 4, class: "icon__fill" }),
    line("M6.5 6.5l7 7m0-7l-7 7"),
  );

/** Disc with a tick: it runs and is right. */
export const tick = () =>
  svg(
    "svg",
    { viewBox: "0 0 20 20", class: "icon icon--correct", "aria-hidden": "true" },
    svg("circle", { cx: 10, cy: 10, r: 10, class: "icon__fill" }),
    line("M5.5 10.5l3 3 6-6.5"),
  );

/** Ring: it runs, which says nothing yet about being right. */
export const ring = () =>
  svg(
    "svg",
    { viewBox: "0 0 20 20", class: "icon icon--undecided", "aria-hidden": "true" },
    svg("circle", { cx: 10, cy: 10, r: 8, fill: "none", class: "icon__ring", "stroke-width": 2.5 }),
  );
