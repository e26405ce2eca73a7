/** A typed answer made plain, as the service does it: one spelling for each sign. Pure; parses nothing. */

/** What was typed cannot be read (yet). */
export class Unread extends Error {}

export interface Plain {
  readonly text: string;
  /** For each sign of `text` the sign that was typed. */
  readonly typed: readonly string[];
}

const LONGEST = 400;
const SIGNS = new Map<string, string>([
  ...[..."‐‑‒–—―−﹘﹣－"].map((dash) => [dash, "-"] as const),
  ...[..."×✕✖·⋅∙•∗＊"].map((times) => [times, "*"] as const),
  ...[..."÷∕⁄／"].map((over) => [over, "/"] as const),
  ...[..."’'˙٬"].map((mark) => [mark, "_"] as const),
  ["ˆ", "^"],
  ["√", "sqrt"],
  ["٫", "."],
  ["٪", "%"],
]);
const RAISED = new Map([..."⁰¹²³⁴⁵⁶⁷⁸⁹⁻"].map((sign, n) => [sign, "0123456789-"[n] ?? ""]));
const LOWERED_OR_RINGED = /[ªº\u02b0-\u02ff\u2070-\u209f①-⑳Ⓐ-⓿]/;

/** `times` is what a multiplication sign becomes: a product in numbers, a separator in shapes. */
export function plain(text: string, times = "*"): Plain {
  const signs = [...text];
  if (signs.length > LONGEST || !text.trim()) throw new Unread(text);
  const pieces = signs.map((sign, n) => {
    const goesOn = RAISED.has(sign) && RAISED.has(signs[n - 1] ?? "");
    const piece = goesOn ? (RAISED.get(sign) ?? "") : spelling(sign);
    return sign === "*" ? piece : piece.replaceAll("*", times);
  });
  return {
    text: pieces.join(""),
    typed: pieces.flatMap((piece, n) => Array.from(piece, () => signs[n] ?? "")),
  };
}

function spelling(sign: string): string {
  if (sign >= " " && sign <= "~" && sign !== "'") return sign;
  const known = SIGNS.get(sign);
  if (known !== undefined) return known;
  if (RAISED.has(sign)) return `^${RAISED.get(sign)}`;
  if (/\p{Nd}/u.test(sign)) return String(digit(sign));
  if (/[\p{Zs}\p{Zl}\p{Zp}\t\n\r]/u.test(sign)) return " ";
  return /\p{Cf}/u.test(sign) ? "" : compatible(sign);
}

/** Digits of every script stand in runs of ten. */
function digit(sign: string): number {
  const code = sign.codePointAt(0) ?? 0;
  let first = code;
  while (first > 0 && /\p{Nd}/u.test(String.fromCodePoint(first - 1))) first -= 1;
  return (code - first) % 10;
}

/** Wide and styled forms as they are read; ½ is a quotient; lowered and ringed digits stay. */
function compatible(sign: string): string {
  const form = sign.normalize("NFKC");
  if (LOWERED_OR_RINGED.test(sign) || form === sign.normalize("NFC")) return sign;
  return form.includes("⁄") ? `(${form.replace("⁄", "/")})` : form;
}
