/** The steps of a picture by name: dots on a line that is a slider, or buttons side by side. Knows no player. */
import { el } from "../dom";
import { type Scrub, valueText } from "./scrub";

/** How one kind names its steps, and which of them change nothing. */
export interface Naming {
  label(step: string): string;
  idle: readonly string[];
}

export interface Steps {
  readonly element: HTMLElement;
  /** Redraws what changed; `naming` is the kind's own. */
  show(scrub: Scrub, naming: Naming): void;
}

/** Steps seen are filled, the current one is larger and named strong, those still to come are dashed. */
export class Dots implements Steps {
  readonly element = el("div", { class: "scrub", role: "slider", tabindex: 0, "aria-label": "Step" });
  private drawn = "";

  constructor(private readonly goTo: (at: number) => void) {
    this.element.addEventListener("pointerdown", (event) => this.drag(event));
    this.element.addEventListener("pointermove", (event) => event.buttons === 1 && this.drag(event));
  }

  show(scrub: Scrub, { label }: Naming): void {
    const line = this.element;
    line.setAttribute("aria-valuemin", "1");
    line.setAttribute("aria-valuemax", String(Math.max(1, scrub.names.length)));
    line.setAttribute("aria-valuenow", String(scrub.at + 1));
    line.setAttribute("aria-valuetext", valueText(scrub));
    if (this.drawn !== scrub.names.join()) {
      this.drawn = scrub.names.join();
      line.replaceChildren(...scrub.names.map((name) => stop(label(name))));
    }
    [...line.children].forEach((one, n) => {
      one.className = `scrub__stop${n < scrub.at ? " is-past" : n === scrub.at ? " is-now" : ""}`;
      one.toggleAttribute("data-waits", n >= scrub.ready);
    });
  }

  private drag(event: PointerEvent): void {
    const away = [...this.element.children].map((one) => {
      const box = one.getBoundingClientRect();
      return Math.abs(event.clientX - box.left - box.width / 2);
    });
    this.goTo(away.indexOf(Math.min(...away)));
  }
}

/** The name twice: the unseen one, always strong, keeps the room, so that no name moves when one is chosen. */
const stop = (name: string) =>
  el("span", { class: "scrub__stop" }, el("i"), el("span", { "data-name": name }, name));

/** Stages of one computation: each a button; a stage that changes nothing is struck through. */
export class Segments implements Steps {
  readonly element = el("div", { class: "segmented stages", role: "group", "aria-label": "Stage" });
  private drawn = "";

  constructor(private readonly goTo: (at: number) => void) {}

  show(scrub: Scrub, naming: Naming): void {
    const drawn = scrub.names.map((name) => `${naming.label(name)}${naming.idle.includes(name)}`).join();
    if (this.drawn !== drawn) {
      this.drawn = drawn;
      this.element.replaceChildren(...scrub.names.map((name, n) => this.stage(name, n, naming)));
    }
    const buttons = [...this.element.querySelectorAll("button")];
    for (const [n, button] of buttons.entries()) {
      button.setAttribute("aria-pressed", String(n === scrub.at));
      button.disabled = n >= scrub.ready;
    }
    if (this.element.contains(document.activeElement)) buttons[scrub.at]?.focus({ preventScroll: true });
  }

  private stage(name: string, n: number, { label, idle }: Naming): HTMLElement {
    const words = idle.includes(name) ? el("s", {}, label(name)) : label(name);
    const onclick = () => this.goTo(n);
    return el(
      "button",
      { type: "button", onclick },
      el("span", { class: "visually-hidden" }, `${name}: `),
      words,
    );
  }
}

/** A picture whose frames are read together has no line of steps. */
export class NoSteps implements Steps {
  readonly element = el("div", { hidden: true });
  show(): void {}
}
