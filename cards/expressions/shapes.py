"""Learners' shapes read as whole numbers, from digits, axis names or both. Knows no card; runs nothing.

(2, 12, 4, 64)   [2,12,4,64]   2x12x4x64   2 12 4 64   torch.Size([2, 12, 4, 64])   B, H, T, D   (B, T, H*D)
With commas between the axes, x and * are products; without commas, x separates, and without both, blanks do.
What could be two things is sent back: a comma inside a number (1,024), hd, and a lone BT.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from cards.expressions.axes import Ambiguous, axes_of, is_name, is_run
from cards.expressions.text import Plain, plain
from cards.grading import Unreadable, quoted

MAX_RANK = 8
MAX_SIZE = 2**31 - 1
WHOLE = "A shape needs whole numbers of 1 or more"
TOO_LARGE = f"{WHOLE} and at most {MAX_SIZE:,}."
_CALL = re.compile(r"^\s*(?:torch\.)?Size\s*(?=\()|^\s*(?:\w+\.)?shape\s*[=:]\s*")
_TOKEN = re.compile(r" *(?:(\d+)|([A-Za-z_][A-Za-z_0-9]*)|(//|.)) *", re.DOTALL)
_GROUPED = re.compile(r"(?<!\d)\d{1,3},(?=\d{3}(?!\d))")
_PRODUCT, _QUOTIENT = ("*", "x", "X"), ("/", "//")
_OPEN, _CLOSE = "([{<", ")]}>"


@dataclass(frozen=True)
class Shape:
    """Sizes, and the line that shows the learner how they were read."""

    sizes: tuple[int, ...]
    read_as: str


@dataclass(frozen=True)
class _Token:
    text: str
    index: int


def read_shape(text: str, sizes: Mapping[str, int] | None = None) -> Shape:
    """The shape a learner wrote; `sizes` gives B, T, S, H, D and d_model. Raises Unreadable."""
    source = plain(text, times="x")
    _refuse_grouping(source)
    axes = [axis for axis in _axes(source, _inside(source)) if axis]
    if len(axes) == 1 and len(axes[0]) == 1 and is_run(axes[0][0].text) and "," not in source.text:
        raise _unread(source, axes[0][0].index, "Separate the axes, such as B, T.")
    if not axes:
        raise _unread(source, 0, f"{WHOLE}, such as 3, 5, 7.")
    if len(axes) > MAX_RANK:
        raise _unread(source, axes[MAX_RANK][0].index, f"A shape has at most {MAX_RANK} axes here.")
    read = [_size(source, axis, sizes or {}) for axis in axes]
    numbers = tuple(size for size, _ in read)
    written = ", ".join(name for _, name in read) + ("," if len(read) == 1 else "")
    echo = f"Read as a shape with {len(read)} {'axis' if len(read) == 1 else 'axes'}: ({written})"
    return Shape(
        numbers, echo if f"({written})" == format_shape(numbers) else f"{echo} = {format_shape(numbers)}"
    )


def format_shape(sizes: tuple[int, ...]) -> str:
    """(2, 12, 4, 64), as torch writes it."""
    return f"({', '.join(map(str, sizes))}{',' if len(sizes) == 1 else ''})"


def _unread(source: Plain, index: int, way_out: str = f"{WHOLE}.") -> Unreadable:
    return Unreadable(f"I could not read {quoted(source.original)}. {way_out}", source.offset(index))


def _refuse_grouping(source: Plain) -> None:
    """Among commas with blanks after them, 1,024 is one number to a reader and two axes to a parser."""
    match = _GROUPED.search(source.text)
    if match and re.search(r", ", source.text):
        raise _unread(source, match.end() - 1, "Write a size without a comma inside.")


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
                raise _unread(source, end - 1, f"A bracket {source.text[start]} is not closed by {closing}.")
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


def _axes(source: Plain, span: tuple[int, int]) -> list[list[_Token]]:
    """Tokens grouped by axis, by the strongest separator there is."""
    tokens = _tokens(source, span)
    for separators in ((",", ";"), ("x", "X")):
        if any(token.text in separators for token in tokens):
            return _split(source, tokens, separators)
    return [[token] for token in tokens] if _plain_list(tokens) else [tokens]


def _plain_list(tokens: list[_Token]) -> bool:
    """Names and numbers with a blank and no sign between them."""
    apart = all(b.index > a.index + len(a.text) for a, b in pairwise(tokens))
    return apart and all(re.fullmatch(r"\w+", token.text) for token in tokens)


def _tokens(source: Plain, span: tuple[int, int]) -> list[_Token]:
    """Digits, names and signs; an x stuck between numbers or known names is a sign of its own."""
    found: list[_Token] = []
    index, end = span
    while index < end:
        match = _TOKEN.match(source.text, index, end)
        if match is None:
            break
        group = next(g for g in (1, 2, 3) if match[g] is not None)
        found += (
            _unstuck(match[group], match.start(group))
            if group == 2
            else [_Token(match[group], match.start(group))]
        )
        index = match.end()
    return found


def _unstuck(word: str, index: int) -> list[_Token]:
    """`x12x4x64` or `BxHxTxD` taken apart at each x, unless the word is a name as it stands."""
    pieces = re.split(r"([xX])", word)
    known = all(piece in "xX" or piece.isdigit() or is_name(piece) for piece in pieces)
    if is_name(word) or not known:
        return [_Token(word, index)]
    starts = [index + sum(map(len, pieces[:i])) for i in range(len(pieces))]
    return [_Token(piece, start) for piece, start in zip(pieces, starts, strict=True) if piece]


def _split(source: Plain, tokens: list[_Token], separators: tuple[str, ...]) -> list[list[_Token]]:
    """The axes between separators; one more separator may stand at the end, as in (64,)."""
    axes: list[list[_Token]] = [[]]
    for token in tokens:
        if token.text not in separators:
            axes[-1].append(token)
        elif not axes[-1]:
            raise _unread(source, token.index)
        else:
            axes.append([])
    if not axes[-1] and tokens[-1].text not in (",", ";"):
        raise _unread(source, tokens[-1].index)
    return axes


def _size(source: Plain, axis: list[_Token], sizes: Mapping[str, int]) -> tuple[int, str]:
    """One axis: factors multiplied and divided, with the names it was written in."""
    parts = axis[1:-1] if len(axis) > 2 and axis[0].text == "(" and axis[-1].text == ")" else axis
    if len(parts) % 2 == 0:
        raise _unread(source, axis[-1].index)
    size, name = _factor(source, parts[0], sizes)
    for sign, token in zip(parts[1::2], parts[2::2], strict=True):
        if sign.text not in _PRODUCT and sign.text not in _QUOTIENT:
            raise _unread(source, sign.index)
        factor, written = _factor(source, token, sizes)
        if sign.text in _QUOTIENT and size % factor:
            raise _unread(source, token.index, f"{WHOLE}; {size} / {factor} is none.")
        size = size // factor if sign.text in _QUOTIENT else size * factor
        divisor = f"({written})" if "*" in written else written
        name += f"/{divisor}" if sign.text in _QUOTIENT else f"*{written}"
        if size > MAX_SIZE:
            raise _unread(source, token.index, TOO_LARGE)
    return size, name


def _factor(source: Plain, token: _Token, sizes: Mapping[str, int]) -> tuple[int, str]:
    """A number, an axis of known size, or several axes run together."""
    if token.text.isdigit():
        return _number(source, token)
    try:
        axes = axes_of(token.text, sizes)
    except Ambiguous as problem:
        raise _unread(source, token.index, str(problem)) from problem
    if not axes:
        raise _unread(source, token.index)
    for axis in axes:
        if sizes.get(axis, 0) < 1:
            raise _unread(source, token.index, f"This question gives no size for {axis}; write numbers.")
    return math.prod(sizes[axis] for axis in axes), "*".join(axes)


def _number(source: Plain, token: _Token) -> tuple[int, str]:
    """Digits as a size; 012 is rather a piece of 1,012."""
    if len(token.text) > 10 or not 1 <= int(token.text) <= MAX_SIZE:
        raise _unread(source, token.index, TOO_LARGE)
    if token.text.startswith("0"):
        raise _unread(source, token.index, "Write a size without a leading zero or a comma inside.")
    return int(token.text), token.text
