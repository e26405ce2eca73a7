"""How much of one topic would be recalled today. Reads only; knows no page."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from cards.models import Card, Topic
from studyhub.study.memories import memory_value
from studyhub.study.models import Learner, Memory
from studyhub.study.rules import rules_of
from studyhub.study.scheduling import MemoryState, recall_chance
from studyhub.study.shelf import Subject, published
from studyhub.study.zones import study_day_of


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


def topic_recall(learner: Learner, topic: Topic | str, now: datetime) -> Recall:
    """The sum of the chances of recall over a topic's published cards; never seen = 0.

    A card answered today counts with tomorrow's chance: within a day the model makes no prediction.
    """
    today, subject, numbers = study_day_of(learner, now), Subject.of(topic), rules_of(learner).parameters
    memories = Memory.objects.filter(subject.filter("card__"), published("card__"), learner=learner)
    seen = [memory_value(memory) for memory in memories.exclude(state=Memory.State.NEW)]
    chances = [recall_chance(memory, max(today, _day_after(memory, today)), numbers) for memory in seen]
    return Recall(sum(chances), len(seen), Card.objects.filter(subject.filter(), published()).count())


def _day_after(memory: MemoryState, today: date) -> date:
    return (memory.last_study_day or today) + timedelta(days=1)
