"""What a learner studies next. Reads only; knows no grade and no page.

Learning steps that are due come first, by their time; then due reviews, by `ordering`; then new cards in the
order of the shelf. The same for the same learner, study day and seed. Cards of one family are asked on
different days, but for steps. What it costs grows with what is due, never with all cards.
"""

from datetime import datetime
from itertools import islice

from django.db.models import QuerySet

from cards.models import Card, Topic
from studyhub.study.asking.answers_today import answers_today, barred_today
from studyhub.study.asking.caps import new_left, reviews_left
from studyhub.study.asking.counting import Counts, counts, deck_counts
from studyhub.study.asking.day_order import DayOrder
from studyhub.study.asking.items import QueueItem, cards_with, items_of
from studyhub.study.asking.offering import intervals, intervals_of
from studyhub.study.asking.ordering import Candidate, apart, one_of_a_family
from studyhub.study.asking.unmet import new_cards
from studyhub.study.models import Learner, Memory
from studyhub.study.pace import USUAL_SECONDS, seconds_per_card
from studyhub.study.shelf import Subject, due_reviews, due_steps
from studyhub.study.zones import study_day_of

Row = tuple[Card, Memory | None]

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
    *,
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
    rows: list[Row] = [(memory.card, memory) for memory in steps]
    if len(rows) < limit:
        in_steps = frozenset(memory.card.family for memory in steps) - {""}
        order = DayOrder(learner, now, subject, seed=seed, short=short)
        rows += _reviews_and_new(order, limit - len(rows), in_steps)
    return items_of(learner, rows, now)


def queue_item(learner: Learner, card: Card, now: datetime) -> QueueItem | None:
    """One card asked on its own, due or not; None if it is not published."""
    if card.state != Card.State.PUBLISHED or card.published_version is None:
        return None
    memory = Memory.objects.filter(learner=learner, card=card).first()
    return items_of(learner, [(card, memory)], now)[0]


def _reviews_and_new(order: DayOrder, limit: int, in_steps: frozenset[str]) -> list[Row]:
    """What fills the queue behind the steps: reviews as far as a cap lets them, then new cards."""
    learner, now = order.learner, order.now
    answered = answers_today(learner, now)
    barred = in_steps | barred_today(learner, now, answered)
    left = reviews_left(learner, now, answered)
    reviews = one_of_a_family(order.reviews(), barred)
    ordered = reviews if order.short else apart(reviews, answered.last_topic)
    rows = _rows(list(islice(ordered, min(limit, left))))
    room = min(limit - len(rows), new_left(learner, answered))
    if room < 1:
        return rows
    any_due = bool(rows) or not left
    return rows + _new(order, barred | (_families_due(order) if any_due else set()), room)


def _new(order: DayOrder, barred: frozenset[str], limit: int) -> list[Row]:
    """New cards whose siblings have not had their turn."""
    fresh = new_cards(order.learner, order.now, order.subject, barred=barred, limit=limit)
    return cards_with(order.learner, fresh) if fresh else []


def _families_due(order: DayOrder) -> set[str]:
    """Families of which a review is due, whether it fits into the queue or not."""
    due = due_reviews(order.learner, order.now, order.subject).exclude(card__family="")
    return set(due.values_list("card__family", flat=True))


def _rows(chosen: list[Candidate]) -> list[Row]:
    if not chosen:
        return []
    found = _with_cards(Memory.objects.all()).in_bulk([one.memory for one in chosen])
    memories = (found[one.memory] for one in chosen if one.memory in found)
    return [(memory.card, memory) for memory in memories]


def _with_cards(memories: QuerySet[Memory]) -> QuerySet[Memory]:
    return memories.select_related("card__published_version", "card__topic")
