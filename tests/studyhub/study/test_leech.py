"""A card becomes a leech at its threshold, and calls for attention again after every half of it."""

import json
from pathlib import Path

import pytest

from studyhub.study.scheduling.leech import is_leech, is_leech_lapse

pytestmark = pytest.mark.plain

VECTORS = json.loads((Path(__file__).parents[2] / "data" / "fsrs_vectors.json").read_text())


@pytest.mark.parametrize("row", VECTORS["leech"], ids=lambda row: f"after {row['threshold']}")
def test_lapses_that_call_for_attention_equal_the_golden_table(row):
    flagged = [lapses for lapses in range(33) if is_leech_lapse(lapses, row["threshold"])]
    assert flagged == row["lapses_flagged"]


@pytest.mark.parametrize("after", [1, 2, 5, 8])
def test_a_card_is_a_leech_from_its_threshold_on(after):
    assert [is_leech(lapses, after) for lapses in range(after + 3)] == [False] * after + [True] * 3


def test_a_threshold_of_zero_makes_no_leech():
    assert not any(is_leech(lapses, 0) or is_leech_lapse(lapses, 0) for lapses in range(100))


def test_each_lapse_that_calls_for_attention_is_one_of_a_leech():
    pairs = [(lapses, after) for lapses in range(60) for after in range(20)]
    assert all(is_leech(*pair) for pair in pairs if is_leech_lapse(*pair))


@pytest.mark.parametrize(("lapses", "after"), [(-1, 8), (3, -2)])
def test_a_negative_number_is_refused_with_the_numbers(lapses, after):
    for rule in (is_leech, is_leech_lapse):
        with pytest.raises(ValueError, match=f"{lapses} lapses.*{after}"):
            rule(lapses, after)
