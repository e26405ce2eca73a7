"""When cards would be due under other numbers, beside when they are due now. Writes nothing.

Only cards in days are looked at: a card in its steps, suspended or never answered has no day to compare.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

import numpy as np

from studyhub.study.history import answers_of
from studyhub.study.models import Learner, Memory
from studyhub.study.rules import retention_of, retentions_of, versions_of
from studyhub.study.scheduling import Elapsed, Rules
from studyhub.study.scheduling.batch import traces
from studyhub.study.scheduling.fuzz import fuzz_bounds, round_half_away
from studyhub.study.scheduling.histories import Histories
from studyhub.study.scheduling.trace import Trace
from studyhub.study.zones import study_day_of

DAYS = 30
FURTHEST = 365
"""Days ahead among which cards are spread at most."""


@dataclass(frozen=True)
class DayLoad:
    """Cards due on a day, as things stand and as rescheduled."""

    day: date
    now: int
    then: int


@dataclass(frozen=True)
class DueDifference:
    """What rescheduling under a version would do. Of `cards` in days, `moved` would move: sooner or later.

    Overdue: before the first of the `days`, so all at once.
    """

    version: int
    cards: int
    moved: int
    sooner: int
    later: int
    overdue_now: int
    overdue_then: int
    days: Sequence[DayLoad]


@dataclass(frozen=True)
class Move:
    """A card (by its pk), the day it is due, and the day it would be; the same where it stays."""

    card_id: int
    now: date
    then: date

    @property
    def moves(self) -> bool:
        """Whether it would be due on another day."""
        return self.then != self.now


def difference(learner: Learner, version: int, now: datetime, days: int = DAYS) -> DueDifference:
    """Due cards by day now, and as they would be if rescheduled. Raises UnknownVersion."""
    today, found = study_day_of(learner, now), list(moves(learner, version))
    loads = Counter(move.now for move in found), Counter(move.then for move in found)
    return DueDifference(
        version=version,
        cards=len(found),
        moved=sum(move.moves for move in found),
        sooner=sum(move.then < move.now for move in found),
        later=sum(move.then > move.now for move in found),
        overdue_now=sum(move.now < today for move in found),
        overdue_then=sum(move.then < today for move in found),
        days=[DayLoad(day, loads[0][day], loads[1][day]) for day in _days(today, days)],
    )


def _days(today: date, count: int) -> Iterator[date]:
    return (today + timedelta(days=ahead) for ahead in range(count))


def moves(learner: Learner, version: int) -> Iterator[Move]:
    """Where each card in days is due, and would be; one within the fuzz of its new day stays."""
    rules, retentions = versions_of(learner)[version], retentions_of(learner)
    stabilities = stabilities_under(answers_of(learner).histories, rules)
    memories = Memory.objects.filter(learner=learner, state=Memory.State.REVIEW, suspended=False)
    for memory in memories.select_related("card__topic").only(
        "card__topic__deck_id", "card_id", "interval_days", "last_study_day", "learner_id"
    ):
        if memory.card_id in stabilities and memory.last_study_day:
            retention = retention_of(learner, memory.card, retentions=retentions)
            yield _move(memory, rules, rules.model.interval(stabilities[memory.card_id], retention))


def _move(memory: Memory, rules: Rules, interval: float) -> Move:
    assert memory.last_study_day
    low, high = fuzz_bounds(interval, 1, rules.maximum_interval)
    days = memory.interval_days
    if not low <= days <= high:
        days = min(max(1, round_half_away(interval)), rules.maximum_interval)
    start = memory.last_study_day
    return Move(memory.card_id, start + timedelta(days=memory.interval_days), start + timedelta(days=days))


def stabilities_under(histories: Histories, rules: Rules) -> dict[int, Trace]:
    """{pk of a card: what its answers leave under the numbers of the rules}."""
    cards = histories.card[histories.starts].tolist()
    if rules.model.waits_in_seconds:
        return dict(zip(cards, _one_by_one(histories, rules), strict=True))
    shape = len(cards), int(histories.lengths.max(initial=0))
    ratings, elapsed = np.zeros(shape, int), np.zeros(shape, int)
    ratings[histories.lane, histories.position] = histories.rating
    elapsed[histories.lane, histories.position] = histories.elapsed
    columns = (column.tolist() for column in traces(ratings, elapsed, rules.parameters))
    return {card: Trace(*left) for card, *left in zip(cards, *columns, strict=True)}


def _one_by_one(histories: Histories, rules: Rules) -> Iterator[Trace]:
    """For the model without a twin in numpy."""
    seconds = np.diff(histories.at, prepend=histories.at[:1]).tolist()
    days, ratings = histories.elapsed.tolist(), histories.rating.tolist()
    for start, length in zip(histories.starts.tolist(), histories.lengths.tolist(), strict=True):
        trace = rules.model.first(ratings[start])
        for place in range(start + 1, start + length):
            trace = rules.model.after(trace, ratings[place], Elapsed(days[place], seconds[place]))
        yield trace


def staged(found: Sequence[Move], today: date, per_day: int) -> dict[int, date]:
    """{pk of a card that moves: its new day}: none before today, no more than `per_day` (> 0) on a day.

    Cards that stay count too; those that would be due first come first, the rest a day later each.
    """
    loads = Counter(max(move.now, today) for move in found if not move.moves)
    placed: dict[int, date] = {}
    for move in sorted((move for move in found if move.moves), key=lambda move: (move.then, move.card_id)):
        day = max(move.then, today)
        while per_day and loads[day] >= per_day and (day - today).days < FURTHEST:
            day += timedelta(days=1)
        loads[day] += 1
        placed[move.card_id] = day
    due = {move.card_id: move.now for move in found}
    return {card: day for card, day in placed.items() if day != due[card]}
