/** Reads a shape as a learner types it: commas, spaces, x or brackets. Pure. */

/** `(2, 12, 4, 64)`, `2x12x4x64`, `[2 12 4 64]` -> lengths, or null where something else is written. */
export function parseShape(text: string): number[] | null {
  const bare = text
    .trim()
    .replace(/^torch\.size/i, "")
    .trim()
    .replace(/^[([{]+|[)\]}]+$/g, "")
    .replace(/,\s*$/, "");
  const parts = bare.split(/\s*[,x×*;]\s*|\s+/i).filter((part) => part !== "");
  if (parts.length === 0 || parts.length > 12) return null;
  if (!parts.every((part) => /^\d{1,10}$/.test(part) && Number(part) >= 1)) return null;
  return parts.map(Number);
}
