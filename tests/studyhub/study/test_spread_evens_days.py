"""Months of a simulated learner: days get more even than by chance, and intervals stay as long."""

import pytest

from benchmarks.spread import Learner, by_anki, by_chance, by_us, lived

pytestmark = pytest.mark.plain

LEARNER = Learner(cards=1_000, new_per_day=8, days=180, seed=1)


def test_days_are_two_fifths_more_even_than_by_chance_and_intervals_shift_less_than_two_percent():
    """Anki's weights reach less in the same months: `python -m benchmarks spread` prints both."""
    chance, ours = lived(by_chance, LEARNER), lived(by_us, LEARNER)
    assert ours.unevenness <= 0.6 * chance.unevenness
    assert abs(ours.shift) <= 0.02
    assert chance.shift == 0
    assert min(chance.answers, ours.answers) > 5_000


def test_the_same_learner_lives_the_same_days():
    short = Learner(cards=60, new_per_day=6, days=30, seed=2)
    for way in (by_us, by_anki):
        once, again = lived(way, short), lived(way, short)
        assert (once.due, once.given) == (again.due, again.given)
    assert lived(by_us, short).due != lived(by_chance, short).due
