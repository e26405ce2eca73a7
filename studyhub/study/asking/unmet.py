"""Cards a learner has never met, found without looking through all they have. Reads only; knows no limit.

How many are left in each topic is counted once in ten minutes and kept up with new memories in between, so
the next new card costs what its own topic holds. What another process publishes may be met as much later.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from heapq import merge
from typing import Any, NamedTuple

from django.db.models import Count, Exists, Max, OuterRef, QuerySet

from cards.models import Card, Topic
from studyhub.study.keeping import KEPT_SECONDS, kept
from studyhub.study.models import Learner, Memory
from studyhub.study.shelf import Subject, live, published

_GENERATION = "unmet:generation"
_PLACE = ("topic__deck_id", "topic__position", "topic__slug", "position", "slug")


class Place(NamedTuple):
    """Where a card stands on the shelf: they sort in its order."""

    deck: int
    topic_position: int
    topic: str
    position: int
    slug: str
    card: int
    family: str


@dataclass(frozen=True)
class TopicLeft:
    """A topic and how many cards of it were never met, by family ("" = of none)."""

    topic: int
    slug: str
    deck: str
    left: Counter[str]


def shelf_generation() -> int:
    """A number that is another one after the shelf has changed in this process."""
    return int(kept.get(_GENERATION, 0))


def shelf_changed(**_: object) -> None:
    """Forgets what was counted: a card came, went or moved."""
    kept.set(_GENERATION, shelf_generation() + 1, None)


def topics_left(learner: Learner) -> list[TopicLeft]:
    """The topics with cards never met, in the order of the shelf. One read of what is new, mostly."""
    key = f"unmet:{learner.pk}:{shelf_generation()}"
    rows, newest = kept.get(key) or _counted(learner)
    by_topic = {row.topic: row.left for row in rows}
    since = Memory.objects.filter(published("card__"), learner=learner, pk__gt=newest)
    for memory, topic, family in since.values_list("pk", "card__topic_id", "card__family").order_by("pk"):
        by_topic.get(topic, Counter())[family] -= 1
        newest = memory
    left = [TopicLeft(row.topic, row.slug, row.deck, +row.left) for row in rows]
    left = [row for row in left if row.left]
    kept.set(key, (left, newest), KEPT_SECONDS)
    return left


def new_cards(
    learner: Learner, now: datetime, subject: Subject, *, barred: frozenset[str], limit: int
) -> list[int]:
    """At most `limit` cards never answered (or reset), in the order of the shelf; one of a family.

    `barred`: families that have had their turn today.
    """
    if limit < 1:
        return []
    found: list[int] = []
    taken = set(barred)
    for place in merge(_reset(learner, now, subject), _never_met(learner, subject, limit)):
        if place.family not in taken:
            found.append(place.card)
            taken |= {place.family} - {""}
        if len(found) == limit:
            break
    return found


def families_of_new(learner: Learner, now: datetime, subject: Subject) -> Counter[str]:
    """How many cards never answered there are, by family ("" = of none)."""
    left: Counter[str] = Counter(place.family for place in _reset(learner, now, subject))
    for row in topics_left(learner):
        if _within(row, subject):
            left.update(row.left)  # `+=` would look through all families for every topic
    return left


def families_of_new_by_deck(learner: Learner, now: datetime) -> dict[str, Counter[str]]:
    """The same for every deck that has any."""
    found: dict[str, Counter[str]] = {}
    reset = _reset_memories(learner, now, Subject()).values_list("card__topic__deck__slug", "card__family")
    for deck, family in reset:
        found.setdefault(deck, Counter())[family] += 1
    for row in topics_left(learner):
        found.setdefault(row.deck, Counter()).update(row.left)
    return found


def _counted(learner: Learner) -> tuple[list[TopicLeft], int]:
    """(every topic with its cards without a memory, the newest memory there was)."""
    newest = Memory.objects.filter(learner=learner).aggregate(newest=Max("pk"))["newest"] or 0
    met = Memory.objects.filter(learner=learner, card=OuterRef("pk"))
    unmet = Card.objects.filter(published(), ~Exists(met)).values_list("topic_id", "family")
    counted: dict[int, Counter[str]] = {}
    for topic, family, number in unmet.annotate(number=Count("pk")).order_by():
        counted.setdefault(topic, Counter())[family] = number
    topics = Topic.objects.order_by("deck_id", "position", "slug").values_list("pk", "slug", "deck__slug")
    return [TopicLeft(*row, left=counted.get(row[0], Counter())) for row in topics], newest


def _within(row: TopicLeft, subject: Subject) -> bool:
    return subject.topic in ("", row.slug) and subject.deck in ("", row.deck)


def _never_met(learner: Learner, subject: Subject, limit: int) -> Iterator[Place]:
    """In the order of the shelf, read as many topics at a time as hold `limit` cards."""
    met = Memory.objects.filter(learner=learner, card=OuterRef("pk"))
    topics = (row for row in topics_left(learner) if _within(row, subject))
    while several := _holding(topics, limit):
        cards = Card.objects.filter(published(), ~Exists(met), topic__in=[row.topic for row in several])
        yield from _places(cards.order_by(*_PLACE).values_list(*_PLACE, "pk", "family"))


def _holding(topics: Iterator[TopicLeft], limit: int) -> Sequence[TopicLeft]:
    """The next topics that together hold at least `limit` cards."""
    several: list[TopicLeft] = []
    held = 0
    while held < limit and (row := next(topics, None)):
        several.append(row)
        held += row.left.total()
    return several


def _reset(learner: Learner, now: datetime, subject: Subject) -> Iterator[Place]:
    """Cards that were reset, and new ones that were put aside for a while."""
    columns = [f"card__{name}" for name in _PLACE]
    memories = _reset_memories(learner, now, subject)
    return _places(memories.order_by(*columns).values_list(*columns, "card_id", "card__family"))


def _reset_memories(learner: Learner, now: datetime, subject: Subject) -> QuerySet[Memory]:
    return live(learner, now, subject).filter(due=None, state=Memory.State.NEW)


def _places(rows: Iterable[tuple[Any, ...]]) -> Iterator[Place]:
    return (Place(*row) for row in rows)
