/** What a player is made of, once it stands on a page: its frame, its drawing, its table, its fields. */
import { el } from "../dom";
import { inLab } from "./attributes";
import { Changing } from "./changing";
import type { Kind } from "./kinds";
import { Predict } from "./predict";
import { type Host, type Place, type Renderer, type Scene, type Spot, usualPlace, usualSpot } from "./scene";
import { type Actions, Shell, type View } from "./shell";
import { Status } from "./status";
import { Twin } from "./table";
import { takeTitle } from "./title";
import { type Format, toolsOf } from "./tools";
import type { Frame, Parameters, Spec } from "./types";

/** What the parts ask of their player. */
export interface Wanted extends Actions {
  reveal(): void;
  link(): void;
  labLink(): string;
  save(format: Format): void;
  pointed(place: Place): void;
}

const NO_SCRIPT = "The script that draws this did not come. Load the page again.";

export class Parts {
  /** The drawing, once its script is there. */
  renderer: Renderer | null = null;
  readonly shell: Shell;
  readonly predict: Predict;
  readonly changing: Changing;
  readonly status: Status;
  private readonly twin = new Twin((spot) => this.pointFromTable(spot));
  private readonly own = el("div", { class: "twin__own" });
  private readonly fetched: () => Promise<Renderer>;
  private frame: Frame | null = null;
  private gone = false;

  constructor(
    element: HTMLElement & Host,
    private readonly kind: Kind,
    { spec, allowed, wanted }: { spec: Spec; allowed: readonly string[]; wanted: Wanted },
  ) {
    this.fetched = () => kind.renderer(element, spec.parameters);
    this.shell = new Shell(spec.kind, kind, takeTitle(element), wanted, inLab(element));
    this.predict = new Predict(() => wanted.reveal());
    const values = JSON.parse(element.getAttribute("values") || "{}") as Parameters;
    this.changing = new Changing(allowed, values, { edits: kind.edits, host: element });
    this.status = new Status((sentence, again) => this.shell.say(sentence, again));
    this.pointed = wanted.pointed;
    const links = {
      copy: kind.line === "none" || inLab(element) ? null : wanted.link,
      lab: inLab(element) ? null : wanted.labLink,
    };
    this.shell.twin.append(this.twin.element, this.own);
    this.shell.tools.append(...toolsOf(links, wanted.save));
    this.shell.hint(kind.hints);
    this.shell.foot.prepend(this.predict.element);
    this.changing.mount(this.shell);
    element.prepend(this.shell.element);
  }

  private readonly pointed: (place: Place) => void;

  /** Fetches the script that draws, while the picture is asked for; until it is there the page keeps what it had. */
  async load(): Promise<void> {
    const renderer = await this.fetched().catch(() => null);
    if (!renderer) this.status.warn(NO_SCRIPT);
    else if (this.gone) renderer.dispose();
    else {
      this.renderer = renderer;
      this.shell.stage.append(renderer.element);
      if (renderer.chooser) this.shell.choose(renderer.chooser);
    }
  }

  /** Draws the scene; its table follows by `table`. */
  draw(scene: Scene): void {
    this.frame = scene.frames[scene.at] ?? null;
    this.renderer?.show(scene);
    this.shell.call(this.frame?.title ?? "");
    this.shell.hint(this.kind.hints, this.frame?.step);
  }

  table(view: View, place: Place | null): void {
    if (!this.frame) return;
    const whole = this.renderer?.needsTable?.(this.frame) ?? false;
    this.shell.view(view, whole);
    if (view !== "picture" || whole) {
      const own = this.renderer?.tables?.();
      this.own.replaceChildren(...(own ?? []));
      this.twin.element.hidden = own !== undefined;
      if (!own) this.twin.show(this.frame, this.spot(place));
    }
    if (!whole) this.shell.hold();
  }

  /** The picture was pointed at: its row of the table is marked. */
  mark(place: Place): void {
    this.twin.mark(this.spot(place));
  }

  dispose(): void {
    this.gone = true;
    this.renderer?.dispose();
    this.shell.dispose();
  }

  /** Where what is pointed at stands in the table of the step shown. */
  private spot(pointed: Place | null): Spot | null {
    const place = pointed ?? this.renderer?.marked?.();
    if (!this.frame || !place) return null;
    const own = this.renderer?.inTable?.(place, this.frame);
    return own === undefined ? usualSpot(place, this.frame) : own;
  }

  private pointFromTable(spot: Spot): void {
    if (!this.frame) return;
    const own = this.renderer?.ofTable?.(spot, this.frame);
    const place = own === undefined ? usualPlace(spot) : own;
    if (!place) return;
    this.pointed(place);
    this.renderer?.point?.(place);
  }
}
