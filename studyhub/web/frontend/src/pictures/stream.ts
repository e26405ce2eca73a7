/** Follows a picture being drawn: events first, polling where events do not pass. Knows no DOM and no drawing. */
import type { Failure, Frame, Polled } from "./types";

export interface Listener {
  frame(frame: Frame): void;
  reset(): void;
  done(): void;
  failed(failure: Failure): void;
  absent(): void;
}

/** What following needs of the browser; tests hand in their own. */
export interface Tools {
  open(url: string): EventSource;
  poll(url: string, after: string): Promise<Polled>;
  later(task: () => void, ms: number): number;
  cancel(timer: number): void;
}

const CLOSED = 2;
const BROKEN_AFTER = 3;
const QUIET_MS = 6000;
const GIVE_UP_AFTER = 6;

/** One following of one picture, from the first event to `done`, `failed`, `absent` or `stop()`. */
export class Following {
  private source: EventSource | null = null;
  private timer = 0;
  private lastId = "";
  private errors = 0;
  private over = false;

  constructor(
    private readonly urls: { stream: string; poll: string },
    private readonly listener: Listener,
    private readonly tools: Tools,
  ) {}

  /** Opens the stream; an empty stream address polls from the beginning. */
  start(): this {
    if (this.urls.stream) this.listen();
    else void this.pollOnce();
    return this;
  }

  stop(): void {
    this.over = true;
    this.source?.close();
    this.tools.cancel(this.timer);
  }

  private listen(): void {
    const source = this.tools.open(this.urls.stream);
    this.source = source;
    source.addEventListener("frame", (event) =>
      this.took(event, (data) => this.listener.frame(data as Frame)),
    );
    source.addEventListener("reset", (event) => this.took(event, () => this.listener.reset()));
    source.addEventListener("done", (event) => this.took(event, () => this.end(() => this.listener.done())));
    source.addEventListener("failed", (event) =>
      this.took(event, (data) => this.end(() => this.listener.failed(data as Failure))),
    );
    source.addEventListener("error", () => this.streamError(source));
    this.watchForSilence();
  }

  private took(event: Event, act: (data: unknown) => void): void {
    if (this.over) return;
    const message = event as MessageEvent<string>;
    this.errors = 0;
    if (message.lastEventId) this.lastId = message.lastEventId;
    this.watchForSilence();
    act(message.data ? JSON.parse(message.data) : {});
  }

  /** The browser reconnects by itself; a closed source or three breaks without an event mean: poll. */
  private streamError(source: EventSource): void {
    if (this.over) return;
    this.errors += 1;
    if (source.readyState === CLOSED || this.errors >= BROKEN_AFTER) this.changeToPolling();
  }

  /** A proxy may hold events back without breaking: after 6 s of silence one poll looks behind it. */
  private watchForSilence(): void {
    this.tools.cancel(this.timer);
    if (!this.over) this.timer = this.tools.later(() => void this.lookBehind(), QUIET_MS);
  }

  private async lookBehind(): Promise<void> {
    const polled = await this.tools.poll(this.urls.poll, this.lastId).catch(() => null);
    if (this.over) return;
    const heldBack = polled && (polled.frames.length > 0 || !["queued", "running"].includes(polled.state));
    if (heldBack) this.changeToPolling();
    else this.watchForSilence();
  }

  private changeToPolling(): void {
    this.source?.close();
    this.source = null;
    this.errors = 0;
    this.tools.cancel(this.timer);
    void this.pollOnce();
  }

  private async pollOnce(): Promise<void> {
    const polled = await this.tools.poll(this.urls.poll, this.lastId).catch((error: Error) => error);
    if (this.over) return;
    if (polled instanceof Error) this.pollError(polled);
    else this.polled(polled);
  }

  private pollError(error: Error): void {
    this.errors += 1;
    if (this.errors >= GIVE_UP_AFTER)
      this.end(() => this.listener.failed({ code: "unreachable", sentence: error.message }));
    else this.timer = this.tools.later(() => void this.pollOnce(), 500 * 2 ** this.errors);
  }

  private polled(polled: Polled): void {
    this.errors = 0;
    for (const { id, frame } of polled.frames) {
      this.lastId = id;
      this.listener.frame(frame);
    }
    if (polled.state === "done") this.end(() => this.listener.done());
    else if (polled.state === "absent") this.end(() => this.listener.absent());
    else if (polled.state === "failed") this.end(() => this.listener.failed(failureOf(polled)));
    else this.timer = this.tools.later(() => void this.pollOnce(), polled.retry_after_ms ?? 700);
  }

  private end(tell: () => void): void {
    if (this.over) return;
    this.stop();
    tell();
  }
}

function failureOf(polled: Polled): Failure {
  return {
    code: polled.code ?? "failed",
    sentence: polled.sentence ?? "The picture could not be drawn. Try again.",
  };
}
