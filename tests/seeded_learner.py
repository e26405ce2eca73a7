"""A learner whose memory differs from what the built-in numbers suppose, as a ledger of months.

Run beside a service: `manage.py shell -c "from tests.seeded_learner import seed; seed('name')"`.
"""

import random
import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth import get_user_model
from django.utils import timezone

from cards.models import Card
from studyhub.study import rollups
from studyhub.study.batch_replay import rebuild
from studyhub.study.models import Learner, Review, learner_of
from studyhub.study.scheduling import DEFAULT_PARAMETERS, Elapsed
from studyhub.study.scheduling.traces import model_of

DAYS = 150
FORGETFUL = (
    *(0.1 * number for number in DEFAULT_PARAMETERS[:4]),
    *DEFAULT_PARAMETERS[4:8],
    DEFAULT_PARAMETERS[8] - 1.2,
    *DEFAULT_PARAMETERS[9:],
)
"""What the learner's memory is like: first stabilities a tenth of the usual ones, and slow to grow."""


@dataclass(frozen=True)
class Answer:
    """What happened on a day, and what stood before: the interval in days and the promise per mille."""

    day: int
    rating: int
    gap: int = 0
    promise: int = 0


def seed(name: str, *, days: int = DAYS, most: int = 1_000) -> int:
    """Writes the ledger of that user, with its memories and sums: the number of its lines."""
    learner, now = learner_of(get_user_model().objects.get(username=name)), timezone.now()
    cards = list(Card.objects.filter(state=Card.State.PUBLISHED).order_by("slug")[:most])
    chance = random.Random(5)
    lines = [
        _line(learner, card, answer, at=now - timedelta(days=days - answer.day, seconds=-20 * place))
        for place, card in enumerate(cards)
        for answer in _answers(place % 20, days, chance)
    ]
    Review.objects.bulk_create(lines)
    rebuild(learner)
    rollups.rewrite(learner)
    return len(lines)


def _answers(first: int, days: int, chance: random.Random) -> list[Answer]:
    """Of a card met on day `first`, due by the built-in numbers, recalled by the learner's."""
    believed, true = model_of(DEFAULT_PARAMETERS), model_of(FORGETFUL)
    held, known, found, day = believed.first(3), true.first(3), [Answer(first, 3)], first
    while True:
        gap = max(1, round(believed.interval(held, 0.9)))
        day += gap
        if day >= days:
            return found
        elapsed = Elapsed(gap, gap * 86_400.0)
        rating = 3 if chance.random() < true.recall(known, elapsed) else 1
        found.append(Answer(day, rating, gap, round(1000 * believed.recall(held, elapsed))))
        held, known = believed.after(held, rating, elapsed), true.after(known, rating, elapsed)


def _line(learner: Learner, card: Card, answer: Answer, *, at: datetime) -> Review:
    return Review(
        learner=learner, client_id=uuid.uuid4(), card=card, rating=answer.rating, answered_at=at,
        received_at=at, study_day=at.date(), state_before="review" if answer.gap else "new",
        interval_before=answer.gap, recall_before=answer.promise, elapsed_ms=20_000,
    )  # fmt: skip
