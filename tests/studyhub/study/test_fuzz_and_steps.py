"""Fuzz stays inside Anki's bounds and is even; steps wait as Anki's do."""

import json
from collections import Counter
from pathlib import Path

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


def test_all_days_within_the_bounds_come_equally_often():
    draws = [fuzz.draw_of(f"card-{n}", 3) for n in range(5000)]
    days = Counter(fuzz.fuzzed(10, minimum=1, maximum=36500, draw=draw) for draw in draws)
    assert sorted(days) == [8, 9, 10, 11, 12]
    expected = 1000
    chi_squared = sum((seen - expected) ** 2 / expected for seen in days.values())
    assert chi_squared < 18.5  # p = 0.001 with 4 degrees of freedom


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
