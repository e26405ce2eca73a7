"""Folds the lines of the ledger into memories. Knows no grade: a line carries the rules of its day."""

from collections.abc import Iterable
from dataclasses import asdict, fields, replace
from datetime import datetime
from uuid import UUID

from cards.models import Card
from studyhub.study.models import Learner, Memory, Review
from studyhub.study.scheduling import MemoryState, Moment, Rules, next_memory

Kind = Review.Kind
_FIELDS = tuple(field.name for field in fields(MemoryState))


def fold(lines: Iterable[Review], card: str) -> tuple[MemoryState, Review | None]:
    """The memory all lines about one card (its uuid) give, whatever order they come in, and the last line.

    Order: (answered_at, device_sequence, client_id); voids and what they void are left out.
    """
    live = live_lines(lines)
    memory = MemoryState()
    for line in live:
        memory = applied(memory, line, card)
    return memory, live[-1] if live else None


def live_lines(lines: Iterable[Review]) -> list[Review]:
    """The lines that count, in the order of the fold."""
    given = list(lines)
    voided = {line.voids_id for line in given if line.kind == Kind.VOID}
    return sorted((line for line in given if line.kind != Kind.VOID and line.pk not in voided), key=order)


def order(line: Review) -> tuple[datetime, int, UUID]:
    """Where a line stands in the fold."""
    return line.answered_at, line.device_sequence, line.client_id


def applied(memory: MemoryState, line: Review, card: str) -> MemoryState:
    """The memory after one line."""
    match line.kind:
        case Kind.REVIEW | Kind.IMPORT:
            return next_memory(
                memory, line.rating, moment=moment_of_line(line), rules=rules_of(line), card=card
            )
        case Kind.RESET:
            return MemoryState(suspended=memory.suspended)
        case Kind.SUSPEND | Kind.UNSUSPEND:
            return replace(memory, suspended=line.kind == Kind.SUSPEND)
        case Kind.BURY:
            return replace(memory, buried_until=line.target_day)
        case Kind.SET_DUE:
            return _moved(memory, line)
        case _:
            raise ValueError(f"a line of kind {line.kind!r} does not fold")


def _moved(memory: MemoryState, line: Review) -> MemoryState:
    """Moves the due date alone: a wish says nothing about what is remembered. A new card stays new."""
    if line.target_day is None or memory.last_study_day is None:
        return memory
    ahead = (line.target_day - line.study_day).days
    interval = max(1, (line.target_day - memory.last_study_day).days) if memory.interval_days else 0
    return replace(memory, due=moment_of_line(line).rollover_in(ahead), interval_days=interval)


def moment_of_line(line: Review) -> Moment:
    """When the line was said, by the rules of that day."""
    return Moment(line.answered_at, line.study_day, line.time_zone, line.rollover_hour)


def rules_of(source: Review | Learner) -> Rules:
    """How a line was, or a learner is, scheduled."""
    return Rules(desired_retention=source.desired_retention)


def memory_value(row: Memory | None) -> MemoryState:
    """A stored memory as a value; none yet is the empty memory."""
    return MemoryState(**{name: getattr(row, name) for name in _FIELDS}) if row else MemoryState()


def save_memory(learner: Learner, card: Card, memory: MemoryState, *, as_of: Review | None) -> None:
    """Writes the memory of a card. The caller holds the learner's lock."""
    values = {**asdict(memory), "as_of": as_of}
    if not Memory.objects.filter(learner=learner, card=card).update(**values):
        Memory.objects.create(learner=learner, card=card, **values)
