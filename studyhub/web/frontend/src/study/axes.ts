/** The names people give to axes and widths, and what each stands for. Pure; reads no text. */
import { Unread } from "./plain";

const ALIASES: Readonly<Record<string, readonly string[]>> = {
  B: ["b", "batch", "batch_size", "n"],
  T: ["t", "tokens", "seq", "seq_len", "sequence", "length", "l", "s", "t_q", "tq"],
  S: ["t_k", "tk", "key_tokens", "kv_tokens"],
  H: ["h", "heads", "num_heads", "n_heads", "nh", "n_head"],
  D: ["d", "d_head", "dh", "d_k", "dk", "head_dim", "d_h", "hs"],
  d_model: ["d_model", "dmodel", "c", "e", "embed_dim", "n_embd", "hidden", "hidden_size"],
};
const AXIS_OF = new Map(
  Object.entries(ALIASES).flatMap(([axis, aliases]) => aliases.map((alias) => [alias, axis] as const)),
);

/** Whether a word is axis letters run together: HD, BT. */
export const isRun = (word: string): boolean => /^[BNTLSHD]{2,3}$/.test(word);

/** Whether people use this word for an axis, or for several run together. */
export const isName = (word: string): boolean => AXIS_OF.has(word.toLowerCase()) || isRun(word);

/** Whether two names stand for the same axis, or are the same word. */
export function sameName(word: string, name: string): boolean {
  const [one, other] = [word.toLowerCase(), name.toLowerCase()];
  return one === other || (AXIS_OF.has(one) && AXIS_OF.get(one) === AXIS_OF.get(other));
}

/** The axes a word multiplies: D for d_head, H and D for HD, none for a word nobody uses. Refuses what may be two. */
export function axesOf(word: string, declared: readonly string[]): string[] {
  if (declared.includes(word)) return [word];
  const lower = word.toLowerCase();
  if (lower === "hd" && word !== "HD") throw new Unread(word);
  if (isRun(word)) {
    if (AXIS_OF.has(lower)) throw new Unread(word);
    return [...word].flatMap((letter) => axesOf(letter, declared));
  }
  if (lower === "s" && declared.includes("S")) return ["S"];
  const axis = AXIS_OF.get(lower);
  return axis ? [axis] : [];
}
