/** `<study-picture>`: asks for a picture, plays its steps, shows its table. Knows no way of drawing one. */
import { el, still } from "../dom";
import { type Command, commandOf, foreign } from "./commands";
import { type Kind, kindOf } from "./kinds";
import { askedOf, copied, linkTo } from "./link";
import { Predict } from "./predict";
import { provenance, shortStamp } from "./provenance";
import { type Host, type Renderer, withDrafts } from "./scene";
import { EMPTY, extend, goTo, predictable, type Scrub, step, tick, toggle } from "./scrub";
import { Session } from "./session";
import { Shell } from "./shell";
import { Status } from "./status";
import { frameTable } from "./table";
import { takeTitle } from "./title";
import { changed, TryAnother } from "./try";
import type { Frame, Parameters, Spec } from "./types";

const BEAT_MS = 1500;
const TABLE = "studyhub-pictures-as-table";

export class StudyPicture extends HTMLElement implements Host {
  private spec: Spec = { kind: "", parameters: {}, seed: 0 };
  private kind: Kind | null = null;
  private session: Session | null = null;
  private waiting: Session | null = null;
  private scrub: Scrub = EMPTY;
  private frames: Frame[] = [];
  private shown = -1;
  private renderer: Renderer | null = null;
  private shell: Shell | null = null;
  private predict: Predict | null = null;
  private tryAnother: TryAnother | null = null;
  private status: Status | null = null;
  private opening = "";
  private beat = 0;
  private asTable = false;

  connectedCallback(): void {
    if (this.shell) return;
    this.spec = this.read();
    this.kind = kindOf(this.spec.kind);
    const asked = askedOf(location.href, this.spec.kind, this.edit);
    this.opening = asked.step || this.getAttribute("start") || this.kind?.opens || "";
    this.build();
    const parameters = Object.keys(asked.changes).length ? this.with(asked.changes) : this.spec.parameters;
    this.ask(parameters);
  }

  disconnectedCallback(): void {
    queueMicrotask(() => this.isConnected || this.close());
  }

  /** Runs the picture with these parameters changed; what is shown stays until the other is there. */
  retry(changes: Parameters): void {
    this.ask(this.with(changes));
  }

  /** The first parameters and those shown now: what a page around the picture may want to say. */
  get parametersNow(): Parameters {
    return this.session?.spec.parameters ?? this.spec.parameters;
  }

  private get edit(): string {
    return this.getAttribute("edit") ?? "";
  }

  private with(changes: Parameters): Parameters {
    const now = this.parametersNow;
    return Object.entries(changes).reduce((all, [name, value]) => changed(all, name, value as number), now);
  }

  private read(): Spec {
    const parameters = JSON.parse(this.getAttribute("parameters") || "{}") as Parameters;
    return {
      kind: this.getAttribute("kind") ?? "",
      parameters,
      seed: Number(this.getAttribute("seed") ?? 0),
    };
  }

  private build(): void {
    const title = takeTitle(this);
    this.renderer = this.kind?.renderer(this) ?? null;
    this.shell = new Shell(this.spec.kind, title, {
      play: () => this.play(),
      goTo: (at) => this.move((scrub) => goTo(scrub, at)),
      table: (shown) => this.chooseTable(shown),
      again: () => this.ask(this.parametersNow),
    });
    if (this.renderer) this.shell.stage.append(this.renderer.element);
    this.status = new Status((sentence, again) => this.shell?.say(sentence, again));
    this.buildFoot(this.shell);
    this.prepend(this.shell.element);
    this.addEventListener("keydown", (event) => this.key(event));
    this.showTable(this.spec.kind !== "answer_executed" && sessionStorage.getItem(TABLE) === "1");
    if (!this.kind) this.showTable(true);
    this.toggleAttribute("data-plain", !this.kind);
  }

  private buildFoot(shell: Shell): void {
    shell.hint(this.kind?.hints ?? []);
    if (this.spec.kind === "head_split") {
      this.predict = new Predict(() => this.move((scrub) => step(scrub, 1)));
      shell.foot.prepend(this.predict.element);
    }
    if (this.edit) {
      this.tryAnother = new TryAnother(this.edit, this);
      shell.foot.lastChild?.before(this.tryAnother.element);
    }
  }

  private ask(parameters: Parameters): void {
    this.waiting?.stop();
    const session = new Session({ ...this.spec, parameters }, (one) => this.changed(one));
    this.waiting = session;
    if (!this.session) this.status?.follow(session);
    void session.start();
  }

  /** A session has news: it takes the stage as soon as it has facts; a refused one leaves the stage as it is. */
  private changed(session: Session): void {
    if (session === this.waiting && session.phase === "failed" && this.session) {
      this.waiting = null;
      this.tryAnother?.say(session.failure?.sentence ?? "");
      if (!this.tryAnother) this.status?.warn(session.failure?.sentence ?? "");
      return;
    }
    if (session === this.waiting && this.presentable(session)) this.take(session);
    if (session === this.waiting) this.status?.follow(session, this.names().length);
    if (session !== this.session) return;
    this.frames = withDrafts(session.facts, session.frames);
    this.scrub = extend(this.scrub, this.names(), this.frames.length);
    this.open();
    this.status?.follow(session, this.names().length);
    this.draw(null);
  }

