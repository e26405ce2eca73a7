/** A plain answer cut into numerals, words and signs; what a numeral is worth. Knows no arithmetic. */
import { type Fraction, fraction } from "./fraction";
import { type Plain, Unread } from "./plain";

export interface Token {
  readonly kind: "number" | "word" | "sign";
  readonly text: string;
}

const MOST_TOKENS = 200;
const MOST_EXPONENT = 1024;
const TOKEN =
  / *(?:((?:\d{1,3}([,_ ])\d{3}(?:\2\d{3})*(?!\d)(?:\.\d*)?|\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)|([A-Za-z_]+)|(\*\*|[-+*/^()%=])) */y;
const HEXADECIMAL = / *0[xX]\d/y;

const startsAt = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at;
  return pattern.exec(text);
};

/** The signs of a text. Throws Unread at the first that is none. */
export function tokens(source: Plain): Token[] {
  const found: Token[] = [];
  for (let at = 0; at < source.text.length; at = TOKEN.lastIndex) {
    if (startsAt(HEXADECIMAL, source.text, at)) throw new Unread(source.text);
    const match = startsAt(TOKEN, source.text, at);
    if (!match || found.length >= MOST_TOKENS) throw new Unread(source.text);
    const [all, number, , word, sign] = match;
    if (number !== undefined) {
      if (twoNumbers(source, number, at + all.indexOf(number))) throw new Unread(source.text);
      found.push({ kind: "number", text: number });
    } else found.push(word === undefined ? { kind: "sign", text: sign ?? "" } : { kind: "word", text: word });
  }
  return found;
}

/** 64 128 is as likely two numbers as one; 1 234 567 is not, nor is a blank that only typesetting uses. */
function twoNumbers(source: Plain, number: string, at: number): boolean {
  if (number.split(" ").length !== 2) return false;
  return " \t\n\r".includes(source.typed[at + number.indexOf(" ")] ?? "");
}

/** The value of a numeral; a comma that could be a decimal one is not read. */
export function literal(text: string): Fraction {
  if (/^0[,_ ]/.test(text)) throw new Unread(text);
  const [mantissa = "", exponent = "0"] = text.replace(/[,_ ]/g, "").toLowerCase().split("e");
  const power = Number(exponent);
  if (exponent.length > 5 || Math.abs(power) > MOST_EXPONENT) throw new Unread(text);
  const [whole = "", part = ""] = mantissa.split(".");
  const shift = power - part.length;
  const digits = BigInt(whole + part || "0");
  return shift < 0 ? fraction(digits, 10n ** BigInt(-shift)) : fraction(digits * 10n ** BigInt(shift));
}
