"""Spreads intervals of days so that cards learned together do not come back together. Knows no memory.

Bounds as in Anki 26.08 (`rslib/src/scheduler/states/fuzz.rs`, facts only); the draw is ours: a hash of the
card and its number of answers, so the interval a button shows is the interval it gives.
"""

from hashlib import sha256
from math import floor

LONGEST_INTERVAL = 36_500
"""Days, as in Anki: the largest maximum interval."""


def round_half_away(value: float) -> int:
    """Rounds half away from zero (Python's own `round` goes half to even). For values >= 0."""
    return floor(value + 0.5)


def fuzz_bounds(interval: float, minimum: int, maximum: int) -> tuple[int, int]:
    """The smallest and the largest day an interval may land on.

    Half the width is a day, and 15 % of what lies in 2.5..7 days, 10 % of 7..20, 5 % beyond; 0 below 2.5.
    """
    least = minimum if minimum < maximum else maximum
    if interval < least:
        interval = least
    elif interval > maximum:
        interval = maximum
    if interval >= 20:
        width = 2.975 + 0.05 * (interval - 20)
    elif interval >= 7:
        width = 1.675 + 0.10 * (interval - 7)
    else:
        width = 1 + 0.15 * (interval - 2.5) if interval >= 2.5 else 0.0
    lower, upper = int(interval - width + 0.5), int(interval + width + 0.5)
    if lower < least:  # noqa: PLR1730 - a call costs more than the rest of the line
        lower = least
    if upper > maximum:  # noqa: PLR1730
        upper = maximum
    if lower == upper and 2 < upper < maximum:
        upper = lower + 1
    return lower, upper


def fuzzed(interval: float, minimum: int, maximum: int, draw: float | None) -> int:
    """Whole days within the bounds, all equally likely for a uniform `draw` in [0, 1); None rounds."""
    if draw is None:
        return min(max(round_half_away(interval), min(minimum, maximum)), maximum)
    lower, upper = fuzz_bounds(interval, minimum, maximum)
    landed = int(lower + draw * (1 + upper - lower))
    return landed if landed < upper else upper  # a draw next to 1 may round up to the day after


def draw_of(card: str, reps: int) -> float:
    """A number in [0, 1) that belongs to one answer of one card, the same on every machine."""
    digest = sha256(f"{card}:{reps}".encode()).digest()
    return int.from_bytes(digest[:6], "big") / 2**48


def smallest_next(interval: float, previous: int, slack: int = 0) -> int:
    """The least days a pass may give after `previous` days: more than before if the interval grew.

    0 where it shrank so far that the fuzz cannot reach the old one, nor come within `slack` days of it: then
    it is left alone.
    """
    if int(interval + 0.5) > previous:
        return previous + 1
    _, upper = fuzz_bounds(interval, 1, LONGEST_INTERVAL)
    return previous if previous <= upper + slack else 0
