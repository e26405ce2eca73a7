/** Says in words where a drawing stands, after 300 ms and again after 10 s. Knows no DOM. */
import type { Session } from "./session";

const SAY_AFTER_MS = 300;
const STILL_AFTER_MS = 10_000;
const NOTE_MS = 4000;

export class Status {
  private timers: number[] = [];
  private session: Session | null = null;
  private steps = 0;
  private since = 0;
  private noted = 0;
  private source = "";

  constructor(private readonly say: (sentence: string, again: boolean) => void) {}

  /** Follows a session; a new one starts the clock anew. */
  follow(session: Session, steps = 0): void {
    this.steps = steps;
    if (session !== this.session) this.restart(session);
    this.speak();
  }

  /** A short remark that gives way to the state again. */
  note(sentence: string): void {
    window.clearTimeout(this.noted);
    this.say(sentence, false);
    this.noted = window.setTimeout(() => {
      this.noted = 0;
      this.speak();
    }, NOTE_MS);
  }

  /** Something asked for was refused; what is shown stays. */
  warn(sentence: string): void {
    this.say(sentence, false);
  }

  /** Where the numbers come from: what is said when nothing else is. */
  from(source: string): void {
    this.source = source;
    this.speak();
  }

  private restart(session: Session): void {
    for (const timer of this.timers) window.clearTimeout(timer);
    this.session = session;
    this.since = performance.now();
    this.timers = [SAY_AFTER_MS, STILL_AFTER_MS].map((ms) => window.setTimeout(() => this.speak(), ms + 20));
  }

  private speak(): void {
    if (!this.session || this.noted) return;
    const waited = performance.now() - this.since;
    const sentence = sentenceFor(this.session, this.steps, waited);
    this.say(sentence || this.source, this.session.phase === "failed");
  }
}

type Standing = Pick<Session, "phase" | "failure"> & { frames: readonly unknown[] };

/** The state of a drawing as a sentence; "" where nothing need be said. */
export function sentenceFor(session: Standing, steps: number, waitedMs: number): string {
  if (session.phase === "failed") return `The picture is not here. ${session.failure?.sentence ?? ""}`.trim();
  if (session.phase === "stale") return "The engine was updated. The picture is asked for again.";
  if (session.phase === "drawn" || waitedMs < SAY_AFTER_MS) return "";
  if (session.phase === "asking") return "Asking for the picture";
  const next = session.frames.length + 1;
  const step = steps > 1 ? `Step ${Math.min(next, steps)} of ${steps} is being computed` : "Being computed";
  return waitedMs < STILL_AFTER_MS
    ? step
    : `${step}. The numbers are ready; answering and rating work without the picture.`;
}
