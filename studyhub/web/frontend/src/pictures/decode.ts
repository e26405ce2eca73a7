/** Draws a prompt continued behind a cache: tokens with the weight each gets, counters, and lines over the steps. */
import { el } from "../dom";
import {
  adds,
  chartOf,
  columnsOf,
  comparedOf,
  countersOf,
  historyOf,
  stepShown,
  textsBeside,
} from "./decode-data";
import { Panel } from "./decode-panel";
import { Strip } from "./decode-strip";
import { type Host, type Place, type Renderer, type Scene, type Spot, tensorOf } from "./scene";
import { Series } from "./series";
import type { Frame } from "./types";

/** A place of this picture is [position]; where two caches are compared it is a place of the chart. */
export class Decode implements Renderer {
  readonly element: HTMLElement;
  private readonly says = el("p", { class: "decode__says" });
  private readonly strip: Strip;
  private readonly panel = new Panel();
  private readonly texts = el("div", { class: "decode__texts", hidden: true });
  private readonly compared: Series;
  private readonly history: Series;
  private readonly over = el("section", { class: "decode__over", "aria-label": "Over the steps" });
  private frame: Frame | null = null;

  constructor(host: Host) {
    this.strip = new Strip((position) => host.point([position]));
    this.compared = new Series(host);
    this.history = new Series(IDLE);
    this.over.append(el("h3", {}, "Over the steps"), this.history.element);
    const main = el(
      "div",
      { class: "decode__main" },
      this.says,
      this.strip.element,
      this.texts,
      this.compared.element,
    );
    this.element = el("div", { class: "decode" }, main, this.panel.element, this.over);
  }

  show(scene: Scene): void {
    const frame = scene.frames[scene.at];
    if (!frame) return;
    this.frame = frame;
    this.says.textContent = frame.sentence;
    const compares = !adds(frame);
    this.strip.element.hidden = compares;
    this.compared.element.hidden = !compares;
    this.showTexts(frame);
    if (compares) this.compared.show({ ...scene, frames: [comparedOf(frame)], at: 0 });
    this.showCache(scene, frame);
    this.showHistory(scene);
  }

  point(place: Place): void {
    if (this.frame && !adds(this.frame)) this.compared.point(place);
    else this.strip.select(place[0] ?? -1);
  }

  key(event: KeyboardEvent): boolean {
    const target = event.target instanceof Element ? event.target : null;
    if (target && this.history.element.contains(target)) return this.history.key(event);
    if (this.frame && !adds(this.frame)) return this.compared.key(event);
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by === undefined) return false;
    this.strip.walk(by);
    return true;
  }

  inTable([at, line]: Place, frame: Frame): Spot | null {
    if (!adds(frame))
      return at === undefined || at < 0 ? null : { row: at, column: chartOf(frame)[line ?? 0]?.column ?? 0 };
    const row = frame.table.rows.findIndex(([position]) => position === at);
    return row < 0 ? null : { row };
  }

  ofTable({ row, column }: Spot, frame: Frame): Place | null {
    if (!adds(frame))
      return [
        row,
        Math.max(
          0,
          chartOf(frame).findIndex((one) => one.column === column),
        ),
      ];
    const position = frame.table.rows[row]?.[0];
    return typeof position === "number" ? [position] : null;
  }

  dispose(): void {
    this.compared.dispose();
    this.history.dispose();
  }

  private showCache(scene: Scene, frame: Frame): void {
    const { facts, frames } = scene;
    const step = stepShown(frames, scene.at);
    if (!step) return;
    for (const one of frames) scene.tensor(tensorOf(one, "weights")); // few bytes each, so that no step waits
    const weights = scene.tensor(tensorOf(step, "weights"));
    this.strip.position = adds(frame) ? (scene.place?.[0] ?? -1) : -1;
    this.strip.show(columnsOf(frames, step, { facts, weights }), facts);
    const counters = countersOf(step, facts);
    const prompt = frames[0] ? (countersOf(frames[0], facts).position ?? 0) + 1 : 0;
    const each = (counters["bytes by formula"] ?? 0) / Math.max(1, counters.held ?? 1);
    const most = each * (prompt + Number(facts.new_tokens ?? 0));
    this.panel.show(counters, { facts, frame, most });
  }

  private showTexts(frame: Frame): void {
    const both = adds(frame) ? null : textsBeside(frame);
    this.texts.hidden = !both;
    if (!both) return;
    this.texts.replaceChildren(
      ...text("This cache writes", both.here, both.parts),
      ...text("The whole cache writes", both.whole, both.parts),
    );
  }

  private showHistory(scene: Scene): void {
    const history = historyOf(scene.frames, scene.facts);
    const steps = scene.frames.filter(adds).length;
    this.over.hidden = !history || steps < 2;
    if (!history || this.over.hidden) return;
    const at = Math.min(scene.at, steps - 1);
    this.history.show({ ...scene, frames: [history], at: 0, place: [at, 0] });
  }
}

/** Walking along the lines moves no mark of the step that is shown. */
const IDLE: Host = { retry: () => {}, point: () => {} };

/** A text as its tokens; from where the two part they are marked. */
const text = (name: string, tokens: readonly string[], parts: number): Node[] => [
  el("h4", {}, name),
  el(
    "p",
    { class: "decode__text" },
    ...tokens.map((token, n) =>
      el("span", { class: n >= parts ? "is-parted" : "" }, n === 0 ? token.trimStart() : token),
    ),
  ),
];
