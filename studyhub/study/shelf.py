"""Which cards may be asked of a learner at a moment, as querysets. Knows no order and no limit of a day."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q, QuerySet

from cards.models import Card, Topic
from studyhub.study.models import Learner, Memory, Review
from studyhub.study.zones import present, study_day_of

STEPS = (Memory.State.LEARNING, Memory.State.RELEARNING)


@dataclass(frozen=True)
class Subject:
    """What is studied: the slugs of a topic and of a deck, "" = any."""

    topic: str = ""
    deck: str = ""

    @classmethod
    def of(cls, topic: Topic | str | None, deck: str = "") -> "Subject":
        """A topic by itself or by its slug."""
        return cls(topic.slug if isinstance(topic, Topic) else topic or "", deck)

    def filter(self, prefix: str = "") -> Q:
        """The condition on cards; `prefix` leads to them, such as "card__"."""
        named = {f"{prefix}topic__slug": self.topic, f"{prefix}topic__deck__slug": self.deck}
        return Q(**{name: slug for name, slug in named.items() if slug})


ANYTHING = Subject()


def published(prefix: str = "") -> Q:
    """The condition that a card is on the shelf."""
    return Q(**{f"{prefix}state": Card.State.PUBLISHED, f"{prefix}published_version__isnull": False})


def live(learner: Learner, now: datetime, subject: Subject = ANYTHING) -> QuerySet[Memory]:
    """Memories of cards that may be asked today: neither suspended nor buried, and published."""
    today = study_day_of(learner, now)
    memories = Memory.objects.filter(published("card__"), subject.filter("card__"), learner=learner)
    return memories.filter(Q(buried_until=None) | Q(buried_until__lte=today), suspended=False)


def due_now(learner: Learner, now: datetime, subject: Subject = ANYTHING) -> QuerySet[Memory]:
    """Steps and reviews that are due."""
    return live(learner, now, subject).filter(due__lte=now).exclude(state=Memory.State.NEW)


def due_steps(learner: Learner, now: datetime, subject: Subject = ANYTHING) -> QuerySet[Memory]:
    """Learning steps whose wait is over."""
    return live(learner, now, subject).filter(due__lte=now, state__in=STEPS)


def later_steps(learner: Learner, now: datetime, subject: Subject = ANYTHING) -> QuerySet[Memory]:
    """Learning steps that come back before the study day ends."""
    tomorrow = present(learner, now).rollover_in(1)
    return live(learner, now, subject).filter(due__gt=now, due__lt=tomorrow, state__in=STEPS)


def due_reviews(learner: Learner, now: datetime, subject: Subject = ANYTHING) -> QuerySet[Memory]:
    """Cards past their steps that are due."""
    return live(learner, now, subject).filter(due__lte=now, state=Memory.State.REVIEW)


def reviews_ahead(
    learner: Learner, now: datetime, *, days: int, subject: Subject = ANYTHING
) -> QuerySet[Memory]:
    """Cards past their steps that come due in the next `days` study days and were not answered today."""
    moment = present(learner, now)
    coming = live(learner, now, subject).filter(due__gt=now, due__lt=moment.rollover_in(days + 1))
    return coming.filter(state=Memory.State.REVIEW, last_study_day__lt=moment.study_day)


def answered_today(learner: Learner, now: datetime) -> QuerySet[Review]:
    """The answers of this study day that count."""
    today = study_day_of(learner, now)
    return Review.objects.filter(learner=learner, kind=Review.Kind.REVIEW, voided_by=None, study_day=today)
