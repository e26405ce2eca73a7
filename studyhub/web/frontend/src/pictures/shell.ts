/** The frame round a picture: title, Play, steps, Picture/Table/Both, state in words. Knows no renderer. */
import { el } from "../dom";
import type { Hint, Kind } from "./kinds";
import type { Scrub } from "./scrub";
import { Dots, type Naming, NoSteps, Segments, type Steps } from "./steps";

export type View = "picture" | "table" | "both";

export interface Actions {
  play(): void;
  goTo(at: number): void;
  view(chosen: View): void;
  again(): void;
}

const LINES = { dots: Dots, segments: Segments, none: NoSteps };
/** From this width up a picture and its table stand side by side. */
const WIDE = 900;

const key = (text: string) => el("kbd", { "aria-hidden": "true" }, text);

export class Shell {
  readonly element: HTMLElement;
  readonly stage = el("div", { class: "picture__stage" });
  readonly twin = el("div", { class: "picture__table", hidden: true });
  readonly foot = el("div", { class: "picture__foot" });
  /** Fields that change the numbers stand between the steps and the picture. */
  readonly edits = el("div", { class: "picture__edits", hidden: true });
  /** Link and export, at the end of the foot. */
  readonly tools = el("div", { class: "picture__tools", "data-unexported": true });
  /** Where the numbers come from, link and export; what a kind adds to the foot stands before it. */
  readonly end = el("div", { class: "picture__end" });
  private readonly stampLine = el("p", { class: "note picture__stamp", role: "status" });
  private readonly hints = el("p", { class: "note picture__hints key-hint", "aria-hidden": "true" });
  private readonly head = el("div", { class: "picture__head" });
  /** What the step shown is called, where the page has the picture's own heading. */
  private readonly caption: HTMLElement | null = null;
  private readonly controls: HTMLElement;
  private readonly playButton = el("button", { type: "button", class: "button button--small picture__play" });
  private readonly aside = el("span", { class: "note picture__aside" });
  private readonly steps: Steps;
  private readonly toggles: Record<View, HTMLButtonElement>;
  private readonly watcher: ResizeObserver;
  private number: number | undefined;
  /** What the page's title holds while other words stand in its place. */
  private written: ChildNode[] | undefined;
  private chosen: View = "picture";
  private whole = false;
  private across = 0;

  constructor(
    name: string,
    private readonly kind: Kind,
    private readonly title: HTMLElement | null,
    private readonly actions: Actions,
    lab = false,
  ) {
    if (lab) this.caption = el("h2", {}, title?.textContent);
    const toggle = (view: View, words: string) =>
      el("button", { type: "button", "data-view": view, onclick: () => actions.view(view) }, words);
    this.toggles = {
      picture: toggle("picture", "Picture"),
      table: toggle("table", "Table"),
      both: toggle("both", "Both"),
    };
    const views = { class: "segmented views", role: "group", "aria-label": "Show as" };
    const [picture, table, both] = Object.values(this.toggles);
    const alone = kind.line === "none";
    const choice = el("div", views, picture, table, !alone && both);
    this.head.append(this.caption ?? title ?? el("span"), !alone ? choice : "");
    if (alone) this.end.append(choice);
    this.playButton.addEventListener("click", () => actions.play());
    this.steps = new LINES[kind.line]((at) => actions.goTo(at));
    const arrows = el("span", { class: "picture__keys key-hint" }, key("←"), key("→"));
    this.controls = el("div", { class: "picture__controls" }, this.playButton, this.steps.element);
    this.controls.append(kind.line === "segments" ? this.aside : arrows);
    this.playButton.hidden = kind.line === "segments";
    this.end.append(this.stampLine, this.tools);
    this.foot.append(this.end);
    const body = el("div", { class: "picture__body" }, this.stage, this.twin);
    this.element = el("section", { class: "picture", "data-kind": name });
    if (lab && kind.line === "segments") this.controls.append(choice);
    this.element.append(
      ...(lab
        ? [this.edits, el("div", { class: "picture__card" }, this.head, this.controls, body, this.foot)]
        : [this.head, this.controls, this.edits, body, this.foot]),
    );
    if (title?.id && !lab) this.element.setAttribute("aria-labelledby", title.id);
    else this.element.setAttribute("aria-label", name.replaceAll("_", " "));
    this.watcher = new ResizeObserver(() => this.arrange());
    this.watcher.observe(this.element);
    this.play(false);
  }

