/** Draws published models by quotient and real d_head, and lists who stands where with source and status. */
import { el, svg } from "../dom";
import {
  type Model,
  modelsOf,
  neighbour,
  type Spot,
  sourcesOf,
  spotsOf,
  told,
  type Way,
} from "./museum-data";
import { legend, listOf, statementsOf } from "./museum-list";
import { drawPlot, type Extra, type Plot, plotOf, sizeOf, xOf, yOf } from "./museum-plot";
import type { Spot as Cell, Host, Place, Renderer, Scene } from "./scene";
import type { Facts, Frame } from "./types";

const WAYS: Record<string, Way> = {
  ArrowLeft: "left",
  ArrowRight: "right",
  ArrowUp: "up",
  ArrowDown: "down",
};
const HINT = "Point at a mark, or walk from mark to mark with the arrow keys.";

interface Config {
  d_model: number;
  num_heads: number;
  d_head: number;
}

/** A place of this picture is [model], by its row in the table of all. */
export class ConfigMuseum implements Renderer {
  readonly element: HTMLElement;
  private readonly sentence = el("p", { class: "museum__sentence" });
  private readonly kept = el("p", { class: "note museum__kept", role: "status" });
  private readonly drawing = svg("svg", { "aria-hidden": "true", focusable: "false" });
  private readonly plotted: HTMLElement;
  private readonly read = el("p", { class: "series__read", "data-testid": "picture-read" }, HINT);
  private readonly details = el("div", { class: "museum__details", "data-testid": "museum-details" });
  private readonly legend = legend();
  private readonly watcher: ResizeObserver;
  private scene: Scene | null = null;
  private models: Model[] = [];
  private spots: Spot[] = [];
  private plot: Plot | null = null;
  private at = -1;
  private open = false;
  private width = -1;

  constructor(private readonly host: Host) {
    const plotted = {
      role: "slider",
      tabindex: 0,
      "data-arrows": true,
      "aria-label": "Place of the scatter",
    };
    this.plotted = el("div", { class: "museum__plot", ...plotted }, this.drawing);
    this.element = el(
      "div",
      { class: "museum" },
      this.sentence,
      this.kept,
      this.plotted,
      this.legend,
      this.read,
      this.details,
    );
    this.plotted.addEventListener("pointermove", (event) => this.follow(event, false));
    this.plotted.addEventListener("pointerdown", (event) => this.follow(event, true));
    this.watcher = new ResizeObserver(() => this.draw());
    this.watcher.observe(this.plotted);
  }

  show(scene: Scene): void {
    const before = this.scene?.facts;
    this.scene = scene;
    if (scene.facts !== before) {
      this.models = modelsOf(scene.facts);
      this.spots = spotsOf(this.models);
      this.at = this.spotOf(this.picked);
      this.open = false;
    }
    this.sentence.textContent = this.frame?.sentence ?? "";
    this.kept.textContent = String(scene.facts.asked_sentence ?? "");
    this.width = -1;
    this.draw();
    if (scene.place) this.point(scene.place);
    else this.mark();
  }

  point([model]: Place): void {
    const slug = this.models[model ?? -1]?.slug;
    if (slug) this.at = this.spotOf(slug);
    this.mark();
  }

  /** Arrows walk from mark to mark, Enter lists all who stand there, F goes to the filters. */
  key(event: KeyboardEvent): boolean {
    if (event.key === "f" || event.key === "F") return this.toFilters();
    if (event.key === "Enter" && event.target === this.plotted) {
      this.open = !this.open;
      this.mark();
      return true;
    }
    const way = WAYS[event.key];
    if (!way || event.target !== this.plotted) return false;
    const next = neighbour(this.spots, this.at, way);
    if (next >= 0) this.go(next);
    return true;
  }

  inTable([model = -1]: Place, frame: Frame): Cell | null {
    const name = this.models[model]?.name;
    const row = frame.table.rows.findIndex((cells) => cells[0] === name);
    return row < 0 ? null : { row };
  }

  ofTable({ row }: Cell, frame: Frame): Place | null {
    const at = this.models.findIndex(({ name }) => name === frame.table.rows[row]?.[0]);
    return at < 0 ? null : [at];
  }

  marked(): Place {
    return [this.models.findIndex(({ slug }) => slug === this.picked)];
  }

  dispose(): void {
    this.watcher.disconnect();
  }

  private get frame(): Frame | undefined {
    return this.scene?.frames[this.scene.at];
  }

