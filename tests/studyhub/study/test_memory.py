"""The four buttons: order, steps, graduation, lapse, and the interval shown being the interval given."""

from dataclasses import FrozenInstanceError, asdict, replace
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studyhub.study.scheduling import (
    MemoryState,
    Rules,
    fsrs,
    fsrs7,
    interval_seconds,
    moment_of,
    next_memory,
    preview,
    recall_chance,
    rollover,
)
from studyhub.study.scheduling.course import Course
from studyhub.study.scheduling.fuzz import draw_of, fuzz_bounds, fuzzed, round_half_away
from studyhub.study.scheduling.memory import memory_of
from studyhub.study.scheduling.trace import Elapsed, Trace

pytestmark = pytest.mark.plain

MONDAY = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
PLAIN = Rules(fuzz=False)
AGAIN, HARD, GOOD, EASY = 1, 2, 3, 4


def moment(at: datetime = MONDAY, zone: str = "UTC"):
    return moment_of(at, time_zone=zone, rollover_hour=4)


def known(stability: float = 17.0, difficulty: float = 5.4, *, days: int = 17) -> MemoryState:
    """A review card that is due on Monday after `days` days."""
    last = MONDAY - timedelta(days=days)
    return MemoryState(
        state="review", stability=stability, difficulty=difficulty, interval_days=days, reps=4,
        due=MONDAY, last_review=last, last_study_day=last.date(),
    )  # fmt: skip


def waits(memory: MemoryState, rules: Rules = PLAIN, at: datetime = MONDAY) -> list[int]:
    offered = preview(memory, moment=moment(at), rules=rules, card="c")
    return [interval_seconds(offered[rating], at) for rating in (1, 2, 3, 4)]


def ideal_of(memory: MemoryState, retention: float) -> float:
    return fsrs.bound().interval(Trace(memory.stability, memory.difficulty), retention)


def days(*numbers: int) -> list[int]:
    return [number * 86_400 for number in numbers]


def answered(ratings: list[int], *, gap: timedelta = timedelta(minutes=10)) -> MemoryState:
    memory, at = MemoryState(), MONDAY
    for rating in ratings:
        memory = next_memory(memory, rating, moment=moment(at), rules=PLAIN, card="c")
        at += gap
    return memory


def test_a_card_of_stability_17_answered_on_its_day_offers_10_minutes_36_49_and_77_days():
    assert waits(known()) == [600, *days(36, 49, 77)]


def test_a_new_card_offers_its_learning_steps_and_easy_in_days():
    assert waits(MemoryState()) == [60, 330, 600, *days(8)]


def test_good_twice_graduates_into_days_and_the_due_time_is_a_rollover():
    memory = answered([GOOD, GOOD])
    assert (memory.state, memory.interval_days, memory.step) == ("review", 2, 0)
    assert memory.due == rollover(date(2026, 12, 2), time_zone="UTC", hour=4)


def test_again_while_learning_goes_back_to_the_first_step_and_is_no_lapse():
    memory = answered([GOOD, AGAIN])
    assert (memory.state, memory.step, memory.lapses, memory.reps) == ("learning", 0, 0, 2)


def test_again_on_a_known_card_is_a_lapse_and_good_brings_it_back_to_days():
    lapsed = next_memory(known(), AGAIN, moment=moment(), rules=PLAIN, card="c")
    assert (lapsed.state, lapsed.lapses, lapsed.interval_days) == ("relearning", 1, 0)
    assert lapsed.due == MONDAY + timedelta(minutes=10)
    assert waits(lapsed, at=lapsed.due)[:2] == [600, 900]
    again = next_memory(lapsed, AGAIN, moment=moment(lapsed.due), rules=PLAIN, card="c")
    assert again.lapses == 1
    back = next_memory(again, GOOD, moment=moment(lapsed.due), rules=PLAIN, card="c")
    assert back.state == "review"
    assert back.interval_days >= 1


def test_a_step_that_would_pass_the_rollover_ends_with_it():
    just_before = datetime(2026, 11, 30, 3, 55, tzinfo=UTC)
    memory = next_memory(MemoryState(), GOOD, moment=moment(just_before), rules=PLAIN, card="c")
    assert memory.due == datetime(2026, 11, 30, 4, 0, tzinfo=UTC)


def test_elapsed_time_is_counted_in_study_days_and_not_in_hours():
    """Evening to morning is a day; two answers within one study day are none."""
    evening = datetime(2026, 11, 29, 22, 0, tzinfo=UTC)
    memory = MemoryState(state="review", stability=2.3, difficulty=2.1, interval_days=2, reps=1,
                         last_review=evening, last_study_day=evening.date())  # fmt: skip
    late = datetime(2026, 11, 30, 3, 0, tzinfo=UTC)
    same_day = next_memory(memory, GOOD, moment=moment(late), rules=PLAIN, card="c")
    next_day = next_memory(memory, GOOD, moment=moment(late + timedelta(hours=2)), rules=PLAIN, card="c")
    assert same_day.stability < 2.4 < 5 < next_day.stability


