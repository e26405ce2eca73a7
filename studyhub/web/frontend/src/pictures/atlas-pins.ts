/** Pinned heads side by side: map, name, pattern and the number they are sorted by. Knows no grid. */
import { el } from "../dom";
import { type AtlasData, mapOf, sortedBy } from "./atlas-data";
import type { Marks } from "./atlas-paint";
import { isWeight, nameOf, written } from "./atlas-words";
import { pixels } from "./cells";
import { inks } from "./palette";

/** More than these are not compared at a glance. */
export const MOST_PINS = 6;

export class AtlasPins {
  readonly element = el("div", { class: "atlas__pins", role: "group", "aria-label": "Pinned heads" });

  constructor(
    private readonly choose: (head: number) => void,
    private readonly unpin: (head: number) => void,
  ) {}

  show(data: AtlasData, { pins, step }: Marks): void {
    const held = this.focused;
    this.element.hidden = pins.length === 0;
    this.element.replaceChildren(...pins.map((head, n) => this.pinned(data, head, { n, step })));
    if (held >= 0) this.element.querySelectorAll("button")[Math.min(held, 2 * pins.length - 1)]?.focus();
  }

  /** Which button has the focus, -1 for none: a press makes them anew. */
  private get focused(): number {
    return [...this.element.querySelectorAll("button")].indexOf(document.activeElement as HTMLButtonElement);
  }

  private pinned(data: AtlasData, head: number, { n, step }: { n: number; step: string }): HTMLElement {
    const map = pixels(mapOf(data, head), inks());
    const canvas = el("canvas", { "aria-hidden": "true" });
    [canvas.width, canvas.height] = [map.width, map.height];
    canvas.getContext("2d")?.drawImage(map, 0, 0);
    const name = nameOf(head, data.heads);
    const by = sortedBy(data, step)?.[head];
    const [sorted = ""] = step.split(" ");
    const number = by === undefined ? "" : `${sorted} ${written(by, isWeight(sorted))}, `;
    const pattern = data.patterns[head] === "none" ? "no pattern" : data.patterns[head];
    const press = { type: "button", class: "atlas__pinned", onclick: () => this.choose(head) };
    const away = {
      type: "button",
      class: "button button--small",
      "aria-label": `Unpin ${name}`,
      "data-unexported": true,
      onclick: () => this.unpin(head),
    };
    return el(
      "div",
      { class: "atlas__pin" },
      el("button", press, canvas, el("span", {}, el("b", {}, `${n + 1}. ${name}`))),
      el("p", { class: "note" }, `${number}${pattern}`),
      el("button", away, "Unpin"),
    );
  }
}
