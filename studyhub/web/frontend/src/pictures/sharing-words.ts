/** What head_sharing says of the heads that are followed, and of a learner's number that was run. Knows no player. */
import { el } from "../dom";
import { groupOf, pairsOf, type Sharing, type Step, spokenRange } from "./sharing-facts";
import { reads } from "./sharing-stage";
import type { Frame } from "./types";
import { count, plural } from "./words";

/** What the facts say of a step before a worker has drawn it: a drawn sentence begins with it. */
export const notes = (steps: unknown, step: string): string =>
  Array.isArray(steps) ? String(steps.find((one) => one.step === step)?.note ?? "") : "";

/** "64 query heads, 8 pairs of keys and values". */
export function titleOf(sharing: Sharing, step: string, followed: number): string {
  const heads = plural(sharing.heads, "query head");
  if (step === "compare") return "How far sharing moves the output";
  if (step === "maps") return `Query head ${followed} under each scheme`;
  if (step === "mla") return `${heads}, one latent`;
  const pairs = step === "answer" ? (sharing.answer?.kv_heads ?? 0) : pairsOf(sharing, step as Step);
  return `${heads}, ${plural(pairs, "pair")} of keys and values`;
}

/** "Query heads 16 to 23 read pair kv 2. Every head stays 128 wide; only the pairs are fewer.", numbers in their colours. */
export function spokenWords(sharing: Sharing, step: Step | "answer", followed: number): (Node | string)[] {
  const told = reads(sharing, step, followed);
  if (step === "answer" || step === "mla") return [told];
  const { pair, first, last } = groupOf(followed, sharing.heads, pairsOf(sharing, step));
  const wide = el("b", { class: "axis-D" }, count(sharing.d_head));
  const fewer = pairsOf(sharing, step) < sharing.heads;
  const noGroups = step === "gqa" && sharing.noGroups ? ` ${sharing.noGroups}` : "";
  return [
    first === last ? "Query head " : "Query heads ",
    el("b", { class: "axis-H" }, spokenRange(first, last)),
    first === last ? " reads pair " : " read pair ",
    el("b", {}, `kv ${pair}`),
    ". Every head stays ",
    wide,
    fewer ? " wide; only the pairs are fewer." : " wide, and keeps a pair of its own.",
    noGroups,
  ];
}

/** torch's own words, and the numbers that work. */
export function ran(frame: Frame, { answer, heads }: Sharing, retry: (pairs: number) => void): Node[] {
  if (!answer) return [];
  const told: Node[] = [el("p", {}, answer.sentence)];
  const lines = frame.table.columns[0] === "line" ? frame.table.rows : [];
  for (const [code, outcome] of lines)
    told.push(
      el("p", { class: "sharing__line" }, el("code", {}, String(code)), el("samp", {}, String(outcome))),
    );
  if (answer.works && frame.table.rows.length > 0)
    told.push(
      el(
        "p",
        { class: "sharing__line" },
        el("code", {}, SDPA),
        el("samp", {}, `ran: each query head read the pair drawn over it`),
      ),
    );
  if (answer.nearest.length > 0)
    told.push(
      el(
        "p",
        { class: "sharing__near" },
        "Nearest that divide ",
        ...answer.nearest.map((pairs) =>
          el(
            "button",
            { type: "button", class: "chip", onclick: () => retry(pairs) },
            el("strong", {}, count(pairs)),
            `${plural(heads / pairs, "query head")} each`,
          ),
        ),
      ),
    );
  return told;
}

const SDPA = "F.scaled_dot_product_attention(q, k, v, enable_gqa=True)";