def test_fuzz_off_and_on_agree_within_the_bounds():
    plain, spread = waits(known()), waits(known(), Rules())
    assert all(abs(a - b) <= 8 * 86_400 for a, b in zip(plain, spread, strict=True))


def test_intervals_end_at_the_maximum():
    capped = Rules(maximum_interval=40, fuzz=False)
    assert waits(known(), capped)[1:] == days(36, 40, 40)


def test_without_steps_a_lapse_stays_in_days():
    rules = Rules(relearning_steps=(), fuzz=False)
    lapsed = next_memory(known(), AGAIN, moment=moment(), rules=rules, card="c")
    assert (lapsed.state, lapsed.lapses) == ("review", 1)
    assert lapsed.interval_days >= 1


@pytest.mark.parametrize("rating", [0, 5, -1])
def test_a_rating_that_is_no_button_is_refused(rating):
    with pytest.raises(ValueError, match=r"1 .again."):
        next_memory(MemoryState(), rating, moment=moment(), rules=PLAIN, card="c")


@given(
    st.floats(0.001, 5000), st.floats(1, 10), st.integers(1, 3000), st.integers(-40, 400),
    st.sampled_from([0.7, 0.8, 0.9, 0.97, 0.99]), st.uuids(),
)  # fmt: skip
def test_passes_are_ordered_and_the_preview_is_the_result(stability, difficulty, interval, late, q, card):
    memory = known(stability, difficulty, days=interval)
    at = MONDAY + timedelta(days=max(late, -interval))
    rules = Rules(desired_retention=q)
    offered = preview(memory, moment=moment(at), rules=rules, card=str(card))
    days = [offered[rating].interval_days for rating in (HARD, GOOD, EASY)]
    assert 1 <= days[0] <= days[1] <= days[2] <= PLAIN.maximum_interval
    # They may be equal at the maximum, and where the last interval stands beyond the fuzz of the next.
    crowded = interval > fuzz_bounds(ideal_of(offered[HARD], q), 1, 36_500)[1]
    assert crowded or all(a < b for a, b in pairwise(days) if b < PLAIN.maximum_interval)
    for rating in (1, 2, 3, 4):
        assert offered[rating] == next_memory(memory, rating, moment=moment(at), rules=rules, card=str(card))


SIX = st.tuples(*(st.floats(*pair) for pair in fsrs.BOUNDS))
ORDERED = SIX.map(lambda numbers: (*sorted(numbers[:4]), *numbers[4:]))  # as every fit gives them
HISTORY = st.lists(st.tuples(st.sampled_from([1, 2, 3, 4, 4]), st.floats(0, 2)), min_size=2, max_size=20)


@given(
    HISTORY, st.sampled_from([0.7, 0.8, 0.9, 0.95, 0.97, 0.99]),
    st.one_of(st.just(fsrs.DEFAULT_PARAMETERS), ORDERED),
    st.sampled_from([(), (60, 600)]), st.sampled_from([20, 36_500]), st.uuids(),
)  # fmt: skip
@settings(max_examples=200, deadline=None)
def test_row_12_a_pass_never_shortens_the_interval_early_on_time_or_late(
    history, q, numbers, steps, maximum, card
):
    rules = Rules(q, numbers, steps, steps, maximum)
    course, passed = Course(MemoryState(), str(card)), 0
    for rating, share in history:
        before = course.interval_days if course.state == "review" and rating > AGAIN else 0
        course.answer(rating, Elapsed(passed, 0.0), rules, None)
        assert course.interval_days >= before
        passed = round(course.interval_days * share)


@given(st.floats(1, 3000), st.integers(0, 3000), st.sampled_from([2, 3, 4]), st.uuids())
def test_row_12_an_early_pass_keeps_an_interval_that_lies_within_the_fuzz(stability, early, rating, card):
    interval = fuzzed(stability, 1, 36_500, draw_of(str(card), 1))
    memory = known(stability, 5.0, days=interval)
    at = MONDAY - timedelta(days=min(early, interval))
    assert (
        next_memory(memory, rating, moment=moment(at), rules=Rules(), card=str(card)).interval_days
        >= interval
    )


@given(st.integers(3, 3000), st.uuids())
def test_a_good_answer_on_time_never_shortens_the_interval(interval, card):
    memory = known(float(interval), 5.0, days=interval)
    after = next_memory(memory, GOOD, moment=moment(), rules=Rules(), card=str(card))
    assert after.interval_days > interval


def test_answers_of_a_known_card_are_tested_ones_and_those_in_short_steps_are_not():
    graduated = answered([GOOD, GOOD])
    assert (graduated.tested, graduated.recalled) == (0, 0)
    at = graduated.due
    passed = next_memory(graduated, HARD, moment=moment(at), rules=PLAIN, card="c")
    lapsed = next_memory(passed, AGAIN, moment=moment(passed.due), rules=PLAIN, card="c")
    back = next_memory(lapsed, GOOD, moment=moment(lapsed.due), rules=PLAIN, card="c")
    counts = [(memory.tested, memory.recalled) for memory in (passed, lapsed, back)]
    assert counts == [(1, 1), (2, 1), (2, 1)]


