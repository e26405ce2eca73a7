"""The due reviews in the order of the day, worked out once and kept for ten minutes. Knows no limit of a day.

What a line has touched since is read anew and put in its place, so a kept order and a fresh one are the same.
Few due cards are not worth keeping. What another process publishes may come up to ten minutes later.
"""

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from heapq import merge

from django.db.models import Max, QuerySet

from studyhub.study.asking.candidates import candidates
from studyhub.study.asking.ordering import Candidate, by_need, by_turn
from studyhub.study.asking.unmet import shelf_generation
from studyhub.study.keeping import KEPT_SECONDS, kept
from studyhub.study.models import Learner, Memory, Review
from studyhub.study.shelf import Subject, due_reviews
from studyhub.study.zones import study_day_of

WORTH_KEEPING = 400
CHUNK = 80
LATE_LINES = 50  # of any learner, that may have come while the order was read, or were committed late


@dataclass(frozen=True)
class DayOrder:
    """Whose order, when and of what. `short`: strictly by the chance of recall, for a session by minutes."""

    learner: Learner
    now: datetime
    subject: Subject
    seed: int = 0
    short: bool = False

    def reviews(self) -> Iterator[Candidate]:
        """All due reviews in order, read as far as they are taken."""
        found = kept.get(self._name)
        if found is None:
            return iter(self._worked_out())
        memories, newest = found
        touched = self._touched_since(newest)
        anew = self._sorted(self._due.filter(card__in=touched)) if touched else []
        return merge(anew, self._read(memories, touched), key=self.place)

    def place(self, one: Candidate) -> tuple[object, ...]:
        """What decides where a card stands."""
        return by_need(one) if self.short else by_turn(one, self._key)

    @property
    def _due(self) -> QuerySet[Memory]:
        return due_reviews(self.learner, self.now, self.subject)

    @cached_property
    def _key(self) -> str:
        return f"{self.learner.pk}:{study_day_of(self.learner, self.now)}:{self.seed}"

    @property
    def _name(self) -> str:
        version = f"{self.learner.parameters_version}:{shelf_generation()}"
        return f"order:{self._key}:{version}:{self.subject.topic}:{self.subject.deck}:{self.short}"

    def _sorted(self, memories: QuerySet[Memory]) -> list[Candidate]:
        return sorted(candidates(self.learner, memories, self.now), key=self.place)

    def _worked_out(self) -> list[Candidate]:
        ordered = self._sorted(self._due)
        if len(ordered) >= WORTH_KEEPING:
            lines = Review.objects.filter(learner=self.learner)
            newest = lines.aggregate(newest=Max("pk"))["newest"] or 0
            kept.set(self._name, (array("q", [one.memory for one in ordered]), newest), KEPT_SECONDS)
        return ordered

    def _touched_since(self, newest: int) -> set[int]:
        lines = Review.objects.filter(learner=self.learner, pk__gt=newest - LATE_LINES)
        return set(lines.values_list("card_id", flat=True))

    def _read(self, memories: "array[int]", touched: Iterable[int]) -> Iterator[Candidate]:
        """Those of the kept order that are due still, a few at a time."""
        left_out = frozenset(touched)
        for start in range(0, len(memories), CHUNK):
            chunk = memories[start : start + CHUNK].tolist()
            for one in self._sorted(self._due.filter(pk__in=chunk)):
                if one.card not in left_out:
                    yield one
