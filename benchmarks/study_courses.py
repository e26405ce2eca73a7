"""Years of study of one learner, played card by card by the scheduler's own rules. Knows no database.

Each answer is recalled with the chance the memory model gives, so intervals, lapses and what was promised
are those of a learner whom the model describes. The last days are days off, so that a backlog is due, but for
some answers just now. The same seed and day give the same lines.
"""

import random
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime

from studyhub.study.scheduling import MemoryState, Rules
from studyhub.study.scheduling.course import Course
from studyhub.study.scheduling.trace import Elapsed

YEARS = 3
DAYS_OFF = 6
ANSWERED_TODAY = 40
DAY = 86_400
MORNING, EVENING = 7 * 3600, 20 * 3600
"""Seconds of a day (UTC) between which answers fall: the same date in the learner's zone."""
AGAIN, HARD, GOOD, EASY = 1, 2, 3, 4
EPOCH = date(1970, 1, 1).toordinal()


@dataclass(frozen=True)
class Answer:
    """A line to be: card (0, 1, ...), instant (s since 1970), day (ordinal), and what was known before it."""

    card: int
    at: int
    day: int
    rating: int
    draw: float
    elapsed_ms: int
    state_before: str
    interval_before: int
    recall_before: int
    state: str
    due_in: int


class Answers:
    """Columns of many answers, in the order they are kept: 30 bytes an answer and its place in time."""

    STATES = ("new", "learning", "review", "relearning")

    def __init__(self) -> None:
        self.numbers = {name: array("q") for name in ("card", "at", "day", "interval_before", "due_in")}
        self.small = {name: array("h") for name in ("rating", "recall_before", "before", "after")}
        self.draw, self.elapsed_ms = array("d"), array("l")

    def __len__(self) -> int:
        return len(self.draw)

    def keep(self, one: Answer) -> None:
        """Appends an answer."""
        for name, column in self.numbers.items():
            column.append(vars(one)[name])
        self.small["rating"].append(one.rating)
        self.small["recall_before"].append(one.recall_before)
        self.small["before"].append(self.STATES.index(one.state_before))
        self.small["after"].append(self.STATES.index(one.state))
        self.draw.append(one.draw)
        self.elapsed_ms.append(one.elapsed_ms)

    def in_time(self) -> Iterator[Answer]:
        """All of them, earliest first."""
        numbers, small = self.numbers, self.small
        for place in sorted(range(len(self)), key=numbers["at"].__getitem__):
            yield Answer(
                **{name: column[place] for name, column in numbers.items()},
                rating=small["rating"][place],
                recall_before=small["recall_before"][place],
                state_before=self.STATES[small["before"][place]],
                state=self.STATES[small["after"][place]],
                draw=self.draw[place],
                elapsed_ms=self.elapsed_ms[place],
            )


def played(cards: int, lines: int, *, now: datetime, today: date, seed: int) -> Answers:
    """At most `lines` answers to at most `cards` cards over three years, met on random days.

    `today` is the study day of `now`.
    """
    chance, answers = random.Random(seed), Answers()
    day, learner = today.toordinal(), _Learner(now, today)
    for card in range(cards):
        met = day - DAYS_OFF - 1 - int(chance.random() ** 1.5 * 365 * YEARS)
        for one in learner.answers(card, met, chance):
            if len(answers) == lines:
                return answers
            answers.keep(one)
    return answers


class _Learner:
    """Answers every card on the day it is due, until the days off; some of those of today."""

    def __init__(self, now: datetime, today: date) -> None:
        self._now, self._today, self._rules = int(now.timestamp()), today.toordinal(), Rules()
        self._left_today = ANSWERED_TODAY

    def answers(self, card: int, met: int, chance: random.Random) -> Iterator[Answer]:
        """Those to one card, met on the day `met`."""
        course, at, last = Course(MemoryState(), ""), _time(met, chance), 0
        while at < (self._today - DAYS_OFF - EPOCH) * DAY:
            yield self._answer(course, card, at, last, chance)
            last = at
            at = at + course.wait + chance.randint(0, 60) if course.wait else _later(course, at, chance)
        if self._left_today and last and not course.wait and at < self._now and card % 2:
            at, self._left_today = self._now - self._left_today, self._left_today - 1
            yield self._answer(course, card, at, last, chance, now=self._today)

    def _answer(
        self, course: Course, card: int, at: int, last: int, chance: random.Random, *, now: int = 0
    ) -> Answer:
        """`now`: on this study day, which need not be the date; never forgotten, so no step comes due."""
        day = now or at // DAY + EPOCH
        passed = day - EPOCH - last // DAY if last else 0
        elapsed = Elapsed(passed, float(at - last) if last else 0.0)
        recall = self._rules.model.recall(course.trace, elapsed) if course.trace and passed else 0.0
        before, interval = course.state, course.interval_days
        rating, draw = _rating(course, recall, chance), chance.random()
        rating = max(rating, HARD) if now else rating
        course.answer(rating, elapsed, self._rules, draw)
        return Answer(
            card, at, day, rating, draw, chance.randint(2_500, 30_000), before, interval,
            max(1, round(1000 * recall)) if passed else 0, course.state,
            course.wait or course.interval_days * DAY,
        )  # fmt: skip


def _time(day: int, chance: random.Random) -> int:
    return (day - EPOCH) * DAY + chance.randint(MORNING, EVENING)


def _later(course: Course, at: int, chance: random.Random) -> int:
    return _time(at // DAY + EPOCH + course.interval_days, chance)


def _rating(course: Course, recall: float, chance: random.Random) -> int:
    luck = chance.random()
    if course.trace is None:
        return AGAIN if luck < 0.1 else HARD if luck < 0.15 else GOOD if luck < 0.8 else EASY
    if course.wait:
        return AGAIN if luck < 0.07 else GOOD
    if luck >= recall:
        return AGAIN
    return HARD if luck < 0.1 * recall else EASY if luck > 0.92 * recall else GOOD