def test_an_answer_after_a_step_of_a_day_is_a_tested_one():
    rules = Rules(learning_steps=(86_400,), fuzz=False)
    first = next_memory(MemoryState(), AGAIN, moment=moment(), rules=rules, card="c")
    second = next_memory(first, AGAIN, moment=moment(first.due), rules=rules, card="c")
    assert (first.tested, second.tested, second.recalled) == (0, 1, 0)


@pytest.mark.parametrize(("lapses", "suspended"), [(6, False), (7, True), (8, False), (11, True)])
def test_a_leech_is_suspended_by_the_lapse_that_makes_it_one(lapses, suspended):
    memory, rules = replace(known(), lapses=lapses), Rules(leech_suspends=True)
    assert next_memory(memory, AGAIN, moment=moment(), rules=rules, card="c").suspended is suspended
    assert not next_memory(memory, GOOD, moment=moment(), rules=rules, card="c").suspended
    assert not next_memory(memory, AGAIN, moment=moment(), rules=Rules(), card="c").suspended


def test_a_lapse_without_steps_is_scheduled_without_fuzz_and_never_beyond_hard():
    rules = Rules(relearning_steps=())
    days = {
        next_memory(known(), AGAIN, moment=moment(), rules=rules, card="c", draw=n / 10).interval_days
        for n in range(10)
    }
    assert days == {round_half_away(fsrs.bound().after(Trace(17.0, 5.4), AGAIN, Elapsed(17, 0.0)).stability)}


def test_row_15_a_due_day_set_by_hand_leaves_what_the_next_answer_makes_of_stability_alone():
    """27 days became 6.67 years elsewhere: the interval that was wished for counted as one remembered."""
    moved = replace(known(27.0, days=27), interval_days=400, due=MONDAY + timedelta(days=373))
    plain = next_memory(known(27.0, days=27), GOOD, moment=moment(), rules=PLAIN, card="c")
    after = next_memory(moved, GOOD, moment=moment(), rules=PLAIN, card="c")
    assert (after.stability, after.difficulty) == (plain.stability, plain.difficulty)
    assert after.interval_days == round_half_away(after.stability) < 100


def test_a_clock_that_ran_back_counts_as_no_time():
    back = moment(MONDAY - timedelta(days=40))
    ahead = replace(known(), last_review=MONDAY, last_study_day=MONDAY.date())
    same_day = next_memory(ahead, GOOD, moment=moment(), rules=PLAIN, card="c")
    assert next_memory(ahead, GOOD, moment=back, rules=PLAIN, card="c").stability == same_day.stability
    assert recall_chance(ahead, back.study_day, at=back.at) == 1.0


def test_recall_under_numbers_of_seconds_falls_within_the_day():
    memory = replace(known(), short_stability=13.0, last_study_day=MONDAY.date(), last_review=MONDAY)
    seven = fsrs7.DEFAULT_PARAMETERS
    evening = recall_chance(memory, MONDAY.date(), seven, at=MONDAY + timedelta(hours=10))
    assert recall_chance(memory, MONDAY.date(), seven) > evening > 0.9
    tomorrow = recall_chance(memory, MONDAY.date() + timedelta(days=1), seven)
    assert tomorrow == recall_chance(memory, MONDAY.date(), seven, at=MONDAY + timedelta(days=1))


def test_a_memory_made_quickly_is_one_made_by_its_class():
    memory = answered([GOOD, GOOD])
    assert memory == MemoryState(**asdict(memory))
    assert hash(memory) == hash(replace(memory))
    with pytest.raises(FrozenInstanceError):
        memory.reps = 9


def test_a_card_never_answered_has_no_due_time_to_work_out():
    with pytest.raises(ValueError, match="never answered"):
        memory_of(Course(MemoryState(), "c"), moment())


def test_recall_is_ninety_percent_after_the_stability_and_nothing_for_a_new_card():
    assert recall_chance(known(), MONDAY.date()) == pytest.approx(0.9)
    assert recall_chance(MemoryState(), MONDAY.date()) == 0.0


def test_where_the_interval_stands_beyond_the_fuzz_the_buttons_share_it_and_nothing_creeps():
    """At 0.99 a pass may add less than a day to what the model asks for, and the order of the buttons two."""
    memory = replace(known(100.0, 10.0), interval_days=10)  # the model asks for 7 days; their fuzz ends at 9
    assert waits(memory, Rules(0.99, fuzz=False))[1:] == days(10, 10, 11)
    assert waits(replace(memory, interval_days=11), Rules(0.99, fuzz=False))[1:] == days(11, 11, 11)
    assert waits(replace(memory, interval_days=12), Rules(0.99, fuzz=False))[1:] == days(7, 8, 9)
