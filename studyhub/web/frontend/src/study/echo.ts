/** The line that says how an answer is read, before it is sent: for what can be read here. Pure.
 *
 * "" is no refusal: the service reads more (LaTeX, units of other kinds) and says what it cannot read. */
import { readNumber } from "./arithmetic";
import { type Fraction, written } from "./fraction";
import { Unread } from "./plain";
import { readShape } from "./shapes";
import type { Token } from "./tokens";

/** What the question lets a number be followed by, and an answer be named by. */
export interface Asked {
  unit?: string;
  names?: readonly string[];
}

const SPELLED: Readonly<Record<string, string>> = {
  "+": " + ",
  "-": " − ",
  "*": " × ",
  "/": " / ",
  "=": " = ",
  "**": "^",
};

export function echoNumber(text: string, { unit = "", names = [] }: Asked = {}): string {
  return echoed(() => {
    const { value, tokens } = readNumber(text, unit, names);
    return readAs(tokens, value);
  });
}

export function echoShape(text: string, { names = [] }: Asked = {}): string {
  return echoed(() => {
    const parts = readShape(text, names);
    const one = parts.length === 1;
    return `Read as a shape with ${parts.length} ${one ? "axis" : "axes"}: (${parts.join(", ")}${one ? "," : ""})`;
  });
}

function echoed(read: () => string): string {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Unread)) throw error;
    return "";
  }
}

/** "Read as the whole number 10", "Read as 4 × 16 = 64": numerals regrouped, signs spaced. */
function readAs(tokens: readonly Token[], value: Fraction): string {
  const [shown, [first, ...rest]] = [written(value), tokens];
  if (rest.every(({ kind, text }) => kind === "word" || text === "/"))
    return `Read as ${value.bottom === 1n ? "the whole number " : ""}${shown}`;
  if (first?.kind === "word" && rest[0]?.text === "=") return readAs(tokens.slice(2), value);
  if (rest.length === 1 && first?.text === "-") return `Read as ${shown}`;
  const sum = tokens.map((token, n) => spelled(token, tokens[n - 1])).join("");
  return `Read as ${sum.trim()}${tokens.some(({ text }) => text === "=") ? "" : ` = ${shown}`}`;
}

/** One token in the spelling the echo uses. */
function spelled({ kind, text }: Token, before: Token | undefined): string {
  if (text === "x" || text === "X") return " × ";
  if (kind === "word") return text === "sqrt" ? text : ` ${text}`;
  const unary = "+-".includes(text) && (!before || (before.kind === "sign" && !")%".includes(before.text)));
  if (unary) return text === "-" ? "−" : "";
  return kind === "number" ? text.replace(/[_ ]/g, ",") : (SPELLED[text] ?? text);
}
