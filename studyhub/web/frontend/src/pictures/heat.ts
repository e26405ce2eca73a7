/** Draws attention as a heat map with one row read out, all heads of the layer, and two heads side by side. */
import { el } from "../dom";
import { Beside } from "./beside";
import { Heads } from "./heads";
import { HeatSide } from "./heat-side";
import { onThemeChange } from "./palette";
import type { Host, Place, Renderer, Scene } from "./scene";

/** A place of this picture is [row, column], and where two heads are compared [row, column, second head]. */
export class Heat implements Renderer {
  readonly element: HTMLElement;
  private readonly first = new HeatSide("Heat map", (row, column) => this.pointed(row, column));
  private second: HeatSide | null = null;
  private readonly heads = new Heads(
    (head) => (this.beside >= 0 ? this.compareWith(head) : this.turnTo(head)),
    () => this.compare(),
  );
  private readonly other = new Beside(() => this.showSecond());
  private readonly wait = el("p", { class: "note heat__wait", role: "status" });
  private readonly turns = [0, 1].map((n) => el("button", { type: "button", onclick: () => this.turn(n) }));
  private readonly maps = el("div", { class: "heat__maps" });
  private readonly rows = el("div", { class: "heat__rows" });
  private readonly unwatch = onThemeChange(() => this.redraw());
  private scene: Scene | null = null;
  private asked = 0;
  /** The head beside the one shown; -1 for none. */
  private beside = -1;

  constructor(private readonly host: Host) {
    const which = { class: "segmented heat__turns", role: "group", "aria-label": "Head shown" };
    this.rows.append(this.first.readout.element);
    this.maps.append(this.first.element, this.wait);
    const readout = el("div", { class: "readout" }, this.rows, this.heads.element);
    this.element = el("div", { class: "heat" }, el("div", which, ...this.turns), this.maps, readout);
    this.turn(0);
  }

  show(scene: Scene): void {
    if (!this.scene) this.beside = this.held(scene.place?.[2] ?? -1, scene);
    this.scene = scene;
    this.asked = this.head;
    if (this.beside === this.head) this.beside = -1;
    this.first.show(scene, scene.place);
    this.arrange();
  }

  point([row, column]: Place): void {
    this.select(row ?? 0, column ?? this.first.map.column);
  }

  marked(): Place {
    return [this.first.map.row, this.first.map.column];
  }

  question(): string {
    const token = this.first.row;
    return token ? `Where does “${token}” look?` : "";
  }

  key(event: KeyboardEvent): boolean {
    const by = { "]": 1, "[": -1, "}": 1, "{": -1 }[event.key];
    if (event.key === "c") this.compare();
    else if (by === undefined) return this.first.map.key(event);
    else if ("{}".includes(event.key))
      this.compareWith(this.next(this.beside < 0 ? this.head : this.beside, by));
    else this.turnTo(this.asked + by);
    return true;
  }

  dispose(): void {
    this.unwatch();
    this.other.stop();
    this.first.dispose();
    this.second?.dispose();
  }

  private get head(): number {
    return Number(this.scene?.parameters.head ?? 0);
  }

  private get many(): number {
    return Number(this.scene?.facts.num_heads ?? 1);
  }

  private held(head: number, { facts }: Scene): number {
    return head < Number(facts.num_heads ?? 1) ? head : -1;
  }

  /** Asks for another head of the layer, if there is one. */
  private turnTo(head: number): void {
    if (head < 0 || head >= this.many) return;
    this.asked = head;
    this.host.retry({ head });
  }

  /** The head after or before one, round the layer, and never the one that stands first. */
  private next(head: number, by: number): number {
    const to = (head + by + this.many) % this.many;
    return to === this.head ? (to + by + this.many) % this.many : to;
  }

  /** Begins to compare with the next head, or ends it. */
  private compare(): void {
    this.compareWith(this.beside >= 0 ? -1 : this.next(this.head, 1));
  }

  private compareWith(head: number): void {
    if (head === this.head || head >= this.many) return;
    this.beside = head;
    this.turn(head < 0 ? 0 : 1);
    this.arrange();
    this.tell();
  }

  private tell(): void {
    const { row, column } = this.first.map;
    this.host.point(this.beside < 0 ? [row, column] : [row, column, this.beside]);
  }

  private pointed(row: number, column: number): void {
    this.select(row, column);
    this.tell();
  }

  /** Both maps follow one row. */
  private select(row: number, column: number): void {
    this.first.select(row, column);
    if (this.beside >= 0) this.second?.select(row, column);
  }

  private arrange(): void {
    const { scene, beside } = this;
    if (!scene) return;
    const two = beside >= 0;
    const layer = Number(scene.parameters.layer ?? 0);
    this.element.toggleAttribute("data-two", two);
    this.heads.show(scene, { layer, head: this.head, second: beside });
    [this.head, beside].forEach((head, n) => {
      this.turns[n]?.replaceChildren(`Head ${head}`);
    });
    this.first.name(two ? `Head ${this.head}` : "");
    if (!two) this.other.stop();
    else this.other.ask("attention_pattern", { ...scene.parameters, head: beside }, scene.seed);
    this.showSecond();
  }

  private showSecond(): void {
    const { scene } = this;
    if (!scene || this.beside < 0) return;
    const second = this.other.sceneAt(scene.frames[scene.at]?.step ?? "", scene);
    const said = this.other.refusal || (second ? "" : `Head ${this.beside} is being computed`);
    if (this.wait.textContent !== said) this.wait.textContent = said;
    if (!second) return;
    this.second ??= this.makeSecond();
    this.second.name(`Head ${this.beside}`);
    this.second.show(second, this.marked());
  }

  private makeSecond(): HeatSide {
    const made = new HeatSide("Heat map of the second head", (row, column) => this.pointed(row, column));
    this.wait.before(made.element);
    this.rows.append(made.readout.element);
    return made;
  }

  /** On a narrow stage one of the two maps is seen at a time. */
  private turn(to: number): void {
    this.element.dataset.turned = String(to);
    this.turns.forEach((button, n) => {
      button.setAttribute("aria-pressed", String(n === to));
    });
  }

  private redraw(): void {
    this.first.read();
    if (this.scene) this.arrange();
  }
}
