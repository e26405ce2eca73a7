"""Charts of shares and counts as numbers for an SVG: x in per cent of its width, y in pixels."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import floor, sqrt

from studyhub.study.statistics.calibration import PromiseBin
from studyhub.study.statistics.shares import Share

LEFT, RIGHT = 13.0, 96.0  # per cent
TOP, HEIGHT = 14.0, 190.0
BESIDE, NEAR, LINE = 12.0, 7.0, 20.0
"""Numbers nearer than this would touch: side by side, so near that both shift outwards, and in height."""
SMALLEST_DOT, LARGEST_DOT = 4.0, 8.0
FEW_WORDS = 30
"""From fewer answers than this, a page says so in words."""


@dataclass(frozen=True)
class Tick:
    """A mark on an axis: its value in per cent, and where it stands."""

    value: int
    at: float


@dataclass(frozen=True)
class Dot:
    """A bin: where it stands, the ends of its interval, and how it is drawn."""

    x: float
    y: float
    low: float
    high: float
    radius: float
    hollow: bool
    number: int
    promised: int
    recalled: int
    label_y: float = 0.0  # of its number: below the interval, above it where its neighbour's stands below
    anchor: str = ""  # start or end where its neighbour is near on the other side


@dataclass(frozen=True)
class Plot:
    """The promised and the recalled shares in one square, with the line where they are equal."""

    xs: tuple[Tick, ...]
    ys: tuple[Tick, ...]
    dots: tuple[Dot, ...]
    start: tuple[float, float]
    end: tuple[float, float]


def calibration_plot(bins: Sequence[PromiseBin]) -> Plot:
    """The plot of at least one bin; both axes end at 100 and begin where the data do."""
    left = min(70, 10 * floor(min(one.promised for one in bins) * 10))
    bottom = min(80, 20 * floor(min(one.share.low for one in bins) * 5))
    most = max(one.share.number for one in bins)
    equal = max(left, bottom)
    return Plot(
        xs=tuple(Tick(value, _x(value, left)) for value in _ticks(left, 10 if left >= 50 else 20)),
        ys=tuple(Tick(value, _y(value, bottom)) for value in _ticks(bottom, 20)),
        dots=_labelled([_dot(one, left, bottom=bottom, most=most) for one in bins]),
        start=(_x(equal, left), _y(equal, bottom)),
        end=(_x(100, left), _y(100, bottom)),
    )


def _ticks(first: int, step: int) -> Iterable[int]:
    return range(100, first - 1, -step)


def _x(value: float, left: float) -> float:
    return round(LEFT + 3 + (RIGHT - LEFT - 3) * (value - left) / (100 - left), 2)


def _y(value: float, bottom: float) -> float:
    return round(TOP + HEIGHT * (100 - value) / (100 - bottom), 1)


def _dot(one: PromiseBin, left: float, *, bottom: float, most: int) -> Dot:
    share, value = one.share, one.share.value or 0.0
    return Dot(
        x=_x(100 * one.promised, left),
        y=_y(100 * value, bottom),
        low=_y(100 * share.low, bottom),
        high=_y(100 * share.high, bottom),
        radius=round(SMALLEST_DOT + (LARGEST_DOT - SMALLEST_DOT) * sqrt(share.number / most), 1),
        hollow=share.few,
        number=share.number,
        promised=round(100 * one.promised),
        recalled=round(100 * value),
    )


def _labelled(dots: Sequence[Dot]) -> tuple[Dot, ...]:
    """Numbers in different places where they would touch: neighbours above and below, near ones outwards."""
    found: list[Dot] = []
    for number, dot in enumerate(dots):
        below = round(max(dot.low, dot.y + dot.radius) + 14, 1)
        above = round(min(dot.high, dot.y - dot.radius) - 6, 1)
        touches = found and dot.x - found[-1].x < BESIDE and abs(below - found[-1].label_y) < LINE
        after = number + 1 < len(dots) and dots[number + 1].x - dot.x < NEAR
        before = bool(found) and dot.x - found[-1].x < NEAR
        outwards = "" if after == before else "end" if after else "start"
        found.append(replace(dot, label_y=above if touches else below, anchor=outwards))
    return tuple(found)


@dataclass(frozen=True)
class Strip:
    """A share on a line from 0 to 100: the dot, the band of its interval, in per cent."""

    at: float
    low: float
    width: float
    hollow: bool
    few: bool


def strip(share: Share) -> Strip | None:
    """The strip of a share; None of nothing."""
    if share.value is None:
        return None
    low, high = 100 * share.low, 100 * share.high
    at = round(100 * share.value, 2)
    return Strip(at, round(low, 2), round(high - low, 2), share.few, share.number < FEW_WORDS)


BARS_TOP, BARS_HEIGHT = 36.0, 104.0


@dataclass(frozen=True)
class Bar:
    """A count as a bar over its label; `late` is what was due before."""

    x: float
    middle: float
    width: float
    y: float
    height: float
    number: int
    label: str
    below: str = ""
    late: bool = False

    @property
    def label_y(self) -> float:
        """The upper edge of its number."""
        return self.y - 18


def bars(rows: Sequence[tuple[int, str, str]], *, late: int = 0) -> tuple[Bar, ...]:
    """Bars of (count, label, second label); before them, where there is any, what is late."""
    columns = [(late, "late", "", True)] if late else []
    columns += [(number, label, below, False) for number, label, below in rows]
    step, tallest = 100 / max(len(columns), 1), max((column[0] for column in columns), default=0) or 1
    return tuple(
        _bar(index * step, step, round(BARS_HEIGHT * column[0] / tallest, 1), column)
        for index, column in enumerate(columns)
    )


def _bar(left: float, step: float, height: float, column: tuple[int, str, str, bool]) -> Bar:
    number, label, below, late = column
    return Bar(
        x=round(left + 0.14 * step, 2),
        middle=round(left + 0.5 * step, 2),
        width=round(0.72 * step, 2),
        y=round(BARS_HEIGHT - height + BARS_TOP, 1),
        height=height,
        number=number,
        label=label,
        below=below,
        late=late,
    )
