"""The memory models behind one set of functions: the count of the numbers says which. Knows no card and no clock.

21 numbers are FSRS-6 (whole study days), 34 are FSRS-7 (real seconds).
Rules of the upgrade: open-spaced-repetition/fsrs-rs 6.6.1, `check_and_fill_parameters` (BSD-3-Clause).
"""

from collections.abc import Sequence
from math import isfinite, log
from typing import Protocol

from studyhub.study.scheduling import fsrs
from studyhub.study.scheduling.fsrs import BOUNDS, DEFAULT_PARAMETERS
from studyhub.study.scheduling.trace import Elapsed, Parameters, Trace

__all__ = [
    "BOUNDS",
    "DEFAULT_PARAMETERS",
    "Elapsed",
    "Model",
    "Parameters",
    "Trace",
    "checked_numbers",
    "first_trace",
    "interval",
    "model_of",
    "next_trace",
    "passes",
    "recall",
    "shown_stability",
]


class Model(Protocol):
    """What a memory model's module gives. Rating 1..4; stability and intervals in days; recall 0..1."""

    @property
    def WAITS_IN_SECONDS(self) -> bool:  # noqa: N802 - a constant of a module
        """Whether its intervals mean something below a study day."""
        ...

    def first_trace(self, rating: int, numbers: Parameters) -> Trace:
        """After a first answer."""
        ...

    def next_trace(self, trace: Trace, rating: int, *, elapsed: Elapsed, numbers: Parameters) -> Trace:
        """After one more answer."""
        ...

    def passes(self, trace: Trace, *, elapsed: Elapsed, numbers: Parameters) -> tuple[Trace, Trace, Trace]:
        """After Hard, Good and Easy, as `next_trace` gives them."""
        ...

    def recall(self, trace: Trace, elapsed: Elapsed, numbers: Parameters) -> float:
        """The chance of recall."""
        ...

    def interval(self, trace: Trace, retention: float, numbers: Parameters) -> float:
        """Days until recall falls to `retention`."""
        ...

    def shown_stability(self, trace: Trace, numbers: Parameters) -> float:
        """Days until recall falls to 90 %."""
        ...

    def clipped(self, numbers: Parameters) -> Parameters:
        """The numbers within their bounds."""
        ...


def model_of(numbers: Parameters) -> Model:
    """The model these numbers belong to. Raises ValueError with their count."""
    if len(numbers) == 21:
        return fsrs
    if len(numbers) == 34:
        from studyhub.study.scheduling import fsrs7

        return fsrs7
    raise ValueError(f"{len(numbers)} numbers belong to no memory model; FSRS-6 has 21 and FSRS-7 has 34")


def first_trace(rating: int, numbers: Parameters) -> Trace:
    """The trace a first answer leaves."""
    return model_of(numbers).first_trace(rating, numbers)


def next_trace(trace: Trace, rating: int, *, elapsed: Elapsed, numbers: Parameters) -> Trace:
    """The trace after one more answer."""
    return model_of(numbers).next_trace(trace, rating, elapsed=elapsed, numbers=numbers)


def passes(trace: Trace, *, elapsed: Elapsed, numbers: Parameters) -> tuple[Trace, Trace, Trace]:
    """The traces after Hard, Good and Easy."""
    return model_of(numbers).passes(trace, elapsed=elapsed, numbers=numbers)


def recall(trace: Trace, elapsed: Elapsed, numbers: Parameters) -> float:
    """The chance of recall, 0..1."""
    return model_of(numbers).recall(trace, elapsed, numbers)


def interval(trace: Trace, retention: float, numbers: Parameters) -> float:
    """Days until recall falls to `retention`, not rounded. Raises ValueError unless 0 < retention < 1."""
    return model_of(numbers).interval(trace, retention, numbers)


def shown_stability(trace: Trace, numbers: Parameters) -> float:
    """Days until recall falls to 90 %: what a learner is shown as stability."""
    return model_of(numbers).shown_stability(trace, numbers)


def checked_numbers(numbers: Sequence[float]) -> Parameters:
    """The numbers of a model, within its bounds; 17 (FSRS-4.5) and 19 (FSRS-5) become 21, none the defaults.

    Raises ValueError, with the count or the number, for another count or one that is not finite.
    """
    given = tuple(float(number) for number in numbers) or DEFAULT_PARAMETERS
    for place, number in enumerate(given):
        if not isfinite(number):
            raise ValueError(f"number {place} of {len(given)} is {number}; every number must be finite")
    whole = _upgraded(given)
    return model_of(whole).clipped(whole)


def _upgraded(given: Parameters) -> Parameters:
    """Older numbers in the form of FSRS-6, with which they say the same."""
    if len(given) == 19:
        return (*given, 0.0, 0.5)
    if len(given) != 17:
        return given
    w = list(given)
    w[4] += 2 * w[5]
    w[5] = log(1 + 3 * w[5]) / 3
    w[6] += 0.5
    return (*w, 0.0, 0.0, 0.0, 0.5)
