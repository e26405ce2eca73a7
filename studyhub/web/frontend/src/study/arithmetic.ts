/** Reads a number or a sum exactly, as a fraction, in one pass. Pure; runs nothing that is typed.

It reads part of what the service does (cards/expressions/numbers.py) and nothing else or otherwise; corpus.json
holds it to that. */
import { sameName } from "./axes";
import { bounded, type Fraction, fraction, minus, over, plus, raised, root, times } from "./fraction";
import { plain, Unread } from "./plain";
import { literal, type Token, tokens } from "./tokens";
import { initialOf, SCALES, unitFactor } from "./units";

const MOST_DEPTH = 60;
const PERCENT = fraction(100n);

class Reader {
  private at = 0;
  private depth = 0;
  constructor(
    readonly tokens: readonly Token[],
    private readonly unit: string,
    private readonly names: readonly string[],
  ) {}

  /** Perhaps a name, one value or equal ones, perhaps the card's unit. */
  answer(): Fraction {
    const [name, equals] = this.tokens;
    if (equals?.text === "=" && this.names.some((one) => sameName(name?.text ?? "", one))) this.at = 2;
    const value = this.withUnit(this.sum());
    while (this.take("=")) {
      const other = this.withUnit(this.sum());
      if (other.top !== value.top || other.bottom !== value.bottom) throw new Unread("the two sides differ");
    }
    if (this.at < this.tokens.length) throw new Unread("unread");
    if (value.top < 0n && this.tokens.map(({ kind }) => kind).join(" ") === "number sign number")
      throw new Unread("a range?");
    return value;
  }

  private withUnit(value: Fraction): Fraction {
    const words: string[] = [];
    for (
      let next = this.peek();
      next?.kind === "word" || (words.length && next?.text === "/");
      next = this.peek()
    ) {
      words.push(next.text === "/" ? "per" : next.text);
      this.at += 1;
    }
    const factor = words.length ? unitFactor(words.join(" "), this.unit) : fraction(1n);
    if (factor === null) throw new Unread("another unit");
    return bounded(times(value, factor));
  }

  private sum(): Fraction {
    let value = this.product();
    for (let sign = this.take("+", "-"); sign; sign = this.take("+", "-")) {
      const term = this.product();
      value = bounded(plus(value, sign === "+" ? term : minus(term)));
    }
    return value;
  }

  private product(): Fraction {
    let value = this.signed();
    for (let sign = this.take("*", "/", "x", "X"); sign; sign = this.take("*", "/", "x", "X")) {
      const factor = this.signed();
      value = bounded(sign === "/" ? over(value, factor) : times(value, factor));
    }
    return value;
  }

  private signed(): Fraction {
    return this.deeper(() => {
      const sign = this.take("-", "+");
      const value = sign ? this.signed() : this.power();
      return sign === "-" ? minus(value) : value;
    });
  }

  private power(): Fraction {
    const base = this.atom();
    return this.take("^", "**") ? raised(base, this.signed()) : base;
  }

  private atom(): Fraction {
    const token = this.tokens[this.at++];
    if (token?.kind === "number") return this.scaled(bounded(literal(token.text)));
    if (token?.text === "sqrt") return this.scaled(root(this.deeper(() => this.atom())));
    if (token?.text !== "(") throw new Unread("unread");
    const value = this.deeper(() => this.sum());
    if (!this.take(")")) throw new Unread("a bracket is open");
    return this.scaled(value);
  }

  /** 64k, 8 B, 12.5%. */
  private scaled(value: Fraction): Fraction {
    const word = this.peek()?.text ?? "";
    const scale = Object.hasOwn(SCALES, word) && !initialOf(word, this.unit) ? SCALES[word] : undefined;
    let scaled = value;
    if (scale !== undefined) {
      this.at += 1;
      scaled = bounded(times(value, fraction(scale)));
    }
    return this.take("%") ? over(scaled, PERCENT) : scaled;
  }

  private deeper(part: () => Fraction): Fraction {
    if (++this.depth > MOST_DEPTH) throw new Unread("nested too deep");
    const value = part();
    this.depth -= 1;
    return value;
  }

  private peek(): Token | undefined {
    return this.tokens[this.at];
  }

  private take(...signs: string[]): string {
    const text = this.peek()?.text ?? "";
    if (!signs.includes(text)) return "";
    this.at += 1;
    return text;
  }
}

/** The value of what was typed. `names` may stand before a `=`, as may the unit's first word. Throws Unread. */
export function readNumber(
  text: string,
  unit = "",
  names: readonly string[] = [],
): { value: Fraction; tokens: readonly Token[] } {
  const found = tokens(plain(text));
  const value = new Reader(found, unit, [...names, ...unit.split(/\s+/).slice(0, 1)]).answer();
  return { value, tokens: found };
}
