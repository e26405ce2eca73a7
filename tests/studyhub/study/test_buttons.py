"""Whatever the memory, the rules and the moment: preview is result, and better answers wait longer."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from studyhub.study.scheduling import (
    MemoryState,
    Moment,
    Rules,
    checked_numbers,
    fsrs,
    fsrs7,
    interval_seconds,
    moment_of,
    next_memory,
    preview,
)
from studyhub.study.scheduling.course import SHORTEST_PASS, SHORTEST_WAIT, Course
from studyhub.study.scheduling.memory import memory_of, passes_of
from studyhub.study.scheduling.trace import Elapsed

pytestmark = pytest.mark.plain

MONDAY = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
CARD = "0f6b1c1e-4a5e-5a55-9d3c-1d2a3b4c5d6e"
AGAIN, HARD, GOOD, EASY = RATINGS = (1, 2, 3, 4)
STEPS = [(), (60,), (600,), (60, 600), (60, 600, 86_400), (86_400,), (30, 129_600), (4 * 86_400,), (600, 60)]


def numbers_within(bounds: tuple[tuple[float, float], ...]) -> st.SearchStrategy[tuple[float, ...]]:
    return st.tuples(*(st.floats(*pair) for pair in bounds)).map(checked_numbers)


ANY_NUMBERS = st.one_of(
    st.sampled_from([fsrs.DEFAULT_PARAMETERS, fsrs7.DEFAULT_PARAMETERS]),
    numbers_within(fsrs.BOUNDS),
    numbers_within(fsrs7.BOUNDS),
)
ANY_RULES = st.builds(
    Rules,
    desired_retention=st.sampled_from([0.7, 0.8, 0.9, 0.95, 0.97, 0.99]),
    parameters=ANY_NUMBERS,
    learning_steps=st.sampled_from(STEPS),
    relearning_steps=st.sampled_from(STEPS),
    maximum_interval=st.sampled_from([1, 5, 30, 365, 36_500]),
    leech_after=st.sampled_from([0, 1, 8]),
    leech_suspends=st.booleans(),
    fuzz=st.booleans(),
)
ANY_DRAW = st.one_of(st.none(), st.floats(0, 1, exclude_max=True))
ANY_ZONE = st.sampled_from(["UTC", "Europe/Berlin", "Pacific/Apia", "America/St_Johns"])


@st.composite
def memories(draw: st.DrawFn) -> MemoryState:
    """A memory as answers, set due dates and clocks of every kind may leave it."""
    state = draw(st.sampled_from(["new", "learning", "review", "relearning"]))
    if state == "new":
        return MemoryState()
    last = MONDAY - timedelta(seconds=draw(st.integers(-200_000, 400 * 86_400)))
    stability = draw(st.floats(0.001, 36_500))
    return MemoryState(
        state=state, step=draw(st.integers(0, 3)) if state != "review" else 0, stability=stability,
        difficulty=draw(st.floats(1, 10)), short_stability=draw(st.sampled_from([0.0, 0.1, stability])),
        due=last + timedelta(days=1), interval_days=draw(st.integers(1, 3000)) if state == "review" else 0,
        last_review=last, last_study_day=last.date(),
        reps=draw(st.integers(1, 99)), lapses=draw(st.integers(0, 20)),
    )  # fmt: skip


@given(memories(), ANY_RULES, ANY_DRAW, ANY_ZONE, st.integers(0, 23))
@settings(max_examples=300, deadline=None)
def test_row_14_the_preview_is_the_result_and_no_button_comes_back_sooner_than_the_one_below(
    memory, rules, draw, zone, hour
):
    moment = moment_of(MONDAY, time_zone=zone, rollover_hour=hour)
    offered = preview(memory, moment=moment, rules=rules, card=CARD, draw=draw)
    for rating in RATINGS:
        assert offered[rating] == next_memory(
            memory, rating, moment=moment, rules=rules, card=CARD, draw=draw
        )
    assert sorted(one.due for one in offered.values()) == [offered[rating].due for rating in RATINGS]
    waits = [interval_seconds(offered[rating], MONDAY) for rating in RATINGS]
    in_days = [one.state == "review" for one in offered.values()]
    assert in_days == sorted(in_days)
    assert all(
        a <= b for (a, b), (was, now) in zip(pairwise(waits), pairwise(in_days), strict=True) if was == now
    )


@given(memories(), ANY_RULES, ANY_DRAW)
@settings(max_examples=200, deadline=None)
def test_every_answer_leaves_a_memory_that_can_be_scheduled(memory, rules, draw):
    moment = moment_of(MONDAY, time_zone="Europe/Berlin", rollover_hour=4)
    for rating, after in preview(memory, moment=moment, rules=rules, card=CARD, draw=draw).items():
        assert after.due > MONDAY
        assert after.reps == memory.reps + 1
        assert 1 <= after.difficulty <= 10
        assert 0 < after.stability <= 36_500
        assert after.lapses == memory.lapses + (memory.state == "review" and rating == AGAIN)
        if after.state == "review":
            assert 1 <= after.interval_days <= rules.maximum_interval
            assert after.due == moment.rollover_in(after.interval_days)


@given(memories(), ANY_RULES, st.floats(0, 1, exclude_max=True))
@settings(max_examples=200, deadline=None)
@example(
    MemoryState(), Rules(parameters=fsrs7.DEFAULT_PARAMETERS, desired_retention=0.99, learning_steps=()), 0.5
)
def test_passes_land_where_the_preview_says(memory, rules, draw):
    moment, rules = moment_of(MONDAY, time_zone="UTC", rollover_hour=4), replace(rules, fuzz=True)
    offered = preview(memory, moment=moment, rules=rules, card=CARD, draw=draw)
    landed = passes_of(memory, moment=moment, rules=rules).days(draw)
    expected = [offered[rating] for rating in (HARD, GOOD, EASY)]
    assert landed == tuple(one.interval_days if one.state == "review" else 0 for one in expected)


@given(
    st.lists(st.tuples(st.sampled_from(RATINGS), st.integers(0, 90)), min_size=1, max_size=12),
    ANY_RULES,
    ANY_DRAW,
)
@settings(max_examples=100, deadline=None)
def test_a_course_ends_where_its_answers_one_by_one_end(answers, rules, draw):
    memory, course, at = MemoryState(), Course(MemoryState(), CARD), MONDAY
    day = MONDAY.date()
    for rating, days in answers:
        at, earlier = at + timedelta(days=days), at
        moment = Moment(at, at.date(), "UTC", 4)
        memory = next_memory(memory, rating, moment=moment, rules=rules, card=CARD, draw=draw)
        course.answer(rating, Elapsed((at.date() - day).days, (at - earlier).total_seconds()), rules, draw)
        day = at.date()
    assert memory_of(course, moment) == memory


def seconds(memory: MemoryState, rules: Rules, at: datetime = MONDAY) -> list[int]:
    offered = preview(memory, moment=moment_of(at, time_zone="UTC", rollover_hour=4), rules=rules, card=CARD)
    return [interval_seconds(offered[rating], at) for rating in RATINGS]


@pytest.mark.parametrize("retention", [0.9, 0.95, 0.97, 0.99])
def test_row_16_seven_waits_for_hours_where_six_would_wait_a_day_and_never_for_seconds(retention):
    rules = Rules(retention, fsrs7.DEFAULT_PARAMETERS, (), (), fuzz=False)
    waits = seconds(MemoryState(), rules)
    assert waits[0] == SHORTEST_WAIT
    assert all(wait >= SHORTEST_PASS for wait in waits[1:])
    assert waits[0] < 86_400 / 2
    assert seconds(MemoryState(), Rules(retention, learning_steps=(), fuzz=False))[0] == 86_400


def test_a_card_that_waits_for_seconds_stays_in_learning_and_one_that_lapsed_in_relearning():
    rules = Rules(0.97, fsrs7.DEFAULT_PARAMETERS, (), (), fuzz=False)
    moment = moment_of(MONDAY, time_zone="UTC", rollover_hour=4)
    first = next_memory(MemoryState(), GOOD, moment=moment, rules=rules, card=CARD)
    assert (first.state, first.interval_days) == ("learning", 0)
    known = MemoryState(
        state="review", stability=20.0, short_stability=100.0, difficulty=5.0, interval_days=9,
        due=MONDAY, last_review=MONDAY - timedelta(days=9), last_study_day=date(2026, 11, 21), reps=3,
    )  # fmt: skip
    lapsed = next_memory(known, AGAIN, moment=moment, rules=rules, card=CARD)
    assert (lapsed.state, lapsed.lapses) == ("relearning", 1)


@pytest.mark.parametrize("draw", [1.0, -0.1, float("nan"), 7.0])
def test_a_draw_outside_its_range_is_refused_with_the_number(draw):
    with pytest.raises(ValueError, match=rf"{draw}.*\[0, 1\)"):
        preview(
            MemoryState(),
            moment=moment_of(MONDAY, time_zone="UTC", rollover_hour=4),
            rules=Rules(),
            card="c",
            draw=draw,
        )


def test_steps_of_days_are_waited_for_in_days_and_count_as_an_interval():
    rules = Rules(learning_steps=(86_400, 259_200), fuzz=False)
    moment = moment_of(MONDAY, time_zone="UTC", rollover_hour=4)
    memory = next_memory(MemoryState(), GOOD, moment=moment, rules=rules, card=CARD)
    assert (memory.state, memory.step, memory.interval_days) == ("learning", 1, 3)
    assert memory.due == datetime(2026, 12, 3, 4, tzinfo=UTC)
    assert [wait // 3600 for wait in seconds(MemoryState(), rules)[:3]] == [19, 43, 67]
