"""How much there is to study: of all, of a topic, of every deck at once. Reads only; knows no order."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Min, QuerySet

from cards.models import Deck, Topic
from studyhub.study.asking.answers_today import answers_today, barred_today
from studyhub.study.asking.caps import new_left, reviews_left
from studyhub.study.asking.unmet import families_of_new, families_of_new_by_deck
from studyhub.study.models import Learner, Memory
from studyhub.study.shelf import STEPS, Subject, due_now, later_steps

Families = Counter[str]
"""How many cards of each family; "" = of none."""


@dataclass(frozen=True)
class Counts:
    """How much there is: due now, new left today, in steps later today, and when the next of those comes.

    `held`: due as well, but over what the cap of catching up lets through today.
    """

    due: int
    new: int
    later: int = 0
    next_due: datetime | None = None
    held: int = 0

    @property
    def total(self) -> int:
        """Cards a session would ask now."""
        return self.due + self.new


@dataclass(frozen=True)
class _Day:
    """What limits the counts of a study day, whatever is counted."""

    new_left: int
    reviews_left: int
    met: frozenset[str]

    def counts(
        self, steps: Families, reviews: Families, new: Families, *, later: int = 0, next_due: datetime | None
    ) -> Counts:
        """Siblings wait for another day, but for steps."""
        barred = self.met | (set(steps) - {""})
        asked = _one_of_each(reviews, barred)
        let_through = min(asked, self.reviews_left)
        fresh = min(self.new_left, _one_of_each(new, barred | set(reviews)))
        return Counts(steps.total() + let_through, fresh, later, next_due, asked - let_through)


def counts(learner: Learner, now: datetime, topic: Topic | str | None = None, deck: str = "") -> Counts:
    """What a session of now would hold, and what comes back later today."""
    subject = Subject.of(topic, deck)
    coming = later_steps(learner, now, subject).aggregate(number=Count("pk"), first=Min("due"))
    rows = due_now(learner, now, subject).values_list("state", "card__family").annotate(Count("pk"))
    steps, reviews = _split(rows.order_by())
    return _day(learner, now).counts(
        steps,
        reviews,
        families_of_new(learner, now, subject),
        later=coming["number"],
        next_due=coming["first"],
    )


def deck_counts(learner: Learner, now: datetime) -> dict[str, Counts]:
    """{slug: what a session of that deck alone would hold now}, of every deck. Six reads, however many."""
    day = _day(learner, now)
    due, new = _by_deck(due_now(learner, now)), families_of_new_by_deck(learner, now)
    rows = later_steps(learner, now).values_list("card__topic__deck__slug")
    coming = rows.annotate(Count("pk"), Min("due")).order_by()
    later = {deck: (number, first) for deck, number, first in coming}
    none: Families = Counter()
    found = {}
    for deck in Deck.objects.values_list("slug", flat=True):
        number, first = later.get(deck, (0, None))
        steps, reviews = due.get(deck, (none, none))
        found[deck] = day.counts(steps, reviews, new.get(deck, none), later=number, next_due=first)
    return found


def _day(learner: Learner, now: datetime) -> _Day:
    answered = answers_today(learner, now)
    barred = barred_today(learner, now, answered)
    return _Day(new_left(learner, answered), reviews_left(learner, now, answered), barred)


def _split(rows: Iterable[tuple[str, str, int]]) -> tuple[Families, Families]:
    """(state, family, cards) as (steps by family, reviews by family)."""
    steps, reviews = Counter[str](), Counter[str]()
    for state, family, number in rows:
        (steps if state in STEPS else reviews)[family] += number
    return steps, reviews


def _by_deck(memories: QuerySet[Memory]) -> Mapping[str, tuple[Families, Families]]:
    """{deck: (steps by family, reviews by family)}."""
    rows = memories.values_list("card__topic__deck__slug", "state", "card__family").annotate(Count("pk"))
    by_deck: dict[str, list[tuple[str, str, int]]] = {}
    for deck, *row in rows.order_by():
        by_deck.setdefault(deck, []).append(tuple(row))
    return {deck: _split(rows) for deck, rows in by_deck.items()}


def _one_of_each(families: Families, barred: Iterable[str]) -> int:
    """Cards of no family, and one of each family that has not had its turn."""
    return families[""] + len(set(families) - {""} - set(barred))
