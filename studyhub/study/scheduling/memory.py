"""What one answer does to one memory: values in, values out. No ORM, no clock, no network."""

from datetime import datetime, timedelta
from typing import Any

from studyhub.study.scheduling.course import Course, least_after_steps, most_after_steps, seconds_of
from studyhub.study.scheduling.fuzz import round_half_away
from studyhub.study.scheduling.passes import Passes
from studyhub.study.scheduling.state import (
    EASY,
    GOOD,
    HARD,
    REVIEW,
    MemoryState,
    Moment,
    Rules,
    elapsed_at,
    interval_seconds,
    moment_of,
    recall_chance,
    trace_of,
)
from studyhub.study.scheduling.steps import days_until

__all__ = [
    "MemoryState",
    "Moment",
    "Rules",
    "elapsed_at",
    "interval_seconds",
    "memory_of",
    "moment_of",
    "next_memory",
    "passes_of",
    "preview",
    "recall_chance",
    "trace_of",
]

RATINGS = (1, 2, 3, 4)


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
    Works out no more than this button needs: a replay calls it for every line.

    Raises ValueError on another rating or draw, and where the numbers belong to no model.
    """
    if rating not in RATINGS:
        raise ValueError(f"rating {rating!r} is none of 1 (again), 2 (hard), 3 (good), 4 (easy)")
    if draw is not None and not 0 <= draw < 1:
        raise ValueError(f"draw {draw!r} is not in [0, 1); leave it out for the card's own")
    course = Course(memory, card)
    course.answer(rating, elapsed_at(memory, moment.at, moment.study_day), rules, draw)
    return memory_of(course, moment)


def preview(
    memory: MemoryState, *, moment: Moment, rules: Rules, card: str, draw: float | None = None
) -> dict[int, MemoryState]:
    """What each button would give: rating -> memory, equal to `next_memory` of each.

    Again <= Hard <= Good <= Easy; in review, in days, Hard < Good < Easy where there is room for it: up to
    the maximum, and not where the last interval already stands beyond the fuzz of the next.
    Raises ValueError on a draw outside [0, 1), and where the numbers belong to no model.
    """
    return {
        rating: next_memory(memory, rating, moment=moment, rules=rules, card=card, draw=draw)
        for rating in RATINGS
    }


def memory_of(course: Course, moment: Moment) -> MemoryState:
    """The memory of a card whose last answer was at `moment`. Raises ValueError for one never answered."""
    if course.trace is None:
        raise ValueError("the card was never answered, so nothing is due; start from MemoryState()")
    return _made(
        state=course.state,
        step=course.step,
        stability=course.trace.stability,
        difficulty=course.trace.difficulty,
        short_stability=course.trace.short,
        due=_due(course, moment),
        interval_days=course.interval_days,
        last_review=moment.at,
        last_study_day=moment.study_day,
        reps=course.reps,
        lapses=course.lapses,
        tested=course.tested,
        recalled=course.recalled,
        suspended=course.suspended,
        buried_until=None,
    )


def passes_of(memory: MemoryState, *, moment: Moment, rules: Rules) -> Passes:
    """Where Hard, Good and Easy land for each draw, as `preview` has it."""
    course, elapsed = Course(memory, ""), elapsed_at(memory, moment.at, moment.study_day)
    if course.state == REVIEW and course.trace:
        ideals = rules.model.passed(course.trace, EASY, elapsed, rules.desired_retention)[1]
        least = [course.least_after_pass(interval, rules) for interval in ideals]
        most = [
            course.most_after_pass(rating, ideal, rules) for rating, ideal in enumerate(ideals, start=HARD)
        ]
        return Passes(ideals, least, maximum=rules.maximum_interval, most=most)
    waits, intervals = course.waits(rules), course.ideals(EASY, elapsed, rules)[-3:]
    intervals = [0.0] * (3 - len(intervals)) + intervals  # Hard has a step wherever it is left out
    seconds = [
        waits[button - 1] or seconds_of(button, intervals[button - HARD], max(waits[:button]), rules)
        for button in (HARD, GOOD, EASY)
    ]
    return Passes(
        [max(1, round_half_away(interval)) for interval in intervals],
        [least_after_steps(button, waits) for button in (HARD, GOOD, EASY)],
        maximum=rules.maximum_interval,
        in_days=[not wait for wait in seconds],
        most=[most_after_steps(button, intervals[button - HARD], waits) for button in (HARD, GOOD, EASY)],
        hard_below=False,
        good_below=not seconds_of(GOOD, intervals[1], max(waits[:GOOD]), rules),
    )


def _due(course: Course, moment: Moment) -> datetime:
    """In days: the rollover they end with. A wait that reaches the next rollover ends with one, too."""
    if course.state == REVIEW:
        return moment.rollover_in(course.interval_days)
    to_rollover = int((moment.rollover_in(1) - moment.at).total_seconds())
    ahead = days_until(course.wait, seconds_to_rollover=to_rollover)
    return moment.rollover_in(ahead) if ahead else moment.at + timedelta(seconds=course.wait)


def _made(**values: Any) -> MemoryState:
    """A memory of all its fields, as its class makes it at several times the cost."""
    memory = object.__new__(MemoryState)
    object.__setattr__(memory, "__dict__", values)
    return memory
