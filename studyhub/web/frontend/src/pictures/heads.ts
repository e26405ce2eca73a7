/** All heads of a layer as small maps: a press shows one, or sets it beside the one shown. Asks no worker. */
import { el } from "../dom";
import { pixels } from "./cells";
import { matrixOf } from "./matrix";
import { type Inks, inks } from "./palette";
import type { Scene } from "./scene";
import type { Tensor } from "./types";

/** More heads than this stand closer, without their entropies in sight. */
const MANY = 24;

/** What is chosen: the head shown, and the one beside it, -1 for none. */
export interface Chosen {
  layer: number;
  head: number;
  second: number;
}

export class Heads {
  readonly element = el("div", { class: "readout__heads" });
  private drawn = "";

  constructor(
    private readonly choose: (head: number) => void,
    private readonly compare: () => void,
  ) {}

  show(scene: Scene, chosen: Chosen): void {
    const found = thumbnails(scene);
    if (!found) return;
    const paints = inks();
    const key = [found.tensor.sha256, ...Object.values(chosen), paints.colour("surface")].join();
    if (key === this.drawn) return;
    this.drawn = key;
    const again = this.focused;
    const [heads] = found.tensor.shape.slice(-3);
    const buttons = Array.from({ length: heads ?? 0 }, (_, n) => this.thumbnail(n, found, chosen, paints));
    this.element.replaceChildren(
      this.head(found, chosen),
      el("div", { class: "readout__grid", "data-many": buttons.length > MANY }, ...buttons),
    );
    if (again >= 0) this.element.querySelectorAll("button")[again]?.focus();
  }

  /** Which of the buttons has the focus, -1 for none: a press makes them anew. */
  private get focused(): number {
    return [...this.element.querySelectorAll("button")].indexOf(document.activeElement as HTMLButtonElement);
  }

  private head({ entropies, tensor }: Thumbs, { layer, second }: Chosen): HTMLElement {
    const title = el("p", { class: "readout__head" }, el("b", {}, `All heads of layer ${layer}`));
    if (entropies.length > 0) title.append(el("span", { class: "note" }, "head, mean entropy in nats"));
    const two = second >= 0;
    const toggle = el(
      "button",
      {
        type: "button",
        class: "button button--small",
        "data-testid": "compare",
        onclick: () => this.compare(),
      },
      two ? "Show one head " : "Compare two heads ",
      el("kbd", { "aria-hidden": "true" }, "C"),
    );
    const told = el("span", { class: "note" }, two ? "A press sets that head beside the first." : "");
    const some = (tensor.shape.at(-3) ?? 1) > 1;
    return el("div", {}, title, some && el("p", { class: "readout__compare" }, toggle, told));
  }

  private thumbnail(n: number, found: Thumbs, { head, second }: Chosen, paints: Inks): HTMLElement {
    const canvas = pixels(matrixOf(found.tensor, found.numbers, n), paints);
    const entropy = found.entropies[n]?.toFixed(2) ?? "";
    const spoken = (words: string) => el("span", { class: "visually-hidden" }, words);
    canvas.setAttribute("aria-hidden", "true");
    const beside = n === second;
    return el(
      "button",
      {
        type: "button",
        "aria-pressed": String(n === head || beside),
        "data-second": beside,
        onclick: () => this.choose(n),
      },
      canvas,
      el(
        "span",
        {},
        spoken("Head "),
        el("b", { class: "axis-H" }, String(n)),
        el("span", {}, ` ${entropy}`),
        beside && spoken(", the second"),
      ),
    );
  }
}

interface Thumbs {
  tensor: Tensor;
  numbers: Float32Array;
  /** Mean entropy of each head in nats, where the frame tells it. */
  entropies: readonly number[];
}

/** All heads of the layer, if a frame brings them. */
function thumbnails(scene: Scene): Thumbs | null {
  const bearing = (tensor: Tensor) => tensor.role === "thumbnails" && tensor.shape.length >= 3;
  const frame = scene.frames.find(({ tensors }) => tensors.some(bearing));
  const tensor = frame?.tensors.find(bearing);
  const numbers = scene.tensor(tensor);
  return frame && tensor && numbers ? { tensor, numbers, entropies: frame.values } : null;
}
