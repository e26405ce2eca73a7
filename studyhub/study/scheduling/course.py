"""A card on its way through answers: the state it is in and how long it waits. Knows no date and no formula.

Order of the buttons and graduation as in Anki 26.08 (`rslib/src/scheduler/states/`, facts only), but here no
button comes back sooner than the one below it, whatever the steps and the numbers. Anki also lets a wait
within the day run up to 25 % (at most 300 s) longer, by chance; here it lasts as long as its button says.
A course changes in place: a replay follows one through every line of a card.
"""

from collections.abc import Sequence
from itertools import accumulate

from studyhub.study.scheduling.fuzz import (
    LONGEST_INTERVAL,
    draw_of,
    fuzz_bounds,
    fuzzed,
    round_half_away,
    smallest_next,
)
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
    Rules,
    trace_of,
)
from studyhub.study.scheduling.steps import DAY, days_of
from studyhub.study.scheduling.trace import Elapsed, Trace

SHORTEST_WAIT = 60
"""Seconds a wait lasts at least where the model sets it after an Again ..."""
SHORTEST_PASS = 600
"""... and after a pass: at a retention of 0.97 FSRS-7 would ask again within the minute."""
HALF_A_DAY = 0.5
"""Days: anything below is waited for in seconds, if the model can (Anki `states/interval_kind.rs`)."""
ORDER_SLACK = 2
"""Days by which the order of the buttons may put an interval beyond its fuzz: one for Good, one for Easy."""


class Course:
    """One card: `state`, `step`, `trace` (None: never answered), `interval_days`, `wait` (s; 0 in days).

    `uuid` seeds the fuzz. Counters as in MemoryState.
    """

    __slots__ = (
        *("interval_days", "lapses", "recalled", "reps", "state", "step", "suspended", "tested", "trace"),
        *("uuid", "wait"),
    )

    def __init__(self, memory: MemoryState, uuid: str) -> None:
        self.state, self.step, self.trace = memory.state, memory.step, trace_of(memory)
        self.interval_days, self.wait = memory.interval_days, 0
        self.reps, self.lapses = memory.reps, memory.lapses
        self.tested, self.recalled = memory.tested, memory.recalled
        self.suspended, self.uuid = memory.suspended, uuid

    def answer(self, rating: int, elapsed: Elapsed, rules: Rules, draw: float | None) -> None:
        """Goes on by one answer, rated 1..4, `elapsed` after the one before. `draw` as in `next_memory`."""
        trace = self.trace
        if self.state == REVIEW or self.interval_days >= 1:
            self.tested += 1
            self.recalled += rating != AGAIN
        if self.state != REVIEW or trace is None:
            self._answer_in_steps(rating, elapsed, rules, draw)
        elif rating == AGAIN:
            self._lapse(trace, elapsed, rules, draw)
        else:  # stays in review: no step, no wait
            self.trace, ideals = rules.model.passed(trace, rating, elapsed, rules.desired_retention)
            self.interval_days = self._passed_days(ideals, rules, draw)
        self.reps += 1

    def least_after_pass(self, interval: float, rules: Rules) -> int:
        """The least days of a pass in review: no fewer than last time, nor than relearning would take."""
        least = smallest_next(interval, self.interval_days, ORDER_SLACK) or 1
        return least if least > rules.least_pass else rules.least_pass

    def most_after_pass(self, rating: int, interval: float, rules: Rules) -> int:
        """The most days the order of the buttons may lead to: of Good one beyond its fuzz, of Easy two.

        Else the order would add days at every pass, until the interval stood so far beyond what the model
        asks for that it fell back.
        """
        _, upper = fuzz_bounds(interval, 1, LONGEST_INTERVAL)
        return max(self.interval_days, upper + rating - HARD, rules.least_pass)

    def waits(self, rules: Rules) -> tuple[int, int, int, int]:
        """Seconds each button waits at the step the card is at; 0 = no step is left for it."""
        waits = rules.relearning_waits if self.state == RELEARNING else rules.learning_waits
        return waits[min(self.step, len(waits) - 1)]

    def ideals(self, rating: int, elapsed: Elapsed, rules: Rules, left: Trace | None = None) -> list[float]:
        """The intervals (days) of the buttons that have no step, up to `rating`, which leaves `left`.

        Never falling: nothing in the numbers of a model says that a better answer gives more.
        """
        left = left or self._after(rating, elapsed, rules)
        first, model, retention = self._first_without_step(rules), rules.model, rules.desired_retention
        if rating <= first:
            return [model.interval(left, retention)]
        traces = [self._after(button, elapsed, rules) for button in range(first, rating)]
        return list(accumulate((model.interval(trace, retention) for trace in (*traces, left)), max))

    def _first_without_step(self, rules: Rules) -> int:
        return GOOD if self.waits(rules)[AGAIN - 1] else AGAIN

    def _after(self, rating: int, elapsed: Elapsed, rules: Rules) -> Trace:
        if self.trace is None:
            return rules.model.first(rating)
        return rules.model.after(self.trace, rating, elapsed)

    def _passed_days(self, ideals: Sequence[float], rules: Rules, draw: float | None) -> int:
        """The days of the last of these passes: ordered by at least a day, where there is room for it."""
        drawn, number_of_days = self._drawn(rules, draw), 0
        previous, shortest, maximum = self.interval_days, rules.least_pass, rules.maximum_interval
        for rating, interval in enumerate(ideals, HARD):
            if int(interval + 0.5) > previous >= shortest:  # as `least_after_pass` has it: most passes are so
                least = previous + 1
            else:
                least = self.least_after_pass(interval, rules)
            if least <= number_of_days:
                least = number_of_days + 1
            highest = maximum
            if least > interval:
                highest = min(maximum, max(self.most_after_pass(rating, interval, rules), number_of_days))
            number_of_days = fuzzed(interval, least, highest, drawn)
        return number_of_days

    def _lapse(self, trace: Trace, elapsed: Elapsed, rules: Rules, draw: float | None) -> None:
        self.lapses += 1
        if rules.leech_suspends and is_leech_lapse(self.lapses, rules.leech_after):
            self.suspended = True
        left = rules.model.after(trace, AGAIN, elapsed)
        wait = rules.relearning_waits[0][0] or self._wait_without_steps(left, rules)
        if wait:
            self._in_steps(RELEARNING, 0, wait)
        else:
            hard = rules.model.passed(trace, HARD, elapsed, rules.desired_retention)[1]
            interval = round_half_away(rules.model.interval(left, rules.desired_retention))
            self._in_days(min(max(1, interval), self._passed_days(hard, rules, draw)))
        self.trace = left

    def _wait_without_steps(self, left: Trace, rules: Rules) -> int:
        return seconds_of(AGAIN, rules.model.interval(left, rules.desired_retention), 0, rules)

    def _answer_in_steps(self, rating: int, elapsed: Elapsed, rules: Rules, draw: float | None) -> None:
        """Steps while there are steps, then days. An Again here is no further lapse."""
        relearning, trace, model = self.state == RELEARNING, self.trace, rules.model
        every = rules.relearning_waits if relearning else rules.learning_waits
        waits = every[self.step if self.step < len(every) else -1]
        left = model.first(rating) if trace is None else model.after(trace, rating, elapsed)
        if wait := waits[rating - 1]:
            self._wait_in_steps(rating, wait, rules)
        else:
            ideals = self.ideals(rating, elapsed, rules, left)
            if wait := seconds_of(rating, ideals[-1], max(waits[:rating]), rules):
                self._wait_in_steps(rating, wait, rules)
            else:
                self._in_days(graduation(rating, ideals, waits, rules, self._drawn(rules, draw)))
        self.trace = left

    def _wait_in_steps(self, rating: int, wait: int, rules: Rules) -> None:
        relearning = self.state == RELEARNING
        steps = rules.relearning_steps if relearning else rules.learning_steps
        index = min(self.step, max(0, len(steps) - 1))
        step = (0, index, index + 1, len(steps))[rating - 1]
        self._in_steps(RELEARNING if relearning else LEARNING, step, wait)

    def _drawn(self, rules: Rules, draw: float | None) -> float | None:
        """The draw that counts. The card's own is hashed only where it is wanted."""
        if not rules.fuzz:
            return None
        return draw_of(self.uuid, self.reps) if draw is None else draw

    def _in_days(self, number_of_days: int) -> None:
        self.state, self.step, self.interval_days, self.wait = REVIEW, 0, number_of_days, 0

    def _in_steps(self, state: str, step: int, wait: int) -> None:
        self.state, self.step, self.interval_days, self.wait = state, step, wait // DAY, wait


