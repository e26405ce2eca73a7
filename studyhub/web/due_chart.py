"""The chart of what is due a day, as things stand beside as rescheduled, as numbers for an SVG."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from studyhub.study.dues import DueDifference
from studyhub.web.charts import Tick

LEFT, TOP, HEIGHT = 5.0, 14.0, 150.0
"""Room for the numbers of the axis in per cent; pixels above and of the columns."""
EVERY = 5
"""Days from one label to the next: more would touch on a phone."""


@dataclass(frozen=True)
class Column:
    """A day: its bar is what is due as rescheduled, its line what is due as things stand."""

    x: float
    middle: float
    right: float
    width: float
    y: float
    height: float
    now_y: float
    now: int
    then: int
    name: str
    label: str


@dataclass(frozen=True)
class Columns:
    """All days, after what is late, under one scale."""

    columns: tuple[Column, ...]
    ticks: tuple[Tick, ...]


def due_columns(found: DueDifference) -> Columns:
    """The chart of a difference."""
    late = [(found.overdue_now, found.overdue_then, "Late", "late")]
    rows = [*(late if found.overdue_now or found.overdue_then else []), *_days(found)]
    most = _round_up(max(max(row[0], row[1]) for row in rows))
    step = (100 - LEFT) / len(rows)
    return Columns(
        tuple(_column(LEFT + place * step, step, most, row) for place, row in enumerate(rows)),
        tuple(Tick(value, _y(value, most)) for value in sorted({0, most // 2, most})),
    )


def _days(found: DueDifference) -> list[tuple[int, int, str, str]]:
    return [
        (day.now, day.then, f"{day.day:%A} {day.day.day} {day.day:%B}", _label(place, day.day.day))
        for place, day in enumerate(found.days)
    ]


def _label(place: int, day: int) -> str:
    """Every fifth day, but not the first: it would touch what is late."""
    return str(day) if place and not place % EVERY else ""


def _column(left: float, step: float, most: int, row: Sequence[int | str]) -> Column:
    now, then = int(row[0]), int(row[1])
    return Column(
        x=round(left + 0.14 * step, 2),
        middle=round(left + 0.5 * step, 2),
        right=round(left + 0.98 * step, 2),
        width=round(0.72 * step, 2),
        y=_y(then, most),
        height=round(HEIGHT * then / most, 1),
        now_y=_y(now, most),
        now=now,
        then=then,
        name=str(row[2]),
        label=str(row[3]),
    )


def _y(value: int, most: int) -> float:
    return round(TOP + HEIGHT * (most - value) / most, 1)


def _round_up(most: int) -> int:
    """The next even number, or multiple of ten beyond twenty."""
    unit = 2 if most <= 20 else 10 if most <= 200 else 100
    return max(2, unit * ceil(most / unit))
