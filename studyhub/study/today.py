"""What Today and a topic's page say of a learner. Reads only; knows no queue and no page."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.db.models import Count, QuerySet

from cards.models import Card, Topic
from studyhub.study.models import Learner, Memory, Review
from studyhub.study.replay import memory_value
from studyhub.study.scheduling import MemoryState, recall_chance
from studyhub.study.shelf import Subject, published
from studyhub.study.zones import study_day_of


@dataclass(frozen=True)
class Recall:
    """How many of a topic's cards would be recalled today."""

    expected: float
    seen: int
    cards: int

    @property
    def sentence(self) -> str:
        """The figure in words."""
        if not self.seen:
            return f"Not started, {self.cards} {'card' if self.cards == 1 else 'cards'}."
        return f"You would recall about {round(self.expected)} of {self.cards} today."


def answers_by_day(learner: Learner, now: datetime, days: int = 14) -> list[tuple[date, int]]:
    """[(study day, reviews)] for the last `days` study days, today last; days without are 0."""
    today = study_day_of(learner, now)
    first = today - timedelta(days=days - 1)
    rows = _answers(learner).filter(study_day__range=(first, today))
    found = dict(rows.values_list("study_day").annotate(number=Count("pk")))
    return [(day, found.get(day, 0)) for day in (first + timedelta(days=n) for n in range(days))]


def days_in_a_row(learner: Learner, now: datetime) -> int:
    """Study days without a gap up to today; a today not begun does not break it."""
    today = study_day_of(learner, now)
    rows = _answers(learner).filter(study_day__lte=today).order_by("-study_day")
    expected, count = None, 0
    for day in rows.values_list("study_day", flat=True).distinct().iterator():
        if expected is None and day >= today - timedelta(days=1):
            expected = day
        if day != expected:
            break
        expected, count = day - timedelta(days=1), count + 1
    return count


def topic_recall(learner: Learner, topic: Topic | str, now: datetime) -> Recall:
    """The sum of the chances of recall over a topic's published cards; never seen = 0.

    A card answered today counts with tomorrow's chance: within a day the model makes no prediction.
    """
    today, subject = study_day_of(learner, now), Subject.of(topic)
    memories = Memory.objects.filter(subject.filter("card__"), published("card__"), learner=learner)
    seen = [memory_value(memory) for memory in memories.exclude(state=Memory.State.NEW)]
    chances = [recall_chance(memory, max(today, _day_after(memory, today))) for memory in seen]
    return Recall(sum(chances), len(seen), Card.objects.filter(subject.filter(), published()).count())


def _day_after(memory: MemoryState, today: date) -> date:
    return (memory.last_study_day or today) + timedelta(days=1)


def _answers(learner: Learner) -> QuerySet[Review]:
    """Reviews that count: not undone."""
    return Review.objects.filter(learner=learner, kind=Review.Kind.REVIEW, voided_by=None)
