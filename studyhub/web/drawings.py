"""Small pictures made on the server from whole numbers: bands of heads, bars of a shape, days. Knows no card.

Everything is given in per cent of the picture's width, so that the SVG follows the page without a script.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

NUMBERED = 24  # with more bands than this a number no longer fits into one
MOST_BANDS = 128


@dataclass(frozen=True)
class Band:
    """One head on the bar: where it starts, how wide it is and its middle, in per cent."""

    number: int
    start: float
    width: float
    middle: float


@dataclass(frozen=True)
class Bands:
    """Features of q cut into heads: the bands (one for all where they are too many), what is left over."""

    bands: tuple[Band, ...]
    numbered: bool
    lumped: bool
    covered: float
    num_heads: int
    d_head: int
    total: int
    left_over: int
    over: int
    rest: float
    features_end: float


def bands(*, features: int, num_heads: int, d_head: int) -> Bands | None:
    """The bar of a split, or None where there is nothing to cut or nothing to cut it into."""
    inner = num_heads * d_head
    if features < 1 or num_heads < 1:
        return None
    drawn = num_heads if num_heads <= MOST_BANDS and d_head else min(d_head, 1)
    width = 100 * inner / max(features, inner) / max(drawn, 1)
    found = tuple(
        Band(number, round(number * width, 3), round(width, 3), round((number + 0.5) * width, 3))
        for number in range(drawn)
    )
    return Bands(
        bands=found,
        numbered=len(found) == num_heads <= NUMBERED,
        lumped=bool(found) and len(found) < num_heads,
        covered=round(drawn * width, 3),
        num_heads=num_heads,
        d_head=d_head,
        total=inner,
        left_over=max(features - inner, 0),
        over=max(inner - features, 0),
        rest=round(max(100 - drawn * width, 0), 3),
        features_end=round(100 * features / max(features, inner), 3),
    )


@dataclass(frozen=True)
class Piece:
    """One axis of a shape: letter, size, and its piece of the bar (logarithmic, so products add up)."""

    axis: str
    size: int
    start: float
    width: float


def axis_class(name: str) -> str:
    """The axis whose colour a name has: H for H_kv, and d_model for H*D, which is one unbroken width too."""
    axis = name.partition("_")[0]
    return axis if axis in {"B", "T", "H", "D"} else "d_model"


def pieces(*, axes: Sequence[str], shape: Sequence[int], longest: float) -> tuple[Piece, ...]:
    """A shape as a bar. `longest` is log2 of the largest number of elements in the table."""
    found: list[Piece] = []
    start, gap = 0.0, 1.5
    room = 100 - gap * 3
    for axis, size in zip(axes, shape, strict=True):
        width = max(room * math.log2(max(size, 1)) / longest, 2.0)
        found.append(Piece(axis_class(axis), size, round(start, 2), round(width, 2)))
        start += width + gap
    return tuple(found)


def longest_shape(shapes: Sequence[Sequence[int]]) -> float:
    """log2 of the largest number of elements among these shapes, at least 1."""
    return max((math.log2(max(math.prod(shape), 2)) for shape in shapes), default=1.0)


@dataclass(frozen=True)
class DayBar:
    """One day of the last fortnight: its label, its count and its bar in per cent of the tallest."""

    day: date
    answers: int
    x: float
    middle: float
    y: float
    height: float


def day_bars(by_day: Mapping[date, int] | Sequence[tuple[date, int]]) -> tuple[DayBar, ...]:
    """Answers a day as bars 44 units high."""
    rows = list(by_day.items()) if isinstance(by_day, Mapping) else list(by_day)
    tallest, step = max((count for _, count in rows), default=0) or 1, 100 / max(len(rows), 1)
    return tuple(
        _day_bar(index, day, count, step=step, tallest=tallest) for index, (day, count) in enumerate(rows)
    )


def _day_bar(index: int, day: date, count: int, *, step: float, tallest: int) -> DayBar:
    height = round(44 * count / tallest, 2)
    left, middle = round((index + 0.2) * step, 2), round((index + 0.5) * step, 2)
    return DayBar(day=day, answers=count, x=left, middle=middle, y=round(44 - height, 2), height=height)
