"""Suggested ratings foresee recall at least as well as learners' own, in a simulation not made for it."""

import pytest

from benchmarks.ratings import HABITS, compare

pytestmark = pytest.mark.plain


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_schedule_of_suggested_ratings_foresees_no_worse_than_one_of_own_buttons(seed):
    found = compare(seed=seed, learners=40)
    suggested, own = found["all"].means
    assert suggested <= own
    assert found["all"].answers == sum(found[name].answers for name in HABITS) == 40 * 40 * 7


def test_pressing_hard_for_a_miss_costs_most():
    found = compare(seed=0, learners=40)
    lost = {name: found[name].means[1] - found[name].means[0] for name in HABITS}
    assert max(lost, key=lost.get) == "hard for a miss"


def test_a_learner_who_never_errs_about_himself_foresees_better_than_any_suggestion():
    honest = compare(seed=0, learners=40, hindsight=0.0, other_button=0.0)["honest"]
    suggested, own = honest.means
    assert own < suggested


def test_the_same_seed_gives_the_same_figures():
    assert compare(seed=3, learners=4) == compare(seed=3, learners=4)
