"""FSRS-6 in pure functions on floats. Knows no card, no clock and no button beyond its number.

Formulas, defaults and bounds: open-spaced-repetition/fsrs-rs 6.6.1, `src/model.rs`, `src/inference.rs` and
`src/parameter_clipper.rs` (BSD-3-Clause).
Rating 1..4 (Again, Hard, Good, Easy); stability in days; difficulty 1..10; elapsed in whole study days.
"""

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
WAITS_IN_SECONDS = False
"""It counts whole study days, so it has nothing to say about a wait within one."""


def recall(trace: Trace, elapsed: Elapsed, numbers: Parameters = DEFAULT_PARAMETERS) -> float:
    """The chance of recall: 1 within the study day, 0.9 after `stability` days."""
    decay = numbers[20]
    return _power(1 + _curve_factor(decay) * elapsed.days / trace.stability, -decay)


def interval(trace: Trace, retention: float, numbers: Parameters = DEFAULT_PARAMETERS) -> float:
    """Days until recall falls to `retention`: a real number, neither rounded nor clamped.

    Raises ValueError unless 0 < retention < 1.
    """
    return trace.stability * _reach(retention, numbers[20])


def shown_stability(trace: Trace, numbers: Parameters = DEFAULT_PARAMETERS) -> float:  # noqa: ARG001
    """Days until recall falls to 90 %: the stability itself, whatever the numbers."""
    return trace.stability


def clipped(numbers: Parameters) -> Parameters:
    """The 21 numbers, each within its bounds."""
    return tuple(_clip(number, bounds) for number, bounds in zip(numbers, BOUNDS, strict=True))


def first_trace(rating: int, numbers: Parameters = DEFAULT_PARAMETERS) -> Trace:
    """The trace a first answer leaves."""
    difficulty = _clip(_first_difficulty(rating, numbers), DIFFICULTY_BOUNDS)
    return Trace(_clip(numbers[rating - 1], STABILITY_BOUNDS), difficulty)


def next_trace(
    trace: Trace, rating: int, *, elapsed: Elapsed, numbers: Parameters = DEFAULT_PARAMETERS
) -> Trace:
    """The trace after one more answer. Everything on the right-hand sides is the trace from before it."""
    if rating > 1:
        return passes(trace, elapsed=elapsed, numbers=numbers)[rating - 2]
    if elapsed.days < 1:
        stability = trace.stability * _gain_within_a_day(trace.stability, 1, numbers)
    else:
        stability = _after_lapse(trace, recall(trace, elapsed, numbers), numbers)
    return _left(trace, stability, 1, numbers)


def passes(
    trace: Trace, *, elapsed: Elapsed, numbers: Parameters = DEFAULT_PARAMETERS
) -> tuple[Trace, Trace, Trace]:
    """The traces after Hard, Good and Easy: what they share is worked out once."""
    hard, good, easy = (
        _growths(trace, recall(trace, elapsed, numbers), numbers)
        if elapsed.days >= 1
        else _growths_within_a_day(trace.stability, numbers)
    )
    return (
        _left(trace, trace.stability * hard, 2, numbers),
        _left(trace, trace.stability * good, 3, numbers),
        _left(trace, trace.stability * easy, 4, numbers),
    )


def _left(before: Trace, stability: float, rating: int, w: Parameters) -> Trace:
    """The trace with its difficulty moved on, within the bounds."""
    step = -w[6] * (rating - 3)
    moved = before.difficulty + step * (10 - before.difficulty) / 9
    difficulty = w[7] * _first_difficulty(4, w) + (1 - w[7]) * moved
    return Trace(_clip(stability, STABILITY_BOUNDS), _clip(difficulty, DIFFICULTY_BOUNDS))


def _first_difficulty(rating: int, w: Parameters) -> float:
    """Not clipped: the pull of every later difficulty goes towards this value of Easy, below 1 by default."""
    return w[4] - exp(w[5] * (rating - 1)) + 1


def _growths(trace: Trace, recall: float, w: Parameters) -> tuple[float, float, float]:
    gain = (
        exp(w[8]) * (11 - trace.difficulty) * _power(trace.stability, -w[9]) * (exp(w[10] * (1 - recall)) - 1)
    )
    return 1 + gain * w[15], 1 + gain, 1 + gain * w[16]


def _growths_within_a_day(stability: float, w: Parameters) -> tuple[float, float, float]:
    hard, good, easy = (_gain_within_a_day(stability, rating, w) for rating in (2, 3, 4))
    return max(hard, 1.0), max(good, 1.0), max(easy, 1.0)


def _gain_within_a_day(stability: float, rating: int, w: Parameters) -> float:
    return exp(w[17] * (rating - 3 + w[18])) * _power(stability, -w[19])


def _after_lapse(trace: Trace, recall: float, w: Parameters) -> float:
    forgotten = (
        w[11]
        * _power(trace.difficulty, -w[12])
        * (_power(trace.stability + 1, w[13]) - 1)
        * exp(w[14] * (1 - recall))
    )
    return min(forgotten, trace.stability / exp(w[17] * w[18]))


@lru_cache(maxsize=256)
def _curve_factor(decay: float) -> float:
    return _power(0.9, -1 / decay) - 1


@lru_cache(maxsize=1024)
def _reach(retention: float, decay: float) -> float:
    """How many stabilities it takes until recall falls to `retention`."""
    if not 0 < retention < 1:
        raise ValueError(f"desired retention {retention} is not between 0 and 1; use 0.70 to 0.99")
    return (_power(retention, -1 / decay) - 1) / _curve_factor(decay)


def _power(base: float, exponent: float) -> float:
    """A power of a positive base, typed: Python's own may be complex."""
    return float(base**exponent)


def _clip(value: float, bounds: tuple[float, float]) -> float:
    return min(max(value, bounds[0]), bounds[1])
