"""Compares what is kept with what the ledger says: memories, sums of days, and the lines themselves.

Memories and sums are caches: they are rewritten. A line whose study day contradicts its own zone and hour
is set right; other faults of lines are for a person. Everything is exact, to the last bit of a stability.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cache

from django.db import connection, transaction
from django.db.models import Count, F, Q

from studyhub.study import rollups
from studyhub.study.attempting import locked
from studyhub.study.batch_replay import replayed
from studyhub.study.ledger import open_ledger
from studyhub.study.ledger_rows import days_of_lines, memories_by_card
from studyhub.study.memories import memory_row, save_rows
from studyhub.study.models import Attempt, Learner, Memory, Review
from studyhub.study.replay import ANSWERS
from studyhub.study.rules import versions_of
from studyhub.study.scheduling import UnknownTimeZone, rollover, study_day

Kind = Review.Kind
LATEST = datetime.max.replace(tzinfo=UTC)


@dataclass
class Findings:
    """How many of each kind of fault were found."""

    memories_missing: int = 0
    memories_extra: int = 0
    memories_different: int = 0
    days_different: int = 0
    bad_study_days: int = 0
    bad_ratings: int = 0
    bad_versions: int = 0
    bad_voids: int = 0
    attempts_rated_twice: int = 0
    practice_rated: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return sum(asdict(self).values())


def check(learner: Learner, *, fix: bool = False) -> Findings:
    """What is wrong with one learner; with `fix` it is set right in the same transaction, where it can be.

    Where lines name versions that are not there, their memories are not compared: nothing can fold them.
    """
    with transaction.atomic():
        owner, found = locked(learner), Findings()
        _check_lines(owner, found, fix=fix)
        if not found.bad_versions:
            _check_memories(owner, found, fix=fix)
        _check_days(owner, found, fix=fix)
        return found


def _check_memories(learner: Learner, found: Findings, *, fix: bool) -> None:
    kept, wrong = memories_by_card(learner), []
    for folded in replayed(learner):
        stored = kept.pop(folded.card, None)
        if stored == (folded.memory, folded.as_of):
            continue
        found.memories_missing += stored is None
        found.memories_different += stored is not None
        wrong.append(folded)
    found.memories_extra = len(kept)
    if fix:
        Memory.objects.filter(learner=learner, card__in=kept).delete()
        save_rows([memory_row(learner.pk, one.card, one.memory, as_of_id=one.as_of) for one in wrong])


def _check_days(learner: Learner, found: Findings, *, fix: bool) -> None:
    stored, counted = rollups.stored(learner), rollups.recounted(learner)
    found.days_different = sum(stored.get(day) != counted.get(day) for day in {*stored, *counted})
    if fix and found.days_different:
        rollups.rewrite(learner)


def _check_lines(learner: Learner, found: Findings, *, fix: bool) -> None:
    lines = Review.objects.filter(learner=learner)
    found.bad_ratings = lines.filter(_BAD_RATING).count()
    found.bad_voids = lines.filter(_BAD_VOID).count()
    named = set(lines.values_list("parameters_version", flat=True).distinct()) | {learner.parameters_version}
    found.bad_versions = len(named - set(versions_of(learner)))
    live = Count("reviews", filter=Q(reviews__kind=Kind.REVIEW, reviews__voided_by=None))
    rated = Attempt.objects.filter(learner=learner).annotate(live=live)
    found.attempts_rated_twice = rated.filter(live__gt=1).count()
    found.practice_rated = rated.filter(live__gt=0, practice=True).count()
    wrong = dict(_wrong_days(learner))
    found.bad_study_days = len(wrong)
    if fix and wrong:
        _set_days(wrong)


_BAD_RATING = Q(kind=Kind.REVIEW) & (Q(rating__lt=1) | Q(card_version=None) | Q(attempt=None))
_BAD_RATING |= Q(rating__gt=4) | (Q(rating__gt=0) & ~Q(kind__in=ANSWERS)) | Q(draw__gte=1)
_BAD_VOID = Q(kind=Kind.VOID) & (Q(voids=None) | Q(voids__kind=Kind.VOID) | ~Q(voids__card=F("card")))
_BAD_VOID |= Q(kind=Kind.VOID) & ~Q(voids__learner=F("learner")) | ~Q(kind=Kind.VOID) & Q(voids__isnull=False)


def _wrong_days(learner: Learner) -> Iterator[tuple[int, date | None]]:
    """(pk of a line, the study day its instant, zone and hour give); None for a zone nobody knows."""
    begins = cache(_begins)
    for pk, day, instant, zone, hour in days_of_lines(learner):
        begin, end = begins(day, zone, hour)
        if not begin <= instant < end:
            yield pk, _day_of(instant, zone, hour)


def _begins(day: date, zone: str, hour: int) -> tuple[datetime, datetime]:
    """When a study day begins and ends; a zone nobody knows has none that holds anything."""
    after = day + timedelta(days=1)
    try:
        return rollover(day, time_zone=zone, hour=hour), rollover(after, time_zone=zone, hour=hour)
    except UnknownTimeZone:
        return LATEST, LATEST


def _day_of(instant: datetime, zone: str, hour: int) -> date | None:
    try:
        return study_day(instant, time_zone=zone, hour=hour)
    except UnknownTimeZone:
        return None


def _set_days(wrong: dict[int, date | None]) -> None:
    with open_ledger(connection):
        for pk, day in wrong.items():
            if day is not None:
                Review.objects.filter(pk=pk).update(study_day=day)
