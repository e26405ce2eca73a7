"""Arithmetic read exactly, as fractions, with its MathML. Knows no unit, no name and no card; runs nothing.

sum := product (("+" | "-") product)*      power  := atom [("^" | "**") signed]      right to left
product := signed (("*" | "/") signed)*    atom   := (number | "(" sum ")" | "sqrt" atom) [scale] ["%"]
signed := "-" signed | power
Work is bounded beforehand: characters, signs, depth, and the bits of every value, so that no tower is built.
"""

import math
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from cards.expressions.looking import Looking
from cards.expressions.text import Plain
from cards.expressions.tokens import Token, literal, unread
from cards.expressions.units import SCALES, initial_of
from cards.grading import Unreadable

MAX_DEPTH = 60
MAX_BITS = 4096
PER_CENT = ("%", "percent")
"""Units of a card in which 12.5% is 12.5."""


@dataclass(frozen=True)
class Term:
    """A value with the MathML of how it was written; `inner` is that without its own parentheses."""

    value: Fraction
    mathml: str
    inner: str = ""

    @property
    def bare(self) -> str:
        """What stands above or below a bar or in an exponent: there parentheses say nothing."""
        return self.inner or self.mathml


def row(*pieces: str) -> str:
    """Pieces of MathML that belong together."""
    return f"<mrow>{''.join(pieces)}</mrow>"


def operator(sign: str) -> str:
    """A sign as MathML."""
    return f"<mo>{sign}</mo>"


