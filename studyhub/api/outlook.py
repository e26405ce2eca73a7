"""Where a card stands for a learner and what each button would give. Knows no request."""

from datetime import datetime
from typing import Any

from cards.models import Card
from studyhub.study.models import Learner, Memory
from studyhub.study.queue import intervals


def intervals_of(learner: Learner, card: Card, now: datetime) -> dict[str, int]:
    """Seconds until the card comes back, by rating."""
    memory = Memory.objects.filter(learner=learner, card=card).first()
    return dict(intervals(memory, learner, card, now))


def outlook(learner: Learner, card: Card, now: datetime) -> dict[str, Any]:
    """`{"due", "state", "intervals"}` of a card now."""
    memory = Memory.objects.filter(learner=learner, card=card).first()
    return {
        "due": memory.due if memory else None,
        "state": memory.state if memory else "new",
        "intervals": dict(intervals(memory, learner, card, now)),
    }
