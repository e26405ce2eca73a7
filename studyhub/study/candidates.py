"""Due memories as candidates of the order: a few columns each, with their chance of recall. Reads only."""

from datetime import date, datetime

from django.db.models import QuerySet

from studyhub.study.models import Learner, Memory
from studyhub.study.ordering import Candidate
from studyhub.study.rules import rules_of
from studyhub.study.scheduling.trace import Elapsed, Parameters, Trace
from studyhub.study.scheduling.traces import recall
from studyhub.study.zones import study_day_of

_COLUMNS = ("pk", "card_id", "card__topic_id", "card__family")
_TRACE = ("stability", "difficulty", "short_stability", "last_study_day")
DAY = 86_400


def candidates(learner: Learner, memories: QuerySet[Memory], now: datetime) -> list[Candidate]:
    """These memories, unordered. Their chance of recall is today's, by the learner's current parameters."""
    today, numbers = study_day_of(learner, now), rules_of(learner).parameters
    rows = memories.order_by().values_list(*_COLUMNS, *_TRACE)
    return [
        Candidate(pk, card, topic, family, chance(Trace(s, d, short), last, today, numbers))
        for pk, card, topic, family, s, d, short, last in rows.iterator(chunk_size=5000)
    ]


def chance(trace: Trace, last: date | None, today: date, numbers: Parameters) -> float:
    """The chance of recall on a study day; 0 for a card never answered."""
    if last is None or not trace.stability:
        return 0.0
    days = max(0, (today - last).days)
    return recall(trace, Elapsed(days, days * DAY), numbers)
