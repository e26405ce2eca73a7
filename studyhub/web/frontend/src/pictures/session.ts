/** One asking for one picture: facts, frames as they come, tensors, and how it ended. Knows no DOM. */
import { fetchTensor, Problem, poll, requestVisualization } from "./client";
import { Following, type Tools } from "./stream";
import { Turns } from "./turns";
import type { Facts, Failure, Frame, Parameters, Requested, Spec, Tensor } from "./types";

/** `stale`: another version of the engine has taken over, and the picture is asked for anew. */
export type Phase = "asking" | "drawing" | "drawn" | "stale" | "failed";

const browser: Tools = {
  open: (url) => new EventSource(url),
  poll,
  later: (task, ms) => window.setTimeout(task, ms),
  cancel: (timer) => window.clearTimeout(timer),
};

const ASK_AGAIN = 2;
/** The service draws three of a learner at a time: one is left for another page. */
const turns = new Turns(2);
/** A picture that nobody draws keeps the others waiting no longer: their facts can be shown. */
const LONGEST_TURN_MS = 4000;
const BUSY_MS = 2000;
const BUSY_TIMES = 15;

export class Session {
  phase: Phase = "asking";
  /** The picture's address; another version of the engine gives it another one. */
  digest = "";
  facts: Facts = {};
  /** All parameters as the service filled them in. */
  complete: Parameters = {};
  failure: Failure | null = null;
  private readonly byNumber = new Map<number, Frame>();
  private readonly numbers = new Map<string, Float32Array | "coming">();
  private following: Following | null = null;
  private left = ASK_AGAIN;
  private stopped = false;
  private release = () => {};
  private busy = BUSY_TIMES;

  constructor(
    readonly spec: Spec,
    private readonly changed: (session: Session) => void,
  ) {}

  /** The frames that have come, in order. */
  get frames(): Frame[] {
    return [...this.byNumber.values()].sort((one, other) => one.n - other.n);
  }

  async start(): Promise<void> {
    this.release = await turns.take();
    window.setTimeout(this.release, LONGEST_TURN_MS);
    if (this.stopped) this.release();
    else await this.request();
  }

  private async request(): Promise<void> {
    const requested = await requestVisualization(this.spec).catch((error: unknown) => error);
    if (this.stopped) return;
    if (requested instanceof Problem && requested.name_ === "queue-full" && this.busy-- > 0)
      window.setTimeout(() => this.stopped || void this.request(), BUSY_MS);
    else if (requested instanceof Error) this.fail(requested);
    else this.follow(requested as Requested);
  }

  stop(): void {
    this.stopped = true;
    this.release();
    this.following?.stop();
  }

  /** The numbers of a tensor, or undefined while they come (then `changed` is called). */
  tensor(tensor: Tensor | undefined): Float32Array | undefined {
    if (!tensor) return undefined;
    const known = this.numbers.get(tensor.sha256);
    if (known === undefined) this.load(tensor);
    return known === "coming" ? undefined : known;
  }

  private load(tensor: Tensor): void {
    this.numbers.set(tensor.sha256, "coming");
    fetchTensor(tensor).then(
      (numbers) => {
        this.numbers.set(tensor.sha256, numbers);
        this.tell();
      },
      (error: Error) => this.tensorLost(tensor, error),
    );
  }

  /** An expired tensor is asked for again with its whole picture, a few times. */
  private tensorLost(tensor: Tensor, error: Error): void {
    if (error instanceof Problem && error.status === 404 && this.left > 0) {
      this.numbers.delete(tensor.sha256);
      this.askAgain();
    } else if (!this.stopped) this.fail(error);
  }

  private follow(requested: Requested): void {
    if (this.digest && this.digest !== requested.digest) this.byNumber.clear();
    this.digest = requested.digest;
    this.facts = requested.facts;
    this.complete = requested.parameters ?? {};
    this.phase = "drawing";
    const finished = requested.state === "done" || requested.state === "failed";
    const urls = { stream: finished ? "" : requested.stream, poll: requested.poll };
    this.following = new Following(urls, this.listener(), browser).start();
    this.tell();
  }

  private listener() {
    return {
      frame: (frame: Frame) => {
        this.byNumber.set(frame.n, frame);
        this.tell();
      },
      reset: () => {
        this.byNumber.clear();
        this.tell();
      },
      done: () => this.end("drawn", null),
      failed: (failure: Failure) => (outdated(failure) ? this.anew() : this.end("failed", failure)),
      absent: () => this.askAgain(),
    };
  }

  private askAgain(): void {
    this.following?.stop();
    this.release();
    if (this.left-- > 0) void this.start();
    else this.fail(new Error("The picture expired while it was being drawn. Try again."));
  }

  /** The engine was updated between the asking and the drawing: its new version is asked. */
  private anew(): void {
    this.byNumber.clear();
    this.phase = "stale";
    this.tell();
    this.askAgain();
  }

  private fail(error: Error): void {
    const code = error instanceof Problem ? error.name_ : "failed";
    this.end("failed", { code, sentence: error.message });
  }

  private end(phase: Phase, failure: Failure | null): void {
    this.release();
    this.phase = phase;
    this.failure = failure;
    this.tell();
  }

  private tell(): void {
    if (!this.stopped) this.changed(this);
  }
}

/** "engine 1 drew this; here is 2: ask again": the worker is of another version than what was asked. */
const outdated = ({ code, sentence }: Failure): boolean =>
  code === "invalid-spec" && /^engine \S+ drew this/.test(sentence);
