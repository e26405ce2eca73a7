"""What one answer does to one memory: values in, values out. No ORM, no clock, no network."""

from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta

from studyhub.study.scheduling import days, fsrs
from studyhub.study.scheduling.fuzz import draw_of, fuzzed, round_half_away, smallest_next
from studyhub.study.scheduling.steps import (
    DAY,
    LEARNING_STEPS,
    RELEARNING_STEPS,
    Steps,
    again_delay,
    days_until,
    good_delay,
    hard_delay,
)

AGAIN, HARD, GOOD, EASY = 1, 2, 3, 4
NEW, LEARNING, REVIEW, RELEARNING = "new", "learning", "review", "relearning"


@dataclass(frozen=True)
class MemoryState:
    """What a learner knows of a card. Stability in days (0: never answered), interval 0 in steps."""

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
    """How a learner's cards are scheduled. Steps in seconds, intervals in days."""

    desired_retention: float = 0.9
    parameters: fsrs.Parameters = field(default=fsrs.DEFAULT_PARAMETERS, repr=False)
    learning_steps: Steps = LEARNING_STEPS
    relearning_steps: Steps = RELEARNING_STEPS
    maximum_interval: int = 36_500
    leech_after: int = 8
    leech_suspends: bool = False
    fuzz: bool = True


@dataclass(frozen=True)
class Moment:
    """When an answer was given: the instant (UTC) and the study day, by the zone and rollover then."""

    at: datetime
    study_day: date
    time_zone: str
    rollover_hour: int

    def rollover_in(self, number_of_days: int) -> datetime:
        """The instant the study day `number_of_days` ahead begins."""
        day = self.study_day + timedelta(days=number_of_days)
        return days.rollover(day, time_zone=self.time_zone, hour=self.rollover_hour)


def moment_of(instant: datetime, *, time_zone: str, rollover_hour: int) -> Moment:
    """The moment of an instant. Raises UnknownTimeZone."""
    day = days.study_day(instant, time_zone=time_zone, hour=rollover_hour)
    return Moment(instant, day, time_zone, rollover_hour)


def next_memory(
    memory: MemoryState,
    rating: int,
    *,
    moment: Moment,
    rules: Rules,
    card: str,
    draw: float | None = None,
) -> MemoryState:
    """The memory after an answer rated `rating` (1..4). `card` is the uuid that seeds the fuzz.

    `draw` (0 <= draw < 1) picks the day within the fuzz instead; the three passes share it.

    Raises ValueError on another rating.
    """
    if rating not in (AGAIN, HARD, GOOD, EASY):
        raise ValueError(f"rating {rating!r} is none of 1 (again), 2 (hard), 3 (good), 4 (easy)")
    return preview(memory, moment=moment, rules=rules, card=card, draw=draw)[rating]


def preview(
    memory: MemoryState, *, moment: Moment, rules: Rules, card: str, draw: float | None = None
) -> dict[int, MemoryState]:
    """What each button would give: rating -> memory. In days, Again <= Hard < Good < Easy."""
    traces = {rating: _trace_after(memory, rating, moment=moment, rules=rules) for rating in (1, 2, 3, 4)}
    spread = draw_of(card, memory.reps) if draw is None else draw
    buttons = _Buttons(memory, moment, rules, traces, spread if rules.fuzz else None)
    return buttons.of_review() if memory.state == REVIEW else buttons.of_learning()


def interval_seconds(memory: MemoryState, at: datetime) -> int:
    """How long until it comes back, as a button says it: days of 86,400 s, steps to the second."""
    if memory.interval_days:
        return memory.interval_days * DAY
    return max(0, round((memory.due - at).total_seconds())) if memory.due else 0


def recall_chance(
    memory: MemoryState, today: date, parameters: fsrs.Parameters = fsrs.DEFAULT_PARAMETERS
) -> float:
    """The chance of recall on study day `today`; 0 for a card never answered. Within a day FSRS-6 says 1."""
    if memory.last_study_day is None or not memory.stability:
        return 0.0
    return fsrs.retrievability(_days_between(memory.last_study_day, today), memory.stability, parameters)


def _days_between(earlier: date, later: date) -> int:
    return max(0, (later - earlier).days)