class Arithmetic(Looking[Token]):
    """One pass over the tokens, from left to right. `unit` is the card's: `4T` of tokens is no scale."""

    def __init__(self, source: Plain, found: list[Token], *, unit: str = "", locale: str = "en") -> None:
        super().__init__(found)
        self.source, self.unit, self.locale = source, unit, locale

    def sum(self) -> Term:
        """Products added and subtracted."""
        term = self.product()
        while sign := self.take("+", "-"):
            other = self.product()
            value = self.bounded(term.value + other.value if sign == "+" else term.value - other.value)
            term = Term(value, row(term.mathml, operator("+" if sign == "+" else "−"), other.mathml))
        return term

    def product(self) -> Term:
        """Powers multiplied and divided."""
        term = self.signed()
        over = self.raised_last()
        while sign := self.take("*", "/", "x", "X") or self.drawn_out():
            at = self.offset()
            if sign in "xX" and self.peek() is None:
                self.position -= 1
            if sign == "√" and over:
                raise Unreadable("I could not tell what the root belongs to. Write parentheses.", at)
            over = sign == "/"
            factor = self.signed()
            if sign == "/" and factor.value == 0:
                raise Unreadable("That divides by zero.", at)
            term = self.divided(term, factor) if sign == "/" else self.multiplied(term, factor)
        return term

    def raised_last(self) -> bool:
        """Whether what was read last is an exponent: a root behind it may belong to either."""
        return self.position > 1 and self.tokens[self.position - 2].text in ("^", "**")

    def drawn_out(self) -> str:
        """ "√" where a root follows a number without a sign between them: 4√5."""
        token = self.peek()
        before = self.tokens[self.position - 1] if token and self.position else None
        root = token is not None and token.text == "sqrt" and before is not None and before.kind == "number"
        return "√" if root else ""

    def divided(self, term: Term, factor: Term) -> Term:
        """A quotient, as a fraction with a bar."""
        bar = f"<mfrac>{term.bare}{factor.bare}</mfrac>"
        return Term(self.bounded(term.value / factor.value), bar)

    def multiplied(self, term: Term, factor: Term) -> Term:
        """A product."""
        return Term(self.bounded(term.value * factor.value), row(term.mathml, operator("×"), factor.mathml))

    def signed(self) -> Term:
        """Any number of signs before a power."""
        self.deeper()
        sign = self.take("-", "+")
        term = self.signed() if sign else self.power()
        self.depth -= 1
        return Term(-term.value, row(operator("−"), term.mathml)) if sign == "-" else term

    def power(self) -> Term:
        """A base and perhaps its exponent, which is itself a power: 2^3^2 is 2^9."""
        base = self.atom()
        at = self.offset()
        if not self.take("^", "**"):
            return base
        exponent = self.signed()
        value = self.raised(base.value, exponent.value, at)
        return Term(value, f"<msup>{base.mathml}{exponent.bare}</msup>")

    def raised(self, base: Fraction, exponent: Fraction, at: int) -> Fraction:
        """base ** exponent, refused before it is built if it would be long."""
        if exponent.denominator == 2:
            return self.root(self.raised(base, exponent * 2, at), at)
        bits = max(base.numerator.bit_length(), base.denominator.bit_length())
        if exponent.denominator != 1 or abs(exponent) > MAX_BITS or bits * abs(exponent) > MAX_BITS:
            raise Unreadable("That power is too large or not a whole one; write it out.", at)
        if base == 0 and exponent < 0:
            raise Unreadable("That divides by zero.", at)
        return base ** int(exponent)

    def root(self, value: Fraction, at: int) -> Fraction:
        """The square root: exact for squares, else good to 40 digits."""
        if value < 0:
            raise Unreadable("The square root of a negative number is not a real one.", at)
        roots = math.isqrt(value.numerator), math.isqrt(value.denominator)
        if roots[0] ** 2 == value.numerator and roots[1] ** 2 == value.denominator:
            return Fraction(*roots)
        digits = 10**40
        return Fraction(math.isqrt(value.numerator * digits**2 // value.denominator), digits)

    def atom(self) -> Term:
        """A number, a root or a parenthesis, with the scale and per cent sign behind it."""
        token = self.peek()
        if token is None or token.text in (")", "=", "%"):
            raise self.unread()
        at = self.offset()
        self.position += 1
        if token.kind == "number":
            value = self.bounded(literal(self.source, token, self.locale))
            return self.scaled(self.mixed(Term(value, f"<mn>{token.text.replace('_', ' ')}</mn>")))
        if token.text == "sqrt":
            below = self.nested(self.atom)
            return self.scaled(Term(self.root(below.value, at), f"<msqrt>{below.bare}</msqrt>"))
        if token.text == "(":
            inside = self.nested(self.sum)
            if not self.take(")"):
                raise self.unread()
            closed = row(operator("("), inside.mathml, operator(")"))
            return self.scaled(Term(inside.value, closed, inside.bare))
        self.position -= 1
        raise self.unread()

    def mixed(self, term: Term) -> Term:
        """1½: a fraction that is one character belongs to the whole number before it."""
        token = self.peek()
        if token is None or token.text != "(" or term.value.denominator != 1:
            return term
        sign = self.source.original[self.source.offset(token.index)]
        if not unicodedata.decomposition(sign).startswith("<fraction>"):
            return term
        self.position += 1
        part = self.nested(self.sum)
        self.take(")")
        return Term(term.value + part.value, row(term.mathml, part.bare))

    def scaled(self, term: Term) -> Term:
        """64k, 8 B, 12.5%."""
        token = self.peek()
        if token is not None and token.text in SCALES and not initial_of(token.text, self.unit):
            self.position += 1
            scaled = self.bounded(term.value * SCALES[token.text])
            term = Term(scaled, row(term.mathml, f"<mtext>\u00a0{token.text}</mtext>"))
        if self.take("%", "percent"):
            whole = 1 if self.unit in PER_CENT else 100
            term = Term(term.value / whole, row(term.mathml, operator("%")))
        return term

    def nested(self, part: Callable[[], Term]) -> Term:
        """A part one level down."""
        self.deeper()
        term = part()
        self.depth -= 1
        return term

    def deeper(self) -> None:
        """One level down, if there is one."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise Unreadable(f"That is nested more than {MAX_DEPTH} deep.", self.offset())

    def bounded(self, value: Fraction) -> Fraction:
        """The value, if it is not too long."""
        if max(value.numerator.bit_length(), value.denominator.bit_length()) > MAX_BITS:
            raise Unreadable("That number is too long to read.", self.offset())
        return value

    def offset(self) -> int:
        """Where the next token stood in the learner's text."""
        token = self.peek()
        return self.source.offset(token.index) if token else len(self.source.original)

    def unread(self) -> Unreadable:
        """The refusal at the next token."""
        token = self.peek()
        return unread(self.source, token.index if token else len(self.source.text))
