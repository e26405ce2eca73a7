/** One head of the atlas whole, as attention_pattern draws it: asked for by itself, drawn under the grid. Knows no grid. */
import { el } from "../dom";
import { nameOf } from "./atlas-words";
import { labAddressOf } from "./attributes";
import { Beside } from "./beside";
import { HeatSide } from "./heat-side";
import type { Scene } from "./scene";
import type { Parameters } from "./types";

/** The step of attention_pattern that is opened: softmax. */
const STEP = "weights";

export class AtlasOpen {
  readonly element = el("section", { class: "atlas__open", hidden: true, tabindex: "-1" });
  private readonly title = el("h3", { class: "readout__head" });
  private readonly wait = el("p", { class: "note heat__wait", role: "status" });
  private readonly lab = el(
    "a",
    { class: "button button--small", "data-unexported": true },
    "Open in the lab",
  );
  private readonly maps = el("div", { class: "heat__maps" }, this.wait);
  private readonly rows = el("div", { class: "readout" });
  private readonly beside = new Beside(() => this.draw());
  private side: HeatSide | null = null;
  private scene: Scene | null = null;
  private head = -1;

  constructor(close: () => void) {
    const onclick = () => close();
    const shut = el(
      "button",
      { type: "button", class: "button button--small", onclick },
      "Close ",
      el("kbd", { "aria-hidden": "true" }, "Esc"),
    );
    const acts = el("p", { class: "atlas__acts", "data-unexported": true }, this.lab, shut);
    this.element.append(
      el("div", { class: "atlas__opened" }, this.title, acts),
      el("div", { class: "heat" }, this.maps, this.rows),
    );
  }

  get isOpen(): boolean {
    return this.head >= 0;
  }

  /** Asks for the whole map of a head on the sentence shown. */
  open(scene: Scene, head: number, heads: number): void {
    const parameters = patternOf(scene, head, heads);
    if (this.head < 0) this.beside.stop();
    this.scene = scene;
    this.head = head;
    this.element.hidden = false;
    this.title.replaceChildren(el("b", {}, `${nameOf(head, heads)}, whole`));
    this.element.setAttribute("aria-label", `${nameOf(head, heads)}, whole`);
    this.lab.setAttribute(
      "href",
      labAddressOf({ kind: "attention_pattern", step: STEP, parameters, seed: scene.seed, place: null }),
    );
    this.beside.ask("attention_pattern", parameters, scene.seed);
    this.draw();
  }

  close(): void {
    this.head = -1;
    this.element.hidden = true;
    this.beside.stop();
  }

  focus(): void {
    this.side?.map.surface.canvas.focus();
    if (!this.element.contains(document.activeElement)) this.element.focus();
  }

  holds(target: EventTarget | null): boolean {
    return target instanceof Node && this.element.contains(target);
  }

  key(event: KeyboardEvent): boolean {
    return this.side?.map.key(event) ?? false;
  }

  dispose(): void {
    this.beside.stop();
    this.side?.dispose();
  }

  private draw(): void {
    const { scene } = this;
    if (!scene || this.head < 0) return;
    const shown = this.beside.sceneAt(STEP, scene);
    const said = this.beside.refusal || (shown ? "" : "The whole map is being computed");
    if (this.wait.textContent !== said) this.wait.textContent = said;
    if (!shown) return;
    this.side ??= this.made();
    this.side.show({ ...shown, place: null }, null);
    if (document.activeElement === this.element) this.focus();
  }

  private made(): HeatSide {
    const side: HeatSide = new HeatSide("Whole map of a head", (row, column) => side.select(row, column));
    this.wait.before(side.element);
    this.rows.append(side.readout.element);
    return side;
  }
}

/** The parameters of attention_pattern for a head of the atlas. */
export function patternOf({ parameters, facts }: Scene, head: number, heads: number): Parameters {
  const { sentence } = parameters;
  const said = typeof sentence === "string" && sentence ? { sentence } : {};
  return { ...said, model: facts.model, layer: Math.floor(head / heads), head: head % heads };
}
