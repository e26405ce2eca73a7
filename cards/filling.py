"""Drawn values filled into a card: into its texts as they are said, elsewhere as they are. Knows no seed.

`$name` alone is the value; inside a longer text it is written `{{ $name }}`. Numbers of a text to be read are
grouped (1,536), in maths so that they are set alike (1{,}536), and plain in code.
"""

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from cards.draw_values import NAME, PLACE, DrawProblem, Values, value_of
from cards.expressions.echo import format_number
from cards.placing import PLACE as ANSWER

READ = frozenset(
    ["text", "says", "title", "given", "columns", "rubric", "hint", "label", "unit", "why", "waiver"]
)
"""Fields of answers and mistakes that are read by a learner; all others are read by the grader."""
WORDED = re.compile(rf"\{{\{{ *\$({NAME})(?:\.([a-z_]+))? *\}}\}}")
_SPANS = re.compile(
    r"\\.|(?P<code>```.*?```|~~~.*?~~~|(?P<tick>`+).+?(?P=tick))|(?P<maths>\$\$.+?\$\$|\$[^$\n]+\$)",
    re.DOTALL,
)
DECIMALS = 4


def filled(value: Any, values: Values, *, read: bool = False) -> Any:
    """A value of front matter with every place filled. Raises DrawProblem naming a name that is not drawn."""
    if isinstance(value, str):
        return filled_text(value, values) if read else _put(value, values)
    if isinstance(value, Mapping):
        return {name: filled(one, values, read=name in READ) for name, one in value.items()}
    return [filled(one, values, read=read) for one in value] if isinstance(value, list | tuple) else value


def filled_text(text: str, values: Values) -> str:
    """A Markdown text with its places filled as they are read. Raises DrawProblem."""
    if (alone := PLACE.fullmatch(text)) and alone[1] in values:
        return said(value_of(alone[1], alone[2] or "", values))
    masked = WORDED.sub(lambda place: "_" * len(place[0]), text)
    spans = [(one.start(), one.end(), one.lastgroup and _kind(one)) for one in _SPANS.finditer(masked)]

    def word(place: re.Match[str]) -> str:
        kind = next((kind for start, end, kind in spans if start <= place.start() < end), "")
        return said(value_of(place[1], place[2] or "", values), kind or "")

    return WORDED.sub(word, text)


def unfilled(value: Any) -> str:
    """The first place that nothing has filled, as it is written; "" where there is none."""
    if isinstance(value, str):
        found = WORDED.search(value)
        return found[0] if found else ""
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ()
    return next(filter(None, map(unfilled, inner)), "")


def said(value: Any, within: str = "") -> str:
    """A value in words: 1,536; 1{,}536 in maths; 1536 in code; (2, 4, 8) for a list."""
    if isinstance(value, list | tuple):
        return f"({', '.join(said(one, within) for one in value)})"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    exact = Fraction(value) if isinstance(value, int) else Fraction(str(round(value, DECIMALS)))
    if within == "code":
        return str(int(exact)) if exact.denominator == 1 else str(float(exact))
    shown = format_number(exact)
    return shown.replace(",", "{,}").replace("−", "-") if within == "maths" else shown


def _put(value: str, values: Values) -> Any:
    """A text for the grader: the value itself where a place stands alone, else one with plain numbers."""
    if value != ANSWER and (place := PLACE.fullmatch(value)):
        return value_of(place[1], place[2] or "", values)
    return WORDED.sub(lambda place: said(value_of(place[1], place[2] or "", values), "code"), value)


def _kind(span: re.Match[str]) -> str:
    return "code" if span["code"] else "maths" if span["maths"] else ""


__all__ = ["DrawProblem", "filled", "filled_text", "said", "unfilled"]
