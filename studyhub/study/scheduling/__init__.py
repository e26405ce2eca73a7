"""When a card comes back: pure functions. No ORM, no clock, no network."""

from studyhub.study.scheduling.days import UnknownTimeZone, rollover, study_day, zone_names
from studyhub.study.scheduling.memory import (
    MemoryState,
    Moment,
    Rules,
    interval_seconds,
    moment_of,
    next_memory,
    preview,
    recall_chance,
)

__all__ = [
    "MemoryState",
    "Moment",
    "Rules",
    "UnknownTimeZone",
    "interval_seconds",
    "moment_of",
    "next_memory",
    "preview",
    "recall_chance",
    "rollover",
    "study_day",
    "zone_names",
]
