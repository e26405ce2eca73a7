"""The chart of what each desired recall leads to on the day of an interview, as numbers for an SVG."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor, log10
from typing import Any

from studyhub.web.charts import HEIGHT, LEFT, RIGHT, TOP, Tick

MOST_TICKS = 5
LABEL_ROOM = 14.0


@dataclass(frozen=True)
class Candidate:
    """One desired recall with its best pace: where it stands, and the ends of its interval."""

    x: float
    y: float
    low: float
    high: float
    row: Mapping[str, Any]
    chosen: bool

    @property
    def label_y(self) -> float:
        """Where its name stands above the interval."""
        return round(self.high - 8, 1)

    @property
    def below(self) -> float:
        """Where its name stands below the interval."""
        return round(self.low + 14, 1)


@dataclass(frozen=True)
class Curve:
    """The candidates, rising, and what the learner has now."""

    xs: tuple[Tick, ...]
    ys: tuple[Tick, ...]
    candidates: tuple[Candidate, ...]
    now: Candidate | None
    segments: tuple[tuple[float, float, float, float], ...]


def curve(plan: Mapping[str, Any]) -> Curve:
    """The chart of a stored plan. `now` is None where it is the plan itself."""
    rows, present = plan["curve"], plan["now"]
    ys = _ticks([*rows, present], plan["cards"])
    left = min(70, 10 * floor(min(row["retention"] for row in [*rows, present]) * 10))

    def place(row: Mapping[str, Any], *, chosen: bool = False) -> Candidate:
        x = _x(100 * row["retention"], left)
        y, low, high = (_y(row[name], ys) for name in ("expected", "low", "high"))
        return Candidate(x, y, low, high, row, chosen)

    found = tuple(place(row, chosen=row["retention"] == plan["desired_retention"]) for row in rows)
    same = (present["retention"], present["new_per_day"]) == (plan["desired_retention"], plan["new_per_day"])
    return Curve(
        xs=tuple(Tick(value, _x(value, left)) for value in range(left, 101, 10)),
        ys=tuple(Tick(value, _y(value, ys)) for value in ys),
        candidates=found,
        now=None if same else place(present),
        segments=tuple((one.x, one.y, two.x, two.y) for one, two in pairwise(found)),
    )


def _ticks(rows: Sequence[Mapping[str, Any]], cards: int) -> list[int]:
    """Round numbers of cards from below the lowest to the highest."""
    lowest, highest = min(row["low"] for row in rows), max(1, *(row["high"] for row in rows))
    step = _step(max(1, min(highest, cards) - lowest))
    return list(range(step * floor(lowest / step), step * ceil(highest / step) + 1, step))


def _step(extent: int) -> int:
    """1, 2 or 5 times a power of ten, so that there are few ticks."""
    power = 10 ** max(0, floor(log10(extent)) - 1)
    wanted: Iterable[int] = (factor * power for factor in (1, 2, 5, 10, 20, 50, 100))
    return next(step for step in wanted if extent / step <= MOST_TICKS - 1)


def _x(value: float, left: float) -> float:
    return round(LEFT + 2 + (RIGHT - LEFT - 4) * (value - left) / (100 - left), 2)


def _y(value: float, ticks: Sequence[int]) -> float:
    least, most = ticks[0], ticks[-1] if len(ticks) > 1 else ticks[0] + 1
    return round(TOP + LABEL_ROOM + (HEIGHT - LABEL_ROOM) * (most - value) / (most - least), 1)
