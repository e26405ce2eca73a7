"""How much of each topic would be recalled today: the mean chance over its cards; and how answers went."""

from collections.abc import Iterable, Sequence
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
from studyhub.study.scheduling import DEFAULT_PARAMETERS, Elapsed, Parameters, Trace
from studyhub.study.scheduling.batch import recalls
from studyhub.study.scheduling.traces import recall
from studyhub.study.shelf import published
from studyhub.study.statistics.shares import Share
from studyhub.study.zones import study_day_of

_COLUMNS = ("card__topic", "stability", "difficulty", "short_stability", "last", "tested", "recalled")
Floats = NDArray[np.float64]
NOTHING = Share()
DAY_SECONDS = 86_400


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
    rows = memories.annotate(last=Cast("last_study_day", CharField())).values_list(*_COLUMNS)
    columns = list(zip(*rows, strict=True))
    if not columns:
        return {}
    topics, group = np.unique(np.array(columns[0]), return_inverse=True)
    chances = _chances(learner, study_day_of(learner, now), columns[1:5])
    weights = (None, chances, np.array(columns[6]), np.array(columns[5]))
    sums = [np.bincount(group, weights=column).tolist() for column in weights]
    return {
        int(pk): (int(seen), expected, Share(int(passed), int(number)))
        for pk, seen, expected, passed, number in zip(topics, *sums, strict=True)
    }


def _chances(learner: Learner, today: date, columns: Sequence[Sequence[Any]]) -> Floats:
    """The chance of recall of each memory; columns: the three numbers of its trace, last study day (ISO)."""
    *traces, days = columns
    spans = {text: max(1, (today - date.fromisoformat(text)).days) for text in set(days)}
    elapsed, numbers = [spans[text] for text in days], rules_of(learner).parameters
    if len(numbers) == len(DEFAULT_PARAMETERS):
        return recalls(traces[0], elapsed, numbers)
    return _one_by_one(zip(*traces, strict=True), elapsed, numbers)


def _one_by_one(traces: Iterable[Sequence[float]], elapsed: Sequence[int], numbers: Parameters) -> Floats:
    """For a model that has no twin on arrays: some microseconds a card."""
    spans = (Elapsed(days, days * DAY_SECONDS) for days in elapsed)
    return np.array([recall(Trace(*trace), span, numbers) for trace, span in zip(traces, spans, strict=True)])
