"""Folds the lines of the ledger into memories. Knows no grade: a line carries the rules of its day.

Each answer is scheduled by the version of the parameters its line names, from the trace that version's
numbers give over the lines before it. What is known now (stability, difficulty) is the trace of all lines
under the learner's current version. So new numbers change what is known at once and move no due date.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from studyhub.study.memories import memory_value
from studyhub.study.models import Review
from studyhub.study.rules import BUILT_IN, Versions
from studyhub.study.scheduling import MemoryState, Moment, next_memory

__all__ = [
    "ANSWERS",
    "applied",
    "draw_of_line",
    "fold",
    "folded",
    "live_lines",
    "memory_value",
    "moment_of_line",
    "order",
]
Kind = Review.Kind
ANSWERS = (Kind.REVIEW, Kind.IMPORT)
_NO_TRACE = MemoryState()


def fold(
    lines: Iterable[Review], card: str, versions: Versions = BUILT_IN, current: int = 0
) -> tuple[MemoryState, Review | None]:
    """The memory all lines about one card (its uuid) give, whatever order they come in, and the last line.

    `current` is the learner's version now. Order: (answered_at, device_sequence, client_id); voids and what
    they void are left out. Raises UnknownVersion.
    """
    live = live_lines(lines)
    return folded(live, card, versions, current), live[-1] if live else None


def live_lines(lines: Iterable[Review]) -> list[Review]:
    """The lines that count, in the order of the fold, whether they are written yet or not."""
    given = list(lines)
    voids = [line for line in given if line.kind == Kind.VOID]
    written = {line.voids_id for line in voids if line.voids_id is not None}
    unwritten = {line.voids.client_id for line in voids if line.voids_id is None and line.voids}
    live = (line for line in given if line.pk not in written and line.client_id not in unwritten)
    return sorted((line for line in live if line.kind != Kind.VOID), key=order)


def order(line: Review) -> tuple[datetime, int, UUID]:
    """Where a line stands in the fold."""
    return line.answered_at, line.device_sequence, line.client_id


def folded(live: Sequence[Review], card: str, versions: Versions, current: int) -> MemoryState:
    """The memory after lines that count, given in the order of the fold."""
    used = Counter(line.parameters_version for line in live if line.kind in ANSWERS)
    if set(used) - {current}:
        return _under_several(live, card, versions=versions, current=current, used=used)
    memory = MemoryState()
    for line in live:
        memory = applied(memory, line, card, versions)
    return memory


def _under_several(
    live: Sequence[Review], card: str, *, versions: Versions, current: int, used: Counter[int]
) -> MemoryState:
    """The same where lines carry several versions: a trace for each, as long as a line to come needs it."""
    memory, traces = MemoryState(), dict.fromkeys({*used, current}, _NO_TRACE)
    for line in live:
        if line.kind in ANSWERS:
            traces = {
                version: applied(_with_trace(memory, trace), line, card, versions, version)
                for version, trace in traces.items()
            }
            memory = traces[line.parameters_version]
            used[line.parameters_version] -= 1
            traces = {
                version: trace for version, trace in traces.items() if used[version] or version == current
            }
        else:
            memory = applied(memory, line, card, versions)
            if line.kind == Kind.RESET:
                traces = dict.fromkeys(traces, _NO_TRACE)
    return _with_trace(memory, traces[current])


def _with_trace(memory: MemoryState, trace: MemoryState) -> MemoryState:
    return replace(
        memory,
        stability=trace.stability,
        difficulty=trace.difficulty,
        short_stability=trace.short_stability,
    )


def applied(
    memory: MemoryState, line: Review, card: str, versions: Versions = BUILT_IN, version: int | None = None
) -> MemoryState:
    """The memory after one line; with `version`, as if its rules had been those of that version."""
    match line.kind:
        case Kind.REVIEW | Kind.IMPORT:
            return _answered(memory, line, card=card, versions=versions, version=version)
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


def _answered(
    memory: MemoryState, line: Review, *, card: str, versions: Versions, version: int | None
) -> MemoryState:
    if not line.rating:
        return memory  # an imported row that rates nothing
    number = line.parameters_version if version is None else version
    return next_memory(
        memory,
        line.rating,
        moment=moment_of_line(line),
        rules=versions.at(number, line.desired_retention),
        card=card,
        draw=draw_of_line(line),
    )


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


def draw_of_line(line: Review) -> float | None:
    """The draw that was sent with it; None = none, then the card and its number of answers decide."""
    return line.draw if line.draw >= 0 else None
