"""Learners' numbers and arithmetic read exactly, as fractions. Knows no card; runs nothing.

answer := [name "="] sum ("=" sum)* [unit]      sum as in `arithmetic`, plain, in Unicode or in LaTeX
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from cards.expressions.arithmetic import PER_CENT, Arithmetic, Term, row
from cards.expressions.axes import same_name
from cards.expressions.echo import format_number, read_as
from cards.expressions.latex_numbers import without_latex
from cards.expressions.text import Plain, plain
from cards.expressions.tokens import Token, tokens
from cards.expressions.units import AmbiguousUnit, fit
from cards.grading import Unreadable, quoted

ROUNDED = Fraction(1, 10**30)
"""Roots are good to 40 digits: sides that agree to 30 of them are the same."""


@dataclass(frozen=True)
class Number:
    """What was read, and the sentence that shows it to the learner.

    `value` is in the card's unit, `written` as it stands before the unit. `unit` is the learner's own word
    for it ("" where there is none) at `unit_place` in the original; `other_kind`: it counts something else.
    """

    value: Fraction
    read_as: str
    mathml: str = ""
    written: Fraction = Fraction(0)
    unit: str = ""
    unit_place: tuple[int, int] = (0, 0)
    other_kind: bool = False
    simplified: bool = True
    per_cent: bool = False


def read_number(text: str, unit: str = "", names: Iterable[str] = (), *, locale: str = "en") -> Number:
    """The number a learner wrote, exactly. `unit` is the card's, `names` may stand before a `=`.

    `locale` says what a comma is (en, de, any). Raises Unreadable with the offset.
    """
    source = without_latex(plain(text))
    return number_in(source, unit, names, locale=locale)


def number_in(source: Plain, unit: str, names: Iterable[str], *, locale: str) -> Number:
    """The same of a text that is plain already, or of a part of one."""
    found = tokens(source, locale)
    return _Reader(source, found, unit=unit, locale=locale, names=(*names, *unit.split()[:1])).number()


class _Reader(Arithmetic):
    """The whole text: perhaps a name, one value or equal ones, perhaps the card's unit."""

    def __init__(
        self, source: Plain, found: list[Token], *, unit: str, locale: str, names: tuple[str, ...]
    ) -> None:
        super().__init__(source, found, unit=unit, locale=locale)
        self.names = names
        self.words, self.place, self.other_kind = "", (0, 0), False

    def number(self) -> Number:
        """What was read. Raises Unreadable."""
        term, written, start = self.answer()
        shown = self.other_kind and f"Read as {format_number(written.value, self.locale)} {self.words}"
        last = self.tokens[start:]
        per_cent = any(token.text in ("%", "percent") for token in last)
        return Number(
            value=term,
            read_as=shown or read_as(self.tokens, term, self.locale),
            mathml=self.mathml,
            written=written.value,
            unit=self.words or ("%" if per_cent and self.unit in PER_CENT else ""),
            unit_place=self.place,
            other_kind=self.other_kind,
            simplified=_is_simplified(last),
            per_cent=per_cent,
        )

    def answer(self) -> tuple[Fraction, Term, int]:
        """The value in the card's unit, the last side as it was written, and the token that begins it."""
        if not self.tokens:
            raise self.unread()
        if [token.text for token in self.tokens[1:2]] == ["="] and self.named(self.tokens[0].text):
            self.position = 2
            self.words = self.tokens[0].text if self.unit.startswith(self.tokens[0].text) else ""
        start = start_of_first = self.position
        first = written = self.sum()
        end = self.position
        value = self.with_unit(first)
        while self.take("="):
            start = self.position
            written = self.sum()
            other = self.last_side(written)
            if abs(other - value) > abs(value) * ROUNDED:
                sides = " and ".join(format_number(side, self.locale) for side in (value, other))
                raise Unreadable(
                    f"The two sides of your equation differ: {sides}. Give one number.", self.offset()
                )
        if self.position < len(self.tokens):
            raise self.unread()
        self.refuse_range(value)
        self.mathml = (
            "" if _is_numeral(self.tokens[start_of_first:end]) else _mathml(first, value, self.locale)
        )
        return value, written, start

    def last_side(self, term: Term) -> Fraction:
        """A further side, whose unit counts (768 / 12 heads = 64 dims); without one, that before it."""
        before = ("", (0, 0)) if self.other_kind else (self.words, self.place)
        self.words, self.other_kind = "", False
        value = self.with_unit(term)
        if not self.words:
            self.words, self.place = before
        return value

    def named(self, word: str) -> bool:
        """Whether the question asks for something of this name: d_k is d_head, H is num_heads."""
        return any(same_name(word, name) for name in self.names)

    def with_unit(self, term: Term) -> Fraction:
        """The value in the card's unit, if a unit follows; as it stands where that counts something else."""
        start = self.offset()
        words: list[str] = []
        end = start
        while (token := self.peek()) and (token.kind == "word" or (words and token.text == "/")):
            words.append("per" if token.text == "/" else token.text)
            end = self.source.offset(token.index + len(token.text) - 1) + 1
            self.position += 1
        if not words:
            return term.value
        factor = self.factor(" ".join(words), start)
        self.words, self.place = " ".join(words), (start, end)
        if factor is None:
            self.other_kind = True
            return term.value
        return self.bounded(term.value * factor)

    def factor(self, words: str, start: int) -> Fraction | None:
        """How many of the card's unit one of the learner's is; None for another kind. Raises Unreadable."""
        try:
            found = fit(words, self.unit) if self.unit else None
        except AmbiguousUnit as problem:
            raise Unreadable(str(problem), start) from problem
        if found is None:
            wanted = f"the number of {self.unit}" if self.unit else "one number"
            raise Unreadable(f"I could not read {quoted(self.source.original)}. Give {wanted}.", start)
        return found.factor

    def refuse_range(self, value: Fraction) -> None:
        """64-128 is more likely a range than a subtraction."""
        kinds = [token.kind for token in self.tokens[:3]]
        if value < 0 and kinds == ["number", "sign", "number"] and len(self.tokens) == 3:
            raise Unreadable(
                f"I could not tell whether {quoted(self.source.original)} is a range. Give one number.",
                self.source.offset(self.tokens[1].index),
            )


def _mathml(term: Term, value: Fraction, locale: str) -> str:
    """What was written, and what it comes to where that is in the same unit."""
    shown = format_number(value, locale)
    said = value == term.value and not shown.startswith("about")
    result = f"<mo>=</mo><mn>{shown}</mn>" if said else ""
    return f"<math>{row(term.mathml, result)}</math>"


def _is_numeral(side: Sequence[Token]) -> bool:
    """Whether a side is one numeral, perhaps with a sign, a scale or a unit."""
    left = side[1:] if side and side[0].text in "+-" else side
    return bool(left) and left[0].kind == "number" and all(token.kind == "word" for token in left[1:])


def _is_simplified(side: Sequence[Token]) -> bool:
    """Whether nothing is left to be worked out: a numeral, a per cent, or a fraction in lowest terms."""
    unsigned = side[1:] if side and side[0].text in "+-" else side
    texts = [token.text for token in unsigned if token.kind != "word" or token.text == "sqrt"]
    if len(texts) == 3 and texts[1] == "/" and texts[0].isdecimal() and texts[2].isdecimal():
        return texts[2] != "1" and math.gcd(int(texts[0]), int(texts[2])) == 1
    return _is_numeral(side) or texts[1:] == ["%"]
