"""How far a learner is with the cards of an interview: how many, how many still new, when those are met.

Reads only; plans nothing and foretells nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from math import ceil

from django.db.models import Q

from cards.models import Card
from studyhub.study.asking.answers_today import answers_today
from studyhub.study.asking.caps import new_left
from studyhub.study.asking.unmet import topics_left
from studyhub.study.models import Interview, Learner, Memory
from studyhub.study.shelf import published
from studyhub.study.zones import study_day_of


@dataclass(frozen=True)
class Readiness:
    """Cards that are not suspended, those never answered, and at the present pace the study day the last of
    them is met; None where the pace is no card a day."""

    cards: int
    new: int
    per_day: int
    finish: date | None


def readiness(learner: Learner, interview: Interview, now: datetime) -> Readiness:
    """As things stand now, at the learner's own number of new cards a day. Looks through no whole memory."""
    topics = interview.topics
    mine = Memory.objects.filter(_of(topics, "card__"), learner=learner)
    cards = Card.objects.filter(_of(topics)).count() - mine.filter(suspended=True).count()
    reset = mine.filter(due=None, state=Memory.State.NEW, suspended=False).count()
    unmet = [row.left.total() for row in topics_left(learner) if not topics or row.slug in topics]
    new = sum(unmet) + reset
    left = min(new, new_left(learner, answers_today(learner, now))) if new else 0
    finish = finish_day(new, learner.new_per_day, left_today=left, today=study_day_of(learner, now))
    return Readiness(cards, new, learner.new_per_day, finish)


def finish_day(new: int, per_day: int, *, left_today: int, today: date) -> date | None:
    """The day the last of `new` cards is met at `per_day`, of which `left_today` are still to come today."""
    later = new - left_today
    if later <= 0:
        return today
    return today + timedelta(days=ceil(later / per_day)) if per_day else None


def _of(topics: Sequence[str], prefix: str = "") -> Q:
    return published(prefix) & (Q(**{f"{prefix}topic__slug__in": list(topics)}) if topics else Q())
