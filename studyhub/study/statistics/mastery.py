"""How much of each topic would be recalled today: the mean chance over its cards; and how answers went."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import numpy as np
from django.db.models import CharField, Count, QuerySet
from django.db.models.functions import Cast
from numpy.typing import NDArray

from cards.models import Card, Topic
from studyhub.study.models import Learner, Memory
from studyhub.study.rules import rules_of
from studyhub.study.scheduling.batch import recalls
from studyhub.study.shelf import Subject, published
from studyhub.study.statistics.shares import Share
from studyhub.study.zones import study_day_of

_COLUMNS = ("card__topic", "stability", "short_stability", "last", "tested", "recalled")
Floats = NDArray[np.float64]
NOTHING = Share()


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


@dataclass(frozen=True)
class TopicMastery:
    """A topic: its published cards, those seen, and how many of these would be recalled today.

    `observed`: tested answers to them, ever, and those not answered Again.
    """

    topic: str
    title: str
    cards: int
    seen: int = 0
    expected: float = 0.0
    observed: Share = NOTHING

    @property
    def mean_recall(self) -> float | None:
        """The mean chance of recall over the cards seen; None if none is."""
        return self.expected / self.seen if self.seen else None


def mastery(learner: Learner, now: datetime) -> list[TopicMastery]:
    """Every topic with a published card, in the order of the shelf. Four queries.

    A card answered today counts with tomorrow's chance: within a day the model makes no prediction.
    """
    cards = dict(Card.objects.filter(published()).values_list("topic").annotate(Count("pk")).order_by())
    found = _by_topic(learner, now, _seen(learner))
    topics = Topic.objects.filter(pk__in=cards).values_list("pk", "slug", "title")
    return [
        TopicMastery(slug, title, cards[pk], *found.get(pk, (0, 0.0, NOTHING)))
        for pk, slug, title in topics.order_by("deck", "position", "slug")
    ]


def topic_recall(learner: Learner, topic: Topic | str, now: datetime) -> Recall:
    """How many of a topic's published cards would be recalled today; one never seen counts 0."""
    subject = Subject.of(topic)
    found = list(_by_topic(learner, now, _seen(learner, subject)).values())
    cards = Card.objects.filter(subject.filter(), published()).count()
    return Recall(sum(expected for _, expected, _ in found), sum(seen for seen, _, _ in found), cards)


def _seen(learner: Learner, subject: Subject | None = None) -> QuerySet[Memory]:
    about = subject.filter("card__") if subject else Subject().filter()
    memories = Memory.objects.filter(published("card__"), about, learner=learner)
    return memories.exclude(state=Memory.State.NEW)


def _by_topic(
    learner: Learner, now: datetime, memories: QuerySet[Memory]
) -> dict[int, tuple[int, float, Share]]:
    """{pk of a topic: (cards seen, how many of them would be recalled, tested answers)}."""
    rows = memories.annotate(last=Cast("last_study_day", CharField())).values_list(*_COLUMNS)
    columns = list(zip(*rows, strict=True))
    if not columns:
        return {}
    topics, group = np.unique(np.array(columns[0]), return_inverse=True)
    chances = _chances(learner, study_day_of(learner, now), columns[1:4])
    weights = (None, chances, np.array(columns[5]), np.array(columns[4]))
    sums = [np.bincount(group, weights=column).tolist() for column in weights]
    return {
        int(pk): (int(seen), expected, Share(int(passed), int(number)))
        for pk, seen, expected, passed, number in zip(topics, *sums, strict=True)
    }


def _chances(learner: Learner, today: date, columns: Sequence[Sequence[Any]]) -> Floats:
    """The chance of recall of each memory; columns: stability, short one, last study day (ISO)."""
    days = {text: max(1, (today - date.fromisoformat(text)).days) for text in set(columns[2])}
    elapsed = np.array([days[text] for text in columns[2]], dtype=np.float64)
    stability, short = (np.array(column, dtype=np.float64) for column in columns[:2])
    return recalls(stability, elapsed, rules_of(learner).parameters, short=short)
