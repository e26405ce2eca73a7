"""What each button would give a learner for a card. Knows no request."""

from datetime import datetime

from cards.models import Card
from studyhub.study.models import Learner, Memory
from studyhub.study.queue import intervals


def intervals_of(learner: Learner, card: Card, now: datetime) -> dict[str, int]:
    """Seconds until the card comes back, by rating."""
    memory = Memory.objects.filter(learner=learner, card=card).first()
    return dict(intervals(memory, learner, card, now))
