"""How many cells of memory a pattern of strides reads, and how many of them more than once. Reads nothing."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

MOST_COUNTED = 2**17
"""Cells that overlapping axes may span to be counted one by one, which then takes some 20 ms."""


@dataclass(frozen=True)
class Reads:
    """Cells that are read at all, and cells that are read more than once."""

    cells: int
    twice: int


def reads(shape: Sequence[int], strides: Sequence[int]) -> Reads | None:
    """Of reading each index once; None where the axes overlap over too many cells to count.

    Strides are not negative (torch has none)."""
    if 0 in shape:
        return Reads(0, 0)
    axes = sorted((stride, size) for stride, size in zip(strides, shape, strict=True) if size > 1 and stride)
    repeated = any(size > 1 and not stride for stride, size in zip(strides, shape, strict=True))
    found = _of(axes)
    return Reads(found.cells, found.cells) if found and repeated else found


def _of(axes: list[tuple[int, int]]) -> Reads | None:
    """From the outermost axis inwards: an axis that steps over all that the inner ones span repeats them."""
    if not axes:
        return Reads(1, 0)
    *inner, (stride, size) = axes
    if stride > sum(step * (count - 1) for step, count in inner):
        found = _of(inner)
        return found and Reads(found.cells * size, found.twice * size)
    return _overlapping(axes)


def _overlapping(axes: list[tuple[int, int]]) -> Reads | None:
    """Axes that step into one another; a block of cells that all others step over whole counts as one."""
    (stride, size), *outer = axes
    step = math.gcd(*(step for step, _ in axes))
    if outer and stride == step and all(other % (stride * size) == 0 for other, _ in outer):
        found = _of([(other // (stride * size), count) for other, count in outer])
        return found and Reads(found.cells * size, found.twice * size)
    units = [(other // step, count) for other, count in axes]
    return _folded(units) or _counted(units)


def _folded(axes: list[tuple[int, int]]) -> Reads | None:
    """Axes that together read an interval without a gap, by its length; None where that is not plain.

    Of two intervals shifted by 1 only the first and the last cell are read once, and so it stays."""
    length, flat = 1, True
    for place, (stride, size) in enumerate(axes, 1):
        if flat and stride == length:
            length *= size
        elif stride >= length or (flat and stride > 1 and place < len(axes)):
            return None
        else:
            once = 2 * stride + (size - 2) * max(0, 2 * stride - length) if flat else 2
            length, flat = length + (size - 1) * stride, False
    return Reads(length, 0 if flat else length - once)


def _counted(axes: list[tuple[int, int]]) -> Reads | None:
    """How often each cell is read, one axis after another, by running sums along its stride."""
    cells = sum(stride * (size - 1) for stride, size in axes) + 1
    if cells > MOST_COUNTED:
        return None
    times = [1] + [0] * (cells - 1)
    for stride, size in axes:
        for first in range(min(stride, cells)):
            sums = list(accumulate(times[first::stride]))
            left = [0] * min(size, len(sums)) + sums[: max(len(sums) - size, 0)]
            times[first::stride] = [now - gone for now, gone in zip(sums, left, strict=True)]
    return Reads(sum(1 for count in times if count), sum(1 for count in times if count > 1))
