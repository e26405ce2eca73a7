"""What comes due on the study days ahead, before new cards and before what those days' answers add."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.db.models import Count, QuerySet

from cards.models import Card
from studyhub.study.models import Learner, Memory
from studyhub.study.scheduling import rollover, study_day
from studyhub.study.zones import study_day_of


@dataclass(frozen=True)
class DayDue:
    """How many cards come due on a study day."""

    day: date
    due: int


@dataclass(frozen=True)
class Forecast:
    """`overdue`: due before today began; `days`: today first."""

    overdue: int
    days: tuple[DayDue, ...]

    @property
    def total(self) -> int:
        """All cards that are due by the last of the days."""
        return self.overdue + sum(day.due for day in self.days)

    @property
    def most(self) -> int:
        """The largest number of one day, what is overdue counting to none."""
        return max((day.due for day in self.days), default=0)


def forecast(learner: Learner, now: datetime, days: int = 30) -> Forecast:
    """Cards due on each of the next `days` study days; suspended and unpublished ones are left out.

    A buried card counts where its burial ends. One query, grouped: cards past their steps come due when a
    study day begins, so there are about as many groups as days.
    """
    today = study_day_of(learner, now)
    end = rollover(today + timedelta(days=days), time_zone=learner.time_zone, hour=learner.rollover_hour)
    due = _by_study_day(learner, _groups(learner, end))
    ahead = [today + timedelta(days=n) for n in range(days)]
    overdue = sum(number for day, number in due.items() if day < today)
    return Forecast(overdue, tuple(DayDue(day, due.get(day, 0)) for day in ahead))


def _groups(learner: Learner, end: datetime) -> QuerySet[Memory, tuple[datetime, date | None, int]]:
    """Rows (due, buried until, cards)."""
    unpublished = Card.objects.exclude(state=Card.State.PUBLISHED)
    due = Memory.objects.filter(learner=learner, due__lt=end, suspended=False).exclude(card__in=unpublished)
    return due.values_list("due", "buried_until").annotate(number=Count("pk")).order_by()


def _by_study_day(
    learner: Learner, groups: QuerySet[Memory, tuple[datetime, date | None, int]]
) -> Mapping[date, int]:
    found: Counter[date] = Counter()
    for due, buried_until, number in groups:
        day = study_day(due, time_zone=learner.time_zone, hour=learner.rollover_hour)
        found[max(day, buried_until or day)] += number
    return found
