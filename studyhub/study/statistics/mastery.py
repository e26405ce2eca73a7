"""How much of each topic would be recalled today: the mean chance over its cards; and how answers went."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from django.db.models import Count, QuerySet

from cards.models import Card, Topic
from studyhub.study.models import Learner, Memory
from studyhub.study.rules import rules_of
from studyhub.study.scheduling import DEFAULT_PARAMETERS, Parameters
from studyhub.study.scheduling.batch import recalls
from studyhub.study.shelf import published
from studyhub.study.statistics.columns import DayNumber, Floats, columns
from studyhub.study.statistics.shares import Share
from studyhub.study.zones import study_day_of

_COLUMNS = ("card__topic", "day", "tested", "recalled")
_TRACE = ("stability", "difficulty", "short_stability")
CHUNK = 10_000
NOTHING = Share()


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
    memories = Memory.objects.filter(published("card__"), learner=learner).exclude(state=Memory.State.NEW)
    found = _by_topic(learner, now, memories)
    topics = Topic.objects.filter(pk__in=cards).values_list("pk", "slug", "title")
    return [
        TopicMastery(slug, title, cards[pk], *found.get(pk, (0, 0.0, NOTHING)))
        for pk, slug, title in topics.order_by("deck", "position", "slug")
    ]


def _by_topic(
    learner: Learner, now: datetime, memories: QuerySet[Memory]
) -> dict[int, tuple[int, float, Share]]:
    """{pk of a topic: (cards seen, how many of them would be recalled, tested answers)}."""
    numbers = rules_of(learner).parameters
    names = (*_COLUMNS, *(_TRACE[:1] if len(numbers) == len(DEFAULT_PARAMETERS) else _TRACE))
    rows = memories.annotate(day=DayNumber("last_study_day")).values_list(*names)
    topic, day, tested, recalled, *traces = columns(rows.iterator(CHUNK), len(names))
    topics, group = np.unique(topic, return_inverse=True)
    elapsed = np.maximum(1, study_day_of(learner, now).toordinal() - day)
    weights = (None, _chances(traces, elapsed, numbers), recalled, tested)
    sums = [np.bincount(group, weights=column).tolist() for column in weights]
    return {
        int(pk): (int(seen), expected, Share(int(passed), int(number)))
        for pk, seen, expected, passed, number in zip(topics, *sums, strict=True)
    }


def _chances(traces: Sequence[Floats], elapsed: Floats, numbers: Parameters) -> Floats:
    """The chance of recall of each memory from its trace and its days."""
    others = dict(zip(("difficulty", "short"), traces[1:], strict=False))
    return recalls(traces[0], elapsed, numbers, **others)
