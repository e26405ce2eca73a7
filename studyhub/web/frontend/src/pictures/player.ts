/** `<study-picture>`: asks for a picture, plays its steps, shows its table. Knows no way of drawing one. */
import { addressOf, allowedOf, askedOf, inLab, labAddressOf, type Shown, specOf } from "./attributes";
import { type Command, commandOf, foreign } from "./commands";
import { type Kind, kindOf } from "./kinds";
import { copied } from "./link";
import { Parts } from "./parts";
import { Playback } from "./playback";
import { provenance, shortStamp } from "./provenance";
import { type Host, type Place, promisedSteps, stepNames, withDrafts } from "./scene";
import { EMPTY, extend, goTo, predictable, type Scrub, step } from "./scrub";
import type { Session } from "./session";
import { type News, Sessions } from "./sessions";
import type { View } from "./shell";
import { type Format, saveAs } from "./tools";
import { changed } from "./try";
import type { Facts, Frame, Parameters, Spec, Tensor } from "./types";
import { stepLabel } from "./words";

const VIEW = "studyhub-pictures-view";

/** What a page around a picture hears whenever something else is shown. */
export interface Told {
  facts: Facts;
  complete: Parameters;
  given: Parameters;
  frames: readonly Frame[];
  question: string;
}

export class StudyPicture extends HTMLElement implements Host {
  private spec: Spec = { kind: "", parameters: {}, seed: 0 };
  private kind: Kind = kindOf("");
  private sessions: Sessions | null = null;
  private scrub: Scrub = EMPTY;
  private frames: Frame[] = [];
  private shown = -1;
  private place: Place | null = null;
  /** The step to open at; null for the one that the facts name, "" once it is open. */
  private opening: string | null = null;
  private readonly playback = new Playback(
    () => this.scrub,
    (by) => this.move(by),
  );
  private view: View = "picture";
  private parts: Parts | null = null;

  /** Begins once it can be seen: in a section that is folded away, when that is opened. */
  connectedCallback(): void {
    if (this.parts) return;
    const folded = this.closest("details:not([open])");
    if (folded) folded.addEventListener("toggle", () => this.connectedCallback(), { once: true });
    else this.begin();
  }

  private begin(): void {
    this.spec = specOf(this);
    this.kind = kindOf(this.spec.kind);
    const asked = askedOf(this, this.kind);
    this.opening = asked?.step || this.getAttribute("start") || this.kind.opens || null;
    this.place = asked?.place ?? null;
    this.parts = this.build();
    void this.parts.load().then(() => this.draw(null));
    this.sessions = new Sessions(this.kind.early, this.news);
    this.ask(this.with(asked?.changes ?? {}), asked?.seed ?? this.spec.seed);
  }

  disconnectedCallback(): void {
    queueMicrotask(() => this.isConnected || this.close());
  }

  /** Runs the picture with these parameters, or another seed; what is shown stays until the other is there. */
  retry({ seed, ...changes }: Parameters): void {
    this.ask(this.with(changes), typeof seed === "number" ? seed : this.seedNow);
  }

  /** Something in the picture is pointed at: its row of the table is marked. */
  point(place: Place): void {
    this.place = place;
    this.parts?.mark(place);
    this.tell();
  }

  /** Shows a step by its name; one that has not come stays where it is. */
  goTo(name: string): void {
    const at = this.scrub.names.indexOf(name);
    if (at >= 0 && at < this.scrub.ready) this.move((scrub) => goTo(scrub, at));
  }

  /** The parameters shown now: what a page around the picture may want to say. */
  get parametersNow(): Parameters {
    return this.session?.spec.parameters ?? this.spec.parameters;
  }

  private get session(): Session | null {
    return this.sessions?.now ?? null;
  }

  private get seedNow(): number {
    return this.session?.spec.seed ?? this.spec.seed;
  }

  private with(changes: Parameters): Parameters {
    const now = this.parametersNow;
    return Object.entries(changes).reduce((all, [name, value]) => changed(all, name, value), now);
  }

  private build(): Parts {
    const wanted = {
      play: () => this.playback.press(),
      goTo: (at: number) => this.move((scrub) => goTo(scrub, at)),
      view: (chosen: View) => this.chooseView(chosen),
      again: () => this.ask(this.parametersNow, this.seedNow),
      reveal: () => this.move((scrub) => step(scrub, 1)),
      link: () => void this.copyLink(),
      labLink: () => labAddressOf(this.now),
      save: (format: Format) => void this.save(format),
      pointed: (place: Place) => {
        this.place = place;
      },
    };
    this.addEventListener("keydown", (event) => this.key(event));
    const kept = sessionStorage.getItem(VIEW);
    if (this.kind.line !== "none" && (kept === "table" || kept === "both")) this.view = kept;
    return new Parts(this, this.kind, { spec: this.spec, allowed: allowedOf(this), wanted });
  }

  private ask(parameters: Parameters, seed: number): void {
    this.sessions?.ask({ ...this.spec, parameters, seed });
  }

  private readonly news: News = {
    staged: (session, taken) => this.staged(session, taken),
    awaited: (session) => this.parts?.status.follow(session, this.scrub.names.length),
    refused: (why) => {
      if (!this.parts?.changing.say(why)) this.parts?.status.warn(why);
    },
  };

