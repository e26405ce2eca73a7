"""What a learner's coming days hold already, read from their memories, for the draw of an answer. Reads only.

The day's counts are read once in ten minutes and study day; a count a few answers old makes a day a little
fuller, never an interval wrong, for the draw goes with the offer and comes back with the rating. Suspended
cards are counted too: leaving them out would read every row instead of the index.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from django.db.models import Count, QuerySet

from cards.models import Card
from studyhub.study.keeping import KEPT_SECONDS, kept
from studyhub.study.models import Learner, Memory
from studyhub.study.scheduling import Moment
from studyhub.study.scheduling.spread import KNOWN_DAYS, Spread
from studyhub.study.zones import present

Key = TypeVar("Key", int, str)


@dataclass(frozen=True)
class Coming:
    """What the next 99 study days hold: cards due by days ahead, of all, of topics and of families."""

    moment: Moment
    easy_days: tuple[str, ...] = ()
    loads: Mapping[int, int] = field(default_factory=dict)
    topics: Mapping[int, Mapping[int, int]] = field(default_factory=dict)
    families: Mapping[str, Mapping[int, int]] = field(default_factory=dict)

    def around(self, card: Card, own: int | None = None) -> Spread:
        """What an answer to this card minds. `own`: days ahead on which the card itself is due, if it is."""
        return Spread(
            loads=_less(self.loads, own),
            siblings=frozenset(_less(self.families.get(card.family, {}), own)),
            topic=_less(self.topics.get(card.topic_id, {}), own),
            easy_days=self.easy_days,
            weekday_of_today=self.moment.study_day.weekday(),
        )


def coming(learner: Learner, cards: Iterable[Card], moment: Moment) -> Coming:
    """What these cards' answers must mind: three reads at most, however many cards.

    A learner who does not spread the load gets plain fuzz, but for easy days and for cards of one family.
    """
    given = list(cards)
    window = Window(moment)
    families = _by_family(learner, {card.family for card in given} - {""}, window)
    easy_days = tuple(learner.easy_days)
    if not learner.spread_load:
        return Coming(moment, easy_days, families=families)
    loads = _loads(learner, window)
    topics = _by_topic(learner, {card.topic_id for card in given}, window)
    return Coming(moment, easy_days, loads, topics, families)


def loads_ahead(learner: Learner, now: datetime) -> Mapping[int, int]:
    """{days ahead (1..99): cards due then}, at most ten minutes old."""
    return _loads(learner, Window(present(learner, now)))


class Window:
    """The study days 1..99 ahead of a moment, as instants of their rollovers."""

    def __init__(self, moment: Moment) -> None:
        self.day = moment.study_day
        self._starts = [moment.rollover_in(ahead) for ahead in range(1, KNOWN_DAYS + 2)]
        self.bounds = self._starts[0], self._starts[-1]

    def ahead(self, due: datetime) -> int:
        """In how many study days a card is due; it must lie within `bounds`."""
        return bisect_right(self._starts, due)

    def holds(self, due: datetime | None) -> bool:
        """Whether a card is due within the window."""
        return due is not None and self.bounds[0] <= due < self.bounds[1]


def _due(learner: Learner, window: Window) -> QuerySet[Memory]:
    first, last = window.bounds
    return Memory.objects.filter(learner=learner, due__gte=first, due__lt=last)


def _cards(**which: object) -> QuerySet[Card]:
    """Cards as a subquery: a join would look up the card of everything in the window first."""
    return Card.objects.filter(**which).order_by()


def _loads(learner: Learner, window: Window) -> Mapping[int, int]:
    key = f"spread:{learner.pk}:{window.day}:{window.bounds[0]:%H%M}"
    loads: Mapping[int, int] | None = kept.get(key)
    if loads is None:
        rows = _due(learner, window).values_list("due").annotate(number=Count("due")).order_by()
        loads = _summed(rows, window)
        kept.set(key, loads, KEPT_SECONDS)
    return loads


def _by_topic(learner: Learner, topics: set[int], window: Window) -> dict[int, Mapping[int, int]]:
    """Read once in ten minutes for a topic too."""
    keys = {topic: f"spread:{learner.pk}:{window.day}:{window.bounds[0]:%H%M}:{topic}" for topic in topics}
    found = kept.get_many(keys.values())
    missing = [topic for topic in topics if keys[topic] not in found]
    if missing:
        rows = _due(learner, window).filter(card__in=_cards(topic__in=missing))
        grouped = rows.values_list("card__topic_id", "due").annotate(number=Count("pk")).order_by()
        read = _summed_by(grouped, window)
        counted = {keys[topic]: read.get(topic, Counter()) for topic in missing}
        kept.set_many(counted, KEPT_SECONDS)
        found |= counted
    return {topic: found[keys[topic]] for topic in topics}


def _by_family(learner: Learner, families: set[str], window: Window) -> dict[str, Mapping[int, int]]:
    """Always read: a sibling answered a minute ago matters most."""
    if not families:
        return {}
    rows = _due(learner, window).filter(card__in=_cards(family__in=families))
    grouped = rows.values_list("card__family", "due").annotate(number=Count("pk")).order_by()
    return dict(_summed_by(grouped, window))


def _summed(rows: Iterable[tuple[datetime, int]], window: Window) -> Counter[int]:
    sums: Counter[int] = Counter()
    for due, number in rows:
        sums[window.ahead(due)] += number
    return sums


def _summed_by(rows: Iterable[tuple[Key, datetime, int]], window: Window) -> dict[Key, Counter[int]]:
    sums: dict[Key, Counter[int]] = {}
    for key, due, number in rows:
        sums.setdefault(key, Counter())[window.ahead(due)] += number
    return sums


def _less(counts: Mapping[int, int], own: int | None) -> Mapping[int, int]:
    """Without the card's own place."""
    if own is None or not counts.get(own):
        return counts
    left = {**counts, own: counts[own] - 1}
    return {day: number for day, number in left.items() if number > 0}
