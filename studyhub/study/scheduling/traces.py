"""The memory models behind one set of functions: the count of the numbers says which. Knows no clock.

21 numbers are FSRS-6 (whole study days), 34 are FSRS-7 (real seconds).
Rules of the upgrade: open-spaced-repetition/fsrs-rs 6.6.1, `check_and_fill_parameters` (BSD-3-Clause).
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import isfinite, log
from typing import Protocol

from studyhub.study.scheduling import fsrs, fsrs7
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
    "recall",
    "shown_stability",
]


class Model(Protocol):
    """A memory model with its numbers filled in. Rating 1..4; stability, intervals in days."""

    @property
    def waits_in_seconds(self) -> bool:
        """Whether its intervals mean something below a study day."""
        ...

    def first(self, rating: int) -> Trace:
        """The trace a first answer leaves."""
        ...

    def after(self, trace: Trace, rating: int, elapsed: Elapsed) -> Trace:
        """The trace after one more answer."""
        ...

    def passed(
        self, trace: Trace, rating: int, elapsed: Elapsed, retention: float
    ) -> tuple[Trace, Sequence[float]]:
        """The trace after a pass, and the intervals of every pass up to it: Hard ... `rating`."""
        ...

    def recall(self, trace: Trace, elapsed: Elapsed) -> float:
        """The chance of recall."""
        ...

    def interval(self, trace: Trace, retention: float) -> float:
        """Days until recall falls to `retention`. Raises ValueError unless 0 < retention < 1."""
        ...

    def shown_stability(self, trace: Trace) -> float:
        """Days until recall falls to 90 %."""
        ...


_Family = tuple[Callable[[Parameters], Model], Callable[[Parameters], Parameters]]
_FAMILIES: dict[int, _Family] = {
    len(fsrs.BOUNDS): (fsrs.Fsrs6, fsrs.clipped),
    len(fsrs7.BOUNDS): (fsrs7.Fsrs7, fsrs7.clipped),
}


@lru_cache(maxsize=256)
def model_of(numbers: Parameters) -> Model:
    """The model these numbers belong to. Raises ValueError with their count."""
    return _family(numbers)[0](numbers)


def first_trace(rating: int, numbers: Parameters) -> Trace:
    """The trace a first answer leaves."""
    return model_of(numbers).first(rating)


def next_trace(trace: Trace, rating: int, *, elapsed: Elapsed, numbers: Parameters) -> Trace:
    """The trace after one more answer."""
    return model_of(numbers).after(trace, rating, elapsed)


def recall(trace: Trace, elapsed: Elapsed, numbers: Parameters) -> float:
    """The chance of recall, 0..1."""
    return model_of(numbers).recall(trace, elapsed)


def interval(trace: Trace, retention: float, numbers: Parameters) -> float:
    """Days until recall falls to `retention`, not rounded. Raises ValueError unless 0 < retention < 1."""
    return model_of(numbers).interval(trace, retention)


def shown_stability(trace: Trace, numbers: Parameters) -> float:
    """Days until recall falls to 90 %: what a learner is shown as stability."""
    return model_of(numbers).shown_stability(trace)


def checked_numbers(numbers: Sequence[float]) -> Parameters:
    """The numbers of a model, within its bounds; 17 (FSRS-4.5) and 19 (FSRS-5) become 21, none the defaults.

    Raises ValueError, with the count or the number, for another count or one that is not finite.
    """
    given = tuple(float(number) for number in numbers) or DEFAULT_PARAMETERS
    for place, number in enumerate(given):
        if not isfinite(number):
            raise ValueError(f"number {place} of {len(given)} is {number}; every number must be finite")
    whole = _upgraded(given)
    return _family(whole)[1](whole)


def _family(numbers: Parameters) -> _Family:
    if len(numbers) in _FAMILIES:
        return _FAMILIES[len(numbers)]
    raise ValueError(f"{len(numbers)} numbers belong to no memory model; FSRS-6 has 21 and FSRS-7 has 34")


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