  private staged(session: Session, taken: boolean): void {
    if (taken) {
      this.shown = -1;
      this.parts?.changing.say("");
    }
    this.frames = this.kind.early ? withDrafts(session.facts, session.frames) : session.frames;
    this.scrub = extend(this.scrub, stepNames(session, this.frames, this.kind), this.frames.length);
    this.open();
    this.parts?.status.follow(session, this.scrub.names.length);
    this.draw(null);
  }

  /** Goes to the step that the page or the link asks for, as soon as it can be shown. */
  private open(): void {
    const at = this.scrub.names.indexOf(this.opening ?? String(this.session?.facts.opens ?? ""));
    if (at >= 0 && at < this.scrub.ready) {
      this.scrub = goTo(this.scrub, at);
      this.opening = "";
    } else if (this.kind.follows && this.opening) this.scrub = goTo(this.scrub, this.scrub.ready - 1);
  }

  private draw(from: number | null): void {
    const { session, scrub, parts } = this;
    if (!session || !parts) return;
    const idle = this.kind.idle(session.facts);
    const label = (name: string) => stepLabel(name, this.spec.kind, session.facts);
    parts.shell.show(scrub, { label, idle: idle.steps }, idle.why);
    this.dataset.phase = session.phase;
    const known = Object.keys(session.facts).length > 0 && (this.frames.length > 0 || this.kind.early);
    const ready = known && parts.renderer !== null;
    this.toggleAttribute("data-drawn", ready);
    if (!ready) return;
    const tried = session.spec.parameters !== this.spec.parameters;
    const scene = {
      frames: this.frames,
      at: scrub.at,
      from,
      facts: session.facts,
      parameters: session.spec.parameters,
      seed: session.spec.seed,
      roleName: this.getAttribute("role-name") ?? "",
      tried,
      place: this.place,
      tensor: (tensor: Tensor | undefined) => session.tensor(tensor),
    };
    parts.draw(scene);
    parts.table(this.view, this.place);
    this.shown = scrub.at;
    this.tell();
    this.toggleAttribute("data-tried", tried);
    this.drawFoot(session, parts);
  }

  private drawFoot(session: Session, { changing, predict, status, shell }: Parts): void {
    const stamp = provenance(this.frame ?? this.frames.at(-1), session.spec.parameters, inLab(this));
    changing.show(session, shell);
    status.from(this.kind.line === "none" ? shortStamp(stamp) : stamp);
    const next = this.frames[this.scrub.at + 1] ?? null;
    const shaped =
      this.kind.line === "dots" && promisedSteps(session.facts).some(({ shape }) => shape?.length > 0);
    predict.ask(next, predictable(this.scrub) === "", shaped);
  }

  private get frame(): Frame | undefined {
    return this.frames[this.scrub.at];
  }

  /** The reader's own choice is kept for the pictures to come. */
  private chooseView(chosen: View): void {
    sessionStorage.setItem(VIEW, chosen);
    this.view = chosen;
    this.parts?.table(chosen, this.place);
  }

  private move(by: (scrub: Scrub) => Scrub): void {
    const before = this.shown;
    if (this.kind.follows) this.opening = "";
    this.scrub = by(this.scrub);
    this.draw(this.scrub.at === before ? null : before);
  }

  /** Arrows belong to the drawing that has focus, elsewhere in the player to its steps. */
  private key(event: KeyboardEvent): void {
    const inDrawing = event.target instanceof Element && event.target.closest("[data-arrows]") !== null;
    const own = () => !foreign(event) && (this.parts?.renderer?.key(event) ?? false);
    const command = commandOf(event);
    const done = (inDrawing && own()) || (command ? this.commands[command]() !== false : own());
    if (!done) return;
    event.preventDefault();
    event.stopPropagation();
  }

  private readonly commands: Record<Command, () => unknown> = {
    next: () => this.move((scrub) => step(scrub, 1)),
    back: () => this.move((scrub) => step(scrub, -1)),
    first: () => this.move((scrub) => goTo(scrub, 0)),
    last: () => this.move((scrub) => goTo(scrub, scrub.ready - 1)),
    play: () => this.playback.press(),
    table: () => this.chooseView(this.view === "picture" ? "table" : "picture"),
    link: () => void this.copyLink(),
    edit: () => this.parts?.changing.focus() ?? false,
  };

  /** The address of what is shown now. */
  get link(): string {
    return addressOf(this, this.kind, this.now);
  }

  private get now(): Shown {
    return {
      kind: this.spec.kind,
      step: this.scrub.names[this.scrub.at] ?? "",
      parameters: this.parametersNow,
      seed: this.seedNow,
      place: this.place,
    };
  }

  /** A page that has a heading and an address for this picture keeps them by what is shown. */
  tell(): void {
    const { session } = this;
    if (!session || !inLab(this)) return;
    const { facts, complete, frames } = session;
    const question = this.parts?.renderer?.question?.() ?? "";
    const detail: Told = { facts, complete, frames, question, given: session.spec.parameters };
    this.dispatchEvent(new CustomEvent("picture-told", { detail, bubbles: true }));
  }

  private async copyLink(): Promise<void> {
    const { link } = this;
    this.parts?.status.note((await copied(link)) ? "Link to this step copied" : link);
  }

  private async save(format: Format): Promise<void> {
    const { session, parts, frame } = this;
    if (!session || !parts) return;
    const { stage, name: title } = parts.shell;
    const source = provenance(frame ?? this.frames.at(-1), session.spec.parameters);
    parts.status.note(await saveAs(format, { session, stage, title, frame, source }));
  }

  private close(): void {
    this.playback.stop();
    this.sessions?.stop();
    this.parts?.dispose();
  }
}
