"""FSRS-6 for many cards at once, in numpy. Knows no card, no clock and no button beyond its number.

The twins of `fsrs.Fsrs6`, equal to it to 1e-9; float64 throughout. FSRS-7 has its own in `fsrs7_batch`; of
the functions here `recalls` alone takes its 34 numbers.
"""

from functools import lru_cache
from math import exp
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from studyhub.study.scheduling import fsrs7_batch
from studyhub.study.scheduling.fsrs import DIFFICULTY_BOUNDS, STABILITY_BOUNDS
from studyhub.study.scheduling.trace import Parameters

Floats = NDArray[np.float64]
Integers = NDArray[np.integer[Any]]
_PASSES = np.array((2, 3, 4))


def traces(ratings: ArrayLike, elapsed: ArrayLike, numbers: Parameters) -> tuple[Floats, Floats]:
    """Stability (N,) in days and difficulty (N,) after N histories of at most T answers; 0 where none is.

    `ratings` (N, T): 1..4, filled up with 0 at the end. `elapsed` (N, T): whole study days since the answer
    before; the first of each row is not read. Raises ValueError for other ratings, shapes or numbers.
    """
    model = _numbers(numbers)
    rated, days = np.asarray(ratings), np.asarray(elapsed)
    if rated.ndim != 2 or rated.shape != days.shape:
        raise ValueError(f"ratings {rated.shape} and elapsed {days.shape} are not of one shape (N, T)")
    lengths = np.count_nonzero(rated, axis=1)
    order = np.argsort(-lengths, kind="stable")  # long ones first: those still going are the head of the rows
    stability, difficulty = np.zeros(len(order)), np.zeros(len(order))
    for step, count in enumerate(_still_going(lengths)):
        rows = order[:count]
        rating = _checked(rated[rows, step])
        if step == 0:
            after = model.first(rating)
        else:
            after = model.after(stability[:count], difficulty[:count], rating, days[rows, step])
        stability[:count], difficulty[:count] = after
    back = np.argsort(order)
    return stability[back], difficulty[back]


def previews(
    stability: ArrayLike, difficulty: ArrayLike, elapsed: ArrayLike, retention: ArrayLike, numbers: Parameters
) -> tuple[Floats, Floats, Floats]:
    """What the four buttons would leave of N cards: stability, difficulty, interval in days, each (N, 4).

    Stability 0 is a card never answered. Intervals are neither rounded nor clamped; `retention` is a number
    or (N,). Raises ValueError unless 0 < retention < 1.
    """
    model = _numbers(numbers)
    before, hard, days = (np.asarray(one, np.float64) for one in (stability, difficulty, elapsed))
    new = before <= 0
    known, hard = np.where(new, 1.0, before), np.where(new, 1.0, hard)
    left = np.empty((4, len(known)))
    left[0] = model.lapsed(known, hard, days)
    left[1:] = model.passed(known, hard, days)
    moved = np.stack([model.moved(hard, np.intp(rating)) for rating in (1, 2, 3, 4)])
    if new.any():
        first = model.first(np.arange(1, 5))
        left[:, new], moved[:, new] = (column[:, np.newaxis] for column in first)
    left = left.T
    return left, moved.T, left * model.reach(retention)


def recalls(
    stability: ArrayLike,
    elapsed: ArrayLike,
    numbers: Parameters,
    *,
    difficulty: ArrayLike | None = None,
    short: ArrayLike | None = None,
) -> Floats:
    """The chance of recall of each card after `elapsed` days (N,); 0 for one never answered (stability 0).

    FSRS-6 counts whole study days. FSRS-7 takes fractions, and `difficulty` and `short` stability (N,) too:
    raises ValueError where they are missing.
    """
    known = np.asarray(stability, np.float64)
    if len(numbers) != 21:
        if difficulty is None or short is None:
            raise ValueError(
                f"{len(numbers)} numbers want the difficulty and the short stability of each card, too"
            )
        hard, quick = np.asarray(difficulty, np.float64), np.asarray(short, np.float64)
        return fsrs7_batch.recalls(fsrs7_batch.Traces(known, hard, quick), elapsed, numbers)
    chance = _numbers(numbers).recall(np.where(known > 0, known, 1.0), np.asarray(elapsed, np.float64))
    return np.where(known > 0, chance, 0.0)


def intervals(stability: ArrayLike, retention: ArrayLike, numbers: Parameters) -> Floats:
    """Days until recall falls to `retention` (a number or (N,)); not rounded. As `previews` refuses."""
    reach = _numbers(numbers).reach(retention)
    return np.asarray(stability, np.float64) * (reach[:, 0] if reach.ndim else reach)


def _still_going(lengths: Integers) -> Integers:
    """How many histories have more than 0, 1, 2, ... answers."""
    ended = np.bincount(lengths)
    return len(lengths) - np.cumsum(ended)[:-1]


def _checked(rating: Integers) -> Integers:
    odd = rating[(rating < 1) | (rating > 4)]
    if len(odd):
        raise ValueError(f"rating {odd[0]} is none of 1..4; zeros stand after the last answer alone")
    return rating.astype(np.intp, copy=False)


