/** Who may ask now: a few pictures of a page are drawn at a time, the others wait in line. Knows no picture. */

export class Turns {
  private free: number;
  private readonly line: (() => void)[] = [];

  constructor(atOnce: number) {
    this.free = atOnce;
  }

  /** Waits for a turn; what comes back gives it to the next, once. */
  async take(): Promise<() => void> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((resolve) => this.line.push(resolve));
    let held = true;
    return () => {
      if (held) this.pass();
      held = false;
    };
  }

  private pass(): void {
    const next = this.line.shift();
    if (next) next();
    else this.free += 1;
  }
}
