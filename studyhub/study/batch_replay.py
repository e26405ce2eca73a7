"""Folds a learner's whole ledger at once: the same memories as `replay`, to the last bit, many times as fast.

A card is one `Course` that goes through its lines; instants and days are made of the last line alone.
"""

import gc
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple

from django.db import transaction

from studyhub.study.ledger_rows import (
    Line,
    Ordinals,
    card_names,
    day_of,
    instant_of,
    lines_by_card,
    memories_by_card,
    ordinal,
)
from studyhub.study.memories import memory_row, save_rows
from studyhub.study.models import Learner, Review
from studyhub.study.rules import Versions, versions_of
from studyhub.study.scheduling import MemoryState, Moment, Rules
from studyhub.study.scheduling.course import Course
from studyhub.study.scheduling.memory import memory_of
from studyhub.study.scheduling.trace import Elapsed, Trace

_CARD, _PK, _KIND, _VOIDS, _RATING, _DAY, _AT, _VERSION, _RETENTION, _DRAW = range(10)
_VOID, _REVIEW, _IMPORT = Review.Kind.VOID.value, Review.Kind.REVIEW.value, Review.Kind.IMPORT.value
_ANSWERS = frozenset({_REVIEW, _IMPORT})
_NEW = MemoryState()


class Folded(NamedTuple):
    """The memory of a card by its pk, and the pk of the last line that counts."""

    card: int
    memory: MemoryState
    as_of: int | None


def replayed(learner: Learner, cards: Collection[int] | None = None) -> Iterator[Folded]:
    """Every card with lines, folded under the learner's current version. Raises UnknownVersion."""
    names, folder = card_names(learner), _Folder(versions_of(learner), learner.parameters_version)
    for card, lines in lines_by_card(learner, cards):
        yield folder.fold(card, names[card], lines)


def rebuild(learner: Learner, cards: Collection[int] | None = None) -> int:
    """Writes the memories that differ from the fold: how many did. The caller holds the lock."""
    with transaction.atomic(), _uncollected():
        kept = memories_by_card(learner)
        differing = [one for one in replayed(learner, cards) if kept.get(one.card) != (one.memory, one.as_of)]
        save_rows([memory_row(learner.pk, one.card, one.memory, as_of_id=one.as_of) for one in differing])
    return len(differing)


