/** The frame round a picture: title, Play, scrub line, Picture/Table, state in words. Knows no renderer. */
import { el } from "../dom";
import { type Scrub, valueText } from "./scrub";
import { stepLabel } from "./words";

export interface Actions {
  play(): void;
  goTo(at: number): void;
  table(shown: boolean): void;
  again(): void;
}

const key = (text: string) => el("kbd", { "aria-hidden": "true" }, text);

export class Shell {
  readonly element: HTMLElement;
  readonly stage = el("div", { class: "picture__stage" });
  readonly twin = el("div", { class: "picture__table", hidden: true });
  readonly foot = el("div", { class: "picture__foot" });
  private readonly stamp = el("p", { class: "note picture__stamp", role: "status" });
  private readonly head = el("div", { class: "picture__head" });
  private readonly controls: HTMLElement;
  private readonly playButton = el("button", { type: "button", class: "button button--small picture__play" });
  private readonly line = el("div", { class: "scrub", role: "slider", tabindex: 0, "aria-label": "Step" });
  private readonly toggles: HTMLButtonElement[];
  private drawn = "";
  private number: number | undefined;

  constructor(
    private readonly kind: string,
    private readonly title: HTMLElement | null,
    private readonly actions: Actions,
  ) {
    this.toggles = ["Picture", "Table"].map((name, n) =>
      el(
        "button",
        { type: "button", "aria-pressed": String(n === 0), onclick: () => actions.table(n === 1) },
        name,
      ),
    );
    const toggle = el("div", { class: "segmented", role: "group", "aria-label": "Show as" }, ...this.toggles);
    this.head.append(title ?? el("span"), toggle);
    this.playButton.addEventListener("click", () => actions.play());
    this.line.addEventListener("pointerdown", (event) => this.drag(event));
    this.line.addEventListener("pointermove", (event) => event.buttons === 1 && this.drag(event));
    const arrows = el("span", { class: "picture__keys key-hint" }, key("←"), key("→"));
    this.controls = el("div", { class: "picture__controls" }, this.playButton, this.line, arrows);
    this.foot.append(this.stamp);
    const parts = [this.head, this.controls, this.stage, this.twin, this.foot];
    this.element = el("section", { class: "picture", "data-kind": kind }, ...parts);
    if (title?.id) this.element.setAttribute("aria-labelledby", title.id);
    this.play(false);
  }

  /** Redraws the line: steps by name, those seen filled, the current one larger and named strong. */
  show(scrub: Scrub): void {
    this.play(scrub.playing);
    this.controls.hidden = scrub.names.length < 2 || this.kind === "answer_executed";
    this.line.setAttribute("aria-valuemin", "1");
    this.line.setAttribute("aria-valuemax", String(Math.max(1, scrub.names.length)));
    this.line.setAttribute("aria-valuenow", String(scrub.at + 1));
    this.line.setAttribute("aria-valuetext", valueText(scrub));
    if (this.drawn !== scrub.names.join()) this.layOut(scrub);
    [...this.line.children].forEach((stop, n) => {
      stop.className = `scrub__stop${n < scrub.at ? " is-past" : n === scrub.at ? " is-now" : ""}`;
      stop.toggleAttribute("data-waits", n >= scrub.ready);
    });
  }

  private layOut(scrub: Scrub): void {
    this.drawn = scrub.names.join();
    this.line.replaceChildren(
      ...scrub.names.map((name) =>
        el("span", { class: "scrub__stop" }, el("i"), this.stepName(stepLabel(name, this.kind))),
      ),
    );
  }

  /** The name twice: the unseen one, always strong, keeps the room, so that no name moves when one is chosen. */
  private stepName = (name: string) => el("span", { "data-name": name }, name);

  private play(playing: boolean): void {
    this.playButton.replaceChildren(
      playing ? "Pause" : this.reduced() ? "Next step" : "Play",
      " ",
      key("Space"),
    );
  }

  private reduced = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

  private drag(event: PointerEvent): void {
    const stops = [...this.line.children];
    const nearest = stops.map((stop) => {
      const box = stop.getBoundingClientRect();
      return Math.abs(event.clientX - box.left - box.width / 2);
    });
    this.actions.goTo(nearest.indexOf(Math.min(...nearest)));
  }

  /** The title with the number shown now in place of the first one: "What the split does with 24 heads". */
  rename(number: unknown): void {
    if (typeof number !== "number" || !this.title) return;
    const words = [...this.title.childNodes].find((node) =>
      node.textContent?.includes(String(this.number ?? number)),
    );
    if (words && this.number !== undefined && this.number !== number)
      words.textContent = words.textContent?.replace(String(this.number), String(number)) ?? "";
    this.number = number;
  }

  /** Keys of this kind of picture, at the left of the foot. */
  hint(keys: readonly (readonly [string, string])[]): void {
    if (keys.length === 0) return;
    const hints = keys.map(([caps, does]) => el("span", {}, ...caps.split(" ").map(key), ` ${does}`));
    this.foot.prepend(el("p", { class: "note picture__hints key-hint", "aria-hidden": "true" }, ...hints));
  }

  showTable(shown: boolean): void {
    this.twin.hidden = !shown;
    this.stage.hidden = shown;
    for (const [n, button] of this.toggles.entries())
      button.setAttribute("aria-pressed", String(shown === (n === 1)));
  }

  /** The line at the foot: where the drawing stands, or, with nothing to say, where its numbers come from. */
  say(sentence: string, again = false): void {
    if (this.stamp.dataset.said === `${sentence}${again}`) return;
    this.stamp.dataset.said = `${sentence}${again}`;
    const onclick = () => this.actions.again();
    const look = { type: "button", class: "button button--small", "data-testid": "try-again", onclick };
    this.stamp.replaceChildren(sentence, ...(again ? [" ", el("button", look, "Try again")] : []));
  }
}
