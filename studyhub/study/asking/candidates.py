"""Due memories as candidates of the order: a few columns each, with their chance of recall. Reads only."""

from collections.abc import Callable
from datetime import date, datetime
from functools import cache

from django.db.models import QuerySet

from studyhub.study.asking.ordering import Candidate
from studyhub.study.models import Learner, Memory
from studyhub.study.rules import rules_of
from studyhub.study.scheduling.trace import Elapsed, Trace
from studyhub.study.scheduling.traces import Model
from studyhub.study.zones import study_day_of

_COLUMNS = ("pk", "card_id", "card__topic_id", "card__family")
_TRACE = ("stability", "difficulty", "short_stability", "last_study_day")
DAY = 86_400


def candidates(learner: Learner, memories: QuerySet[Memory], now: datetime) -> list[Candidate]:
    """These memories, unordered. Their chance of recall is today's, by the learner's current parameters."""
    chance = _chances(rules_of(learner).model, study_day_of(learner, now))
    rows = memories.order_by().values_list(*_COLUMNS, *_TRACE)
    return [
        Candidate(pk, card, topic, family, chance(s, d, short, last))
        for pk, card, topic, family, s, d, short, last in rows.iterator(chunk_size=5000)
    ]


def _chances(model: Model, today: date) -> Callable[[float, float, float, date | None], float]:
    """The chance of recall on a study day by a trace and its day; 0 for a card never answered.

    Asked for thousands of cards at once, whose days repeat: an elapsed time is worked out once for each.
    """
    recall, make = model.recall, tuple.__new__

    @cache
    def elapsed(last: date) -> Elapsed:
        days = max(0, (today - last).days)
        return Elapsed(days, days * DAY)

    def chance(stability: float, difficulty: float, short: float, last: date | None) -> float:
        if last is None or not stability:
            return 0.0
        return recall(make(Trace, (stability, difficulty, short)), elapsed(last))

    return chance
