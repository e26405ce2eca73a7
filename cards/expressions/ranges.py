"""Learners' ranges, two numbers with a word or sign between them. Knows no card; runs nothing.

64-128   64–128   64 to 128   from 64 to 128   between 64 and 128   [64, 128]   64..128   d_head = 64-128 dims
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from cards.expressions.latex_numbers import sliced, without_latex
from cards.expressions.numbers import Number, number_in
from cards.expressions.text import Plain, plain
from cards.expressions.tokens import Token, tokens
from cards.expressions.units import SCALES
from cards.grading import Unreadable, quoted

_WORDS = (
    re.compile(
        r"^(?P<name>[^=]*=)?\s*(?:between|from)\s(?P<low>.+?)\s(?:and|to)\s(?P<high>.+)$", re.I | re.S
    ),
    re.compile(
        r"^(?P<name>[^=]*=)?\s*(?:zwischen|von)\s(?P<low>.+?)\s(?:und|bis)\s(?P<high>.+)$", re.I | re.S
    ),
    re.compile(r"^(?P<name>[^=]*=)?(?P<low>.+?)\s(?:to|bis)\s(?P<high>.+)$", re.I | re.S),
    re.compile(r"^(?P<name>[^=]*=)?(?P<low>.+?)\s*(?:\.\.\.?)\s*(?P<high>.+)$", re.S),
)
_BRACKETED = re.compile(r"^(?P<name>[^=]*=)?\s*[\[(](?P<inside>[^\[\]()]*)[\])](?P<unit>[\sA-Za-z/]*)$", re.S)


@dataclass(frozen=True)
class Range:
    """Two ends, the lower first, and the sentence that shows how they were read."""

    low: Number
    high: Number
    read_as: str
    mathml: str = ""


def read_range(text: str, unit: str = "", names: Iterable[str] = (), *, locale: str = "en") -> Range:
    """The range a learner wrote; a unit at the second end holds for both. Raises Unreadable."""
    source = without_latex(plain(text))
    low_at, high_at, unit_at, name_at = _ends(source, locale)
    names = tuple(names)
    _check_name(source, name_at, unit, names=names)
    low_part, high_part = sliced(source, *low_at), sliced(source, *high_at)
    if unit_at[0] < unit_at[1] and source.text[slice(*unit_at)].strip():
        high_part = _joined(high_part, sliced(source, *unit_at))
    high = number_in(high_part, unit, names, locale=locale)
    _refuse_half_scaled(source, low_part, high_part, locale=locale)
    if high.unit and not _has_words(low_part, locale):
        low_part = _joined(low_part, sliced(source, *_where(source, high.unit_place)))
    low = number_in(low_part, unit, names, locale=locale)
    if low.value != low.written and not high.unit:
        raise Unreadable("Write the unit at the second end too.", len(source.original))
    if low.value > high.value:
        raise Unreadable("The first end is above the second. Write the lower end first.", low_part.offset(0))
    shown = [
        number.read_as.removeprefix("Read as ").removeprefix("the whole number ") for number in (low, high)
    ]
    return Range(low, high, f"Read as the range from {shown[0]} to {shown[1]}")


Span = tuple[int, int]


def _ends(source: Plain, locale: str) -> tuple[Span, Span, Span, Span]:
    """Where the two ends, a unit behind a bracket and a name before a `=` stand in the plain text."""
    none = (0, 0)
    if match := _BRACKETED.match(source.text):
        start, inside = match.start("inside"), match["inside"]
        comma = _comma(inside)
        if comma is not None:
            low, high = (start, start + comma), (start + comma + 1, match.end("inside"))
            return low, high, match.span("unit"), _name(match)
    for pattern in _WORDS:
        if match := pattern.match(source.text):
            return match.span("low"), match.span("high"), none, _name(match)
    begin = source.text.find("=") + 1
    minus = [token for token in _minuses(source, locale) if token.index >= begin]
    if len(minus) != 1:
        raise _two_ends(source)
    at = minus[0].index
    return (begin, at), (at + 1, len(source.text)), none, (0, max(begin - 1, 0))


def _name(match: re.Match[str]) -> Span:
    """The name before the `=`, without it."""
    return (match.start("name"), match.end("name") - 1) if match["name"] else (0, 0)


def _comma(inside: str) -> int | None:
    """The comma or semicolon between two ends, None where there is none or it cannot be told."""
    for pattern in (r";", r",\s", r","):
        found = [match.start() for match in re.finditer(pattern, inside)]
        if found:
            return found[0] if len(found) == 1 else None
    return None


def _minuses(source: Plain, locale: str) -> Iterator[Token]:
    """The minus signs between two values, outside parentheses."""
    depth, before = 0, None
    for token in tokens(source, locale):
        depth += (token.text == "(") - (token.text == ")")
        binary = before is not None and (before.kind != "sign" or before.text in ")%")
        if token.text == "-" and depth == 0 and binary and before is not None:
            yield token
        before = token


def _check_name(source: Plain, span: Span, unit: str, *, names: tuple[str, ...]) -> None:
    """The name before the `=` is one the question uses."""
    if span[0] < span[1]:
        text = f"{source.text[slice(*span)].strip()} = 1"
        try:
            number_in(plain(text), unit, names, locale="en")
        except Unreadable as problem:
            raise _two_ends(source) from problem


def _refuse_half_scaled(source: Plain, low: Plain, high: Plain, *, locale: str) -> None:
    """64-128k may be 64 or 64,000 at its lower end."""
    scaled = [any(token.text in SCALES for token in tokens(part, locale)) for part in (low, high)]
    if scaled == [False, True]:
        message = (
            f"I could not tell where {quoted(source.original)} begins. Write the k, M or B at both ends."
        )
        raise Unreadable(message, low.offset(0))


def _has_words(part: Plain, locale: str) -> bool:
    """Whether an end names a unit of its own."""
    return any(
        token.kind == "word" and token.text not in ("sqrt", "x", "X") for token in tokens(part, locale)
    )


def _joined(part: Plain, tail: Plain) -> Plain:
    """A part followed by the unit that holds for it."""
    return Plain(
        f"{part.text} {tail.text}", (*part.origins[:-1], part.origins[-1], *tail.origins), part.original
    )


def _where(source: Plain, place: Span) -> Span:
    """The part of the plain text that stands at a place of the original."""
    inside = [i for i in range(len(source.text)) if place[0] <= source.origins[i] < place[1]]
    return (inside[0], inside[-1] + 1) if inside else (0, 0)


def _two_ends(source: Plain) -> Unreadable:
    """The refusal that says how a range is written."""
    return Unreadable(f"I could not read {quoted(source.original)}. Give both ends, such as 3 to 17.", 0)
