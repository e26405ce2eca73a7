"""One learner's ledger inside one transaction: what is known of it, and what is written at the end.

Lines are worked out in memory and written together, so a sync of many costs few queries, and a line that is
refused has written nothing. The caller holds the learner's lock from before the first look to `write`.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import TypeVar
from uuid import UUID

from django.db.models import Model

from cards.models import Card
from studyhub.study.lines import Step, complete
from studyhub.study.memories import Known, known_memories, save_memories
from studyhub.study.models import Attempt, Learner, Review
from studyhub.study.replay import applied, folded, live_lines, order
from studyhub.study.rollups import count_all
from studyhub.study.rules import Versions, retentions_of, versions_of
from studyhub.study.submissions import IdempotencyConflict
from studyhub.study.suggesting import Earlier

Row = TypeVar("Row", Attempt, Review)
Kind = Review.Kind


@dataclass(frozen=True)
class _New:
    """What is to be written, in the order it came."""

    attempts: list[Attempt]
    lines: list[Review]


class Desk:
    """Where lines of one learner are made and written at once."""

    def __init__(self, owner: Learner, now: datetime) -> None:
        self.owner, self._began = owner, now
        self.versions: Versions = versions_of(owner)
        self.earlier = Earlier(owner, now)
        self._new = _New([], [])
        self._known: dict[int, Known] = {}
        self._cards: dict[int, Card] = {}
        self._lines: dict[int, list[Review]] = {}
        self._rows: dict[tuple[type[Model], UUID], Attempt | Review | None] = {}
        self._voids: dict[UUID, Review] = {}
        self._undone: dict[int | None, Review | None] = {}
        self._rated: dict[int | None, Review | None] = {}

    @property
    def now(self) -> datetime:
        """When the next line comes: a microsecond after the one before, so that they count in this order."""
        return self._began + timedelta(microseconds=len(self._new.lines))

    @cached_property
    def retentions(self) -> dict[int, float]:
        """The decks with a retention of their own; one query for all lines."""
        return retentions_of(self.owner)

    def expect(self, *, cards: Collection[int] = (), ids: Collection[UUID] = ()) -> None:
        """Reads what many lines will ask for by a handful of queries. Nothing else changes by it."""
        lines = self._expect_rows(Review, ids, "card")
        attempts = self._expect_rows(Attempt, ids, "card_version__card__topic")
        about = {line.card_id for line in lines} | {one.card_version.card_id for one in attempts}
        self._known |= known_memories(self.owner, {*cards, *about})
        self._undone |= dict.fromkeys((line.pk for line in lines), None)
        self._rated |= dict.fromkeys((attempt.pk for attempt in attempts), None)
        if lines:
            voids = Review.objects.filter(learner=self.owner, voids__in=self._undone)
            self._undone |= {void.voids_id: void for void in voids}
        if attempts:
            ratings = Review.objects.filter(attempt__in=self._rated, kind=Kind.REVIEW, voided_by=None)
            self._rated |= {line.attempt_id: line for line in ratings}

    def _expect_rows(self, model: type[Row], ids: Collection[UUID], related: str) -> list[Row]:
        """The rows of these client ids; that there are no others is known from now on."""
        rows = model._default_manager.filter(learner=self.owner, client_id__in=ids)
        found = list(rows.select_related(related))
        self._rows |= dict.fromkeys(((model, one) for one in ids), None)
        self._rows |= {(model, row.client_id): row for row in found}
        return found

    def expect_lines(self, cards: Collection[int]) -> None:
        """Reads all lines of cards by one query, before any is appended: a void folds its card anew."""
        self._lines |= {card: [] for card in cards}
        for line in Review.objects.filter(learner=self.owner, card__in=cards).defer("outcome"):
            self._lines[line.card_id].append(line)

    def stored(self, model: type[Row], client_id: UUID, digest: str) -> Row | None:
        """The row of a client id, if it came before. Raises IdempotencyConflict."""
        return same(self.row(model, client_id), client_id, digest)

    def row(self, model: type[Row], client_id: UUID) -> Row | None:
        """The row of a client id, written or to be written."""
        key = (model, client_id)
        if key not in self._rows:
            rows = model._default_manager.filter(learner=self.owner, client_id=client_id)
            self._rows[key] = rows.first()
        found = self._rows[key]
        assert found is None or isinstance(found, model)
        return found

    def void_of(self, line: Review) -> Review | None:
        """The void that has undone a line."""
        if found := self._voids.get(line.client_id):
            return found
        if line.pk in self._undone:
            return self._undone[line.pk]
        return Review.objects.filter(learner=self.owner, voids=line).first() if line.pk else None

    def rating_of(self, attempt: Attempt) -> Review | None:
        """The review that rates an attempt and counts."""
        here = (one for one in self._new.lines if one.attempt and one.attempt.client_id == attempt.client_id)
        return next(
            (one for one in (*here, *self._rating_there(attempt)) if one.client_id not in self._voids), None
        )

    def _rating_there(self, attempt: Attempt) -> Iterable[Review]:
        """The same, as far as it is written."""
        if attempt.pk in self._rated:
            found = self._rated[attempt.pk]
            return [found] if found else []
        return attempt.reviews.filter(kind=Kind.REVIEW, voided_by=None) if attempt.pk else ()

    def add_attempt(self, attempt: Attempt) -> Attempt:
        """Keeps an answer until `write`."""
        self._new.attempts.append(attempt)
        self._rows[(Attempt, attempt.client_id)] = attempt
        return attempt

    def append(self, line: Review) -> Review:
        """Keeps a line until `write`, with its outcome and the memory it leads to."""
        step = self._step(line)
        complete(line, step, self.versions)
        self._new.lines.append(line)
        if (lines := self._lines.get(line.card_id)) is not None:
            lines.append(line)
        if line.kind == Kind.VOID and line.voids:
            self._voids[line.voids.client_id] = line
        self._rows[(Review, line.client_id)] = line
        self._known[line.card_id] = Known(step.after, step.last)
        self._cards[line.card_id] = line.card
        return line

    def write(self) -> None:
        """Writes all of it: attempts, lines, memories, and the sums of their days."""
        Attempt.objects.bulk_create(self._new.attempts)
        for run in _runs(self._new.lines):
            Review.objects.bulk_create(run)
        save_memories(self.owner, {pk: self._known[pk] for pk in self._cards})
        count_all(self._new.lines)

    def _step(self, line: Review) -> Step:
        """One step for the newest line, else the whole card."""
        card, current = str(line.card.uuid), self.owner.parameters_version
        known = self._memory(line.card_id)
        if line.kind != Kind.VOID and (known.last is None or order(known.last) < order(line)):
            return Step(known.memory, applied(known.memory, line, card, self.versions), line)
        live = live_lines([*self._all_lines(line.card_id), line])
        return self._late(line, live, card, current)

    def _late(self, line: Review, live: list[Review], card: str, current: int) -> Step:
        """Folds what came before the line, then goes on from there as long as one version says all."""
        last = live[-1] if live else None
        if line.kind == Kind.VOID:
            after = folded(live, card, self.versions, current)
            return Step(after, after, last)
        place = live.index(line)
        before = after = folded(live[:place], card, self.versions, current)
        if any(one.parameters_version != current for one in live):
            after = folded(live, card, self.versions, current)
        else:
            for one in live[place:]:
                after = applied(after, one, card, self.versions)
        return Step(before, after, last)

    def _memory(self, card_id: int) -> Known:
        if card_id not in self._known:
            self._known |= known_memories(self.owner, (card_id,))
        return self._known[card_id]

    def _all_lines(self, card_id: int) -> list[Review]:
        if card_id not in self._lines:
            written = Review.objects.filter(learner=self.owner, card=card_id).defer("outcome")
            here = (line for line in self._new.lines if line.card_id == card_id)
            self._lines[card_id] = [*written, *here]
        return self._lines[card_id]


def same(row: Row | None, client_id: UUID, digest: str) -> Row | None:
    """The row, if it has this digest. Raises IdempotencyConflict where it has another."""
    if row and row.body_digest != digest:
        raise IdempotencyConflict(
            f"id {client_id} came before with another body; a new answer or rating needs a new id"
        )
    return row


def _runs(lines: Iterable[Review]) -> list[list[Review]]:
    """The lines in order, cut before a void of a line that has to be written first."""
    runs: list[list[Review]] = [[]]
    ahead: dict[UUID, bool] = defaultdict(bool)
    for line in lines:
        if line.voids is not None and ahead[line.voids.client_id]:
            runs.append([])
            ahead.clear()
        runs[-1].append(line)
        ahead[line.client_id] = True
    return runs
