/** The picture on the stage and the one asked for after it: the first stays until the other can stand there. */
import { Session } from "./session";
import type { Spec } from "./types";

/** What a player hears of its pictures. */
export interface News {
  /** The one on the stage has something new; `taken` when it has just come there. */
  staged(session: Session, taken: boolean): void;
  /** The one that is waited for has something new. */
  awaited(session: Session): void;
  /** The one that was asked for is refused; what is on the stage stays. */
  refused(why: string): void;
}

export class Sessions {
  now: Session | null = null;
  private waiting: Session | null = null;

  /** `early`: a later picture may take the stage before it is drawn, as it can be shown from its facts. */
  constructor(
    private readonly early: boolean,
    private readonly news: News,
  ) {}

  ask(spec: Spec): void {
    this.waiting?.stop();
    const session = new Session(spec, (one) => this.changed(one));
    this.waiting = session;
    if (!this.now) this.news.awaited(session);
    void session.start();
  }

  stop(): void {
    this.waiting?.stop();
    this.now?.stop();
  }

  private changed(session: Session): void {
    if (session === this.waiting && session.phase === "failed" && this.now) {
      this.waiting = null;
      this.news.refused(session.failure?.sentence ?? "");
      return;
    }
    const taken = session === this.waiting && this.presentable(session);
    if (taken) {
      this.now?.stop();
      this.now = session;
      this.waiting = null;
    }
    if (session === this.waiting) this.news.awaited(session);
    if (session === this.now) this.news.staged(session, taken);
  }

  private presentable(session: Session): boolean {
    return !this.now || session.phase === "drawn" || (this.early && session.phase !== "failed");
  }
}
