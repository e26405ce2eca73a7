/** Which piece (one head of one token) each cell holds after a line that runs and is wrong. Pure; draws nothing. */
import { type Scene, tensorOf } from "./scene";
import type { Facts, Frame } from "./types";
import { count } from "./words";

/** What a cell holds: its first number's piece, and of how many pieces. */
export interface Held {
  token: number;
  head: number;
  parts: number;
}

/** Cells of one grid, heads down and tokens across, row by row. */
export interface Cells {
  heads: number;
  tokens: number;
  held: Held[];
}

/** As the engine shows them: at most 512 cells, of these at most 32 tokens. */
const MOST_CELLS = 512;
const MOST_TOKENS = 32;

interface Sizes {
  num_heads: number;
  tokens: number;
  d_head: number;
  mistake: string;
}

const sizes = (facts: Facts) => facts as unknown as Sizes;

/** What the wrong line puts where this head of this token should be. */
export function misplaced(facts: Facts, head: number, token: number): Held {
  const { num_heads: heads, tokens, d_head: width, mistake } = sizes(facts);
  if (mistake === "width_before_heads")
    return { token, head: Math.floor(head / width), parts: Math.min(heads, width) };
  const merged = mistake === "merge_without_transpose";
  const piece = merged ? token * heads + head : head * tokens + token;
  const [outer, inner] = merged
    ? [piece % tokens, Math.floor(piece / tokens)]
    : [Math.floor(piece / heads), piece % heads];
  return { token: outer, head: inner, parts: 1 };
}

/** By arithmetic, at once; what torch really moved takes its place when it comes. */
export function cellsOf(
  facts: Facts,
  frame: Frame | undefined,
  tensor: Scene["tensor"],
  right: boolean,
): Cells {
  const known = received(frame, tensor);
  if (known) return known;
  const { num_heads, tokens: all } = sizes(facts);
  const tokens = Math.min(all, MOST_TOKENS);
  const heads = Math.min(num_heads, Math.floor(MOST_CELLS / tokens));
  const held = Array.from({ length: heads * tokens }, (_, n) => {
    const [head, token] = [Math.floor(n / tokens), n % tokens];
    return right ? { token, head, parts: 1 } : misplaced(facts, head, token);
  });
  return { heads, tokens, held };
}

function received(frame: Frame | undefined, tensor: Scene["tensor"]): Cells | null {
  const [token, head, parts] = ["token", "head", "parts"].map((role) => tensor(tensorOf(frame, role)));
  const [heads, tokens] = tensorOf(frame, "token")?.shape ?? [];
  if (!token || !head || !parts || !heads || !tokens) return null;
  const held = [...token].map((one, n) => ({ token: one, head: head[n] ?? 0, parts: parts[n] ?? 1 }));
  return { heads, tokens, held };
}

/** Whether cell n holds what belongs there. */
export const inPlace = ({ tokens, held }: Cells, n: number): boolean => {
  const cell = held[n];
  return cell?.parts === 1 && cell.token === n % tokens && cell.head === Math.floor(n / tokens);
};

/** The cell in which the piece of cell n belongs, -1 where it is not shown or is no whole piece. */
export function home({ heads, tokens, held }: Cells, n: number): number {
  const cell = held[n];
  if (cell?.parts !== 1 || cell.token >= tokens || cell.head >= heads) return -1;
  return cell.head * tokens + cell.token;
}

/** "t 0, h 3", or how many heads are mixed in it. */
export const piece = ({ token, head, parts }: Held): string =>
  parts === 1 ? `t ${token}, h ${head}` : `t ${token}, ${parts} heads`;

/** What one cell should hold, and what it does. */
export function reads({ tokens, held }: Cells, n: number): string {
  const [head, token] = [Math.floor(n / tokens), n % tokens];
  const cell = held[n];
  if (!cell) return "";
  const should = `The cell of head ${head}, token ${token}`;
  if (cell.parts > 1) return `${should} holds numbers of ${cell.parts} heads of token ${cell.token}, mixed.`;
  if (cell.token === token && cell.head === head)
    return `${should} holds t ${token}, h ${head}, as it should.`;
  const wrong = [cell.token === token ? "" : "another token", cell.head === head ? "" : "another head"];
  return `${should} holds ${piece(cell)}: ${wrong.filter(Boolean).join(" and ")}.`;
}

/** What is not drawn, where that is something. */
export function limits({ heads, tokens }: Cells, facts: Facts): string {
  const { num_heads: allHeads, tokens: allTokens } = sizes(facts);
  if (heads >= allHeads && tokens >= allTokens) return "";
  return `Drawn are ${heads} of ${count(allHeads)} heads and ${tokens} of ${count(allTokens)} tokens.`;
}
