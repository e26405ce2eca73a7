"""Whole days of many answers at once: fuzz and the order of the buttons. Knows no memory and no model.

The numpy twin of fuzz.py and of the days course.py gives, equal to them; `draw` in [0, 1), one a card.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from studyhub.study.scheduling.course import ORDER_SLACK

Floats = NDArray[np.floating[Any]]
Days = NDArray[np.integer[Any]]
_FURTHEST = 36_500


def days_of_passes(
    ideals: Floats, *, previous: Days, draw: Floats, maximum: int, least: int = 1
) -> tuple[Days, Days, Days]:
    """Days after Hard, Good and Easy of cards in review, from unrounded intervals (cards, 3) and the one
    before; `least` days at any rate."""
    rising = np.maximum.accumulate(ideals, axis=1)
    before = previous[:, np.newaxis]
    reach = _bounds(rising, np.ones(1, np.int64), _FURTHEST)[1].astype(np.int64) + ORDER_SLACK
    least_of_each = np.maximum(least, _smallest_next(rising, before, reach))
    order = np.arange(3) - ORDER_SLACK  # Good may stand a day beyond its fuzz, Easy two
    most_of_each = np.maximum(np.maximum(least, before), reach + order)
    below, found = np.zeros_like(previous), []
    for button in range(3):
        minimum = np.maximum(least_of_each[:, button], below + 1)
        highest = np.minimum(maximum, np.maximum(most_of_each[:, button], below))
        below = _landing(rising[:, button], minimum, draw, highest)
        found.append(below)
    return found[0], found[1], found[2]


def days_of_graduation(good: Floats, *, draw: Floats, maximum: int, after: Days | int = 0) -> Days:
    """Days of a card that leaves its steps with this unrounded interval: more than `after`, but
    at most two days beyond its fuzz."""
    whole = np.maximum(1.0, np.floor(good + 0.5))
    least = np.broadcast_to(np.asarray(after) + 1, whole.shape)
    most = _bounds(good, np.ones(1, np.int64), _FURTHEST)[1].astype(np.int64) + ORDER_SLACK
    return _landing(whole, least, draw, np.minimum(maximum, np.maximum(most, least - 1)))


def _landing(interval: Floats, minimum: Days, draw: Floats, maximum: Days | int) -> Days:
    lower, upper = _bounds(interval, minimum, maximum)
    return np.minimum(np.floor(lower + draw * (1 + upper - lower)), upper).astype(np.int64)


def _bounds(interval: Floats, minimum: Days, maximum: Days | int) -> tuple[Floats, Floats]:
    least = np.minimum(minimum, maximum)
    held = np.minimum(np.maximum(interval, least), maximum)
    width = _half_width(held)
    lower = np.minimum(np.maximum(np.floor(held - width + 0.5), least), maximum)
    upper = np.minimum(np.maximum(np.floor(held + width + 0.5), least), maximum)
    lone = (lower == upper) & (upper > 2) & (upper < maximum)
    return lower, upper + lone


def _half_width(interval: Floats) -> Floats:
    """As in `fuzz.fuzz_bounds`: its parts grow ever less, so the least of their lines is the one in force."""
    far, middle = 2.975 + 0.05 * (interval - 20), 1.675 + 0.10 * (interval - 7)
    near = 1 + 0.15 * (interval - 2.5)
    return np.asarray(np.minimum(np.minimum(far, middle), near) * (interval >= 2.5))


def _smallest_next(interval: Floats, previous: Days, reach: Days) -> Days:
    """The least days a pass may give after `previous` days (`fuzz.smallest_next`)."""
    shrunk = np.where(previous <= reach, previous, 0)
    return np.where(np.floor(interval + 0.5) > previous, previous + 1, shrunk)
