/** What stands beside the grid: the chosen head in words and large, what is looked for, what can be done. Asks no worker. */
import { el } from "../dom";
import { type AtlasData, countOf, mapOf, measuresOf, patternsOf } from "./atlas-data";
import { isByLayer } from "./atlas-grid";
import type { Marks } from "./atlas-paint";
import { nameOf, spokenHead, withUnit } from "./atlas-words";
import { pixels } from "./cells";
import { inks } from "./palette";

/** What a press beside the grid asks for. */
interface Presses {
  open(): void;
  pin(): void;
  turn(): void;
  look(pattern: string): void;
}

const MEANT: Record<string, string> = {
  entropy: "entropy",
  sink: "sink: to the first token",
  locality: "distance looked",
  previous: "to the token before",
  own: "to the own token",
  next: "to the token after",
  separator: "to separators",
};

const key = (text: string) => el("kbd", { "aria-hidden": "true" }, text);
const small = { type: "button", class: "button button--small" };

export class AtlasSide {
  /** Over the grid: search and order. */
  readonly tools = el("div", { class: "atlas__tools", "data-unexported": true });
  /** Which head is chosen, and what can be done with it. */
  readonly now = el("div", { class: "atlas__now" });
  readonly element = el("div", { class: "atlas__side" });
  private readonly said = el("p", { class: "visually-hidden", role: "status", "data-testid": "atlas-said" });
  private readonly name = el("p", { class: "readout__head" });
  private readonly map = el("div", { class: "atlas__large" });
  private readonly list = el("dl", { class: "atlas__measures" });
  private readonly rule = el("p", { class: "note" });
  private readonly select: HTMLSelectElement;
  private readonly found = el("span", { class: "note", role: "status" });
  private readonly turned: HTMLButtonElement;
  private readonly pinned: HTMLButtonElement;
  private drawn = "";

  constructor(presses: Presses) {
    const onchange = () => presses.look(this.select.value);
    this.select = el("select", { onchange, name: "pattern", "data-testid": "atlas-pattern" });
    this.turned = el("button", { ...small, onclick: () => presses.turn() });
    this.pinned = el("button", { ...small, "data-testid": "atlas-pin", onclick: () => presses.pin() });
    const look = { ...small, "data-testid": "atlas-open", onclick: () => presses.open() };
    const open = el("button", look, "Open this head ", key("Enter"));
    const label = el("label", { class: "atlas__look" }, el("span", {}, "Pattern ", key("/")), this.select);
    this.tools.append(label, this.found, this.turned);
    const acts = el("p", { class: "atlas__acts", "data-unexported": true }, open, this.pinned);
    this.now.append(this.said, this.name, acts);
    this.element.append(this.map, this.list, this.rule);
  }

  show(data: AtlasData, marks: Marks, { up, rule }: { up: boolean; rule: string }): void {
    this.options(data, marks.pattern);
    const named = marks.pattern ? data.patterns.filter((one) => one === marks.pattern).length : 0;
    this.found.textContent = marks.pattern ? `${named} of ${countOf(data)} heads` : "";
    this.turned.hidden = isByLayer(marks.step);
    this.turned.replaceChildren(up ? "Smallest first " : "Largest first ", key("R"));
    this.turned.setAttribute("aria-pressed", String(up));
    const at = marks.pins.indexOf(marks.head);
    this.pinned.replaceChildren(at < 0 ? "Pin " : "Unpin ", key("P"));
    const said = spokenHead(data, marks.head, marks.step);
    if (this.said.textContent !== said) this.said.textContent = said;
    this.head(data, marks);
    if (this.rule.textContent !== rule) this.rule.textContent = rule;
  }

  focus(): void {
    this.select.focus();
  }

  private options(data: AtlasData, chosen: string): void {
    const counted = patternsOf(data);
    const drawn = JSON.stringify(counted);
    if (drawn !== this.drawn) {
      this.drawn = drawn;
      const all = el("option", { value: "" }, `all heads (${countOf(data)})`);
      const each = counted.map(({ name, count }) => {
        const words = name === "none" ? "no pattern" : name;
        return el("option", { value: name }, `${words} (${count})`);
      });
      this.select.replaceChildren(all, ...each);
    }
    this.select.value = chosen;
  }

  private head(data: AtlasData, { head, step }: Marks): void {
    const pattern = data.patterns[head] ?? "none";
    this.name.replaceChildren(
      el("b", {}, nameOf(head, data.heads)),
      el("span", { class: "note" }, pattern === "none" ? "no pattern" : pattern),
    );
    const canvas = el("canvas", { "aria-hidden": "true" });
    const map = pixels(mapOf(data, head), inks());
    [canvas.width, canvas.height] = [map.width, map.height];
    canvas.getContext("2d")?.drawImage(map, 0, 0);
    this.map.replaceChildren(canvas);
    const sorted = step.split(" ")[0];
    const rows = measuresOf(data, head).flatMap(({ name, value }) => [
      el("dt", { "aria-current": name === sorted ? "true" : null }, MEANT[name] ?? name),
      el("dd", { class: "mono" }, withUnit(name, value)),
    ]);
    const pair = data.pair
      ? [
          el("dt", { "aria-current": sorted === "pair" ? "true" : null }, "the pair followed"),
          el("dd", { class: "mono" }, withUnit("pair", data.pair.weights[head] ?? 0)),
        ]
      : [];
    this.list.replaceChildren(...rows, ...pair);
  }
}