  /** The first session is shown as it comes; a later one once it can stand where the other stood. */
  private presentable(session: Session): boolean {
    if (!this.session || session.phase === "drawn") return true;
    return this.kind?.early ?? false;
  }

  private take(session: Session): void {
    const first = this.session === null;
    this.session?.stop();
    this.session = session;
    this.waiting = null;
    this.shown = -1;
    if (first) this.dataset.phase = "asking";
  }

  /** Goes to the step that the page or the link asks for, as soon as it can be shown. */
  private open(): void {
    const at = this.scrub.names.indexOf(this.opening);
    if (at >= 0 && at < this.scrub.ready) {
      this.scrub = goTo(this.scrub, at);
      this.opening = "";
    }
  }

  private names(): string[] {
    const known = this.frames.map((frame) => frame.step);
    const promised = [...(this.kind?.steps ?? [])];
    return known.length >= promised.length ? known : promised;
  }

  private draw(from: number | null): void {
    const { session, scrub, renderer, shell } = this;
    if (!session || !shell) return;
    shell.show(scrub);
    this.dataset.phase = session.phase;
    const known = Object.keys(session.facts).length > 0;
    const ready = known && (this.frames.length > 0 || (this.kind?.early ?? false));
    this.toggleAttribute("data-drawn", ready);
    if (!ready) return;
    renderer?.show({
      frames: this.frames,
      at: scrub.at,
      from,
      facts: session.facts,
      parameters: session.spec.parameters,
      roleName: this.getAttribute("role-name") ?? "",
      tried: session.spec.parameters !== this.spec.parameters,
      tensor: (tensor) => session.tensor(tensor),
    });
    this.shown = scrub.at;
    this.toggleAttribute("data-tried", session.spec.parameters !== this.spec.parameters);
    this.drawFoot(session);
    this.drawTable();
  }

  private drawFoot(session: Session): void {
    const stamp = provenance(this.frames[this.scrub.at] ?? this.frames.at(-1), session.spec.parameters);
    this.tryAnother?.show(session.facts);
    this.shell?.rename(session.facts[this.edit]);
    this.status?.from(this.spec.kind === "answer_executed" ? shortStamp(stamp) : stamp);
    this.predict?.ask(this.frames[this.scrub.at + 1] ?? null, predictable(this.scrub) === "");
  }

  private drawTable(): void {
    const frame = this.frames[this.scrub.at];
    if (!frame || !this.asTable || !this.shell) return;
    this.shell.twin.replaceChildren(frameTable(frame, ""), el("p", { class: "note" }, frame.sentence));
  }

  /** The reader's own choice is kept for the pictures to come. */
  private chooseTable(shown: boolean): void {
    sessionStorage.setItem(TABLE, shown ? "1" : "0");
    this.showTable(shown);
  }

  private showTable(shown: boolean): void {
    this.asTable = shown;
    this.shell?.showTable(shown);
    this.drawTable();
  }

  private move(by: (scrub: Scrub) => Scrub): void {
    const before = this.shown;
    this.scrub = by(this.scrub);
    this.draw(this.scrub.at === before ? null : before);
  }

  private play(): void {
    window.clearTimeout(this.beat);
    const atEnd = this.scrub.at >= this.scrub.names.length - 1;
    if (still()) this.move((scrub) => (atEnd ? goTo(scrub, 0) : step(scrub, 1)));
    else this.move(toggle);
    if (this.scrub.playing) this.beat = window.setTimeout(() => this.playOn(), 400);
  }

  private playOn(): void {
    this.move(tick);
    if (this.scrub.playing) this.beat = window.setTimeout(() => this.playOn(), BEAT_MS);
  }

  private key(event: KeyboardEvent): void {
    const command = commandOf(event);
    if (command) this.commands[command]();
    else if (foreign(event) || !this.renderer?.key(event)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  private readonly commands: Record<Command, () => void> = {
    next: () => this.move((scrub) => step(scrub, 1)),
    back: () => this.move((scrub) => step(scrub, -1)),
    first: () => this.move((scrub) => goTo(scrub, 0)),
    last: () => this.move((scrub) => goTo(scrub, scrub.ready - 1)),
    play: () => this.play(),
    table: () => this.chooseTable(!this.asTable),
    link: () => void this.copyLink(),
  };

  private async copyLink(): Promise<void> {
    const step = this.scrub.names[this.scrub.at] ?? "";
    const value = Number(this.parametersNow[this.edit]) || null;
    const place = { kind: this.spec.kind, step, edit: this.edit, value };
    const link = linkTo(location.href, place, this.closest("[id]")?.id ?? "");
    this.status?.note((await copied(link)) ? "Link to this step copied" : link);
  }

  private close(): void {
    window.clearTimeout(this.beat);
    this.waiting?.stop();
    this.session?.stop();
    this.renderer?.dispose();
  }
}
