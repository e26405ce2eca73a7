"""Fuzz stays inside Anki's bounds and is even; steps wait as Anki's do."""

import json
from collections import Counter
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

import pytest

from studyhub.study.scheduling import fuzz, steps

pytestmark = pytest.mark.plain

VECTORS = json.loads((Path(__file__).parents[2] / "data" / "fsrs_vectors.json").read_text())


@pytest.mark.parametrize("row", VECTORS["fuzz_bounds"], ids=lambda r: f"{r['interval']}>={r['minimum']}")
def test_fuzz_bounds_equal_the_golden_table(row):
    bounds = fuzz.fuzz_bounds(row["interval"], minimum=row["minimum"], maximum=row["maximum"])
    assert bounds == (row["lower"], row["upper"])


@pytest.mark.parametrize("row", VECTORS["minimum_review_interval"], ids=str)
def test_smallest_next_interval_equals_the_golden_table(row):
    assert fuzz.smallest_next(row["interval"], row["previous_interval"]) == row["minimum"]


@pytest.mark.parametrize("row", VECTORS["learning_steps"], ids=str)
def test_learning_steps_wait_as_the_golden_table(row):
    seconds = tuple(int(minutes * 60) for minutes in row["steps_minutes"])
    index = row["step_index"]
    waits = (steps.again_delay(seconds), steps.hard_delay(seconds, index), steps.good_delay(seconds, index))
    assert waits == (row["again_secs"], row["hard_secs"], row["good_secs"])


@pytest.mark.parametrize("row", VECTORS["fuzz_bounds"], ids=lambda r: f"{r['interval']}>={r['minimum']}")
def test_row_13_every_draw_lands_within_the_golden_bounds_and_the_ends_are_reached(row):
    draws = [0.0, *(n / 5_000 for n in range(1, 5_000)), 1 - 2**-53]
    days = {fuzz.fuzzed(row["interval"], row["minimum"], row["maximum"], draw) for draw in draws}
    assert days == set(range(row["lower"], row["upper"] + 1))


@pytest.mark.parametrize(
    ("interval", "minimum", "maximum", "critical"),
    [
        (3.0, 1, 36_500, 13.82),  # 2..4: chi-square at p = 0.001 with 2 degrees of freedom
        (10.0, 1, 36_500, 18.47),  # 8..12: 4
        (10.0, 11, 36_500, 13.82),  # 11..13: 2
        (30.0, 1, 36_500, 22.46),  # 27..33: 6
        (100.0, 1, 36_500, 36.12),  # 93..107: 14
        (100.0, 1, 100, 24.32),  # 93..100, at the maximum: 7
    ],
)
@pytest.mark.parametrize("reps", [1, 7])
def test_row_13_all_days_within_the_bounds_come_equally_often(interval, minimum, maximum, critical, reps):
    draws = (fuzz.draw_of(str(uuid5(NAMESPACE_URL, f"card-{n}")), reps) for n in range(6_000))
    seen = Counter(fuzz.fuzzed(interval, minimum, maximum, draw) for draw in draws)
    lower, upper = fuzz.fuzz_bounds(interval, minimum, maximum)
    expected = 6_000 / (1 + upper - lower)
    assert sum((seen[day] - expected) ** 2 / expected for day in range(lower, upper + 1)) < critical


def test_draws_of_one_card_are_even_over_its_answers():
    seen = Counter(
        int(fuzz.draw_of("0f6b1c1e-4a5e-5a55-9d3c-1d2a3b4c5d6e", reps) * 10) for reps in range(5_000)
    )
    assert sum((seen[tenth] - 500) ** 2 / 500 for tenth in range(10)) < 27.88  # p = 0.001, 9 degrees


def test_row_12_a_longer_interval_never_lands_on_an_earlier_day_by_the_same_draw():
    intervals = [n / 20 for n in range(20, 4_000)]
    for draw in (0.0, 0.2, 0.5, 0.8, 0.999):
        days = [fuzz.fuzzed(interval, 1, 36_500, draw) for interval in intervals]
        assert days == sorted(days)


def test_the_interval_of_before_is_kept_up_to_the_slack_beyond_the_fuzz():
    assert [fuzz.smallest_next(10, previous, 2) for previous in (12, 13, 14, 15)] == [12, 13, 14, 0]


def test_draw_belongs_to_the_card_and_its_number_of_answers():
    assert fuzz.draw_of("a", 1) == fuzz.draw_of("a", 1)
    assert len({fuzz.draw_of("a", 1), fuzz.draw_of("a", 2), fuzz.draw_of("b", 1)}) == 3


def test_half_a_day_rounds_away_from_zero():
    assert [fuzz.round_half_away(x) for x in (0.5, 1.5, 2.5, 2.4)] == [1, 2, 3, 2]


@pytest.mark.parametrize(
    ("delay", "to_rollover", "days"),
    [(600, 601, 0), (600, 600, 1), (600, 10, 1), (86_400, 3600, 1), (90_000, 3600, 2)],
)
def test_a_wait_that_reaches_the_rollover_becomes_days(delay, to_rollover, days):
    assert steps.days_until(delay, seconds_to_rollover=to_rollover) == days


@pytest.mark.parametrize("given", [(60, 600), (600, 60), (), (30, 30, 10), (86_400,), (60, 600, 86_400)])
def test_waits_of_a_step_never_fall_from_again_to_good(given):
    for again, hard, good, easy in steps.waits_of(given):
        assert 0 <= again <= hard
        assert good == 0 or good >= hard
        assert easy == 0
    assert len(steps.waits_of(given)) == max(1, len(given))


def test_no_step_outlasts_the_longest_wait():
    assert steps.waits_of((600, 3 * 86_400), 2 * 86_400) == (
        (600, 172_800, 172_800, 0),
        (600, 172_800, 0, 0),
    )
    assert steps.waits_of((3 * 86_400,), 86_400) == ((86_400, 86_400, 0, 0),)


def test_a_wait_of_days_is_held_by_whole_days():
    assert [steps.days_of(wait) for wait in (0, 86_399, 86_400, 86_401, 259_200)] == [0, 0, 1, 2, 3]
