"""An answer's text cut into numerals, words and signs; what a numeral is worth. Knows no arithmetic."""

import re
from dataclasses import dataclass
from fractions import Fraction

from cards.expressions.text import Plain
from cards.grading import Unreadable, quoted

MAX_TOKENS = 200
MAX_EXPONENT = 1024

_TOKEN = re.compile(
    r"(?P<number>(?:\d{1,3}(?:([,_ ])\d{3})(?:\2\d{3})*(?!\d)(?:\.\d*)?|\d+(?:\.\d*)?|\.\d+)"
    r"(?:[eE][+-]?\d+)?)"
    r"|(?P<word>[A-Za-z_]+)|(?P<sign>\*\*|[-+*/^()%=])"
)
_HEXADECIMAL = re.compile(r"0[xX]\d")
_BLANKS = re.compile(r" *")
_KEYED_BLANKS = (" ", "\t", "\n", "\r")


@dataclass(frozen=True)
class Token:
    """A sign of an answer: its kind (number, word, sign), text, and index in the plain text."""

    kind: str
    text: str
    index: int


def tokens(source: Plain) -> list[Token]:
    """The signs of a text. Raises Unreadable at the first one that is none."""
    found: list[Token] = []
    index = _BLANKS.match(source.text, 0).end()  # type: ignore[union-attr]
    while index < len(source.text):
        match = _TOKEN.match(source.text, index)
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


def literal(source: Plain, token: Token) -> Fraction:
    """The value of a numeral; a comma that could be a decimal one is sent back."""
    digits = token.text
    if re.match(r"0[,_ ]", digits):
        raise Unreadable(
            f"I could not tell what the comma in {quoted(digits)} means. Write a decimal point.",
            source.offset(token.index),
        )
    mantissa, _, exponent = re.sub(r"[,_ ]", "", digits).lower().partition("e")
    if len(exponent) > 5 or abs(int(exponent or 0)) > MAX_EXPONENT:
        raise Unreadable(f"The number {quoted(digits)} is too long to read.", source.offset(token.index))
    whole = mantissa + ("0" if mantissa.endswith(".") else "")
    return Fraction(whole) * Fraction(10) ** int(exponent or 0)
