/** What is known here of each kind of picture: who draws it, how its steps stand, what may be edited. A new kind is a row. */
import type { Edit } from "./edits";
import type { Host, Renderer } from "./scene";
import type { Facts, Parameters } from "./types";

/** What to press, what that changes, and what it changes at steps where that is another. */
export type Hint = readonly [keys: string, does: string, at?: Readonly<Record<string, string>>];

export interface Kind {
  /** Fetches the script that draws this kind: a page loads those of its own pictures only. */
  renderer(host: Host, parameters: Parameters): Promise<Renderer>;
  /** Steps that will come, where the facts do not list them. */
  steps: readonly string[];
  /** The step shown first. */
  opens: string;
  /** True where the picture can be drawn from its facts, before a frame has come. */
  early: boolean;
  /** True where each frame adds to the last: until the step to open has come, the newest is shown. */
  follows: boolean;
  /** How steps stand: dots on a line, buttons side by side, or not at all. */
  line: "dots" | "segments" | "none";
  /** Steps that change nothing here, struck through, and why. */
  idle(facts: Facts): { steps: readonly string[]; why: string };
  /** Keys of its own, said at its foot. */
  hints: readonly Hint[];
  /** Parameters that a reader may change where the page allows it, each with its field. */
  edits: readonly Edit[];
  /** Parameters that the picture changes by itself and that a link therefore carries. */
  carries: readonly string[];
}

/** A kind without a row: its frames are drawn by their layouts. */
const PLAIN: Kind = {
  renderer: async (host) => new (await import("./generic")).Generic(host),
  steps: [],
  opens: "",
  early: false,
  follows: false,
  line: "dots",
  idle: () => ({ steps: [], why: "" }),
  hints: [],
  edits: [],
  carries: [],
};

const row = (own: Partial<Kind>): Kind => ({ ...PLAIN, ...own });

const HEADS: Edit = { name: "num_heads", label: "heads", takes: "number", chips: true };
const CONTEXTS = [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024].map((thousand) => 1024 * thousand);
const ARROWS = ["↑ ↓ ← →", "point"] as const;

