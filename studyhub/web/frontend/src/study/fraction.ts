/** Exact fractions, bounded in length, and how they are written for people. Pure. */
import { Unread } from "./plain";

export interface Fraction {
  readonly top: bigint;
  readonly bottom: bigint;
}

export const MOST_BITS = 4096;
const SHORT = 1n << 80n;
const ROOT_DIGITS = 10n ** 40n;

const size = (whole: bigint): bigint => (whole < 0n ? -whole : whole);
export const bits = (whole: bigint): number => (whole === 0n ? 0 : size(whole).toString(2).length);

const divisor = (one: bigint, other: bigint): bigint => {
  let [a, b] = [size(one), size(other)];
  while (b) [a, b] = [b, a % b];
  return a;
};

export function fraction(top: bigint, bottom = 1n): Fraction {
  if (bottom === 0n) throw new Unread("That divides by zero");
  const common = divisor(top, bottom) * (bottom < 0n ? -1n : 1n);
  return { top: top / common, bottom: bottom / common };
}

/** The value, if it is not too long to work with. */
export function bounded(value: Fraction): Fraction {
  if (Math.max(bits(value.top), bits(value.bottom)) > MOST_BITS) throw new Unread("too long");
  return value;
}

export const plus = (a: Fraction, b: Fraction) =>
  fraction(a.top * b.bottom + b.top * a.bottom, a.bottom * b.bottom);
export const times = (a: Fraction, b: Fraction) => fraction(a.top * b.top, a.bottom * b.bottom);
export const over = (a: Fraction, b: Fraction) => fraction(a.top * b.bottom, a.bottom * b.top);
export const minus = (a: Fraction): Fraction => ({ top: -a.top, bottom: a.bottom });

/** base to the power of exponent, refused before it is built if it would be long. */
export function raised(base: Fraction, exponent: Fraction): Fraction {
  if (exponent.top === 1n && exponent.bottom === 2n) return root(base);
  const power = Number(exponent.top);
  const longest = Math.max(bits(base.top), bits(base.bottom));
  if (exponent.bottom !== 1n || Math.abs(power) > MOST_BITS || longest * Math.abs(power) > MOST_BITS)
    throw new Unread("That power is too large");
  const [top, bottom] = [base.top ** size(exponent.top), base.bottom ** size(exponent.top)];
  return power < 0 ? fraction(bottom, top) : fraction(top, bottom);
}

/** The square root: exact for squares, else good to 40 digits. */
export function root({ top, bottom }: Fraction): Fraction {
  if (top < 0n) throw new Unread("The square root of a negative number");
  const [above, below] = [whole(top), whole(bottom)];
  if (above * above === top && below * below === bottom) return fraction(above, below);
  return fraction(whole((top * ROOT_DIGITS * ROOT_DIGITS) / bottom), ROOT_DIGITS);
}

/** The largest whole number whose square is not above this one (Newton). */
function whole(number: bigint): bigint {
  if (number < 2n) return number;
  let guess = 1n << BigInt(Math.ceil(bits(number) / 2));
  for (;;) {
    const next = (guess + number / guess) >> 1n;
    if (next >= guess) return guess;
    guess = next;
  }
}

const grouped = (number: bigint) => number.toLocaleString("en-US");

/** 2,621,440 or 12.5 or 256/3: whole numbers grouped, short decimals as such, the rest as a fraction. */
export function written(value: Fraction): string {
  const { top, bottom } = value;
  if (top < 0n) return `−${written(minus(value))}`;
  if (bottom === 1n) return top < SHORT ? grouped(top) : about(value);
  for (let places = 1, scale = 10n; places <= 6; places++, scale *= 10n)
    if (scale % bottom === 0n) {
      const shifted = (top * scale) / bottom;
      return `${grouped(shifted / scale)}.${String(shifted % scale).padStart(places, "0")}`;
    }
  return bottom <= 10_000n && bits(top) <= 64 ? `${grouped(top)}/${grouped(bottom)}` : about(value);
}

/** A number too long to write out, to four digits. */
function about({ top, bottom }: Fraction): string {
  const [digits, power] = fourDigits(top, bottom);
  if (power > 308) return `about 10^${Math.floor((bits(top / bottom) * 30103) / 100000)}`;
  if (power < -323) return "about 0";
  const bare = digits.replace(/0+$/, "");
  if (power >= -4 && power < 4) return `about ${Number(`${digits}e${power - 3}`)}`;
  const sign = power < 0 ? "-" : "+";
  const mantissa = bare.length > 1 ? `${bare[0]}.${bare.slice(1)}` : bare;
  return `about ${mantissa}e${sign}${String(Math.abs(power)).padStart(2, "0")}`;
}

/** The first four digits, rounded, and the power of ten of the first. */
function fourDigits(top: bigint, bottom: bigint): [string, number] {
  let power = String(top).length - String(bottom).length;
  if (top * tens(-power) < bottom * tens(power)) power -= 1;
  const [up, down] = [top * tens(3 - power), bottom * tens(power - 3)];
  const digits = String((2n * up + down) / (2n * down));
  return digits.length > 4 ? [digits.slice(0, 4), power + 1] : [digits, power];
}

const tens = (power: number): bigint => (power > 0 ? 10n ** BigInt(power) : 1n);
