/** What is known here of each kind of picture: who draws it, its steps, where it opens. A new kind is a row. */
import { Blocks } from "./blocks";
import { Grid } from "./grid";
import { Heat } from "./heat";
import type { Host, Renderer } from "./scene";

export interface Kind {
  renderer(host: Host): Renderer;
  /** Steps that will come, where the facts do not list them. */
  steps: readonly string[];
  /** The step shown first. */
  opens: string;
  /** True where the picture can be drawn from its facts, before a frame has come. */
  early: boolean;
  /** Keys of its own, said at its foot: what to press, what that changes. */
  hints: readonly (readonly [keys: string, does: string])[];
}

const KINDS: Record<string, Kind> = {
  answer_executed: { renderer: () => new Blocks(), steps: [], opens: "", early: true, hints: [] },
  head_split: { renderer: () => new Grid(), steps: [], opens: "transpose", early: true, hints: [] },
  attention_pattern: {
    renderer: (host) => new Heat(host),
    steps: ["scores", "scaled", "masked", "weights", "output"],
    opens: "weights",
    early: false,
    hints: [
      ["↑ ↓", "row"],
      ["Shift ← →", "key"],
      ["[ ]", "head"],
      ["T", "table"],
    ],
  },
};

/** A kind without a row has no drawing: its steps are shown as tables. */
export const kindOf = (name: string): Kind | null => KINDS[name] ?? null;
