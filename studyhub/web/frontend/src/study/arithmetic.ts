/** Reads a number or a sum exactly, as a fraction, in one pass. Pure; runs nothing that is typed. */

export interface Fraction {
  readonly top: bigint;
  readonly bottom: bigint;
}

type Token = { kind: "number" | "word" | "sign"; text: string };

/** What was typed is not a number (yet). */
export class NotANumber extends Error {}

const MOST_TOKENS = 120;
const MOST_DEPTH = 40;
const MOST_BITS = 2048;
const TOKEN =
  /\s*(?:(\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d*)?|\d+(?:\.\d*)?(?:[eE][+-]?\d{1,3})?|\.\d+)|([A-Za-z_]+)|(\*\*|[-+*/^()%=]))/y;
const SCALES: Record<string, bigint> = {
  k: 1000n,
  K: 1000n,
  M: 10n ** 6n,
  G: 10n ** 9n,
  B: 10n ** 9n,
  T: 10n ** 12n,
  Ki: 1024n,
  Mi: 1n << 20n,
  Gi: 1n << 30n,
  Ti: 1n << 40n,
  thousand: 1000n,
  million: 10n ** 6n,
  billion: 10n ** 9n,
  trillion: 10n ** 12n,
};
const UNITS =
  /^(dim|dimension|feature|number|value|element|head|byte|token|layer|parameter|param|weight|time|[kKMGT]?i?B)s?$/i;

const divisor = (one: bigint, other: bigint): bigint =>
  other === 0n ? (one < 0n ? -one : one) : divisor(other, one % other);

export function fraction(top: bigint, bottom = 1n): Fraction {
  if (bottom === 0n) throw new NotANumber("That divides by zero");
  const common = divisor(top, bottom) * (bottom < 0n ? -1n : 1n);
  const made = { top: top / common, bottom: bottom / common };
  if ((made.top < 0n ? -made.top : made.top) >> BigInt(MOST_BITS))
    throw new NotANumber("That number is too long");
  return made;
}

const plus = (a: Fraction, b: Fraction) => fraction(a.top * b.bottom + b.top * a.bottom, a.bottom * b.bottom);
const times = (a: Fraction, b: Fraction) => fraction(a.top * b.top, a.bottom * b.bottom);
const over = (a: Fraction, b: Fraction) => fraction(a.top * b.bottom, a.bottom * b.top);
const minus = (a: Fraction) => ({ top: -a.top, bottom: a.bottom });

/** One spelling for each sign: × and · are *, − is -, raised digits are not read. */
export const plainSigns = (text: string): string =>
  text
    .replace(/[×·⋅∙∗]/g, "*")
    .replace(/[÷∕⁄]/g, "/")
    .replace(/[−–—]/g, "-")
    .replace(/√/g, "sqrt");

export function tokens(text: string): Token[] {
  const [source, found] = [plainSigns(text).trimEnd(), [] as Token[]];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < source.length) {
    const match = TOKEN.exec(source);
    if (!match || found.length > MOST_TOKENS) throw new NotANumber(text);
    const [, number, word, sign] = match;
    if (number !== undefined) found.push({ kind: "number", text: number });
    else if (word !== undefined) found.push({ kind: "word", text: word });
    else found.push({ kind: "sign", text: sign ?? "" });
  }
  return found;
}

function literal(text: string): Fraction {
  const [mantissa = "", exponent = "0"] = text.replaceAll(",", "").toLowerCase().split("e");
  const [whole = "", part = ""] = mantissa.split(".");
  const value = fraction(BigInt(whole + part || "0"), 10n ** BigInt(part.length));
  const size = Number(exponent);
  return size < 0 ? over(value, fraction(10n ** BigInt(-size))) : times(value, fraction(10n ** BigInt(size)));
}

function root(value: Fraction): Fraction {
  const of = (whole: bigint): bigint => {
    let guess = BigInt(Math.round(Math.sqrt(Number(whole))));
    while (guess * guess > whole) guess -= 1n;
    return guess;
  };
  const [top, bottom] = [of(value.top < 0n ? 0n : value.top), of(value.bottom)];
  if (value.top < 0n || top * top !== value.top || bottom * bottom !== value.bottom)
    throw new NotANumber("A root that is no fraction");
  return fraction(top, bottom);
}