@contextmanager
def _uncollected() -> Iterator[None]:
    """A million rows and memories hold no cycle, and looking for one again and again takes a tenth of all."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class _Folder:
    """Folds cards of one learner, with the rules of each version and retention looked up once."""

    def __init__(self, versions: Versions, current: int) -> None:
        self._versions, self._current = versions, current
        self._rules: dict[tuple[int, float], Rules] = {}
        self.ordinals, self.elapsed = Ordinals(), _Elapsed()

    def fold(self, card: int, name: str, lines: Sequence[Any]) -> Folded:
        """The memory after the lines of a card, given in the order of the fold."""
        if any(line[_KIND] == _VOID for line in lines):
            voided = {line[_VOIDS] for line in lines if line[_KIND] == _VOID}
            lines = [line for line in lines if line[_KIND] != _VOID and line[_PK] not in voided]
        if not lines:
            return Folded(card, _NEW, None)
        walk = _Walk(self, name, self._current, self._used(lines))
        walk.through(lines)
        return Folded(card, walk.memory(), lines[-1][_PK])

    def _used(self, lines: Sequence[Any]) -> Counter[int] | None:
        """How many answers there are by version; None where all are by the current one."""
        if {line[_VERSION] for line in lines} == {self._current}:
            return None
        used = Counter(line[_VERSION] for line in lines if line[_KIND] in _ANSWERS)
        return used if set(used) - {self._current} else None

    def rules(self, version: int, retention: float) -> Rules:
        """The rules of a version at a retention."""
        key = (version, retention)
        if (rules := self._rules.get(key)) is None:
            rules = self._rules[key] = self._versions.at(version, retention)
        return rules


class _Elapsed(dict[int, Elapsed]):
    """The time that passed in whole days, which is all that most models ask for; none where it ran back."""

    def __missing__(self, number_of_days: int) -> Elapsed:
        found = self[number_of_days] = Elapsed(max(0, number_of_days), 0.0)
        return found


class _Walk:
    """One card on its way through its lines. `used`: answers by version, where there are several."""

    def __init__(self, folder: _Folder, name: str, current: int, used: Counter[int] | None) -> None:
        self._folder, self._name, self._current, self._used = folder, name, current, used
        self._course = Course(_NEW, name)
        self._traces: dict[int, Trace | None] = dict.fromkeys({*used, current}) if used else {}
        self._last: Any = None  # the last answer
        self._due: datetime | None = None  # where a wish has moved it
        self._buried: date | None = None

    def through(self, lines: Sequence[Any]) -> None:
        """Goes through all lines."""
        course, last, last_day, several = self._course, None, 0, self._used is not None
        version, retention, exact = -1, -1.0, several
        ordinals, whole_days = self._folder.ordinals, self._folder.elapsed
        for line in lines:
            if line[_KIND] not in _ANSWERS:
                self._last = last
                self._happen(Line(*line))
                course, last = self._course, self._last
                continue
            if not (rating := line[_RATING]):
                continue
            if line[_RETENTION] != retention or line[_VERSION] != version:
                version, retention = line[_VERSION], line[_RETENTION]
                rules = self._folder.rules(version, retention)
                exact = several or rules.model.waits_in_seconds
            day = ordinals[line[_DAY]]
            elapsed = whole_days[day - last_day if last else 0]
            if exact and last:
                elapsed = Elapsed(elapsed.days, _seconds(last, line))
            if several:
                self._answer(Line(*line), elapsed, rules)
            else:
                draw = line[_DRAW]
                course.answer(rating, elapsed, rules, draw if draw >= 0 else None)
            last, last_day = line, day
            if self._due or self._buried:
                self._due = self._buried = None
        self._last = last

    def memory(self) -> MemoryState:
        """The memory as the last line left it."""
        course = self._course
        if self._last is None:
            return MemoryState(suspended=course.suspended, buried_until=self._buried)
        if self._used is not None:
            course.trace = self._traces[self._current]
        memory = memory_of(course, _moment(Line(*self._last)))
        if self._due is None and self._buried is None:
            return memory
        return replace(memory, due=self._due or memory.due, buried_until=self._buried)

    def _answer(self, line: Line, elapsed: Elapsed, rules: Rules) -> None:
        """An answer where lines carry several versions: each has its trace, the line's own schedules."""
        assert self._used is not None
        own = line.parameters_version
        self._course.trace = self._traces[own]
        self._course.answer(line.rating, elapsed, rules, line.draw if line.draw >= 0 else None)
        for version, trace in self._traces.items():
            model = self._folder.rules(version, line.desired_retention).model
            if version != own:
                rated = model.after(trace, line.rating, elapsed) if trace else model.first(line.rating)
                self._traces[version] = rated
        self._traces[own] = self._course.trace
        self._used[own] -= 1
        if not self._used[own] and own != self._current:
            del self._traces[own]  # no line to come needs it

    def _happen(self, line: Line) -> None:
        """A line that is no answer."""
        match line.kind:
            case Review.Kind.RESET:
                self._course, suspended = Course(_NEW, self._name), self._course.suspended
                self._course.suspended, self._last, self._due, self._buried = suspended, None, None, None
                self._traces = dict.fromkeys(self._traces)
            case Review.Kind.SUSPEND | Review.Kind.UNSUSPEND:
                self._course.suspended = line.kind == Review.Kind.SUSPEND
            case Review.Kind.BURY:
                self._buried = day_of(line.target_day)
            case Review.Kind.SET_DUE:
                self._move(line)
            case _:
                raise ValueError(f"a line of kind {line.kind!r} does not fold")

    def _move(self, line: Line) -> None:
        """A wish for a due day; a card that was never answered stays new."""
        target = day_of(line.target_day)
        if target is None or self._last is None:
            return
        said, answered = ordinal(line.study_day), ordinal(self._last[_DAY])
        self._due = _moment(line).rollover_in(target.toordinal() - said)
        if self._course.interval_days:
            self._course.interval_days = max(1, target.toordinal() - answered)


def _moment(line: Line) -> Moment:
    day = day_of(line.study_day)
    assert day is not None
    return Moment(instant_of(line.answered_at), day, line.time_zone, line.rollover_hour)


def _seconds(before: Any, line: Any) -> float:
    passed: timedelta = instant_of(line[_AT]) - instant_of(before[_AT])
    seconds = passed.total_seconds()
    return seconds if seconds > 0 else 0.0
