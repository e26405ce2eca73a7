"""A calendar of weeks with the answers of each day, as numbers for an SVG. Knows no learner."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from math import ceil, sqrt

from studyhub.study.statistics.days import DayAnswers

ROW = 20
LEVELS = (1, 2, 3, 5, 6, 7, 8)
"""Stops of the heat scale; on the fourth no number can be read in the dark."""
WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


@dataclass(frozen=True)
class Cell:
    """A day: its place (x in per cent, y in pixels), its answers, and how dark it is: 0 nothing to 8 most."""

    day: date
    answers: int
    seconds: int
    x: float
    middle: float
    y: int
    level: int
    today: bool


@dataclass(frozen=True)
class Month:
    """The name of a month over the week it begins in."""

    day: date
    x: float


@dataclass(frozen=True)
class Calendar:
    """The weeks, oldest first; widths in per cent."""

    cells: tuple[Cell, ...]
    months: tuple[Month, ...]
    width: float
    height: int


def calendar(days: Sequence[DayAnswers]) -> Calendar:
    """The calendar of days without a gap, the first a Monday, the last today."""
    weeks = ceil(len(days) / 7)
    step, most = 100 / max(weeks, 1), max((one.answers for one in days), default=0)
    cells = tuple(
        _cell(index, one, step=step, most=most, last=len(days) - 1) for index, one in enumerate(days)
    )
    return Calendar(cells, _months(days, step), round(0.9 * step, 3), 7 * ROW)


def _cell(index: int, one: DayAnswers, *, step: float, most: int, last: int) -> Cell:
    week, row = divmod(index, 7)
    left = week * step
    return Cell(
        day=one.day,
        answers=one.answers,
        seconds=one.seconds,
        x=round(left, 3),
        middle=round(left + 0.45 * step, 3),
        y=ROW * row,
        level=LEVELS[round((len(LEVELS) - 1) * sqrt(one.answers / most))] if one.answers else 0,
        today=index == last,
    )


def _months(days: Sequence[DayAnswers], step: float) -> tuple[Month, ...]:
    """The month of the first week, and each that begins later, unless two names would touch."""
    found: list[Month] = []
    for week, monday in enumerate(days[::7]):
        begins = not found or monday.day.month != found[-1].day.month
        if begins and (not found or week * step - found[-1].x >= 2 * step):
            found.append(Month(monday.day, round(week * step, 3)))
        elif begins:
            found[-1] = Month(monday.day, found[-1].x)
    return tuple(found)
