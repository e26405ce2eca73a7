/** What of a split is not drawn, in words. Pure. */
import { formOf, MOST_PLANES, ownOf, type Sizes } from "./pieces";
import type { Frame } from "./types";
import { count } from "./words";

/** What is not drawn: the later tokens, and planes beyond the first heads and the traced one. */
export function limits(sizes: Sizes, frame: Frame | undefined): string {
  const { rows, heads } = sizes;
  const { tokens, group } = frame ? ownOf(frame, sizes) : { tokens: sizes.tokens, group: 1 };
  const first =
    rows === 1
      ? `Only the first of ${count(tokens)} tokens is drawn.`
      : `The first ${rows} of ${count(tokens)} tokens are drawn.`;
  const said = rows < tokens ? [first] : [];
  const planes = frame && formOf(frame) === "planes" ? heads / group : 0;
  if (planes > MOST_PLANES)
    said.push(
      `The first heads and the traced one have a plane; ${count(planes - MOST_PLANES)} more are not drawn.`,
    );
  return said.join(" ");
}
