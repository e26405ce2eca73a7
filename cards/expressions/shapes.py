"""Learners' shapes read as whole numbers, from digits, axis names or both. Knows no card; runs nothing.

(2, 12, 4, 64)   [2,12,4,64]   2x12x4x64   2 12 4 64   torch.Size([2, 12, 4, 64])   B, H, T, D   (B, T, H*D)
With commas between the axes, x and * are products; without commas, x separates, and without both, blanks do.
What could be two things is sent back: a comma inside a number (1,024), hd, and a lone BT.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from cards.expressions.axes import Ambiguous, axes_of, is_run
from cards.expressions.shape_text import WHOLE, AxisToken, axes_in, shape_text, unread
from cards.expressions.symbolic_shapes import axis_at
from cards.expressions.text import Plain

MAX_RANK = 8
MAX_SIZE = 2**31 - 1
TOO_LARGE = f"{WHOLE} and at most {MAX_SIZE:,}."
_SUMS = ("+", "-", "^")
_PRODUCT, _QUOTIENT = ("*", "x", "X"), ("/", "//")


@dataclass(frozen=True)
class Shape:
    """Sizes, and the line that shows the learner how they were read."""

    sizes: tuple[int, ...]
    read_as: str


def read_shape(text: str, sizes: Mapping[str, int] | None = None) -> Shape:
    """The shape a learner wrote; `sizes` gives B, T, S, H, D and d_model. Raises Unreadable."""
    source = shape_text(text)
    axes = axes_in(source)
    if len(axes) == 1 and len(axes[0]) == 1 and is_run(axes[0][0].text) and "," not in source.text:
        raise unread(source, axes[0][0].index, "Separate the axes, such as B, T.")
    if not axes:
        raise unread(source, 0, f"{WHOLE}, such as 3, 5, 7.")
    if len(axes) > MAX_RANK:
        raise unread(source, axes[MAX_RANK][0].index, f"A shape has at most {MAX_RANK} axes here.")
    read = [_axis(source, axis, sizes or {}, several=len(axes) > 1) for axis in axes]
    numbers = tuple(size for size, _ in read)
    written = ", ".join(name for _, name in read) + ("," if len(read) == 1 else "")
    echo = f"Read as a shape with {len(read)} {'axis' if len(read) == 1 else 'axes'}: ({written})"
    return Shape(
        numbers, echo if f"({written})" == format_shape(numbers) else f"{echo} = {format_shape(numbers)}"
    )


def format_shape(sizes: tuple[int, ...]) -> str:
    """(2, 12, 4, 64), as torch writes it."""
    return f"({', '.join(map(str, sizes))}{',' if len(sizes) == 1 else ''})"


def _axis(
    source: Plain, axis: list[AxisToken], sizes: Mapping[str, int], *, several: bool
) -> tuple[int, str]:
    """One axis: a product, or among others also a sum or a power (T+1, 2^6)."""
    if not several or not any(token.text in _SUMS for token in axis):
        return _size(source, axis, sizes)
    found = axis_at(source, axis, sizes)
    size = found.values[0]
    if size.denominator != 1 or size > MAX_SIZE:
        raise unread(source, axis[0].index, TOO_LARGE)
    return int(size), found.text


def _size(source: Plain, axis: list[AxisToken], sizes: Mapping[str, int]) -> tuple[int, str]:
    """One axis: factors multiplied and divided, with the names it was written in."""
    parts = axis[1:-1] if len(axis) > 2 and axis[0].text == "(" and axis[-1].text == ")" else axis
    if len(parts) % 2 == 0:
        raise unread(source, axis[-1].index)
    size, name = _factor(source, parts[0], sizes)
    for sign, token in zip(parts[1::2], parts[2::2], strict=True):
        if sign.text not in _PRODUCT and sign.text not in _QUOTIENT:
            raise unread(source, sign.index)
        factor, written = _factor(source, token, sizes)
        if sign.text in _QUOTIENT and size % factor:
            raise unread(source, token.index, f"{WHOLE}; {size} / {factor} is none.")
        size = size // factor if sign.text in _QUOTIENT else size * factor
        divisor = f"({written})" if "*" in written else written
        name += f"/{divisor}" if sign.text in _QUOTIENT else f"*{written}"
        if size > MAX_SIZE:
            raise unread(source, token.index, TOO_LARGE)
    return size, name


def _factor(source: Plain, token: AxisToken, sizes: Mapping[str, int]) -> tuple[int, str]:
    """A number, an axis of known size, or several axes run together."""
    if token.text.isdecimal():
        return _number(source, token)
    try:
        axes = axes_of(token.text, sizes)
    except Ambiguous as problem:
        raise unread(source, token.index, str(problem)) from problem
    if not axes:
        raise unread(source, token.index)
    for axis in axes:
        if sizes.get(axis, 0) < 1:
            raise unread(source, token.index, f"This question gives no size for {axis}; write numbers.")
    return math.prod(sizes[axis] for axis in axes), "*".join(axes)


def _number(source: Plain, token: AxisToken) -> tuple[int, str]:
    """Digits as a size; 012 is rather a piece of 1,012."""
    if len(token.text) > 10 or not 1 <= int(token.text) <= MAX_SIZE:
        raise unread(source, token.index, TOO_LARGE)
    if token.text.startswith("0"):
        raise unread(source, token.index, "Write a size without a leading zero or a comma inside.")
    return int(token.text), token.text
