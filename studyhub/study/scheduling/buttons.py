"""The four buttons: how long each makes one memory wait at one moment. Knows no formula of memory.

Order of the buttons and graduation as in Anki 26.08 (`rslib/src/scheduler/states/`, facts only), but that here
no button ever comes back sooner than the one below it, whatever the steps and the numbers.
Anki lets a wait within the day run up to 25 % (at most 300 s) longer, by chance; here it lasts as long as its
button says.
"""

from datetime import datetime, timedelta

from studyhub.study.scheduling.fuzz import draw_of, fuzzed, round_half_away, smallest_next
from studyhub.study.scheduling.leech import is_leech_lapse
from studyhub.study.scheduling.state import (
    AGAIN,
    EASY,
    GOOD,
    HARD,
    LEARNING,
    RELEARNING,
    REVIEW,
    MemoryState,
    Moment,
    Rules,
    elapsed_at,
    made,
    trace_of,
)
from studyhub.study.scheduling.steps import DAY, days_until, step_waits
from studyhub.study.scheduling.trace import Trace
from studyhub.study.scheduling.traces import model_of

RATINGS = (AGAIN, HARD, GOOD, EASY)
SHORTEST_WAIT = 60
"""Seconds a wait lasts at least where the model sets it after an Again ..."""
SHORTEST_PASS = 600
"""... and after a pass: at a retention of 0.97 FSRS-7 would ask again within the minute."""
HALF_A_DAY = 0.5
"""Days: anything below is waited for in seconds, if the model can (Anki `states/interval_kind.rs`)."""
ORDER_SLACK = 2
"""Days by which the order of the buttons may have put the last interval beyond its fuzz: Good, then Easy."""