class Reader {
  private at = 0;
  private depth = 0;
  constructor(
    readonly tokens: readonly Token[],
    private readonly unit: string,
  ) {}

  answer(): Fraction {
    if (this.tokens[0]?.kind === "word" && this.tokens[1]?.text === "=") this.at = 2;
    const value = this.sum();
    const last = this.tokens[this.at];
    if (last?.kind === "word" && (UNITS.test(last.text) || sameUnit(last.text, this.unit))) this.at += 1;
    if (this.at < this.tokens.length) throw new NotANumber("unread");
    return value;
  }

  private sum(): Fraction {
    if (++this.depth > MOST_DEPTH) throw new NotANumber("nested too deep");
    let value = this.product();
    for (let sign = this.take("+", "-"); sign; sign = this.take("+", "-")) {
      const term = this.product();
      value = plus(value, sign === "+" ? term : minus(term));
    }
    this.depth -= 1;
    return value;
  }

  private product(): Fraction {
    let value = this.signed();
    for (let sign = this.take("*", "/", "x", "X"); sign; sign = this.take("*", "/", "x", "X"))
      value = sign === "/" ? over(value, this.signed()) : times(value, this.signed());
    return value;
  }

  private signed(): Fraction {
    if (this.take("-")) return minus(this.signed());
    if (this.take("+")) return this.signed();
    return this.power();
  }

  private power(): Fraction {
    const base = this.atom();
    if (!this.take("^", "**")) return base;
    const exponent = this.signed();
    const size = Number(exponent.top);
    if (exponent.bottom !== 1n || Math.abs(size) > 256) throw new NotANumber("That power is too large");
    const raised = fraction(base.top ** BigInt(Math.abs(size)), base.bottom ** BigInt(Math.abs(size)));
    return size < 0 ? over(fraction(1n), raised) : raised;
  }

  private atom(): Fraction {
    const token = this.tokens[this.at++];
    if (token?.kind === "number") return this.scaled(literal(token.text));
    if (token?.text === "sqrt") return root(this.atom());
    if (token?.text !== "(") throw new NotANumber("unread");
    const value = this.sum();
    if (!this.take(")")) throw new NotANumber("a bracket is open");
    return this.scaled(value);
  }

  private scaled(value: Fraction): Fraction {
    const next = this.tokens[this.at];
    const scale = next?.kind === "word" && !sameUnit(next.text, this.unit) ? SCALES[next.text] : undefined;
    if (scale !== undefined) this.at += 1;
    const scaled = scale === undefined ? value : times(value, fraction(scale));
    return this.take("%") ? over(scaled, fraction(100n)) : scaled;
  }

  private take(...signs: string[]): string {
    const text = this.tokens[this.at]?.text ?? "";
    if (!signs.includes(text)) return "";
    this.at += 1;
    return text;
  }
}

const singular = (word: string) => word.toLowerCase().replace(/s$/, "");
const sameUnit = (word: string, unit: string) => unit !== "" && singular(word) === singular(unit);

/** The value of what was typed. Throws NotANumber. */
export function readNumber(text: string, unit = ""): { value: Fraction; tokens: readonly Token[] } {
  if (text.length > 400) throw new NotANumber("too long");
  const found = tokens(text);
  return { value: new Reader(found, unit).answer(), tokens: found };
}

/** 2,621,440 or 12.5 or 256/3: whole numbers grouped, short decimals as such, the rest as a fraction. */
export function written({ top, bottom }: Fraction): string {
  if (top < 0n) return `−${written({ top: -top, bottom })}`;
  if (bottom === 1n) return top >> 80n ? `about ${Number(top).toPrecision(4)}` : top.toLocaleString("en-US");
  for (let places = 1, scale = 10n; places <= 6; places++, scale *= 10n)
    if (scale % bottom === 0n) {
      const shifted = (top * scale) / bottom;
      return `${(shifted / scale).toLocaleString("en-US")}.${String(shifted % scale).padStart(places, "0")}`;
    }
  return bottom <= 10_000n
    ? `${top.toLocaleString("en-US")}/${bottom.toLocaleString("en-US")}`
    : `about ${(Number(top) / Number(bottom)).toPrecision(4)}`;
}
