"""What answers leave in a learner, and the time since: the values memory models speak. Knows no formula."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Trace:
    """What a card left: stability (days), difficulty (1..10), short stability (days; 0 but in FSRS-7)."""

    stability: float
    difficulty: float
    short: float = 0.0


@dataclass(frozen=True, slots=True)
class Elapsed:
    """Time since the answer before: whole study days (FSRS-6 counts these) and real seconds (FSRS-7)."""

    days: int
    seconds: float
