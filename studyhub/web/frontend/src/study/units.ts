/** Words after a number: units of one meaning, sizes of bytes, scales such as k. Pure. Of other units it knows nothing. */
import { type Fraction, fraction } from "./fraction";

export const SCALES: Readonly<Record<string, bigint>> = {
  k: 10n ** 3n,
  K: 10n ** 3n,
  M: 10n ** 6n,
  G: 10n ** 9n,
  B: 10n ** 9n,
  T: 10n ** 12n,
  Ki: 1n << 10n,
  Mi: 1n << 20n,
  Gi: 1n << 30n,
  Ti: 1n << 40n,
  thousand: 10n ** 3n,
  million: 10n ** 6n,
  billion: 10n ** 9n,
  trillion: 10n ** 12n,
};
const SAME: readonly (readonly string[])[] = [
  ["dim", "dimension", "feature", "number", "value", "element", "entry", "entrie"],
  ["head"],
  ["byte"],
  ["token"],
  ["layer"],
  ["parameter", "param", "weight"],
  ["time", "fold"],
];
const BYTES = new Map<string, bigint>([
  ["KB", 10n ** 3n],
  ["kB", 10n ** 3n],
  ["MB", 10n ** 6n],
  ["GB", 10n ** 9n],
  ["TB", 10n ** 12n],
  ["KiB", 1n << 10n],
  ["MiB", 1n << 20n],
  ["GiB", 1n << 30n],
  ["TiB", 1n << 40n],
  ["B", 1n],
]);

const split = (words: string): string[] => words.split(/\s+/).filter(Boolean);
const singulars = (words: string): string[] =>
  split(words.toLowerCase()).map((word) => word.replace(/s$/, ""));
const alike = (one: readonly string[], other: readonly string[]) => one.join(" ") === other.join(" ");

/** Whether a letter may abbreviate a word of the unit instead of a scale: 4T of tokens, 8B in GiB. */
export function initialOf(letter: string, unit: string): boolean {
  const words = split(unit.toLowerCase());
  const byte = words.length > 0 && (BYTES.has(split(unit)[0] ?? "") || sameUnit("byte", words[0] ?? ""));
  return (
    letter.length === 1 &&
    (words.some((word) => word[0] === letter.toLowerCase()) || (byte && letter === "B"))
  );
}

/** Whether the words are the card's unit or its head word, case, plural and synonyms aside. */
function sameUnit(words: string, unit: string): boolean {
  const [asked, given] = [singulars(unit), singulars(words)];
  const [wanted, head] = [asked[0], given[0]];
  if (wanted === undefined || head === undefined) return false;
  const same = head === wanted || SAME.some((group) => group.includes(head) && group.includes(wanted));
  return same && (given.length === 1 || alike(given.slice(1), asked.slice(1)));
}

/** What one of the words' unit is in the card's; null if it is another kind of thing. GiB is not GB. */
export function unitFactor(words: string, unit: string): Fraction | null {
  const [head = "", ...rest] = unit.split(" ");
  const [given = "", ...tail] = words.split(" ");
  if (!BYTES.has(head) && !sameUnit("byte", head)) return sameUnit(words, unit) ? fraction(1n) : null;
  const size = BYTES.get(given) ?? (sameUnit(given, "byte") ? 1n : null);
  const said = singulars(tail.join(" "));
  if (size === null || (said.length > 0 && !alike(said, singulars(rest.join(" "))))) return null;
  return fraction(size, BYTES.get(head) ?? 1n);
}
