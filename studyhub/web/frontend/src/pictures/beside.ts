/** A second picture beside the first: the same but for one parameter, asked for by itself. Knows no drawing. */
import type { Scene } from "./scene";
import { Session } from "./session";
import type { Parameters } from "./types";

export class Beside {
  private session: Session | null = null;
  private asked = "";

  constructor(private readonly changed: () => void) {}

  /** Asks for the picture of these parameters, unless it is the one asked for already. */
  ask(kind: string, parameters: Parameters, seed: number): void {
    const key = JSON.stringify([parameters, seed]);
    if (key === this.asked) return;
    this.stop();
    this.asked = key;
    this.session = new Session({ kind, parameters, seed }, () => this.changed());
    void this.session.start();
  }

  /** The second picture at the step that the first one shows; null until it is there. */
  sceneAt(step: string, first: Scene): Scene | null {
    const { session } = this;
    const frames = session?.frames ?? [];
    const at = frames.findIndex((frame) => frame.step === step);
    if (!session || at < 0) return null;
    const { facts, spec } = session;
    return {
      ...first,
      frames,
      at,
      from: null,
      facts,
      parameters: spec.parameters,
      tensor: (one) => session.tensor(one),
    };
  }

  /** Why there is no second picture; "" where there is one, or while it comes. */
  get refusal(): string {
    return this.session?.phase === "failed" ? (this.session.failure?.sentence ?? "") : "";
  }

  stop(): void {
    this.session?.stop();
    this.session = null;
    this.asked = "";
  }
}
