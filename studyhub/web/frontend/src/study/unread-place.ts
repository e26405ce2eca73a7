/** The place in a typed text from which on it could not be read. Pure; counts characters as the service does. */

export interface Place {
  /** 1 for the first line. */
  line: number;
  lines: number;
  before: string;
  at: string;
  after: string;
}

const MOST = 40;

/** The line of the text that holds character `offset`, in three pieces; null where there is no such place. */
export function placeOf(text: string, offset: number): Place | null {
  const signs = [...text];
  if (offset < 0 || offset > signs.length || !text.trim()) return null;
  const lines = text.split("\n");
  const before = signs.slice(0, offset).join("").split("\n");
  const line = lines[before.length - 1] ?? "";
  const start = before.at(-1) ?? "";
  const [at = " ", ...after] = [...line.slice(start.length)];
  return {
    line: before.length,
    lines: lines.length,
    before: shortened([...start], true),
    at,
    after: shortened(after, false),
  };
}

/** At most so many characters on each side: the place stays in sight. */
function shortened(signs: readonly string[], fromEnd: boolean): string {
  if (signs.length <= MOST) return signs.join("");
  return fromEnd ? `…${signs.slice(-MOST).join("")}` : `${signs.slice(0, MOST).join("")}…`;
}
