"""What answers leave in a learner, and the time since: the values memory models speak. Knows no formula."""

from typing import NamedTuple

Parameters = tuple[float, ...]


class Trace(NamedTuple):
    """What a card left: stability (days), difficulty (1..10), short stability (days; 0 but in FSRS-7)."""

    stability: float
    difficulty: float
    short: float = 0.0


class Elapsed(NamedTuple):
    """Time since the answer before: whole study days (FSRS-6 counts these) and real seconds (FSRS-7)."""

    days: int
    seconds: float
