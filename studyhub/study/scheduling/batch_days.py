"""Whole days of many answers at once: fuzz and the order of the buttons. Knows no memory and no model.

The numpy twin of fuzz.py and of the days course.py gives, equal to them; `draw` in [0, 1), one a card.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from studyhub.study.scheduling.course import ORDER_SLACK

Floats = NDArray[np.floating[Any]]
Days = NDArray[np.integer[Any]]
_BANDS = ((2.5, 7.0, 0.15), (7.0, 20.0, 0.10), (20.0, np.inf, 0.05))
_FURTHEST = 36_500


def days_of_passes(
    ideals: Floats, *, previous: Days, draw: Floats, maximum: int, least: int = 1
) -> tuple[Days, Days, Days]:
    """Days after Hard, Good and Easy of cards in review, from unrounded intervals (cards, 3) and the one
    before; `least` days at any rate."""
    rising = np.maximum.accumulate(ideals, axis=1)
    below, found = np.zeros_like(previous), []
    for interval in rising.T:
        minimum = np.maximum(np.maximum(least, _smallest_next(interval, previous)), below + 1)
        most = np.maximum(np.maximum(least, previous), _upper(interval, previous) + ORDER_SLACK)
        below = _landing(interval, minimum, draw, np.minimum(maximum, np.maximum(most, below)))
        found.append(below)
    return found[0], found[1], found[2]


def days_of_graduation(good: Floats, *, draw: Floats, maximum: int, after: Days | int = 0) -> Days:
    """Days of a card that leaves its steps with this unrounded interval: more than `after`."""
    whole = np.maximum(1.0, np.floor(good + 0.5))
    return _landing(whole, np.broadcast_to(np.asarray(after) + 1, whole.shape), draw, maximum)


def _landing(interval: Floats, minimum: Days, draw: Floats, maximum: Days | int) -> Days:
    lower, upper = _bounds(interval, minimum, maximum)
    return np.minimum(np.floor(lower + draw * (1 + upper - lower)), upper).astype(np.int64)


def _bounds(interval: Floats, minimum: Days, maximum: Days | int) -> tuple[Floats, Floats]:
    least = np.minimum(minimum, maximum)
    held = np.clip(interval, least, maximum)
    width = _half_width(held)
    lower = np.clip(np.floor(held - width + 0.5), least, maximum)
    upper = np.clip(np.floor(held + width + 0.5), least, maximum)
    lone = (lower == upper) & (upper > 2) & (upper < maximum)
    return lower, np.where(lone, lower + 1, upper)


def _half_width(interval: Floats) -> Floats:
    parts = sum(part * np.maximum(0.0, np.minimum(interval, end) - start) for start, end, part in _BANDS)
    return np.where(interval < 2.5, 0.0, 1.0 + parts)


def _smallest_next(interval: Floats, previous: Days) -> Days:
    """The least days a pass may give after `previous` days (`fuzz.smallest_next`)."""
    shrunk = np.where(previous <= _upper(interval, previous) + ORDER_SLACK, previous, 0)
    return np.where(np.floor(interval + 0.5) > previous, previous + 1, shrunk)


def _upper(interval: Floats, previous: Days) -> Days:
    """The largest day the fuzz of an interval reaches by itself."""
    return _bounds(interval, np.ones_like(previous), _FURTHEST)[1].astype(np.int64)
