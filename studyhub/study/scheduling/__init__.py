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
    trace_of,
)
from studyhub.study.scheduling.trace import Elapsed, Parameters, Trace
from studyhub.study.scheduling.traces import DEFAULT_PARAMETERS, checked_numbers, shown_stability

__all__ = [
    "DEFAULT_PARAMETERS",
    "Elapsed",
    "MemoryState",
    "Moment",
    "Parameters",
    "Rules",
    "Trace",
    "UnknownTimeZone",
    "checked_numbers",
    "interval_seconds",
    "moment_of",
    "next_memory",
    "preview",
    "recall_chance",
    "rollover",
    "shown_stability",
    "study_day",
    "trace_of",
    "zone_names",
]