class _Numbers:
    """The 21 numbers, and what depends on them alone."""

    def __init__(self, numbers: Parameters) -> None:
        if len(numbers) != 21:
            raise ValueError(f"{len(numbers)} numbers; only the 21 of FSRS-6 go many at once, see traces")
        self.w = w = numbers
        self.firsts = np.array(numbers[:4], np.float64)
        self.curve = 0.9 ** (-1 / w[20]) - 1
        self.within_a_day = np.exp(w[17] * (np.arange(1, 5) - 3 + w[18]))
        self.most_kept = exp(w[17] * w[18])
        self.button = np.array((0.0, 0.0, w[15], 1.0, w[16]))
        self.steps = -w[6] * (np.arange(5) - 3) / 9
        self.pull = w[7] * (w[4] - exp(w[5] * 3) + 1)

    def first(self, rating: Integers) -> tuple[Floats, Floats]:
        """After a first answer."""
        difficulty = np.clip(self._first_difficulty(rating), *DIFFICULTY_BOUNDS)
        return np.clip(self.firsts[rating - 1], *STABILITY_BOUNDS), difficulty

    def after(
        self, stability: Floats, difficulty: Floats, rating: Integers, elapsed: Floats
    ) -> tuple[Floats, Floats]:
        """After one more answer."""
        gain = self._gain(stability, difficulty, self.recall(stability, elapsed))
        left = stability * (1 + gain * self.button[rating])
        self._put(left, (rating == 1) & (elapsed >= 1), self._after_lapse, stability, difficulty, elapsed)
        self._put(left, elapsed < 1, self._after_same_day, stability, rating)
        return _bounded(left), self.moved(difficulty, rating)

    def passed(self, stability: Floats, difficulty: Floats, elapsed: Floats) -> Floats:
        """Stability after Hard, Good and Easy: (3, N). What they share is worked out once."""
        gain = self._gain(stability, difficulty, self.recall(stability, elapsed))
        left = stability * (1 + self.button[_PASSES, np.newaxis] * gain)
        same = np.flatnonzero(elapsed < 1)
        if len(same):
            left[:, same] = self._after_same_day(stability[same], _PASSES[:, np.newaxis])
        return _bounded(left)

    def lapsed(self, stability: Floats, difficulty: Floats, elapsed: Floats) -> Floats:
        """Stability after Again."""
        left = self._after_lapse(stability, difficulty, elapsed)
        self._put(left, elapsed < 1, self._after_same_day, stability, np.ones(len(left), np.intp))
        return _bounded(left)

    def moved(self, difficulty: Floats, rating: Integers | np.intp) -> Floats:
        """Difficulty after a later answer."""
        raw = self.pull + (1 - self.w[7]) * (difficulty + self.steps[rating] * (10 - difficulty))
        lowest, highest = DIFFICULTY_BOUNDS
        return np.minimum(np.maximum(raw, lowest), highest)

    def recall(self, stability: Floats, elapsed: Floats) -> Floats:
        """The chance of recall; 1 within the day and for a clock that ran back."""
        return np.asarray(np.exp(-self.w[20] * np.log(1 + self.curve * np.maximum(elapsed, 0) / stability)))

    def reach(self, retention: ArrayLike) -> Floats:
        """How many stabilities it takes until recall falls to `retention`: () or (N, 1)."""
        aim = np.asarray(retention, np.float64)
        if not ((aim > 0) & (aim < 1)).all():
            raise ValueError(f"desired retention {aim} is not between 0 and 1; use 0.70 to 0.99")
        reach = (aim ** (-1 / self.w[20]) - 1) / self.curve
        return np.asarray(reach[:, np.newaxis] if reach.ndim else reach)

    @staticmethod
    def _put(left: Floats, where: NDArray[np.bool_], rule: Any, *given: NDArray[Any]) -> None:
        """Lets `rule` decide in the rows it is for, and works it out in no other."""
        rows = np.flatnonzero(where)
        if len(rows):
            left[rows] = rule(*(one[rows] for one in given))

    def _first_difficulty(self, rating: Integers) -> Floats:
        return np.asarray(self.w[4] - np.exp(self.w[5] * (rating - 1)) + 1)

    def _gain(self, stability: Floats, difficulty: Floats, recall: Floats) -> Floats:
        forgotten = np.exp(self.w[10] * (1 - recall)) - 1
        return np.asarray((11 - difficulty) * np.exp(self.w[8] - self.w[9] * np.log(stability)) * forgotten)

    def _after_same_day(self, stability: Floats, rating: Integers) -> Floats:
        factor = self.within_a_day[rating - 1] * np.exp(-self.w[19] * np.log(stability))
        return np.asarray(stability * np.where(rating > 1, np.maximum(factor, 1.0), factor))

    def _after_lapse(self, stability: Floats, difficulty: Floats, elapsed: Floats) -> Floats:
        w = self.w
        level = np.exp(w[13] * np.log(stability + 1)) - 1
        rest = np.exp(w[14] * (1 - self.recall(stability, elapsed)) - w[12] * np.log(difficulty))
        return np.minimum(w[11] * level * rest, stability / self.most_kept)


def _bounded(stability: Floats) -> Floats:
    lowest, highest = STABILITY_BOUNDS
    np.maximum(stability, lowest, out=stability)
    return np.minimum(stability, highest, out=stability)


@lru_cache(maxsize=256)
def _numbers(numbers: Parameters) -> _Numbers:
    """What depends on the numbers alone, worked out once."""
    return _Numbers(numbers)
