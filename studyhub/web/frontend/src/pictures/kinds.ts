/** What is known here of each kind of picture: who draws it, how its steps stand, what may be edited. A new kind is a row. */
import { Blocks } from "./blocks";
import type { Edit } from "./edits";
import { Generic } from "./generic";
import { Grid } from "./grid";
import { Heat } from "./heat";
import { MemoryTape } from "./memory-tape";
import { Program } from "./program";
import type { Host, Renderer } from "./scene";
import { Silent } from "./silent";
import type { Facts, Parameters } from "./types";

export interface Kind {
  renderer(host: Host, parameters: Parameters): Renderer;
  /** Steps that will come, where the facts do not list them. */
  steps: readonly string[];
  /** The step shown first. */
  opens: string;
  /** True where the picture can be drawn from its facts, before a frame has come. */
  early: boolean;
  /** How steps stand: dots on a line, buttons side by side, or not at all. */
  line: "dots" | "segments" | "none";
  /** Steps that change nothing here, struck through, and why. */
  idle(facts: Facts): { steps: readonly string[]; why: string };
  /** Keys of its own, said at its foot: what to press, what that changes. */
  hints: readonly (readonly [keys: string, does: string])[];
  /** Parameters that a reader may change where the page allows it, each with its field. */
  edits: readonly Edit[];
  /** Parameters that the picture changes by itself and that a link therefore carries. */
  carries: readonly string[];
}

/** A kind without a row: its frames are drawn by their layouts. */
const PLAIN: Kind = {
  renderer: (host) => new Generic(host),
  steps: [],
  opens: "",
  early: false,
  line: "dots",
  idle: () => ({ steps: [], why: "" }),
  hints: [],
  edits: [],
  carries: [],
};

const row = (own: Partial<Kind>): Kind => ({ ...PLAIN, ...own });

const HEADS: Edit = { name: "num_heads", label: "heads", takes: "number" };
const ARROWS = ["↑ ↓ ← →", "point"] as const;

const KINDS: Record<string, Kind> = {
  answer_executed: row({
    renderer: (host, parameters) => (parameters.program ? new Program(host) : new Blocks()),
    early: true,
    line: "none",
    edits: [HEADS, { name: "program", label: "Program", takes: "code" }],
  }),
  head_split: row({
    renderer: (host) => new Grid(host),
    opens: "transpose",
    early: true,
    edits: [HEADS],
  }),
  attention_pattern: row({
    renderer: (host) => new Heat(host),
    steps: ["scores", "scaled", "masked", "weights", "output"],
    opens: "weights",
    line: "segments",
    idle: ({ mask, causal }) =>
      mask === "none" || (mask === undefined && causal === 0)
        ? { steps: ["masked"], why: "Nothing is masked" }
        : { steps: [], why: "" },
    hints: [
      ["↑ ↓", "row"],
      ["← →", "key"],
      ["[ ]", "head"],
      ["T", "table"],
    ],
    edits: [
      { name: "sentence", label: "Sentence", takes: "text" },
      { name: "layer", label: "Layer", takes: "number", least: 0 },
      {
        name: "mask",
        label: "Mask",
        takes: "choice",
        choices: ["none", "causal", "sliding_window", "padding"],
      },
      {
        name: "scale",
        label: "Scale",
        takes: "choice",
        choices: ["own", "sqrt", "none", "d_head"],
      },
      {
        name: "rotary",
        label: "Rotary",
        takes: "choice",
        choices: ["none", "half", "interleaved"],
      },
    ],
    carries: ["head", "layer"],
  }),
  memory_tape: row({
    renderer: (host) => new MemoryTape(host),
    opens: "answer",
    early: true,
    hints: [
      ["↑ ↓ ← →", "number"],
      ["⇧", "plane"],
      ["T", "table"],
    ],
    edits: [HEADS, { name: "ops", label: "Operations", takes: "text" }],
  }),
  silent_mistake: row({
    renderer: (host) => new Silent(host),
    opens: "wrong",
    early: true,
    line: "segments",
    hints: [
      ["↑ ↓ ← →", "cell"],
      ["F", "fixed"],
      ["T", "table"],
    ],
    edits: [HEADS, { name: "sentence", label: "Sentence", takes: "text" }],
  }),
  saturation: row({
    opens: "sweep",
    hints: [ARROWS, ["T", "table"]],
    edits: [
      { name: "d_head", label: "d_head", takes: "number", stops: [8, 16, 32, 64, 128, 256, 512, 1024] },
      { name: "keys", label: "Keys", takes: "number", stops: [2, 4, 8, 16, 32, 64, 128, 256, 512], least: 2 },
      {
        name: "temperature_percent",
        label: "Temperature, %",
        takes: "number",
        stops: [10, 25, 50, 75, 100, 150, 200, 400],
      },
      {
        name: "divisor",
        label: "Divide by",
        takes: "choice",
        choices: ["sqrt", "none", "d_head"],
        other: "decimal",
      },
    ],
  }),
};

export const kindOf = (name: string): Kind => KINDS[name] ?? PLAIN;