class Buttons:
    """The answers to one memory at one moment, each worked out when it is pressed."""

    __slots__ = ("_draw", "_model", "_passes", "_trace", "card", "memory", "moment", "rules")

    def __init__(
        self, memory: MemoryState, moment: Moment, rules: Rules, card: str, draw: float | None
    ) -> None:
        if draw is not None and not 0 <= draw < 1:
            raise ValueError(f"draw {draw!r} is not in [0, 1); leave it out for the card's own")
        self.memory, self.moment, self.rules, self.card = memory, moment, rules, card
        self._draw = draw
        self._model = model_of(rules.parameters)
        self._trace = trace_of(memory)
        self._passes: tuple[Trace, Trace, Trace] | None = None

    def pressed(self, rating: int) -> MemoryState:
        """The memory after this answer."""
        if self.memory.state != REVIEW:
            return self._out_of_steps(rating)
        if rating == AGAIN:
            return self._lapsed()
        return self._in_days(rating, self._pass(rating))

    def _pass(self, rating: int) -> int:
        """The days after a pass in review: ordered by at least a day, and no fewer than last time."""
        interval = self._ideal(rating)
        before = self.memory.interval_days
        least = self._again_days() if rating == HARD else self._pass(rating - 1) + 1
        return self._spread(interval, max(1, least, smallest_next(interval, before, slack=ORDER_SLACK)))

    def _again_days(self) -> int:
        """Days that relearning takes at its first step: nobody who passes comes back sooner."""
        steps = self.rules.relearning_steps
        return self._days_until(steps[0]) if steps and steps[0] >= DAY else 0

    def _lapsed(self) -> MemoryState:
        lapses = self.memory.lapses + 1
        leech = self.rules.leech_suspends and is_leech_lapse(lapses, self.rules.leech_after)
        wait = (
            self.rules.relearning_steps[0] if self.rules.relearning_steps else self._seconds(AGAIN, AGAIN, 0)
        )
        if wait:
            return self._waits(AGAIN, RELEARNING, 0, wait, lapses=lapses, leech=leech)
        number_of_days = min(max(1, round_half_away(self._ideal(AGAIN))), self._pass(HARD))
        return self._in_days(AGAIN, number_of_days, lapses=lapses, leech=leech)

    def _out_of_steps(self, rating: int) -> MemoryState:
        """Steps while there are steps, then days. An Again here is no further lapse."""
        relearning = self.memory.state == RELEARNING
        steps = self.rules.relearning_steps if relearning else self.rules.learning_steps
        index = min(self.memory.step, max(0, len(steps) - 1))
        waits = step_waits(steps, index)
        wait = waits[rating - 1] or self._seconds(rating, GOOD if steps else AGAIN, max(waits[:rating]))
        if not wait:
            return self._in_days(rating, self._graduation(rating, waits))
        step = (0, index, index + 1, len(steps))[rating - 1]
        return self._waits(rating, RELEARNING if relearning else LEARNING, step, wait)

    def _seconds(self, rating: int, first: int, least: int) -> int:
        """The wait the model asks for, if it can tell seconds and means to wait less than half a day; else 0.

        `first` = the first button without a step, `least` = the longest wait of a button below.
        """
        if not self._model.WAITS_IN_SECONDS:
            return 0
        interval = self._ordered_ideal(rating, first)
        if max(interval, least / DAY) >= HALF_A_DAY:
            return 0
        return max(round(interval * DAY), SHORTEST_WAIT if rating == AGAIN else SHORTEST_PASS, least)

    def _graduation(self, rating: int, waits: tuple[int, ...]) -> int:
        """The days that follow the last step; Easy gives at least a day more than Good would."""
        longest = max(waits[:rating])
        least = max(1, self._days_until(longest)) if longest else 1
        if rating == EASY:
            least = max(least, self._good_days(waits) + 1)
        interval = self._ordered_ideal(rating, GOOD if longest else AGAIN)
        return self._spread(max(1, round_half_away(interval)), least)

    def _good_days(self, waits: tuple[int, ...]) -> int:
        """The days Good would give if it left the steps now; 0 where it would wait for seconds."""
        first = GOOD if any(waits) else AGAIN
        return 0 if self._seconds(GOOD, first, max(waits[:GOOD])) else self._graduation(GOOD, waits)

    def _ordered_ideal(self, rating: int, first: int) -> float:
        """No less than what a lower button gives: nothing in the numbers of a model says that it must be so."""
        return max(self._ideal(lower) for lower in range(min(first, rating), rating + 1))

    def _ideal(self, rating: int) -> float:
        return self._model.interval(self._after(rating), self.rules.desired_retention, self.rules.parameters)

    def _after(self, rating: int) -> Trace:
        """What the answer leaves."""
        numbers = self.rules.parameters
        if self._trace is None:
            return self._model.first_trace(rating, numbers)
        if rating > AGAIN and self._passes:
            return self._passes[rating - HARD]
        elapsed = elapsed_at(self.memory, self.moment.at, self.moment.study_day)
        if rating == AGAIN:
            return self._model.next_trace(self._trace, AGAIN, elapsed=elapsed, numbers=numbers)
        self._passes = self._model.passes(self._trace, elapsed=elapsed, numbers=numbers)
        return self._passes[rating - HARD]

    def _spread(self, interval: float, minimum: int) -> int:
        """Whole days within the fuzz. The card's own draw is hashed only where it is wanted."""
        if self._draw is None and self.rules.fuzz:
            self._draw = draw_of(self.card, self.memory.reps)
        draw = self._draw if self.rules.fuzz else None
        return fuzzed(interval, minimum=minimum, maximum=self.rules.maximum_interval, draw=draw)

    def _days_until(self, wait: int) -> int:
        """How many study days ahead a wait ends: 0 = before the next rollover."""
        to_rollover = int((self.moment.rollover_in(1) - self.moment.at).total_seconds())
        return days_until(wait, seconds_to_rollover=to_rollover)

    def _waits(
        self, rating: int, state: str, step: int, wait: int, *, lapses: int | None = None, leech: bool = False
    ) -> MemoryState:
        """A wait in steps; one that reaches the rollover ends with one."""
        ahead = self._days_until(wait)
        due = self.moment.rollover_in(ahead) if ahead else self.moment.at + timedelta(seconds=wait)
        return self._answered(rating, state, step, due, wait // DAY, lapses, leech)

    def _in_days(
        self, rating: int, number_of_days: int, *, lapses: int | None = None, leech: bool = False
    ) -> MemoryState:
        due = self.moment.rollover_in(number_of_days)
        return self._answered(rating, REVIEW, 0, due, number_of_days, lapses, leech)

    def _answered(
        self,
        rating: int,
        state: str,
        step: int,
        due: datetime,
        interval_days: int,
        lapses: int | None,
        leech: bool,
    ) -> MemoryState:
        memory, trace = self.memory, self._after(rating)
        tested = memory.state == REVIEW or memory.interval_days >= 1
        return made(
            state=state,
            step=step,
            stability=trace.stability,
            difficulty=trace.difficulty,
            short_stability=trace.short,
            due=due,
            interval_days=interval_days,
            last_review=self.moment.at,
            last_study_day=self.moment.study_day,
            reps=memory.reps + 1,
            lapses=memory.lapses if lapses is None else lapses,
            tested=memory.tested + tested,
            recalled=memory.recalled + (tested and rating != AGAIN),
            suspended=memory.suspended or leech,
            buried_until=None,
        )
