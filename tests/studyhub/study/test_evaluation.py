"""Losses, bins, ranks, splits and baselines, against the worked example and against plain Python."""

import json
from math import log
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from studyhub.study.scheduling.evaluation import (
    FIRST_GUESS,
    HALF_LIFE,
    auc,
    bins_of,
    bins_within,
    forward_splits,
    log_loss,
    mean_difference,
    moving_average,
    recency,
    rmse_bins,
    running_average,
    scores,
)
from studyhub.study.scheduling.histories import Histories

pytestmark = pytest.mark.plain
GOLDEN = json.loads((Path(__file__).parents[2] / "data" / "fsrs_vectors.json").read_text())["evaluation"]
outcomes = st.lists(st.booleans(), max_size=60).map(lambda values: np.array(values, bool))


def column(name: str) -> np.ndarray:
    return np.array([row[name] for row in GOLDEN["rows"]])


def golden_bins() -> np.ndarray:
    return bins_of(column("elapsed_days"), column("i"), column("lapses"))


def test_the_worked_example_has_its_scores():
    found = scores(column("p"), column("y") > 0, golden_bins())
    expected = (GOLDEN["log_loss"], GOLDEN["rmse_bins"], GOLDEN["auc"])
    assert (found.log_loss, found.rmse, found.auc) == pytest.approx(expected, abs=1e-8)
    assert len(set(golden_bins().tolist())) == GOLDEN["bins"]


@pytest.mark.parametrize(
    ("which", "edges"),
    [(0, [1, 4, 14, 48, 172]), (1, [1, 2, 4, 7, 13, 25]), (2, [0, 1, 2, 3, 6, 9])],
)
def test_bins_begin_where_the_benchmark_has_them(which, edges):
    values = np.arange(edges[0], edges[-1] + 1)
    columns = [np.ones(len(values)), np.ones(len(values)), np.zeros(len(values))]
    columns[which] = values
    found = bins_of(*columns)
    assert [edges[0], *values[1:][np.diff(found) != 0].tolist()] == edges


@pytest.mark.parametrize("number", sorted(map(int, GOLDEN["time_series_split"])))
def test_forward_splits_are_those_of_the_benchmark(number):
    found = [[test.start, [test.start, test.stop]] for test in forward_splits(number)]
    assert found == GOLDEN["time_series_split"][str(number)]["benchmark"]


def test_too_few_answers_give_no_split():
    assert forward_splits(5) == []


@pytest.mark.parametrize("number", sorted(map(int, GOLDEN["recency_weights"])))
def test_recency_weights_are_those_of_the_reference(number):
    assert recency(number) == pytest.approx(GOLDEN["recency_weights"][str(number)])


@given(outcomes, st.randoms(use_true_random=False))
def test_auc_is_the_share_of_pairs_in_order(recalled, chance):
    p = np.array([chance.choice([0.1, 0.4, 0.4, 0.9]) for _ in recalled])
    pairs = [(a > b) + (a == b) / 2 for a in p[recalled] for b in p[~recalled]]
    assert auc(p, recalled) == (pytest.approx(np.mean(pairs)) if pairs else None)


@given(outcomes)
def test_baselines_know_only_what_came_before(recalled):
    kept, total, weight = 0.5 ** (1 / HALF_LIFE), FIRST_GUESS, 1.0
    for number, happened in enumerate(recalled.tolist()):
        before = recalled[:number].sum()
        assert running_average(recalled)[number] == pytest.approx((before + FIRST_GUESS) / (number + 1))
        assert moving_average(recalled)[number] == pytest.approx(total / weight)
        total, weight = total * kept + happened, weight * kept + 1


def test_the_moving_average_of_many_is_that_of_one_by_one():
    recalled = np.random.default_rng(0).random(2_500) < 0.8
    kept, total, weight = 0.5 ** (1 / HALF_LIFE), FIRST_GUESS, 1.0
    for happened in recalled.tolist():
        last = total / weight
        total, weight = total * kept + happened, weight * kept + 1
    assert moving_average(recalled)[-1] == pytest.approx(last)


def test_a_sure_and_wrong_chance_costs_much_but_not_all():
    assert log_loss(np.array([1.0, 0.0]), np.array([False, True])) == pytest.approx(-log(1e-7), rel=1e-6)


def test_scores_of_nothing_are_no_numbers():
    nothing = np.zeros(0), np.zeros(0, bool), np.zeros(0, int)
    assert np.isnan([log_loss(*nothing[:2]), rmse_bins(*nothing)]).all()
    assert auc(*nothing[:2]) is None


def test_the_interval_of_a_mean_narrows_with_more_values():
    values = np.random.default_rng(0).normal(0.5, 1, 400)
    few, many = mean_difference(values[:100]), mean_difference(values)
    assert few.low < 0.5 < few.high
    assert many.high - many.low < 0.6 * (few.high - few.low)
    assert mean_difference(values[:1]).high == np.inf


def test_an_answers_bin_counts_what_came_before_it():
    card, rating, day = np.zeros(4, int), np.array([1, 1, 3, 3]), np.array([0, 2, 2, 7])
    found = bins_within(Histories(card, rating, day, day.astype(float)))
    assert found[[1, 3]].tolist() == bins_of(np.array([2, 5]), np.array([2, 3]), np.array([0, 1])).tolist()
