"""What a learner studies next. Reads only; knows no grade and no page.

Learning steps that are due come first, by their time; then due reviews, by `ordering`; then new cards in the
order of the shelf. The same for the same learner, study day and seed. Cards of one family are asked on
different days, but for steps. What it costs grows with what is due, never with all cards.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from cards.models import Card, Topic
from studyhub.study.answers_today import AnswersToday, answers_today
from studyhub.study.candidates import candidates
from studyhub.study.caps import new_left, reviews_left
from studyhub.study.counting import Counts, counts, deck_counts
from studyhub.study.items import QueueItem, cards_with, items_of
from studyhub.study.models import Learner, Memory
from studyhub.study.offering import intervals, intervals_of
from studyhub.study.ordering import Candidate, apart, in_order, most_forgotten_first, one_of_a_family
from studyhub.study.pace import USUAL_SECONDS, seconds_per_card
from studyhub.study.shelf import Subject, due_reviews, due_steps
from studyhub.study.unmet import new_cards
from studyhub.study.zones import study_day_of

__all__ = [
    "USUAL_SECONDS",
    "Counts",
    "QueueItem",
    "counts",
    "deck_counts",
    "due_queue",
    "intervals",
    "intervals_of",
    "queue_item",
    "seconds_per_card",
    "study_day_of",
    "study_queue",
]


def study_queue(
    learner: Learner,
    now: datetime,
    limit: int = 50,
    topic: Topic | str | None = None,
    deck: str = "",
    seed: int = 0,
) -> list[QueueItem]:
    """At most `limit` cards: learning steps that are due, due reviews, then new ones.

    Published cards only, not suspended or buried; `topic` is a Topic or its slug, `deck` a slug.
    """
    return due_queue(learner, now, limit=limit, subject=Subject.of(topic, deck), seed=seed)


def due_queue(
    learner: Learner,
    now: datetime,
    *,
    limit: int,
    subject: Subject,
    seed: int = 0,
    short: bool = False,
) -> list[QueueItem]:
    """The same of a subject. `short`: time is short, so reviews go strictly by the chance of recall."""
    steps = list(_with_cards(due_steps(learner, now, subject)).order_by("due", "pk")[:limit])
    rows: list[tuple[Card, Memory | None]] = [(memory.card, memory) for memory in steps]
    if len(rows) < limit:
        in_steps = frozenset(memory.card.family for memory in steps) - {""}
        day = _Day(learner, now, subject, answers_today(learner, now), in_steps, seed, short)
        rows += _reviews_and_new(day, limit - len(rows))
    return items_of(learner, rows, now)


def queue_item(learner: Learner, card: Card, now: datetime) -> QueueItem | None:
    """One card asked on its own, due or not; None if it is not published."""
    if card.state != Card.State.PUBLISHED or card.published_version is None:
        return None
    memory = Memory.objects.filter(learner=learner, card=card).first()
    return items_of(learner, [(card, memory)], now)[0]


@dataclass(frozen=True)
class _Day:
    """Whose queue, of when and what; what was answered today, and the families in steps."""

    learner: Learner
    now: datetime
    subject: Subject
    answered: AnswersToday
    in_steps: frozenset[str]
    seed: int
    short: bool

    def barred(self, due: Collection[Candidate]) -> frozenset[str]:
        """Families that have had their turn or have it in this queue already."""
        return self.in_steps | self.answered.barred({one.card for one in due})

    def ordered(self, due: Collection[Candidate]) -> Iterator[Candidate]:
        """All reviews that may be asked today, in the order they are asked."""
        if self.short:
            return one_of_a_family(most_forgotten_first(due), self.barred(due))
        key = f"{self.learner.pk}:{study_day_of(self.learner, self.now)}:{self.seed}"
        return apart(one_of_a_family(in_order(due, key), self.barred(due)), self.answered.last_topic)


def _reviews_and_new(day: _Day, limit: int) -> list[tuple[Card, Memory | None]]:
    """What fills the queue behind the steps: reviews as far as a cap lets them, then new cards."""
    learner, now = day.learner, day.now
    due = candidates(learner, due_reviews(learner, now, day.subject), now)
    left = min(limit, reviews_left(learner, now, day.answered)) if due else 0
    rows = _rows(list(islice(day.ordered(due), left)))
    barred = day.barred(due) | frozenset(one.family for one in due) - {""}
    room = min(limit - len(rows), new_left(learner, day.answered))
    fresh = new_cards(learner, now, day.subject, barred=barred, limit=room)
    return rows + (cards_with(learner, fresh) if fresh else [])


def _rows(chosen: list[Candidate]) -> list[tuple[Card, Memory | None]]:
    if not chosen:
        return []
    memories = _with_cards(Memory.objects).in_bulk([one.memory for one in chosen])
    return [(memories[one.memory].card, memories[one.memory]) for one in chosen]


def _with_cards(memories):  # type: ignore[no-untyped-def]
    return memories.select_related("card__published_version", "card__topic")
