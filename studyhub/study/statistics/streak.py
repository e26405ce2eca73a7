"""Study days in a row that neither travel nor a missing calendar day breaks. Knows no learner and no clock.

Westward over the date line a calendar day is never lived, eastward one is lived twice. So a run holds
where the next study day is the next date, or begins, in its zone, soon after the last one ended in its own.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from studyhub.study.scheduling import rollover

LONGEST_JOURNEY = timedelta(hours=18)
"""A flight without a local day; a day left out at one place is a gap of 22 hours or more."""
Place = tuple[str, int]
"""Time zone (IANA) and rollover hour of an answer."""


@dataclass(frozen=True)
class ActiveDay:
    """A study day on which something was answered, from its begin to its end where that was (UTC)."""

    day: date
    begins: datetime
    ends: datetime


def active_day(day: date, places: Sequence[Place]) -> ActiveDay:
    """The day at all places it was lived at, one at least. Raises UnknownTimeZone."""
    begins = [rollover(day, time_zone=zone, hour=hour) for zone, hour in places]
    ends = [rollover(day + timedelta(days=1), time_zone=zone, hour=hour) for zone, hour in places]
    return ActiveDay(day, min(begins), max(ends))


def joined(earlier: ActiveDay, later: ActiveDay) -> bool:
    """Whether no day was left out between them."""
    follows = later.day - earlier.day <= timedelta(days=1)
    return follows or later.begins - earlier.ends < LONGEST_JOURNEY


def streak(days: Iterable[ActiveDay], today: ActiveDay) -> int:
    """The length of the run that ends today or, while today is open, at the day before.

    `days`: different study days, latest first; no more are taken than decide. One later than today was lived
    further west.
    """
    run, reached = 0, today
    for day in days:
        if not joined(day, reached):
            break
        run, reached = run + 1, day
    return run
