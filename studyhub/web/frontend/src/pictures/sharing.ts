/** Draws the same queries under MHA, GQA, MQA and MLA: who reads what, and what a token costs. */
import { el } from "../dom";
import { onThemeChange } from "./palette";
import type { Host, Place, Renderer, Scene } from "./scene";
import { Cache } from "./sharing-cache";
import { Cards } from "./sharing-cards";
import { groupOf, pairsOf, SCHEMES, type Sharing, type Step, sharingOf } from "./sharing-facts";
import { Compared, Maps } from "./sharing-measured";
import { Side } from "./sharing-side";
import { bundlesOf, Stage } from "./sharing-stage";
import { notes, ran, spokenWords, titleOf } from "./sharing-words";
import type { Frame } from "./types";

const ASK_MS = 250;
const KEYS: Record<string, string> = {
  0: "answer",
  1: "mha",
  2: "gqa",
  3: "mqa",
  4: "mla",
  5: "compare",
  6: "maps",
};

/** A place of this picture is [query head]. */
export class HeadSharing implements Renderer {
  readonly element: HTMLElement;
  private readonly cards = new Cards((step) => this.host.goTo?.(step));
  readonly chooser = this.cards.element;
  private readonly stage = new Stage((head) => this.follow(head));
  private readonly compared = new Compared();
  private readonly maps = new Maps();
  private readonly title = el("h3", { class: "sharing__title" });
  private readonly words = el("p", { class: "sharing__words", "aria-live": "polite" });
  private readonly torch = el("div", { class: "sharing__torch" });
  private readonly side = new Side((pairs) => this.slide(pairs));
  private readonly measured = el("p", { class: "note", role: "status" });
  private readonly views: HTMLButtonElement[];
  private readonly cache = new Cache();
  private readonly unwatch = onThemeChange(() => this.draw());
  private scene: Scene | null = null;
  private followed = 0;
  /** K/V heads that the slider stands at before the service has answered; 0 for those of the facts. */
  private ahead = 0;
  private timer = 0;
  private last: Step = "gqa";

  constructor(private readonly host: Host) {
    this.views = [
      ["compare", "How far outputs move", "5"],
      ["maps", "Maps of this head", "6"],
    ].map(([step = "", name = "", cap = ""]) =>
      el(
        "button",
        {
          type: "button",
          class: "button button--small",
          "data-step": step,
          onclick: () => this.host.goTo?.(step),
        },
        name,
        " ",
        el("kbd", { "aria-hidden": "true", class: "key-hint" }, cap),
      ),
    );
    const main = el("div", { class: "sharing__main" }, this.title);
    main.append(this.stage.element, this.compared.element, this.maps.element, this.words, this.torch);
    main.append(
      el(
        "div",
        { class: "sharing__measured" },
        el("h3", { class: "sharing__head" }, "On the sentence"),
        this.measured,
        el("p", { class: "sharing__views" }, ...this.views),
      ),
    );
    this.element = el(
      "div",
      { class: "sharing" },
      el("div", { class: "sharing__panel" }, main, this.side.element),
      this.cache.element,
    );
  }

  show(scene: Scene): void {
    if (!this.scene) this.followed = scene.place?.[0] ?? Number(scene.facts.head ?? 0);
    if (scene.facts.own !== this.scene?.facts.own)
      this.last = SCHEMES.find((step) => step === scene.facts.own) ?? "gqa";
    if (this.ahead === scene.facts.groups) this.ahead = 0;
    this.scene = scene;
    this.followed = Math.max(0, Math.min(Number(scene.facts.num_heads ?? 1) - 1, this.followed));
    this.draw();
    if (this.step === "maps") this.askMaps();
  }

  point([head]: Place): void {
    if (head === undefined || !this.scene) return;
    this.followed = Math.max(0, Math.min(this.sharing.heads - 1, head));
    this.draw();
  }

  marked(): Place {
    return [this.followed];
  }

  /** A frame of one scheme has a row for each query head; no other frame is about heads. */
  inTable([head]: Place, frame: Frame) {
    const rows =
      frame.table.columns[0] === "query head" && head !== undefined && head < frame.table.rows.length;
    return rows ? { row: head } : null;
  }

  ofTable({ row }: { row: number }, frame: Frame): Place | null {
    return frame.table.columns[0] === "query head" ? [row] : null;
  }

  key(event: KeyboardEvent): boolean {
    const step = KEYS[event.key];
    if (step) this.host.goTo?.(step);
    else if (event.key === "[" || event.key === "]") this.walk(event.key === "]" ? 1 : -1);
    else if (event.key === "ArrowLeft" || event.key === "ArrowRight")
      this.leap(event.key === "ArrowRight" ? 1 : -1);
    else return false;
    return true;
  }

