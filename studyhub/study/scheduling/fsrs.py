"""FSRS-6 in pure functions on floats. Knows no card, no clock and no button beyond its number.

Formulas and defaults: open-spaced-repetition/fsrs-rs, `src/model.rs` and `src/inference.rs` (BSD-3-Clause).
Rating 1..4 (Again, Hard, Good, Easy); stability in days; difficulty 1..10; elapsed in whole study days.
"""

from dataclasses import dataclass
from math import exp

Parameters = tuple[float, ...]

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
STABILITY_BOUNDS = (0.001, 36500.0)
DIFFICULTY_BOUNDS = (1.0, 10.0)


@dataclass(frozen=True)
class Trace:
    """What a card left: stability (days until recall falls to 90 %) and difficulty (1..10)."""

    stability: float
    difficulty: float


def retrievability(
    elapsed_days: float, stability: float, parameters: Parameters = DEFAULT_PARAMETERS
) -> float:
    """The chance of recall after `elapsed_days`: 1 at once, 0.9 after `stability` days."""
    decay = parameters[20]
    return _power(1 + _curve_factor(decay) * elapsed_days / stability, -decay)


def interval(stability: float, retention: float, parameters: Parameters = DEFAULT_PARAMETERS) -> float:
    """Days until recall falls to `retention`: a real number, neither rounded nor clamped.

    Raises ValueError unless 0 < retention < 1.
    """
    if not 0 < retention < 1:
        raise ValueError(f"desired retention {retention} is not between 0 and 1; use 0.70 to 0.99")
    decay = parameters[20]
    return stability / _curve_factor(decay) * (_power(retention, -1 / decay) - 1)


def first_trace(rating: int, parameters: Parameters = DEFAULT_PARAMETERS) -> Trace:
    """The trace a first answer leaves."""
    difficulty = _clip(_first_difficulty(rating, parameters), DIFFICULTY_BOUNDS)
    return Trace(_clip(parameters[rating - 1], STABILITY_BOUNDS), difficulty)


def next_trace(
    trace: Trace, rating: int, *, elapsed_days: int, parameters: Parameters = DEFAULT_PARAMETERS
) -> Trace:
    """The trace after one more answer. Everything on the right-hand sides is the trace from before it."""
    if elapsed_days < 1:
        stability = _after_same_day(trace, rating, parameters)
    elif rating == 1:
        stability = _after_lapse(trace, retrievability(elapsed_days, trace.stability, parameters), parameters)
    else:
        recall = retrievability(elapsed_days, trace.stability, parameters)
        stability = _after_success(trace, rating, recall=recall, parameters=parameters)
    return Trace(_clip(stability, STABILITY_BOUNDS), _next_difficulty(trace.difficulty, rating, parameters))


def _curve_factor(decay: float) -> float:
    return _power(0.9, -1 / decay) - 1


def _first_difficulty(rating: int, w: Parameters) -> float:
    """Not clipped: the pull of every later difficulty goes towards this value of Easy, below 1 by default."""
    return w[4] - exp(w[5] * (rating - 1)) + 1


def _next_difficulty(difficulty: float, rating: int, w: Parameters) -> float:
    step = -w[6] * (rating - 3)
    moved = difficulty + step * (10 - difficulty) / 9
    return _clip(w[7] * _first_difficulty(4, w) + (1 - w[7]) * moved, DIFFICULTY_BOUNDS)


def _after_same_day(trace: Trace, rating: int, w: Parameters) -> float:
    gain = exp(w[17] * (rating - 3 + w[18])) * _power(trace.stability, -w[19])
    return trace.stability * (max(gain, 1.0) if rating >= 2 else gain)


def _after_lapse(trace: Trace, recall: float, w: Parameters) -> float:
    forgotten = (
        w[11]
        * _power(trace.difficulty, -w[12])
        * (_power(trace.stability + 1, w[13]) - 1)
        * exp(w[14] * (1 - recall))
    )
    return min(forgotten, trace.stability / exp(w[17] * w[18]))


def _after_success(trace: Trace, rating: int, *, recall: float, parameters: Parameters) -> float:
    w = parameters
    button = {2: w[15], 4: w[16]}.get(rating, 1.0)
    growth = (
        exp(w[8]) * (11 - trace.difficulty) * _power(trace.stability, -w[9]) * (exp(w[10] * (1 - recall)) - 1)
    )
    return trace.stability * (1 + growth * button)


def _power(base: float, exponent: float) -> float:
    """A power of a positive base, typed: Python's own may be complex."""
    return float(base**exponent)


def _clip(value: float, bounds: tuple[float, float]) -> float:
    return min(max(value, bounds[0]), bounds[1])
