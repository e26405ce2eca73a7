"""Answers, time and days in a row, from the sums kept for each study day. Knows no card."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import F, Min, Sum

from studyhub.study.models import DayRollup, Learner, Review
from studyhub.study.statistics.streak import ActiveDay, Place, active_day, streak
from studyhub.study.zones import study_day_of

_ANSWERS = F("again") + F("hard") + F("good") + F("easy")


@dataclass(frozen=True)
class DayAnswers:
    """What was answered on one study day, and the seconds it took."""

    day: date
    answers: int
    seconds: int


@dataclass(frozen=True)
class Totals:
    """All answers ever, the seconds they took, and the first study day with one; None before it."""

    answers: int
    seconds: int
    since: date | None


def heat_map(learner: Learner, now: datetime, weeks: int = 26) -> list[DayAnswers]:
    """Every study day of this week and the `weeks` - 1 before, Monday first, to today; one query."""
    today = study_day_of(learner, now)
    return _days(learner, today - timedelta(days=today.weekday() + 7 * (weeks - 1)), today)


def answers_by_day(learner: Learner, now: datetime, days: int = 14) -> list[tuple[date, int]]:
    """[(study day, answers)] for the last `days` study days, today last; days without are 0."""
    today = study_day_of(learner, now)
    return [(row.day, row.answers) for row in _days(learner, today - timedelta(days=days - 1), today)]


def totals(learner: Learner) -> Totals:
    """Everything ever answered; one query."""
    found = _active(learner).aggregate(sum=Sum("number"), ms=Sum("elapsed_ms"), since=Min("study_day"))
    return Totals(found["sum"] or 0, (found["ms"] or 0) // 1000, found["since"])


def days_in_a_row(learner: Learner, now: datetime) -> int:
    """Study days with answers up to today; neither a today not begun nor a journey breaks the run.

    One query, and one more for each date that is missing from it.
    """
    today = active_day(study_day_of(learner, now), [(learner.time_zone, learner.rollover_hour)])
    return streak(_latest(learner, today.day), today)


def _latest(learner: Learner, today: date) -> Iterator[ActiveDay]:
    """Days with answers, latest first; where they were lived is asked only beside a missing date."""
    days = list(_active(learner).order_by("-study_day").values_list("study_day", flat=True))
    for later, day, earlier in zip([today, *days], days, [*days[1:], None], strict=False):
        dense = earlier is not None and _follows(earlier, day) and _follows(day, later)
        here = [(learner.time_zone, learner.rollover_hour)]
        yield active_day(day, (not dense and _places(learner, day)) or here)


def _follows(earlier: date, later: date) -> bool:
    return later - earlier <= timedelta(days=1)


def _places(learner: Learner, day: date) -> list[Place]:
    answers = Review.objects.filter(learner=learner, study_day=day, kind=Review.Kind.REVIEW, voided_by=None)
    return list(answers.values_list("time_zone", "rollover_hour").distinct())


def _active(learner: Learner) -> Any:
    """Days with an answer, its `number` of them."""
    return DayRollup.objects.filter(learner=learner).annotate(number=_ANSWERS).filter(number__gt=0)


def _days(learner: Learner, first: date, last: date) -> list[DayAnswers]:
    rows = _active(learner).filter(study_day__range=(first, last))
    found = {day: rest for day, *rest in rows.values_list("study_day", "number", "elapsed_ms")}
    days = (first + timedelta(days=n) for n in range((last - first).days + 1))
    return [DayAnswers(day, number, ms // 1000) for day in days for number, ms in [found.get(day, (0, 0))]]
