"""FSRS-6 in pure functions on floats. Knows no card, no clock and no button beyond its number.

Formulas, defaults and bounds: open-spaced-repetition/fsrs-rs 6.6.1, `src/model.rs`, `src/inference.rs` and
`src/parameter_clipper.rs` (BSD-3-Clause).
Rating 1..4 (Again, Hard, Good, Easy); stability in days; difficulty 1..10; elapsed in whole study days.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import exp

from studyhub.study.scheduling.trace import Elapsed, Parameters, Trace

DEFAULT_PARAMETERS: Parameters = (
    # 0-3: stability after a first Again, Hard, Good, Easy
    *(0.212, 1.2931, 2.3065, 8.2956),
    # 4-7: difficulty: after a first Again, its fall with the rating, its step, its pull back
    *(6.4133, 0.8334, 3.0194, 0.001),
    # 8-10: growth after success, its damping by stability, its gain from forgetting
    *(1.8722, 0.1666, 0.796),
    # 11-14: stability after a lapse
    *(1.4835, 0.0614, 0.2629, 1.6483),
    # 15-16: factors of Hard and Easy; 17-19: reviews on the same day; 20: decay of the forgetting curve
    *(0.6014, 1.8729, 0.5425, 0.0912, 0.0658, 0.1542),
)
BOUNDS: tuple[tuple[float, float], ...] = (
    *((0.001, 100.0), (0.001, 100.0), (0.001, 100.0), (0.001, 100.0)),
    *((1.0, 10.0), (0.001, 4.0), (0.001, 4.0), (0.001, 0.75)),
    *((0.0, 4.5), (0.0, 0.8), (0.001, 3.5)),
    *((0.001, 5.0), (0.001, 0.25), (0.001, 0.9), (0.0, 4.0)),
    *((0.0, 1.0), (1.0, 6.0), (0.0, 2.0), (0.0, 2.0), (0.0, 0.8), (0.1, 0.8)),
)
STABILITY_BOUNDS = (0.001, 36500.0)
DIFFICULTY_BOUNDS = (1.0, 10.0)
_HIGHEST = STABILITY_BOUNDS[1]
_new = tuple.__new__  # makes a Trace in half the time its class takes: a replay makes millions


class Fsrs6:
    """The model with its 21 numbers filled in; what depends on them alone is worked out once.

    Elapsed time is whole study days. Everything on the right-hand sides is the trace from before the answer.
    """

    __slots__ = (
        *("_curve", "_damping", "_decay", "_easy", "_firsts", "_forgetting", "_gain", "_hard", "_kept"),
        *("_most_kept", "_pull", "_reaches", "_same_day", "_steps", "_within_a_day", "numbers"),
    )
    waits_in_seconds = False

    def __init__(self, numbers: Parameters) -> None:
        w = numbers
        self.numbers = w
        self._decay = -w[20]
        self._curve = _power(0.9, -1 / w[20]) - 1
        self._gain, self._damping, self._forgetting = exp(w[8]), -w[9], w[10]
        self._hard, self._easy, self._same_day = w[15], w[16], -w[19]
        self._within_a_day = tuple(exp(w[17] * (rating - 3 + w[18])) for rating in (1, 2, 3, 4))
        self._most_kept = exp(w[17] * w[18])
        # Not clipped: every later difficulty is pulled towards this value of Easy, below 1 by default.
        self._pull, self._kept = w[7] * self._first_difficulty(4), 1 - w[7]
        self._steps = tuple(-w[6] * (rating - 3) / 9 for rating in (1, 2, 3, 4))
        self._firsts = tuple(_trace(w[rating - 1], self._first_difficulty(rating)) for rating in (1, 2, 3, 4))
        self._reaches: dict[float, float] = {}

    def first(self, rating: int) -> Trace:
        """The trace a first answer leaves."""
        return self._firsts[rating - 1]

    def after(self, trace: Trace, rating: int, elapsed: Elapsed) -> Trace:
        """The trace after one more answer."""
        if rating > 1:
            return self.passed(trace, rating, elapsed, 0.9)[0]
        stability, difficulty, _ = trace
        if elapsed[0] < 1:
            left = stability * self._within_a_day[0] * _power(stability, self._same_day)
        else:
            left = self._after_lapse(trace, self.recall(trace, elapsed))
        return _trace(left, self._moved(difficulty, 1))

    def passed(
        self, trace: Trace, rating: int, elapsed: Elapsed, retention: float
    ) -> tuple[Trace, Sequence[float]]:
        """The trace after a pass, and the intervals (days) of every pass up to it: Hard ... `rating`."""
        stability, difficulty, _ = trace
        hard, good, easy = self._grown(stability, difficulty, elapsed[0])
        if easy > _HIGHEST or good > _HIGHEST:
            hard, good, easy = min(hard, _HIGHEST), min(good, _HIGHEST), min(easy, _HIGHEST)
        reach, moved = self._reaches.get(retention) or self._reach(retention), self._moved(difficulty, rating)
        if rating == 3:  # most are
            return _new(Trace, (good, moved, 0.0)), (hard * reach, good * reach)
        if rating == 2:
            return _new(Trace, (hard, moved, 0.0)), (hard * reach,)
        return _new(Trace, (easy, moved, 0.0)), (hard * reach, good * reach, easy * reach)

    def recall(self, trace: Trace, elapsed: Elapsed) -> float:
        """The chance of recall: 1 within the study day, 0.9 after `stability` days."""
        return _power(1 + self._curve * elapsed[0] / trace[0], self._decay)

    def interval(self, trace: Trace, retention: float) -> float:
        """Days until recall falls to `retention`. Raises ValueError unless 0 < retention < 1."""
        return trace[0] * (self._reaches.get(retention) or self._reach(retention))

    def shown_stability(self, trace: Trace) -> float:
        """Days until recall falls to 90 %: the stability itself."""
        return trace[0]

    def _reach(self, retention: float) -> float:
        """How many stabilities it takes until recall falls to `retention`."""
        if not 0 < retention < 1:
            raise ValueError(f"desired retention {retention} is not between 0 and 1; use 0.70 to 0.99")
        return self._reaches.setdefault(retention, (_power(retention, 1 / self._decay) - 1) / self._curve)

    def _first_difficulty(self, rating: int) -> float:
        return self.numbers[4] - exp(self.numbers[5] * (rating - 1)) + 1

    def _moved(self, difficulty: float, rating: int) -> float:
        """The difficulty after a later answer."""
        moved = self._pull + self._kept * (difficulty + self._steps[rating - 1] * (10 - difficulty))
        if 1.0 <= moved <= 10.0:
            return moved
        return 1.0 if moved < 1.0 else 10.0

    def _grown(self, stability: float, difficulty: float, days: int) -> tuple[float, float, float]:
        """The stability after Hard, Good and Easy."""
        if days < 1:
            return self._grown_within_a_day(stability)
        kept = (1 + self._curve * days / stability) ** self._decay
        forgotten = exp(self._forgetting * (1 - kept)) - 1
        grown = stability * self._gain * (11 - difficulty) * stability**self._damping * forgotten
        return stability + grown * self._hard, stability + grown, stability + grown * self._easy

    def _grown_within_a_day(self, stability: float) -> tuple[float, float, float]:
        _, hard, good, easy = self._within_a_day
        damped = stability * _power(stability, self._same_day)
        return max(hard * damped, stability), max(good * damped, stability), max(easy * damped, stability)

    def _after_lapse(self, trace: Trace, recall: float) -> float:
        stability, difficulty, _ = trace
        w = self.numbers
        level = w[11] * _power(difficulty, -w[12]) * (_power(stability + 1, w[13]) - 1)
        return min(level * exp(w[14] * (1 - recall)), stability / self._most_kept)


@lru_cache(maxsize=256)
def bound(numbers: Parameters = DEFAULT_PARAMETERS) -> Fsrs6:
    """The model of these 21 numbers."""
    return Fsrs6(numbers)


def clipped(numbers: Parameters) -> Parameters:
    """The 21 numbers, each within its bounds."""
    pairs = zip(numbers, BOUNDS, strict=True)
    return tuple(min(max(number, lowest), highest) for number, (lowest, highest) in pairs)


def _trace(stability: float, difficulty: float) -> Trace:
    """A trace within the bounds."""
    if not 0.001 <= stability <= 36500.0:
        stability = 0.001 if stability < 0.001 else 36500.0
    if not 1.0 <= difficulty <= 10.0:
        difficulty = 1.0 if difficulty < 1.0 else 10.0
    return _new(Trace, (stability, difficulty, 0.0))


def _power(base: float, exponent: float) -> float:
    """A power of a positive base, typed: Python's own may be complex."""
    return float(base**exponent)
