"""Learners' numbers and arithmetic read exactly, as fractions. Knows no card; runs nothing.

sum := product (("+" | "-") product)*      power  := atom [("^" | "**") signed]      right to left
product := signed (("*" | "/") signed)*    atom   := (number | "(" sum ")" | "sqrt" atom) [scale] ["%"]
signed := "-" signed | power               answer := [name "="] sum ("=" sum)* [unit]
Work is bounded beforehand: characters, signs, depth, and the bits of every value, so that no tower is built.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction

from cards.expressions.axes import same_name
from cards.expressions.echo import format_number, read_as
from cards.expressions.text import Plain, plain
from cards.expressions.tokens import Token, literal, tokens, unread
from cards.expressions.units import SCALES, initial_of, unit_factor
from cards.grading import Unreadable, quoted

MAX_DEPTH = 60
MAX_BITS = 4096


@dataclass(frozen=True)
class Number:
    """What was read: its value, and the sentence that shows it to the learner."""

    value: Fraction
    read_as: str


def read_number(text: str, unit: str = "", names: Iterable[str] = ()) -> Number:
    """The number a learner wrote, exactly. `unit` is the card's, `names` may stand before a `=`.

    Raises Unreadable with the offset.
    """
    source = plain(text)
    reader = _Reader(source, tokens(source), unit, names=(*names, *unit.split()[:1]))
    value = reader.answer()
    return Number(value, read_as(reader.tokens, value))


class _Reader:
    """One pass over the tokens, from left to right."""

    def __init__(self, source: Plain, found: list[Token], unit: str, *, names: tuple[str, ...]) -> None:
        self.source, self.tokens, self.unit, self.names = source, found, unit, names
        self.position = self.depth = 0

    def answer(self) -> Fraction:
        """The whole text: perhaps a name, one value or equal ones, perhaps the card's unit."""
        if not self.tokens:
            raise unread(self.source, 0)
        if [token.text for token in self.tokens[1:2]] == ["="] and self.named(self.tokens[0].text):
            self.position = 2
        value = self.with_unit(self.sum())
        while self.take("="):
            other = self.with_unit(self.sum())
            if other != value:
                sides = f"{format_number(value)} and {format_number(other)}"
                raise Unreadable(
                    f"The two sides of your equation differ: {sides}. Give one number.", self.offset()
                )
        if self.position < len(self.tokens):
            raise self.unread()
        self.refuse_range(value)
        return value

    def named(self, word: str) -> bool:
        """Whether the question asks for something of this name: d_k is d_head, H is num_heads."""
        return any(same_name(word, name) for name in self.names)

    def with_unit(self, value: Fraction) -> Fraction:
        """The value in the card's unit, if a unit follows."""
        start = self.offset()
        words: list[str] = []
        while (token := self.peek()) and (token.kind == "word" or (words and token.text == "/")):
            words.append("per" if token.text == "/" else token.text)
            self.position += 1
        factor = unit_factor(" ".join(words), self.unit) if words else Fraction(1)
        if factor is None:
            wanted = f"the number of {self.unit}" if self.unit else "one number"
            raise Unreadable(f"I could not read {quoted(self.source.original)}. Give {wanted}.", start)
        return self.bounded(value * factor)

    def refuse_range(self, value: Fraction) -> None:
        """64-128 is more likely a range than a subtraction."""
        kinds = [token.kind for token in self.tokens[:3]]
        if value < 0 and kinds == ["number", "sign", "number"] and len(self.tokens) == 3:
            raise Unreadable(
                f"I could not tell whether {quoted(self.source.original)} is a range. Give one number.",
                self.source.offset(self.tokens[1].index),
            )

    def sum(self) -> Fraction:
        """Products added and subtracted."""
        value = self.product()
        while sign := self.take("+", "-"):
            term = self.product()
            value = self.bounded(value + term if sign == "+" else value - term)
        return value

    def product(self) -> Fraction:
        """Powers multiplied and divided."""
        value = self.signed()
        while sign := self.take("*", "/", "x", "X"):
            at = self.offset()
            if sign in "xX" and self.peek() is None:
                self.position -= 1
            factor = self.signed()
            if sign == "/" and factor == 0:
                raise Unreadable("That divides by zero.", at)
            value = self.bounded(value / factor if sign == "/" else value * factor)
        return value

    def signed(self) -> Fraction:
        """Any number of signs before a power."""
        self.deeper()
        sign = self.take("-", "+")
        value = self.signed() if sign else self.power()
        self.depth -= 1
        return -value if sign == "-" else value

    def power(self) -> Fraction:
        """A base and perhaps its exponent, which is itself a power: 2^3^2 is 2^9."""
        base = self.atom()
        at = self.offset()
        if not self.take("^", "**"):
            return base
        return self.raised(base, self.signed(), at)

    def raised(self, base: Fraction, exponent: Fraction, at: int) -> Fraction:
        """base ** exponent, refused before it is built if it would be long."""
        if exponent == Fraction(1, 2):
            return self.root(base, at)
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

    def atom(self) -> Fraction:
        """A number, a root or a parenthesis, with the scale and per cent sign behind it."""
        token = self.peek()
        if token is None or token.text in (")", "=", "%"):
            raise self.unread()
        at = self.offset()
        self.position += 1
        if token.kind == "number":
            value = self.bounded(literal(self.source, token))
        elif token.text == "sqrt":
            value = self.root(self.nested(self.atom), at)
        elif token.text == "(":
            value = self.nested(self.sum)
            if not self.take(")"):
                raise self.unread()
        else:
            self.position -= 1
            raise self.unread()
        return self.scaled(value)

    def scaled(self, value: Fraction) -> Fraction:
        """64k, 8 B, 12.5%."""
        token = self.peek()
        if token is not None and token.text in SCALES and not initial_of(token.text, self.unit):
            self.position += 1
            value = self.bounded(value * SCALES[token.text])
        while self.take("%"):
            value /= 100
        return value

    def nested(self, part: Callable[[], Fraction]) -> Fraction:
        """A part one level down."""
        self.deeper()
        value = part()
        self.depth -= 1
        return value

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

    def peek(self) -> Token | None:
        """The next token."""
        return self.tokens[self.position] if self.position < len(self.tokens) else None

    def take(self, *signs: str) -> str:
        """The next token's text if it is one of these, else ""."""
        token = self.peek()
        if token is None or token.text not in signs:
            return ""
        self.position += 1
        return token.text

    def at(self, token: Token) -> int:
        """Where a token stood in the learner's text."""
        return self.source.offset(token.index)

    def offset(self) -> int:
        """Where the next token stood in the learner's text."""
        token = self.peek()
        return self.at(token) if token else len(self.source.original)

    def unread(self) -> Unreadable:
        """The refusal at the next token."""
        token = self.peek()
        return unread(self.source, token.index if token else len(self.source.text))