  private get facts(): Facts {
    return this.scene?.facts ?? {};
  }

  private get picked(): string {
    return (this.facts.picked as { slug?: string } | undefined)?.slug ?? "";
  }

  private spotOf(slug: string): number {
    return this.spots.findIndex(({ models }) => models.some((model) => model.slug === slug));
  }

  private toFilters(): boolean {
    const field = this.element
      .closest("study-picture")
      ?.querySelector<HTMLElement>(".edits [name=attention]");
    field?.focus();
    return field !== null && field !== undefined;
  }

  /** One's own config and an answered width, each as a cross of its own. */
  private get extras(): Extra[] {
    const own = this.facts.own as Config | undefined;
    const answer = this.facts.answer as { d_head: number } | undefined;
    const picked = this.models.find(({ slug }) => slug === this.picked);
    return [
      ...(own
        ? [{ quotient: own.d_model / own.num_heads, dHead: own.d_head, name: "yours", look: "own" as const }]
        : []),
      ...(answer && picked
        ? [
            {
              quotient: picked.dModel / picked.heads,
              dHead: answer.d_head,
              name: `answered, ${answer.d_head}`,
              look: "answer" as const,
            },
          ]
        : []),
    ];
  }

  private draw(): void {
    const width = Math.floor(this.plotted.clientWidth);
    if (!this.scene || width === this.width) return;
    this.width = width;
    const step = (this.frame?.step ?? "").toUpperCase();
    const scheme = ["MHA", "GQA", "MQA", "MLA"].includes(step) ? step : "";
    const faded = ({ models }: Spot) =>
      !models.some((model) => model.asked && (!scheme || model.scheme === scheme));
    this.plot = plotOf(this.spots, this.extras, width || 640);
    this.drawing.setAttribute("viewBox", `0 0 ${width || 640} ${this.plot.height}`);
    this.drawing.setAttribute("height", String(this.plot.height));
    const marked = { picked: this.picked, faded };
    this.drawing.replaceChildren(
      ...drawPlot(this.spots, this.extras, this.plot, marked),
      svg("g", { class: "museum-now" }),
    );
    this.mark();
  }

  private follow(event: PointerEvent, press: boolean): void {
    const { plot } = this;
    if (!plot) return;
    const frame = this.drawing.getBoundingClientRect();
    const [x, y] = [event.clientX - frame.left, event.clientY - frame.top];
    const away = this.spots.map((spot) => {
      const far = Math.hypot(xOf(plot, spot.quotient) - x, yOf(plot, spot.dHead) - y);
      return far <= sizeOf(spot, plot) + 10 ? far : Number.POSITIVE_INFINITY;
    });
    const n = away.indexOf(Math.min(...away));
    if (!Number.isFinite(away[n])) return;
    if (press && n === this.at) this.open = !this.open;
    if (n !== this.at) this.go(n);
    else if (press) this.mark();
  }

  private go(n: number): void {
    this.at = n;
    this.open = false;
    this.mark();
    const [first] = this.spots[n]?.models ?? [];
    if (first) this.host.point([first.at]);
  }

  private mark(): void {
    const spot = this.spots[this.at];
    const text = spot ? told(spot) : "";
    this.read.textContent = text || HINT;
    this.read.toggleAttribute("data-unexported", !text);
    this.ring(spot);
    const statements = this.frame?.step === "statements";
    const sources = sourcesOf(this.scene?.frames ?? []);
    const list = spot && !statements ? listOf(spot, sources, this.facts, this.open) : [];
    this.details.replaceChildren(...(statements ? statementsOf(this.facts, this.frame) : list));
    this.plotted.setAttribute("aria-valuemin", "1");
    this.plotted.setAttribute("aria-valuemax", String(Math.max(1, this.spots.length)));
    this.plotted.setAttribute("aria-valuenow", String(Math.max(1, this.at + 1)));
    this.plotted.setAttribute("aria-valuetext", text || `${this.spots.length} places, none read yet`);
  }

  private ring(spot: Spot | undefined): void {
    const now = this.drawing.querySelector(".museum-now");
    if (!this.plot || !spot) return void now?.replaceChildren();
    const [cx, cy] = [xOf(this.plot, spot.quotient), yOf(this.plot, spot.dHead)];
    now?.replaceChildren(svg("circle", { cx, cy, r: sizeOf(spot, this.plot) * 1.3 + 5 }));
  }
}
