/** One of the two columns of a silent mistake: what it is, its code, its strides. Knows no drawing. */
import { el } from "../dom";
import { icon } from "./icons";
import type { Facts } from "./types";
import { shape } from "./words";

export class Side {
  readonly heading = el("h3", { class: "run__title" });
  private readonly code = el("p", { class: "tape__code mono" });
  private readonly strides = el("p", { class: "silent__strides" });
  readonly drawing = el("div", { class: "silent__drawing" });
  readonly element: HTMLElement;

  constructor(name: string) {
    this.element = el(
      "section",
      { class: "silent__side", "aria-label": name },
      this.heading,
      this.code,
      this.strides,
      this.drawing,
    );
  }

  show(title: string, works: boolean, code: string, strides: Node[]): void {
    this.heading.replaceChildren(icon(works ? "correct" : "incorrect"), title);
    this.code.textContent = code;
    this.strides.replaceChildren(...strides);
  }
}

/** The strides under a line, each in the colour of its axis. */
export function strides(facts: Facts, right: boolean): Node[] {
  const steps = (facts.steps ?? []) as { axes: string[] }[];
  const given = (right ? facts.strides_right : facts.strides_wrong) as number[] | undefined;
  const axes = steps[0]?.axes ?? [];
  return given ? [el("span", {}, "strides "), shape(given, axes)] : [];
}
