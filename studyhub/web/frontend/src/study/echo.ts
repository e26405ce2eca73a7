/** The line that says how an answer was read, before it is sent. Pure; never says whether it is right. */
import { NotANumber, readNumber, written } from "./arithmetic";
import { parseShape } from "./shapes";

export interface Echo {
  text: string;
  /** False where nothing could be read (yet): shown with the typed text in code. */
  read: boolean;
}

const NOTHING: Echo = { text: "", read: true };
const SPELLED: Record<string, string> = {
  "+": " + ",
  "-": " − ",
  "*": " × ",
  x: " × ",
  X: " × ",
  "/": " / ",
  "=": " = ",
  "**": "^",
};

export function echoNumber(text: string, unit = ""): Echo {
  if (!text.trim()) return NOTHING;
  try {
    const { value, tokens } = readNumber(text, unit);
    const shown = written(value);
    const plain = unnamed(tokens).filter(({ kind }) => kind !== "word");
    const bare = plain.length === 1 && !plain[0]?.text.includes("(");
    if (bare)
      return { text: `Read as ${value.bottom === 1n ? "the whole number " : ""}${shown}`, read: true };
    return { text: `Read as ${spelled(unnamed(tokens))} = ${shown}`, read: true };
  } catch (error) {
    if (!(error instanceof NotANumber)) throw error;
    return { text: "Not a number yet: ", read: false };
  }
}

type Tokens = readonly { kind: string; text: string }[];

/** What stands behind a name: the 64 of "d = 64". */
const unnamed = (tokens: Tokens): Tokens => (tokens[1]?.text === "=" ? tokens.slice(2) : tokens);

/** The sum with spaces round its signs: "4 × 16". */
function spelled(tokens: Tokens): string {
  return tokens
    .map(({ kind, text }, i, all) => {
      const before = all[i - 1];
      const unary =
        /^[+-]$/.test(text) && (!before || (before.kind === "sign" && !")%".includes(before.text)));
      if (unary) return text === "-" ? "−" : "";
      if (kind === "word" && !["x", "X", "sqrt"].includes(text)) return ` ${text}`;
      return SPELLED[text] ?? text;
    })
    .join("")
    .trim();
}

export function echoShape(text: string): Echo {
  if (!text.trim()) return NOTHING;
  const lengths = parseShape(text);
  const named = lengths ? null : namedAxes(text);
  const parts = lengths?.map(String) ?? named;
  if (!parts) return { text: "A shape needs whole numbers of 1 or more: ", read: false };
  const axes = `${parts.length} ${parts.length === 1 ? "axis" : "axes"}`;
  return {
    text: `Read as a shape with ${axes}: (${parts.join(", ")}${parts.length === 1 ? "," : ""})`,
    read: true,
  };
}

/** `B, T, H*D`: axes written by name or as products; the service knows their sizes. */
function namedAxes(text: string): string[] | null {
  const bare = text
    .trim()
    .replace(/^(torch\.)?size/i, "")
    .trim()
    .replace(/^[([{]+|[)\]}]+$/g, "");
  const parts = bare.split(",").map((part) => part.replace(/\s+/g, "").replace(/[×·]/g, "*"));
  const axis = /^([1-9]\d*|[A-Za-z_]+)([*/]+([1-9]\d*|[A-Za-z_]+))*$/;
  return parts.length > 1 && parts.every((part) => axis.test(part)) ? parts : null;
}
