"""What is known of one card, the rules it follows and the moment of an answer. Knows no button."""

from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import cached_property
from typing import NamedTuple

from studyhub.study.scheduling import days, traces
from studyhub.study.scheduling.steps import (
    DAY,
    LEARNING_STEPS,
    RELEARNING_STEPS,
    Steps,
    Waits,
    days_of,
    waits_of,
)
from studyhub.study.scheduling.trace import Elapsed, Parameters, Trace

AGAIN, HARD, GOOD, EASY = 1, 2, 3, 4
NEW, LEARNING, REVIEW, RELEARNING = "new", "learning", "review", "relearning"


@dataclass(frozen=True)
class MemoryState:
    """What a learner knows of a card. Stability in days (0: never answered), interval 0 in steps below a day.

    `tested` counts answers of a card in review or after a wait of a day or more, `recalled` those but Again.
    """

    state: str = NEW
    step: int = 0
    stability: float = 0.0
    difficulty: float = 0.0
    short_stability: float = 0.0
    due: datetime | None = None
    interval_days: int = 0
    last_review: datetime | None = None
    last_study_day: date | None = None
    reps: int = 0
    lapses: int = 0
    tested: int = 0
    recalled: int = 0
    suspended: bool = False
    buried_until: date | None = None


@dataclass(frozen=True)
class Rules:
    """How a learner's cards are scheduled. Steps in seconds, intervals in days; none outlasts the maximum."""

    desired_retention: float = 0.9
    parameters: Parameters = field(default=traces.DEFAULT_PARAMETERS, repr=False)
    learning_steps: Steps = LEARNING_STEPS
    relearning_steps: Steps = RELEARNING_STEPS
    maximum_interval: int = 36_500
    leech_after: int = 8
    leech_suspends: bool = False
    fuzz: bool = True

    @cached_property
    def model(self) -> traces.Model:
        """The memory model of these numbers. Raises ValueError where they belong to none."""
        return traces.model_of(self.parameters)

    @cached_property
    def least_pass(self) -> int:
        """Days that relearning would take at once: a pass in review gives no fewer."""
        return days_of(self.relearning_waits[0][0])

    @cached_property
    def learning_waits(self) -> Waits:
        """Seconds each button waits, by learning step."""
        return waits_of(self.learning_steps, self.maximum_interval * DAY)

    @cached_property
    def relearning_waits(self) -> Waits:
        """Seconds each button waits, by relearning step."""
        return waits_of(self.relearning_steps, self.maximum_interval * DAY)


class Moment(NamedTuple):
    """When an answer was given: the instant (UTC) and the study day, by the zone and rollover then."""

    at: datetime
    study_day: date
    time_zone: str
    rollover_hour: int

    def rollover_in(self, number_of_days: int) -> datetime:
        """The instant the study day `number_of_days` ahead begins."""
        day = self.study_day + timedelta(number_of_days)
        return days.rollover_at(self.time_zone, day, self.rollover_hour)


def moment_of(instant: datetime, *, time_zone: str, rollover_hour: int) -> Moment:
    """The moment of an instant. Raises UnknownTimeZone."""
    day = days.study_day(instant, time_zone=time_zone, hour=rollover_hour)
    return Moment(instant, day, time_zone, rollover_hour)


def trace_of(memory: MemoryState) -> Trace | None:
    """The trace a memory holds; None = never answered."""
    if memory.last_study_day is None or not memory.stability:
        return None
    return Trace(memory.stability, memory.difficulty, memory.short_stability)


def elapsed_at(memory: MemoryState, at: datetime, study_day: date) -> Elapsed:
    """The time since the last answer, by both clocks; where one ran back, none has passed by it."""
    if memory.last_study_day is None or memory.last_review is None:
        return Elapsed(0, 0.0)
    number_of_days = (study_day - memory.last_study_day).days
    seconds = (at - memory.last_review).total_seconds()
    return Elapsed(number_of_days if number_of_days > 0 else 0, seconds if seconds > 0 else 0.0)


def interval_seconds(memory: MemoryState, at: datetime) -> int:
    """How long until it comes back, as a button says it: days of 86,400 s, steps to the second."""
    if memory.state == REVIEW:
        return memory.interval_days * DAY
    return max(0, round((memory.due - at).total_seconds())) if memory.due else 0


def recall_chance(
    memory: MemoryState,
    today: date,
    parameters: Parameters = traces.DEFAULT_PARAMETERS,
    at: datetime | None = None,
) -> float:
    """The chance of recall on study day `today`; 0 for a card never answered. Within a day FSRS-6 says 1.

    FSRS-7 counts the seconds to `at`; without it, days of 86,400 s.
    """
    trace = trace_of(memory)
    if trace is None or memory.last_study_day is None:
        return 0.0
    number_of_days = max(0, (today - memory.last_study_day).days)
    elapsed = elapsed_at(memory, at, today) if at else Elapsed(number_of_days, float(number_of_days * DAY))
    return traces.recall(trace, elapsed, parameters)
