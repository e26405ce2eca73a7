/** What keys do to lines of code: indent, take back, go on at the same depth. Pure. */

export const STEP = "    ";

export interface Selected {
  text: string;
  start: number;
  end: number;
}

/** Every line that the selection touches. */
function lineStarts({ text, start, end }: Selected): number[] {
  const starts = [text.lastIndexOf("\n", start - 1) + 1];
  for (let at = text.indexOf("\n", starts[0]); at !== -1 && at + 1 < Math.max(end, start + 1); )
    at = text.indexOf("\n", starts[starts.push(at + 1) - 1]);
  return starts;
}

/** Tab: blanks at the caret; with lines selected every one of them goes in by a step. */
export function indented(one: Selected): Selected {
  const { text, start, end } = one;
  if (!text.slice(start, end).includes("\n"))
    return {
      text: text.slice(0, start) + STEP + text.slice(end),
      start: start + STEP.length,
      end: start + STEP.length,
    };
  const starts = lineStarts(one);
  const lines = [...starts]
    .reverse()
    .reduce((whole, at) => whole.slice(0, at) + STEP + whole.slice(at), text);
  return { text: lines, start: start + STEP.length, end: end + STEP.length * starts.length };
}

/** Shift+Tab: each line goes out by up to a step. */
export function outdented(one: Selected): Selected {
  let { text, start, end } = one;
  for (const at of lineStarts(one).reverse()) {
    const gone = Math.min(STEP.length, text.slice(at).search(/[^ ]|$/));
    text = text.slice(0, at) + text.slice(at + gone);
    if (at <= start) start = Math.max(at, start - gone);
    end -= gone;
  }
  return { text, start, end: Math.max(start, end) };
}

/** Enter: the next line begins where this one does. */
export function continued({ text, start, end }: Selected): Selected {
  const line = text.slice(text.lastIndexOf("\n", start - 1) + 1, start);
  const more = `\n${/^ */.exec(line)?.[0] ?? ""}`;
  return {
    text: text.slice(0, start) + more + text.slice(end),
    start: start + more.length,
    end: start + more.length,
  };
}