def seconds_of(rating: int, interval: float, least: int, rules: Rules) -> int:
    """The wait the model asks for, if it can tell seconds and means less than half a day; else 0.

    `interval` in days; `least` = the longest wait (seconds) of a button below.
    """
    if not rules.model.waits_in_seconds or max(interval, least / DAY) >= HALF_A_DAY:
        return 0
    return max(round(interval * DAY), SHORTEST_WAIT if rating == AGAIN else SHORTEST_PASS, least)


def graduation(
    rating: int, ideals: Sequence[float], waits: Sequence[int], rules: Rules, draw: float | None
) -> int:
    """The days that follow the last step. Easy gives at least a day more than Good would."""
    interval, least = max(1, round_half_away(ideals[-1])), least_after_steps(rating, waits)
    if rating == EASY and not seconds_of(GOOD, ideals[-2], max(waits[:GOOD]), rules):
        least = max(least, graduation(GOOD, ideals[:-1], waits, rules, draw) + 1)
    highest = rules.maximum_interval
    if least > interval:
        highest = min(highest, max(most_after_steps(rating, ideals[-1], waits), least - 1))
    return fuzzed(interval, least, highest, draw)


def most_after_steps(rating: int, interval: float, waits: Sequence[int]) -> int:
    """The most days the order of Good and Easy may lead to, as `Course.most_after_pass`."""
    _, upper = fuzz_bounds(interval, 1, LONGEST_INTERVAL)
    return max(upper + ORDER_SLACK, least_after_steps(rating, waits))


def least_after_steps(rating: int, waits: Sequence[int]) -> int:
    """The least days a button gives that leaves the steps: those of the longest wait of a button below."""
    longest = max(waits[:rating])
    return 1 if longest < DAY else days_of(longest)
