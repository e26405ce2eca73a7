"""Our formulas beside Khan Academy's KAS: the verdicts it gave on our own pairs, kept as a table."""

import json
from functools import cache

import pytest

from tests.oracle.ours import VERDICTS, Compared, compared, explained, unexplained
from tests.oracle.pairs import pairs

pytestmark = pytest.mark.plain


@cache
def graded() -> tuple[Compared, ...]:
    """Every pair, graded once for all tests."""
    return tuple(compared())


def test_the_table_holds_a_verdict_on_each_of_a_thousand_pairs():
    rows = [json.loads(line) for line in VERDICTS.read_text(encoding="utf-8").splitlines()]
    assert [(row["a"], row["b"]) for row in rows] == [(pair.a, pair.b) for pair in pairs()]
    assert len(rows) >= 1000
    assert sum(row["kas"] is True for row in rows) >= 300
    assert sum(row["kas"] is False for row in rows) >= 300


def test_the_verdicts_are_the_same_but_for_those_that_are_explained():
    assert unexplained(graded()) == []


def test_every_explanation_is_of_a_pair_that_differs():
    differing = {(one.a, one.b) for one in graded() if one.ours != one.kas}
    assert {(row["a"], row["b"]) for row in explained()} <= differing
    assert all(row["why"] for row in explained())
