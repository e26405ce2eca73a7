"""Plays a learner's coming days many times over, all cards and all courses at once. Knows no table, no clock.

A course is one way to study (retention, new cards a day, minutes) met with one draw of chance. Every course
has all cards, so arrays are (courses, cards). On each day cards that are due come first, what is forgotten
most before the rest, then new ones in order, until the minutes are over; a card begun is done to its end:
answers within the day succeed, as FSRS-6 has it, and cost seconds only. Days count from today, 0.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studyhub.study.scheduling import batch
from studyhub.study.scheduling.batch_days import days_of_passes
from studyhub.study.scheduling.evenings import FirstAnswers, relearned
from studyhub.study.scheduling.state import Rules

Floats = NDArray[np.floating[Any]]
Integers = NDArray[np.integer[Any]]
NEVER = 2**31 - 1
STEP = 0.05  # of the chance of recall: the queue asks by these steps (study/asking/ordering.py)
AGAIN, HARD, GOOD, EASY = range(4)


@dataclass(frozen=True)
class Cards:
    """Cards in the order in which new ones are met. Stability in days, 0 = new; times in study days.

    `last`: the day of the last answer, 0 or less; `due`: the day it is due, 0 or less = today."""

    stability: Floats
    difficulty: Floats
    last: Integers
    due: Integers
    interval: Integers

    def __len__(self) -> int:
        return len(self.stability)


@dataclass(frozen=True)
class Behaviour:
    """How a learner answers: seconds a card takes on its day with all that follows in steps, and ratings.

    `first`: shares of Again, Hard, Good, Easy of first answers; `passes`: of Hard, Good, Easy of passes."""

    seconds_new: float = 60.0
    seconds_recalled: float = 20.0
    seconds_forgotten: float = 45.0
    first: tuple[float, float, float, float] = (0.25, 0.1, 0.55, 0.1)
    passes: tuple[float, float, float] = (0.1, 0.8, 0.1)


@dataclass(frozen=True)
class Courses:
    """One entry a course. `draw` names its chance: courses with the same one meet the same luck.

    `steadiness` multiplies every stability in truth, though not in the schedule; `pace` every second."""

    retention: Floats
    new_per_day: Integers
    seconds_per_day: Floats
    reviews_per_day: Integers
    steadiness: Floats
    pace: Floats
    draw: Integers

    def __len__(self) -> int:
        return len(self.retention)


@dataclass(frozen=True)
class Played:
    """What became of each course. (courses,) but `seconds`, `answered`, `met`: (courses, days).

    `expected`: cards recalled on the day after the last, on average; `recalled`: by one draw of chance."""

    expected: Floats
    recalled: Integers
    unseen: Integers
    seconds: Floats
    answered: Integers
    met: Integers


def simulate(
    cards: Cards, courses: Courses, *, days: int, behaviour: Behaviour, rules: Rules, seed: int
) -> Played:
    """Plays `days` study days from today; the same arguments give the same numbers.

    `rules` gives the numbers of the model (21), the count of the steps and the longest interval; retention
    is the courses'. About 0.1 s for 4 courses of 1,000 cards over a year.
    """
    table = _Table(cards, courses, behaviour=behaviour, rules=rules)
    chance = np.random.default_rng(seed)
    kept = [table.day(day, chance) for day in range(days)]
    recall = table.recall_on(days)
    hit = chance.random((int(courses.draw.max(initial=0)) + 1, len(cards)))[courses.draw] < recall
    seconds, answered, met = (np.stack(rows, axis=1) for rows in zip(*kept, strict=True))
    unseen = (table.stability == 0).sum(axis=1)
    return Played(recall.sum(axis=1), hit.sum(axis=1), unseen, seconds, answered, met)


class _Table:
    """All cards of all courses as they stand on one day."""

    def __init__(self, cards: Cards, courses: Courses, *, behaviour: Behaviour, rules: Rules) -> None:
        shape = (len(courses), len(cards))
        self.courses, self.behaviour, self.rules = courses, behaviour, rules
        self.stability = np.tile(cards.stability.astype(float), (shape[0], 1))
        self.difficulty = np.tile(cards.difficulty.astype(float), (shape[0], 1))
        self.last = np.tile(cards.last.astype(np.int32), (shape[0], 1))
        due = np.where(cards.stability > 0, cards.due, NEVER)
        self.due = np.tile(due.astype(np.int32), (shape[0], 1))
        self.interval = np.tile(cards.interval.astype(np.int32), (shape[0], 1))
        self._new = np.flatnonzero(cards.stability == 0)
        self._next_new = np.zeros(shape[0], dtype=np.int64)
        self._first = FirstAnswers(rules)

    def day(self, day: int, chance: np.random.Generator) -> tuple[Floats, Integers, Integers]:
        """Studies one day: (seconds, cards answered that had been due, new cards met) of each course."""
        luck = chance.random((3, int(self.courses.draw.max(initial=0)) + 1, self.stability.shape[1]))
        seconds, answered = self._due_cards(day, luck)
        more, met = self._new_cards(day, luck, seconds)
        return seconds + more, answered, met

    def recall_on(self, day: int) -> Floats:
        """The true chance of recall of every card on a day; 0 for one never met."""
        true = np.where(self.stability > 0, self.stability * self.courses.steadiness[:, None], 1.0)
        chance = batch.recalls(true, day - self.last, self.rules.parameters)
        return np.where(self.stability > 0, chance, 0.0)

    def _due_cards(self, day: int, luck: Floats) -> tuple[Floats, Integers]:
        row, col = np.nonzero(self.due <= day)
        rated, cost = self._answers(row, col, day, luck)
        believed = batch.recalls(self.stability[row, col], day - self.last[row, col], self.rules.parameters)
        forgotten = (believed / STEP).astype(np.int64)
        order = np.lexsort((forgotten, row))
        row, col, rated, cost = row[order], col[order], rated[order], cost[order]
        before, place = _before(cost, row)
        limit = self.courses.reviews_per_day[row]
        done = (before < self.courses.seconds_per_day[row]) & ((limit == 0) | (place < limit))
        row, col, rated, cost = row[done], col[done], rated[done], cost[done]
        self._answered(row, col, rated, day=day, fuzz=luck[2, self.courses.draw[row], col])
        return self._sums(row, cost), np.bincount(row, minlength=len(self.courses))

    def _answers(self, row: Integers, col: Integers, day: int, luck: Floats) -> tuple[Integers, Floats]:
        """(rating 0..3, seconds) each due card would get today."""
        truly = self.stability[row, col] * self.courses.steadiness[row]
        recall = batch.recalls(truly, day - self.last[row, col], self.rules.parameters)
        recalled = luck[0, self.courses.draw[row], col] < recall
        rated = np.where(
            recalled, 1 + _chosen(self.behaviour.passes, luck[1, self.courses.draw[row], col]), 0
        )
        seconds = np.where(recalled, self.behaviour.seconds_recalled, self.behaviour.seconds_forgotten)
        return rated, seconds * self.courses.pace[row]

    def _answered(self, row: Integers, col: Integers, rated: Integers, *, day: int, fuzz: Floats) -> None:
        """Writes the memories after these answers, the relearning steps of a lapse included."""
        stability, difficulty, interval = batch.previews(
            self.stability[row, col], self.difficulty[row, col], (day - self.last[row, col]).astype(float),
            self.courses.retention[row], self.rules.parameters,
        )  # fmt: skip
        own = np.arange(len(row)), rated
        passes = days_of_passes(
            interval[:, HARD:], previous=self.interval[row, col], draw=fuzz,
            maximum=self.rules.maximum_interval, least=max(1, self.rules.least_pass),
        )  # fmt: skip
        after, hardness, days = stability[own], difficulty[own], np.stack((passes[0], *passes), axis=1)[own]
        lapsed = np.flatnonzero(rated == AGAIN)
        after[lapsed], hardness[lapsed], days[lapsed] = relearned(
            after[lapsed], hardness[lapsed], retention=self.courses.retention[row[lapsed]],
            fuzz=fuzz[lapsed], hard=days[lapsed], rules=self.rules,
        )  # fmt: skip
        self._write(row, col, after, hardness, days, day=day)

    def _new_cards(self, day: int, luck: Floats, used: Floats) -> tuple[Floats, Integers]:
        """Meets new cards in their order while there is time; the next day goes on with the next."""
        left = len(self._new) - self._next_new
        wanted = np.where(used < self.courses.seconds_per_day, np.minimum(self.courses.new_per_day, left), 0)
        row = np.repeat(np.arange(len(self.courses)), wanted)
        place = np.arange(len(row)) - np.repeat(np.cumsum(wanted) - wanted, wanted)
        col = self._new[self._next_new[row] + place]
        cost = self.behaviour.seconds_new * self.courses.pace[row]
        done = used[row] + place * cost < self.courses.seconds_per_day[row]
        row, col, cost = row[done], col[done], cost[done]
        rated = _chosen(self.behaviour.first, luck[1, self.courses.draw[row], col])
        fuzz = luck[2, self.courses.draw[row], col]
        days = self._first.days(rated, self.courses.retention[row], fuzz)
        self._write(row, col, self._first.stability[rated], self._first.difficulty[rated], days, day=day)
        met = np.bincount(row, minlength=len(self.courses))
        self._next_new += met
        return self._sums(row, cost), met

    def _write(
        self, row: Integers, col: Integers, stability: Floats, difficulty: Floats, days: Integers, *, day: int
    ) -> None:
        self.stability[row, col], self.difficulty[row, col] = stability, difficulty
        self.last[row, col], self.interval[row, col], self.due[row, col] = day, days, day + days

    def _sums(self, row: Integers, cost: Floats) -> Floats:
        sums: Floats = np.bincount(row, weights=cost, minlength=len(self.courses)).astype(np.float64)
        return sums


def _chosen(shares: tuple[float, ...], luck: Floats) -> Integers:
    """Which of several, by their shares: the place of each draw."""
    edges = np.cumsum(shares)[:-1] / sum(shares)
    return np.searchsorted(edges, luck, side="right")


def _before(cost: Floats, row: Integers) -> tuple[Floats, Integers]:
    """What the entries of the same row add up to before each, and how many they are; rows ascend."""
    total = np.cumsum(cost)
    start = np.searchsorted(row, row, side="left")
    return total - cost - np.concatenate(([0.0], total))[start], np.arange(len(row)) - start