  /** The picture's own way of choosing a step stands in place of the line of steps; in the lab over the card.
   * Elsewhere the picture follows it, and fields come after the picture. */
  choose(chooser: HTMLElement): void {
    const card = this.element.querySelector(".picture__card");
    (card ?? this.controls).before(chooser);
    if (!card) this.foot.before(this.edits);
    this.controls.remove();
  }

  /** Redraws the steps; `aside` is a remark beside them. */
  show(scrub: Scrub, naming: Naming, aside: string): void {
    this.play(scrub.playing);
    this.controls.hidden = scrub.names.length < 2 || this.kind.line === "none";
    this.aside.textContent = aside;
    this.steps.show(scrub, naming);
  }

  /** Shows the picture, its table or both; `whole` where the frame is read in its table anyway. */
  view(chosen: View, whole: boolean): void {
    this.chosen = chosen;
    this.whole = whole;
    this.arrange();
  }

  /** The tallest step so far keeps its room, so that going back moves nothing below; another width begins anew. */
  hold(): void {
    const across = this.stage.clientWidth;
    if (across !== this.across) this.stage.style.minBlockSize = "";
    this.across = across;
    const tall = Math.max(this.stage.offsetHeight, Number.parseFloat(this.stage.style.minBlockSize) || 0);
    if (tall > 0) this.stage.style.minBlockSize = `${tall}px`;
  }

  dispose(): void {
    this.watcher.disconnect();
  }

  /** Side by side only where there is room: elsewhere "both" is the picture. */
  private arrange(): void {
    const wide = this.element.clientWidth >= WIDE;
    const view = this.chosen === "both" && !wide ? "picture" : this.chosen;
    this.element.dataset.view = this.whole ? "whole" : view;
    this.element.toggleAttribute("data-wide", wide);
    this.twin.hidden = view === "picture" && !this.whole;
    this.stage.hidden = view === "table" && !this.whole;
    for (const [name, button] of Object.entries(this.toggles))
      button.setAttribute("aria-pressed", String(name === view));
  }

  private play(playing: boolean): void {
    const words = playing ? "Pause" : this.reduced() ? "Next step" : "Play";
    this.playButton.replaceChildren(words, " ", key("Space"));
  }

  private reduced = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

  /** The title with the number shown now in place of the first one: "What the split does with 24 heads". */
  rename(number: unknown): void {
    if (typeof number !== "number" || !this.title || this.caption) return;
    const words = [...this.title.childNodes].find((node) =>
      node.textContent?.includes(String(this.number ?? number)),
    );
    if (words && this.number !== undefined && this.number !== number)
      words.textContent = words.textContent?.replace(String(this.number), String(number)) ?? "";
    this.number = number;
  }

  /** The title as the page wrote it says the page's numbers; with a reader's own it says just that. */
  reword(changed: boolean): void {
    if (!this.title || this.caption || changed === (this.written !== undefined)) return;
    const words = this.written ?? [...this.title.childNodes];
    this.written = changed ? words : undefined;
    this.title.replaceChildren(...(changed ? ["The same with numbers of your own"] : words));
  }

  /** Says over the picture what the step shown is called, where the page has the picture's own heading. */
  call(title: string): void {
    if (this.caption && title) this.caption.textContent = title;
  }

  /** The title's words: what an exported picture is called. */
  get name(): string {
    return (this.caption ?? this.title)?.textContent?.trim() ?? "";
  }

  /** Keys of this kind of picture, at the left of the foot. */
  hint(keys: readonly Hint[], step = ""): void {
    if (keys.length === 0) return;
    const hints = keys.map(([caps, does, at]) =>
      el("span", {}, ...caps.split(" ").map(key), ` ${at?.[step] ?? does}`),
    );
    this.hints.replaceChildren(...hints);
    if (!this.hints.parentNode) this.foot.prepend(this.hints);
  }

  /** The line at the foot: where the drawing stands, or, with nothing to say, where its numbers come from. */
  say(sentence: string, again = false): void {
    if (this.stampLine.dataset.said === `${sentence}${again}`) return;
    this.stampLine.dataset.said = `${sentence}${again}`;
    const onclick = () => this.actions.again();
    const look = { type: "button", class: "button button--small", "data-testid": "try-again", onclick };
    this.stampLine.replaceChildren(sentence, ...(again ? [" ", el("button", look, "Try again")] : []));
  }
}