def _trace_after(memory: MemoryState, rating: int, *, moment: Moment, rules: Rules) -> fsrs.Trace:
    if memory.last_study_day is None or not memory.stability:
        return fsrs.first_trace(rating, rules.parameters)
    before = fsrs.Trace(memory.stability, memory.difficulty)
    elapsed = _days_between(memory.last_study_day, moment.study_day)
    return fsrs.next_trace(before, rating, elapsed_days=elapsed, parameters=rules.parameters)


@dataclass(frozen=True)
class _Buttons:
    """The four answers to one memory at one moment."""

    memory: MemoryState
    moment: Moment
    rules: Rules
    traces: dict[int, fsrs.Trace]
    draw: float | None

    def of_review(self) -> dict[int, MemoryState]:
        """A lapse goes to the relearning steps; the three passes are ordered by at least a day."""
        hard = self._pass(HARD, minimum=1)
        good = self._pass(GOOD, minimum=hard + 1)
        easy = self._pass(EASY, minimum=good + 1)
        return {
            AGAIN: self._lapsed(),
            HARD: self._in_days(HARD, hard),
            GOOD: self._in_days(GOOD, good),
            EASY: self._in_days(EASY, easy),
        }

    def of_learning(self) -> dict[int, MemoryState]:
        """Steps while there are steps, then days. An Again here is no further lapse."""
        relearning = self.memory.state == RELEARNING
        steps = self.rules.relearning_steps if relearning else self.rules.learning_steps
        state, step = (RELEARNING if relearning else LEARNING), min(self.memory.step, max(0, len(steps) - 1))
        good = self._graduation(GOOD, minimum=1)
        return {
            AGAIN: self._stepped(AGAIN, again_delay(steps), state=state, step=0),
            HARD: self._stepped(HARD, hard_delay(steps, step), state=state, step=step),
            GOOD: self._stepped(GOOD, good_delay(steps, step), state=state, step=step + 1),
            EASY: self._in_days(EASY, self._graduation(EASY, minimum=good + 1)),
        }

    def _lapsed(self) -> MemoryState:
        delay = again_delay(self.rules.relearning_steps)
        after = self._stepped(AGAIN, delay, state=RELEARNING, step=0)
        return replace(after, lapses=self.memory.lapses + 1)

    def _stepped(self, rating: int, delay: int | None, *, state: str, step: int) -> MemoryState:
        """Waits `delay` seconds in `state`; without a delay the card goes on in days."""
        if delay is None:
            return self._in_days(rating, self._graduation(rating, minimum=1))
        return self._answered(rating, state=state, step=step, due=self._after(delay), interval_days=0)

    def _after(self, delay: int) -> datetime:
        """A wait that reaches the rollover ends with one."""
        to_rollover = int((self.moment.rollover_in(1) - self.moment.at).total_seconds())
        ahead = days_until(delay, seconds_to_rollover=to_rollover)
        return self.moment.rollover_in(ahead) if ahead else self.moment.at + timedelta(seconds=delay)

    def _in_days(self, rating: int, number_of_days: int) -> MemoryState:
        due = self.moment.rollover_in(number_of_days)
        return self._answered(rating, state=REVIEW, step=0, due=due, interval_days=number_of_days)

    def _answered(
        self, rating: int, *, state: str, step: int, due: datetime, interval_days: int
    ) -> MemoryState:
        return replace(
            self.memory,
            state=state,
            step=step,
            due=due,
            interval_days=interval_days,
            stability=self.traces[rating].stability,
            difficulty=self.traces[rating].difficulty,
            last_review=self.moment.at,
            last_study_day=self.moment.study_day,
            reps=self.memory.reps + 1,
            buried_until=None,
        )

    def _ideal(self, rating: int) -> float:
        trace = self.traces[rating]
        return fsrs.interval(trace.stability, self.rules.desired_retention, self.rules.parameters)

    def _pass(self, rating: int, *, minimum: int) -> int:
        interval = self._ideal(rating)
        floor = smallest_next(interval, self.memory.interval_days)
        return self._spread(interval, minimum=max(minimum, floor))

    def _graduation(self, rating: int, *, minimum: int) -> int:
        return self._spread(max(1, round_half_away(self._ideal(rating))), minimum=minimum)

    def _spread(self, interval: float, *, minimum: int) -> int:
        return fuzzed(interval, minimum=minimum, maximum=self.rules.maximum_interval, draw=self.draw)