const KINDS: Record<string, Kind> = {
  answer_executed: row({
    renderer: async (host, parameters) =>
      parameters.program
        ? new (await import("./program")).Program(host)
        : new (await import("./blocks")).Blocks(),
    early: true,
    line: "none",
    edits: [HEADS, { name: "program", label: "Program", takes: "code" }],
  }),
  head_split: row({
    renderer: async (host) => new (await import("./grid")).Grid(host),
    opens: "transpose",
    early: true,
    edits: [HEADS, { name: "num_kv_heads", label: "K/V heads", takes: "number" }],
  }),
  attention_pattern: row({
    renderer: async (host) => new (await import("./heat")).Heat(host),
    steps: ["scores", "scaled", "masked", "weights", "output"],
    opens: "weights",
    line: "segments",
    idle: ({ mask, causal }) =>
      mask === "none" || (mask === undefined && causal === 0)
        ? { steps: ["masked"], why: "Nothing is masked" }
        : { steps: [], why: "" },
    hints: [
      ["↑ ↓", "row"],
      ["← →", "key", { output: "feature" }],
      ["[ ]", "head"],
      ["C", "compare"],
      ["T", "table"],
    ],
    edits: [
      { name: "sentence", label: "Sentence", takes: "text" },
      { name: "layer", label: "Layer", takes: "number", least: 0 },
      { name: "head", label: "Head", takes: "number", least: 0 },
      {
        name: "mask",
        label: "Mask",
        takes: "choice",
        choices: ["none", "causal", "sliding_window", "padding"],
      },
      { name: "window", label: "Window, keys", takes: "number", only: ["mask", "sliding_window"] },
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
      {
        name: "num_kv_heads",
        label: "K/V heads",
        takes: "number",
        except: ["model", "minilm", "smollm2", "local"],
      },
    ],
    carries: ["head", "layer"],
  }),
  head_atlas: row({
    renderer: async (host) => new (await import("./atlas")).Atlas(host),
    opens: "maps",
    line: "segments",
    hints: [
      ["↑ ↓ ← →", "head"],
      ["Enter", "open"],
      ["P", "pin"],
      ["/", "pattern"],
      ["R", "turn round"],
      ["T", "table"],
    ],
    edits: [
      { name: "sentence", label: "Sentence", takes: "text" },
      { name: "query", label: "From", takes: "text" },
      { name: "key", label: "To", takes: "text" },
    ],
  }),
  memory_tape: row({
    renderer: async (host) => new (await import("./memory-tape")).MemoryTape(host),
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
    renderer: async (host) => new (await import("./silent")).Silent(host),
    opens: "wrong",
    early: true,
    line: "segments",
    hints: [
      ["↑ ↓ ← →", "cell"],
      ["F", "fixed"],
      ["T", "table"],
    ],
    edits: [
      HEADS,
      {
        name: "mistake",
        label: "Mistake",
        takes: "choice",
        choices: ["view_as_heads", "merge_without_transpose", "width_before_heads", "softmax_over_queries"],
      },
      { name: "sentence", label: "Sentence", takes: "text" },
    ],
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
  head_sharing: row({
    renderer: async (host) => new (await import("./sharing")).HeadSharing(host),
    early: true,
    hints: [
      ["1 2 3 4", "scheme"],
      ["← →", "group, in the drawing"],
      ["[ ]", "head"],
      ["T", "table"],
    ],
    edits: [
      { name: "sentence", label: "Sentence", takes: "text" },
      { name: "layer", label: "Layer", takes: "number", least: 0 },
      {
        name: "kv_rank",
        label: "Latent, numbers",
        takes: "number",
        stops: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024],
      },
      {
        name: "cache_tokens",
        label: "Tokens cached",
        takes: "number",
        stops: [1, 1024, 4096, 8192, 32768, 131072, 1048576],
      },
      {
        name: "answer_kv_heads",
        label: "Run K/V heads",
        takes: "number",
      },
    ],
    carries: ["num_kv_heads", "head", "num_heads", "d_head", "d_model", "layers", "bytes_per_value"],
  }),
  decode_cache: row({
    renderer: async (host) => new (await import("./decode")).Decode(host),
    opens: "prompt",
    hints: [
      ["↑ ↓", "token"],
      ["← →", "step"],
      ["T", "table"],
    ],
    edits: [
      { name: "prompt", label: "Prompt", takes: "text" },
      { name: "new_tokens", label: "New tokens", takes: "number", stops: [1, 2, 4, 8, 16, 24, 32] },
      { name: "layer", label: "Layer", takes: "number", least: 0 },
      { name: "head", label: "Head", takes: "number", least: 0 },
      { name: "keep", label: "Keep", takes: "choice", choices: ["all", "window", "sink_window"] },
      { name: "window", label: "Window, tokens", takes: "number", except: ["keep", "all"] },
      { name: "sinks", label: "First tokens kept", takes: "number", only: ["keep", "sink_window"] },
    ],
    carries: ["layer", "head"],
  }),
  roofline: row({
    renderer: async (host) => new (await import("./roofline")).Roofline(host),
    opens: "sweep",
    follows: true,
    hints: [
      ["← →", "width"],
      ["↑ ↓", "line"],
      ["T", "table"],
    ],
    edits: [
      { name: "d_head", label: "One more width", takes: "number" },
      { name: "d_model", label: "d_model", takes: "number" },
      { name: "tokens", label: "Tokens", takes: "number", stops: [16, 32, 64, 128, 256, 512, 1024] },
      { name: "dtype", label: "Numbers", takes: "choice", choices: ["float32", "bfloat16", "float16"] },
      {
        name: "backend",
        label: "SDPA kernel",
        takes: "choice",
        choices: ["auto", "flash", "math", "efficient", "cudnn"],
      },
      { name: "repeats", label: "Passes", takes: "number", stops: [1, 3, 5, 9] },
    ],
    carries: ["again"],
  }),
  kv_budget: row({
    renderer: async (host) => new (await import("./kv-budget")).KvBudget(host),
    early: true,
    line: "segments",
    hints: [
      ["↑ ↓", "model"],
      ["T", "table"],
    ],
    edits: [
      { name: "tokens", label: "Tokens", takes: "number", stops: CONTEXTS },
      { name: "batch", label: "Sequences", takes: "number" },
      { name: "bytes_per_value", label: "Bytes a number", takes: "number", stops: [1, 2, 4] },
      { name: "card_gib", label: "GPU memory, GiB", takes: "number", least: 0 },
      { name: "layers", label: "Layers", takes: "number" },
      { name: "num_heads", label: "Query heads", takes: "number" },
      { name: "num_kv_heads", label: "K/V heads", takes: "number" },
      { name: "d_head", label: "d_head", takes: "number" },
      { name: "d_head_v", label: "d_head of V", takes: "number" },
      { name: "answer_bytes", label: "Your bytes a token", takes: "number", least: 0 },
    ],
  }),
  config_museum: row({
    renderer: async (host) => new (await import("./config-museum")).ConfigMuseum(host),
    opens: "",
    early: true,
    line: "segments",
    hints: [
      ["↑ ↓ ← →", "nearest model"],
      ["↵", "details"],
      ["F", "filter"],
      ["T", "table"],
    ],
    edits: [
      {
        name: "attention",
        label: "K and V",
        takes: "choice",
        choices: ["any", "MHA", "GQA", "MQA", "MLA"],
      },
      { name: "rule", label: "d_model / num_heads", takes: "choice", choices: ["any", "holds", "breaks"] },
      {
        name: "status",
        label: "Known from",
        takes: "choice",
        choices: ["any", "primary", "two sources", "secondary", "partly verified", "unverified"],
      },
      {
        name: "multiple",
        label: "d_head a multiple of",
        takes: "choice",
        choices: ["any", "8", "64", "128"],
      },
      { name: "find", label: "Name", takes: "text", least: 0 },
      { name: "d_model", label: "Your d_model", takes: "number", least: 0 },
      { name: "num_heads", label: "Your heads", takes: "number", least: 0 },
      { name: "d_head", label: "Your d_head", takes: "number", least: 0 },
      { name: "answer_d_head", label: "Your answer for d_head", takes: "number", least: 0 },
    ],
  }),
};

export const kindOf = (name: string): Kind => KINDS[name] ?? PLAIN;
