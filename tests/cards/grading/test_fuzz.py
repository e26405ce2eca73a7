"""A few thousand of the answers that `make fuzz` makes a million of."""

import pytest

from tests.cards.grading.fuzz import QUESTIONS, SLOWEST_MS, run

pytestmark = pytest.mark.plain


def test_no_answer_made_by_chance_raises_or_takes_long():
    found = run(20_261_130, 4_000)
    assert found.raised == []
    assert found.slow[0][0] < 10 * SLOWEST_MS, found.slow[0]


def test_chance_meets_every_outcome():
    assert {"correct", "incorrect", "undecided", "unreadable"} <= set(run(1, 4_000).outcomes)
    assert {question["type"] for question in QUESTIONS} >= {"numeric", "formula", "matrix_formula", "program"}
