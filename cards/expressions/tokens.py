"""An answer's text cut into numerals, words and signs; what a numeral is worth. Knows no arithmetic."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

from cards.expressions.text import Plain
from cards.grading import Unreadable, quoted

MAX_TOKENS = 200
MAX_EXPONENT = 1024


def _pattern(groups: str, decimals: str) -> re.Pattern[str]:
    """The signs of an answer, where `groups` may stand between thousands and `decimals` before decimals."""
    return re.compile(
        rf"(?P<number>(?:\d{{1,3}}(?:([{groups}])\d{{3}})(?:\2\d{{3}})*(?!\d)(?:[{decimals}]\d*)?"
        rf"|\d+(?:[{decimals}]\d*)?|[{decimals}]\d+)(?:[eE][+-]?\d+)?)"
        r"|(?P<word>[A-Za-zμ_]+)|(?P<sign>\*\*|[-+*/^()%=])"
    )


_TOKENS: Mapping[str, re.Pattern[str]] = MappingProxyType(
    {"en": _pattern(",_ ", "."), "de": _pattern("._ ", ","), "any": _pattern(",._ ", ".,")}
)
_DECIMAL = {"en": ".", "de": ","}
_NAMES = {",": "comma", ".": "point", "_": "underscore", " ": "blank"}
_HEXADECIMAL = re.compile(r"0[xX]\d")
_DIGITS = re.compile(r"[\d.,]+")
_BLANKS = re.compile(r" *")
_KEYED_BLANKS = (" ", "\t", "\n", "\r", "\u2028", "\u2029")


@dataclass(frozen=True)
class Token:
    """A sign of an answer: its kind (number, word, sign), text, and index in the plain text."""

    kind: str
    text: str
    index: int


def tokens(source: Plain, locale: str = "en") -> list[Token]:
    """The signs of a text. Raises Unreadable at the first one that is none."""
    found: list[Token] = []
    index = _BLANKS.match(source.text, 0).end()  # type: ignore[union-attr]
    while index < len(source.text):
        match = _TOKENS[locale].match(source.text, index)
        if not match and found and found[-1].kind == "number" and source.text[index] in ",.":
            whole = _DIGITS.match(source.text, found[-1].index)
            raise _unclear(source, whole[0] if whole else "", index, locale=locale)
        if not match or _HEXADECIMAL.match(source.text, index) or _two_numbers(source, match):
            raise unread(source, index)
        found.append(Token(str(match.lastgroup), match[0], index))
        index = _BLANKS.match(source.text, match.end()).end()  # type: ignore[union-attr]
    if len(found) > MAX_TOKENS:
        raise Unreadable(f"That has {len(found)} parts; up to {MAX_TOKENS} are read.", source.offset(0))
    return found


def unread(source: Plain, index: int) -> Unreadable:
    """The refusal that quotes the whole answer and points at the sign."""
    return Unreadable(f"I could not read {quoted(source.original)}. Give one number.", source.offset(index))


def _two_numbers(source: Plain, match: re.Match[str]) -> bool:
    """64 128 is as likely two numbers as one; 1 234 567 is not, nor is a blank that only typesetting uses."""
    digits = match[0]
    if digits.count(" ") != 1:
        return False
    blank = source.original[source.offset(match.start() + digits.index(" "))]
    return blank in _KEYED_BLANKS


def literal(source: Plain, token: Token, locale: str = "en") -> Fraction:
    """The value of a numeral; a comma or point that could be the other kind is sent back."""
    digits = token.text
    mantissa, _, exponent = digits.lower().partition("e")
    decimal = _DECIMAL.get(locale) or _decimal_of(mantissa, bool(exponent))
    if not decimal or _leading_zero(mantissa, decimal):
        raise _unclear(source, digits, token.index, locale=locale)
    mantissa = "".join(c if c.isdecimal() else "." if c == decimal else "" for c in mantissa)
    if len(exponent) > 5 or abs(int(exponent or 0)) > MAX_EXPONENT:
        raise Unreadable(f"The number {quoted(digits)} is too long to read.", source.offset(token.index))
    whole = mantissa + ("0" if mantissa.endswith(".") else "")
    return Fraction(whole) * Fraction(10) ** int(exponent or 0)


def _leading_zero(mantissa: str, decimal: str) -> bool:
    """0,125 groups nothing: the comma is meant as a decimal one."""
    return mantissa[:1] == "0" and mantissa[1:2] in tuple({",", ".", "_", " "} - {decimal})


def _decimal_of(mantissa: str, scientific: bool) -> str:
    """Which sign stands before the decimals where either may; "" where it cannot be told (1,536)."""
    signs = [c for c in mantissa if c in ",."]
    if not signs:
        return "."
    last = signs[-1]
    if len(set(signs)) == 2 or " " in mantissa or "_" in mantissa:
        return last if signs.count(last) == 1 else ""
    if len(signs) > 1:
        chunks = mantissa.split(last)
        grouped = all(len(chunk) == 3 for chunk in chunks[1:])
        return "" if not grouped else "," if last == "." else "."
    before, _, after = mantissa.partition(last)
    grouped = len(after) == 3 and 1 <= len(before) <= 3 and not before.startswith("0")
    return "" if grouped and not scientific else last


def _unclear(source: Plain, digits: str, index: int, *, locale: str) -> Unreadable:
    """The refusal that asks for the sign this question reads."""
    sign = next((c for c in digits if c in ",._ "), ",")
    way_out = {"en": "Write a decimal point.", "de": "Write a decimal comma."}.get(
        locale, "Write the number without it, or with all its decimals."
    )
    message = f"I could not tell what the {_NAMES[sign]} in {quoted(digits)} means. {way_out}"
    return Unreadable(message, source.offset(index))