  dispose(): void {
    window.clearTimeout(this.timer);
    this.unwatch();
    this.stage.dispose();
    this.cards.dispose();
  }

  private get step(): string {
    return this.scene?.frames[this.scene.at]?.step ?? "";
  }

  /** The scheme on the stage: the one that was chosen last where maps or errors stand there. */
  private get scheme(): Step {
    this.last = SCHEMES.find((step) => step === this.step) ?? this.last;
    return this.last;
  }

  private get sharing(): Sharing {
    return sharingOf(this.scene?.facts ?? {}, this.ahead);
  }

  private walk(by: number): void {
    const { heads } = this.sharing;
    this.follow((this.followed + by + heads) % heads);
  }

  /** The first head of the next group, or of the one before; of one group the next head. */
  private leap(by: number): void {
    const { sharing } = this;
    const bundles = this.step === "mla" ? null : bundlesOf(sharing, this.drawn as Exclude<Step, "mla">, 0);
    const [pairs, left] = bundles ? [bundles.pairs, bundles.left] : [sharing.heads, 0];
    if (pairs < 2 || left) {
      this.walk(by);
      return;
    }
    const { pair } = groupOf(this.followed, sharing.heads, pairs);
    this.follow(((pair + by + pairs) % pairs) * (sharing.heads / pairs));
  }

  private follow(head: number): void {
    this.followed = head;
    this.draw();
    this.host.point([head]);
    if (this.step === "maps") this.askMaps();
  }

  /** Maps are those of the head that the worker was asked for: another one is asked for once the reader rests. */
  private askMaps(): void {
    const head = this.followed;
    window.clearTimeout(this.timer);
    if (head === this.scene?.facts.head) return;
    this.timer = window.setTimeout(() => this.host.retry({ head }), ASK_MS);
  }

  /** One pair is MQA, as many as query heads is MHA; what lies between is another grouping. */
  private slide(pairs: number): void {
    const { heads, groups } = this.sharing;
    const ends = pairs === heads ? "mha" : pairs === 1 ? "mqa" : "";
    if (ends) {
      this.host.goTo?.(ends);
      return;
    }
    window.clearTimeout(this.timer);
    if (pairs !== groups) {
      this.ahead = pairs;
      this.timer = window.setTimeout(() => this.host.retry({ num_kv_heads: pairs }), ASK_MS);
    }
    if (this.step !== "gqa") this.host.goTo?.("gqa");
    this.draw();
  }

  /** What the large drawing shows: a scheme, or the learner's number. */
  private get drawn(): Step | "answer" {
    return this.step === "answer" ? "answer" : this.scheme;
  }

  private draw(): void {
    const { scene, step, sharing, drawn } = this;
    const frame = scene?.frames[scene.at];
    if (!scene || !frame) return;
    const measuring = step === "compare" || step === "maps";
    this.element.dataset.step = step;
    this.cards.show(sharing, step);
    this.stage.element.hidden = measuring;
    this.compared.element.hidden = step !== "compare";
    this.maps.element.hidden = step !== "maps";
    this.title.textContent = titleOf(sharing, step, this.followed);
    if (step === "compare") this.compared.show(frame, sharing);
    else if (step === "maps") this.maps.show(scene, frame, sharing);
    else this.stage.show(sharing, drawn, this.followed);
    this.tell(frame, sharing, measuring);
    const scheme = this.scheme;
    const pairs = step === "answer" ? (sharing.answer?.kv_heads ?? 0) : pairsOf(sharing, scheme);
    this.side.show(sharing, scheme, pairs);
    this.cache.show(sharing, measuring || step === "answer" ? "" : step);
    for (const button of this.views)
      button.setAttribute("aria-pressed", String(button.dataset.step === step));
  }

  private tell(frame: Frame, sharing: Sharing, measuring: boolean): void {
    const { step, drawn } = this;
    const said = measuring ? [frame.sentence] : spokenWords(sharing, drawn, this.followed);
    this.words.replaceChildren(...said);
    this.torch.hidden = step !== "answer";
    if (step === "answer")
      this.torch.replaceChildren(...ran(frame, sharing, (n) => this.host.retry({ answer_kv_heads: n })));
    const note = notes(this.scene?.facts.steps, step);
    const rest = frame.sentence.startsWith(note) ? frame.sentence.slice(note.length).trim() : "";
    if (SCHEMES.includes(step as Step)) this.measured.textContent = rest || "Being computed.";
    else if (!this.measured.textContent)
      this.measured.textContent = "What each scheme makes of the same queries.";
  }
}
