"""Where cards stand on the evening of a day spent in steps, many at once: the simulator's. Knows no course.

Within a day every answer after the first is Good: FSRS-6 gives a recall of 1 there.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from studyhub.study.scheduling import batch, traces
from studyhub.study.scheduling.batch_days import days_of_graduation
from studyhub.study.scheduling.state import Rules
from studyhub.study.scheduling.trace import Parameters

Floats = NDArray[np.floating[Any]]
Integers = NDArray[np.integer[Any]]
GOOD, EASY = 2, 3


class FirstAnswers:
    """Where a card stands on the evening of its first day, for each first rating."""

    def __init__(self, rules: Rules) -> None:
        self._rules, steps = rules, len(rules.learning_steps)
        stability, difficulty = _firsts(rules.parameters)
        # Easy is a day beyond what Good would give at once, also where Good has a step left.
        self._good_at_once = stability[GOOD]
        self._least = np.maximum.accumulate(stability) * (not steps)  # without steps no button gives less
        follow = (steps, steps, max(0, steps - 1), 0)  # times Good, until the steps are done
        both = [
            good_within_a_day(stability[one : one + 1], difficulty[one : one + 1], times=times, rules=rules)
            for one, times in enumerate(follow)
        ]
        self.stability, self.difficulty = (np.concatenate(parts) for parts in zip(*both, strict=True))

    def days(self, rated: Integers, retention: Floats, fuzz: Floats) -> Integers:
        """Days until the card is asked again."""
        numbers, maximum = self._rules.parameters, self._rules.maximum_interval
        held = np.maximum(self.stability, self._least)
        held[EASY] = max(held[EASY], self._good_at_once)
        ideal = batch.intervals(held[rated], retention, numbers)
        good = batch.intervals(np.full(len(rated), self._good_at_once), retention, numbers)
        below = days_of_graduation(good, draw=fuzz, maximum=maximum)
        return days_of_graduation(ideal, draw=fuzz, maximum=maximum, after=np.where(rated == EASY, below, 0))


def relearned(
    stability: Floats,
    difficulty: Floats,
    *,
    retention: Floats,
    fuzz: Floats,
    hard: Integers,
    rules: Rules,
) -> tuple[Floats, Floats, Integers]:
    """(stability, difficulty, days) after a lapse and its steps; without steps no more days than Hard."""
    times = len(rules.relearning_steps)
    s, d = good_within_a_day(stability, difficulty, times=times, rules=rules)
    ideal = batch.intervals(s, retention, rules.parameters)
    if not times:
        return s, d, np.minimum(np.maximum(1, np.floor(ideal + 0.5)), hard).astype(np.int64)
    return s, d, days_of_graduation(ideal, draw=fuzz, maximum=rules.maximum_interval)


def good_within_a_day(
    stability: Floats, difficulty: Floats, *, times: int, rules: Rules
) -> tuple[Floats, Floats]:
    """The trace after `times` more answers Good on the same study day."""
    for _ in range(times):
        s, d, _interval = batch.previews(
            stability, difficulty, np.zeros_like(stability), np.full_like(stability, 0.9), rules.parameters
        )
        stability, difficulty = s[:, GOOD], d[:, GOOD]
    return stability, difficulty


def _firsts(numbers: Parameters) -> tuple[Floats, Floats]:
    """Stability and difficulty after a first Again, Hard, Good, Easy."""
    found = [traces.first_trace(rating, numbers) for rating in (1, 2, 3, 4)]
    return np.array([one.stability for one in found]), np.array([one.difficulty for one in found])
