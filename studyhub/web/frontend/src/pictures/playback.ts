/** Play, pause and the beat of a player; with reduced motion one press is one step. Knows no picture. */
import { still } from "../dom";
import { goTo, type Scrub, step, tick, toggle } from "./scrub";

const FIRST_BEAT_MS = 400;
const BEAT_MS = 1500;

export class Playback {
  private beat = 0;

  constructor(
    private readonly now: () => Scrub,
    private readonly move: (by: (scrub: Scrub) => Scrub) => void,
  ) {}

  press(): void {
    window.clearTimeout(this.beat);
    const { at, names } = this.now();
    if (still()) this.move((scrub) => (at >= names.length - 1 ? goTo(scrub, 0) : step(scrub, 1)));
    else this.move(toggle);
    this.again(FIRST_BEAT_MS);
  }

  stop(): void {
    window.clearTimeout(this.beat);
  }

  private again(ms: number): void {
    if (!this.now().playing) return;
    this.beat = window.setTimeout(() => {
      this.move(tick);
      this.again(BEAT_MS);
    }, ms);
  }
}
