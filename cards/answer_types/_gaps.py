"""A text with gaps taken apart: `{{id}}`, `{{id::answer}}`, `{{id::answer::hint}}`. Knows no type of answer.

Braces may nest, as in `{{root::\\frac{1}{\\sqrt{d_k}}::a root}}`: a gap ends at the `}}` at which its own
braces are closed. A brace after a backslash is a sign of its own.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cards.grading import LONGEST_ID
from cards.keys import KeyProblem

LONGEST = 8000  # characters of a text with gaps
SHOWN = 40
_OPEN = "{{"
_NAME = re.compile(rf"\s*([A-Za-z][A-Za-z0-9_-]{{0,{LONGEST_ID - 1}}})\s*(?=::|$)")


@dataclass(frozen=True)
class Gap:
    """A gap: its id, the answer that stands in the text ("" for none), and a hint."""

    id: str
    answer: str
    hint: str


def pieces_of(text: str) -> list[str | Gap]:
    """Texts and gaps in the order they stand. Raises KeyProblem for a gap that is none or never closed."""
    if len(text) > LONGEST:
        raise KeyProblem(f"a text with gaps has at most {LONGEST:,} characters, not {len(text):,}")
    pieces: list[str | Gap] = []
    start = 0
    while (opened := text.find(_OPEN, start)) >= 0:
        end = _closed(text, opened + len(_OPEN))
        pieces += [text[start:opened], _gap(text[opened + len(_OPEN) : end])]
        start = end + len(_OPEN)
    return [piece for piece in [*pieces, text[start:]] if piece]


def _closed(text: str, start: int) -> int:
    """Where the `}}` of a gap stands whose inside begins at `start`. Raises KeyProblem if it has none."""
    depth, index = 0, start
    while index < len(text):
        sign = text[index]
        if sign == "\\":
            index += 1
        elif sign == "{":
            depth += 1
        elif sign == "}" and depth:
            depth -= 1
        elif text.startswith("}}", index):
            return index
        elif sign == "}":
            break
        index += 1
    raise KeyProblem(f"a gap is opened and never closed: {text[start - 2 : start + SHOWN]!r}")


def _gap(inside: str) -> Gap:
    name = _NAME.match(inside)
    if name is None:
        raise KeyProblem(
            f"a gap is {{{{id}}}} or {{{{id::answer::hint}}}}, not {{{{{inside[:SHOWN]}}}}}; "
            "in a formula write a blank between two braces"
        )
    fields = [field.strip() for field in _fields(inside[name.end() :])]
    if len(fields) > 2:
        raise KeyProblem(f"gap {name[1]}: an answer that holds :: stands under gaps, as its key")
    answer, hint = [*fields, "", ""][:2]
    return Gap(name[1], answer, hint)


def _fields(rest: str) -> Iterator[str]:
    """What follows each `::` that stands in no braces."""
    depth, start, index = 0, 0, 0
    while index < len(rest):
        sign = rest[index]
        if sign == "\\":
            index += 1
        elif sign in "{}":
            depth += 1 if sign == "{" else -1
        elif depth == 0 and rest.startswith("::", index):
            if index:
                yield rest[start:index]
            start = index = index + 2
            continue
        index += 1
    if start:
        yield rest[start:]


def splits_formula(pieces: list[str | Gap]) -> bool:
    """Whether a gap stands inside a formula, which would fall apart."""
    texts = [re.sub(r"\\.", "", piece) for piece in pieces if isinstance(piece, str)]
    return any(text.count("$") % 2 for text in texts)
