"""A learner's shape cut into its axes, each a few signs. Knows no sizes and no names' meaning."""

import re
from dataclasses import dataclass
from itertools import pairwise

from cards.expressions.axes import is_name
from cards.expressions.latex_numbers import without_latex
from cards.expressions.text import Plain, plain
from cards.grading import Unreadable, quoted

WHOLE = "A shape needs whole numbers of 1 or more"
_CALL = re.compile(r"^\s*(?:torch\.)?[Ss]ize\s*(?=\()|^\s*(?:\w+\.)?(?:shape|size\(\))\s*[=:]\s*")
_TOKEN = re.compile(r" *(?:(\d+)|([A-Za-z_][A-Za-z_0-9]*)|(//|.)) *", re.DOTALL)
_GROUPED = re.compile(r"(?<!\d)\d{1,3},(?=\d{3}(?!\d))")
_OPEN, _CLOSE = "([{<", ")]}>"


@dataclass(frozen=True)
class AxisToken:
    """A number, a name or a sign of one axis, and where it stands in the plain text."""

    text: str
    index: int


def shape_text(text: str) -> Plain:
    """The learner's text made plain, a multiplication sign as x. Raises Unreadable."""
    source = without_latex(plain(text, times="x"), times="x", way_out=f"{WHOLE}.")
    _refuse_grouping(source)
    return source


def axes_in(source: Plain) -> list[list[AxisToken]]:
    """The signs of each axis. Raises Unreadable."""
    return [axis for axis in _axes(source, _inside(source)) if axis]


def unread(source: Plain, index: int, way_out: str = f"{WHOLE}.") -> Unreadable:
    """The refusal that quotes the whole answer and points at a sign."""
    return Unreadable(f"I could not read {quoted(source.original)}. {way_out}", source.offset(index))


def _refuse_grouping(source: Plain) -> None:
    """Among commas with blanks after them, 1,024 is one number to a reader and two axes to a parser."""
    match = _GROUPED.search(source.text)
    if match and re.search(r", ", source.text):
        raise unread(source, match.end() - 1, "Write a size without a comma inside.")


def _inside(source: Plain) -> tuple[int, int]:
    """Where the axes stand: past torch.Size and matching brackets."""
    call = _CALL.match(source.text)
    start, end = call.end() if call else 0, len(source.text.rstrip())
    while start < end and source.text[start] in _OPEN + " ":
        if source.text[start] != " ":
            closing = _CLOSE[_OPEN.index(source.text[start])]
            if not _encloses(source.text, start, end):
                break
            if source.text[end - 1] != closing:
                raise unread(source, end - 1, f"A bracket {source.text[start]} is not closed by {closing}.")
            end -= 1
            while end > start and source.text[end - 1] == " ":
                end -= 1
        start += 1
    return start, end


def _encloses(text: str, start: int, end: int) -> bool:
    """Whether the bracket at start closes at the very end (or never)."""
    depth = 0
    for index in range(start, end):
        depth += (text[index] in _OPEN) - (text[index] in _CLOSE)
        if depth == 0:
            return index == end - 1
    return True


def _axes(source: Plain, span: tuple[int, int]) -> list[list[AxisToken]]:
    """Tokens grouped by axis, by the strongest separator there is."""
    tokens = _tokens(source, span)
    for separators in ((",", ";"), ("x", "X")):
        if any(token.text in separators for token in tokens):
            return _split(source, tokens, separators)
    return [[token] for token in tokens] if _plain_list(tokens) else [tokens]


def _plain_list(tokens: list[AxisToken]) -> bool:
    """Names and numbers with a blank and no sign between them."""
    apart = all(b.index > a.index + len(a.text) for a, b in pairwise(tokens))
    return apart and all(re.fullmatch(r"\w+", token.text) for token in tokens)


def _tokens(source: Plain, span: tuple[int, int]) -> list[AxisToken]:
    """Digits, names and signs; an x stuck between numbers or known names is a sign of its own."""
    found: list[AxisToken] = []
    index, end = span
    while index < end:
        match = _TOKEN.match(source.text, index, end)
        if match is None:
            break
        group = next(g for g in (1, 2, 3) if match[g] is not None)
        found += (
            _unstuck(match[group], match.start(group))
            if group == 2
            else [AxisToken(match[group], match.start(group))]
        )
        index = match.end()
    return found


def _unstuck(word: str, index: int) -> list[AxisToken]:
    """`x12x4x64` or `BxHxTxD` taken apart at each x, unless the word is a name as it stands."""
    pieces = re.split(r"([xX])", word)
    known = all(piece in "xX" or piece.isdecimal() or is_name(piece) for piece in pieces)
    if is_name(word) or not known:
        return [AxisToken(word, index)]
    starts = [index + sum(map(len, pieces[:i])) for i in range(len(pieces))]
    return [AxisToken(piece, start) for piece, start in zip(pieces, starts, strict=True) if piece]


def _split(source: Plain, tokens: list[AxisToken], separators: tuple[str, ...]) -> list[list[AxisToken]]:
    """The axes between separators; one more separator may stand at the end, as in (64,)."""
    axes: list[list[AxisToken]] = [[]]
    for token in tokens:
        if token.text not in separators:
            axes[-1].append(token)
        elif not axes[-1]:
            raise unread(source, token.index)
        else:
            axes.append([])
    if not axes[-1] and tokens[-1].text not in (",", ";"):
        raise unread(source, tokens[-1].index)
    return axes
