"""Numbers written for people, and the line that shows how an answer was read. Reads nothing itself."""

import re
from fractions import Fraction

from cards.expressions.tokens import Token

_SWAPPED = str.maketrans(",.", ".,")
_SPELLED = {"+": " + ", "-": " − ", "*": " × ", "/": " / ", "=": " = ", "**": "^"}


def format_number(value: Fraction | int, locale: str = "en") -> str:
    """2,621,440 or 12.5 or 256/3: whole numbers grouped, short decimals as such, the rest as a fraction.

    In `de` it is 2.621.440 and 12,5.
    """
    return _in_english(value).translate(_SWAPPED) if locale == "de" else _in_english(value)


def _in_english(value: Fraction | int) -> str:
    """A number with commas between thousands."""
    if value < 0:
        return f"−{_in_english(-value)}"
    value = Fraction(value)
    if value.denominator == 1:
        return f"{value.numerator:,}" if value.numerator.bit_length() <= 80 else _about(value)
    places = next((n for n in range(1, 7) if (value * 10**n).denominator == 1), 0)
    if places:
        whole, part = divmod(value.numerator * 10**places // value.denominator, 10**places)
        return f"{whole:,}.{part:0{places}d}"
    if value.denominator <= 10_000 and value.numerator.bit_length() <= 64:
        return f"{value.numerator:,}/{value.denominator:,}"
    return _about(value)


def _about(value: Fraction) -> str:
    """A number too long to write out, to four digits."""
    try:
        return f"about {float(value):.4g}"
    except OverflowError:
        return f"about 10^{(value.numerator // value.denominator).bit_length() * 30103 // 100000}"


def read_as(tokens: list[Token], value: Fraction, locale: str = "en") -> str:
    """ "Read as the whole number 10", "Read as 4 × 16 = 64": numerals regrouped, signs spaced."""
    shown = format_number(value, locale)
    if all(token.kind == "word" or token.text == "/" for token in tokens[1:]):
        return f"Read as {'the whole number ' if value.denominator == 1 else ''}{shown}"
    if tokens[1].text == "=" and tokens[0].kind == "word":
        return read_as(tokens[2:], value, locale)
    if len(tokens) == 2 and tokens[0].text == "-":
        return f"Read as {shown}"
    written = "".join(_spelled(token, tokens[i - 1] if i else None, locale) for i, token in enumerate(tokens))
    return f"Read as {written.strip()}" + ("" if any(t.text == "=" for t in tokens) else f" = {shown}")


def _spelled(token: Token, before: Token | None, locale: str) -> str:
    """One token in the spelling the echo uses."""
    if token.text in ("x", "X"):
        return " × "
    behind_number = before is not None and before.kind == "number"
    if token.kind == "word":
        return f" {token.text}" if token.text != "sqrt" else " × sqrt" if behind_number else "sqrt"
    if token.text == "(" and behind_number:
        return " + ("
    unary = token.text in "+-" and (before is None or (before.kind == "sign" and before.text not in ")%"))
    if unary:
        return "−" if token.text == "-" else ""
    return (
        re.sub(r"[_ ]", "." if locale == "de" else ",", token.text)
        if token.kind == "number"
        else _SPELLED.get(token.text, token.text)
    )
