"""FSRS-7 for many cards at once says what it says for one, and orders the buttons over a million states."""

import json
import random
import time
from math import log
from pathlib import Path

import numpy as np
import pytest

from studyhub.study.scheduling import fsrs7, fsrs7_batch
from studyhub.study.scheduling.fsrs7_batch import Traces
from studyhub.study.scheduling.trace import Elapsed, Trace

pytestmark = pytest.mark.plain

SEQUENCES = json.loads((Path(__file__).parents[2] / "data" / "fsrs_vectors.json").read_text())["fsrs7"][
    "sequences"
]
NUMBERS = fsrs7.DEFAULT_PARAMETERS
DAY = 86_400.0
RETENTIONS = (0.7, 0.8, 0.9, 0.97, 0.99)


def some_numbers(seed: int) -> tuple[float, ...]:
    chance = random.Random(seed)
    return fsrs7.clipped(tuple(chance.uniform(*pair) for pair in fsrs7.BOUNDS))


def some_histories(cards: int, *, seed: int, longest: int = 10) -> tuple[np.ndarray, np.ndarray]:
    """Ratings (N, T), ended by 0, and days between them from a second to ten years."""
    chance = np.random.default_rng(seed)
    ratings = chance.choice((1, 2, 3, 4), size=(cards, longest), p=(0.2, 0.15, 0.5, 0.15))
    ratings[np.arange(longest) >= chance.integers(1, longest + 1, cards)[:, None]] = 0
    return ratings, np.exp(chance.uniform(log(1 / DAY), log(3650), (cards, longest)))


def after(days: float) -> Elapsed:
    return Elapsed(int(days), days * DAY)


def alone(ratings: np.ndarray, days: np.ndarray, numbers: tuple[float, ...]) -> tuple[Trace, list[float]]:
    """One card's trace and the chances before each answer, by the scalar model."""
    model, chances = fsrs7.Fsrs7(numbers), [0.0]
    trace = model.first(ratings[0])
    for rating, elapsed in zip(ratings[1:], days[1:], strict=True):
        if rating:
            chances.append(model.recall(trace, after(elapsed)))
            trace = model.after(trace, int(rating), after(elapsed))
    return trace, chances


def test_golden_sequences_leave_their_traces_and_chances():
    longest = max(len(sequence["reviews"]) for sequence in SEQUENCES)
    ratings, days = np.zeros((20, longest), int), np.zeros((20, longest))
    for row, sequence in enumerate(SEQUENCES):
        for column, review in enumerate(sequence["reviews"]):
            ratings[row, column], days[row, column] = review["rating"], review["elapsed_days"]
    left, chances = fsrs7_batch.walked(ratings, days, NUMBERS)
    for row, sequence in enumerate(SEQUENCES):
        last = sequence["reviews"][-1]
        golden = (last["stability_long"], last["difficulty"], last["stability_short"])
        assert [float(part[row]) for part in left] == pytest.approx(golden, rel=1e-7, abs=1e-8)
        before = [review["retrievability_before"] or 0 for review in sequence["reviews"]]
        assert list(chances[row, : len(before)]) == pytest.approx(before, abs=1e-8)
    for retention in SEQUENCES[0]["interval_days"]:
        golden = [sequence["interval_days"][retention] for sequence in SEQUENCES]
        found = fsrs7_batch.intervals(left, float(retention), NUMBERS)
        assert list(found) == pytest.approx(golden, rel=1e-7)


@pytest.mark.parametrize("seed", range(4))
def test_many_cards_at_once_equal_each_alone(seed):
    """With the defaults, and with numbers anywhere within the bounds."""
    numbers = some_numbers(seed) if seed else NUMBERS
    ratings, days = some_histories(150, seed=seed)
    left, chances = fsrs7_batch.walked(ratings, days, numbers)
    found = fsrs7_batch.intervals(left, 0.9, numbers)
    model = fsrs7.Fsrs7(numbers)
    for row in range(len(ratings)):
        trace, before = alone(ratings[row], days[row], numbers)
        assert [float(part[row]) for part in left] == pytest.approx(tuple(trace), rel=1e-9)
        assert list(chances[row, : len(before)]) == pytest.approx(before, rel=1e-9)
        assert not chances[row, len(before) :].any()
        assert found[row] == pytest.approx(model.interval(trace, 0.9), rel=1e-9)


@pytest.mark.parametrize("cards", [20_000, pytest.param(1_000_000, marks=pytest.mark.thorough)])
def test_better_answers_never_come_back_sooner_over_all_that_answers_leave(cards):
    """Again <= Hard <= Good <= Easy, unrounded, by the defaults."""
    ratings, days = some_histories(cards, seed=5)
    left, _ = fsrs7_batch.walked(ratings, days, NUMBERS)
    chance = np.random.default_rng(6)
    elapsed = np.exp(chance.uniform(log(1 / DAY), log(3650), cards))
    retention = chance.choice(RETENTIONS, cards)
    offered = np.stack(
        [
            fsrs7_batch.intervals(
                fsrs7_batch.after(left, np.full(cards, rating), elapsed, NUMBERS), retention, NUMBERS
            )
            for rating in (1, 2, 3, 4)
        ]
    )
    assert (np.diff(offered, axis=0) >= -1e-12 * offered[1:]).all()
    assert fsrs7.SHORTEST <= offered.min() < offered.max() <= fsrs7.LONGEST


def test_a_card_never_answered_is_not_recalled_and_a_trace_without_a_short_stability_is_one_just_begun():
    traces = Traces(np.array([0.0, 3.0, 3.0]), np.array([0.0, 5.0, 5.0]), np.array([0.0, 0.0, 0.8 * 3.0]))
    nothing, given_up, begun = fsrs7_batch.recalls(traces, np.array([4.0, 4.0, 4.0]), NUMBERS)
    assert nothing == 0
    assert given_up == begun == pytest.approx(fsrs7.bound().recall(Trace(3.0, 5.0), after(4.0)), rel=1e-12)


def test_time_that_ran_back_counts_as_none():
    trace = fsrs7_batch.first(np.array([3]), NUMBERS)
    assert fsrs7_batch.recalls(trace, [-3.0], NUMBERS) == pytest.approx([0.99999], abs=1e-15)


@pytest.mark.parametrize("retention", [0.0, 1.0, -0.5, float("nan"), [0.9, 1.2]])
def test_retention_outside_zero_and_one_is_refused(retention):
    traces = fsrs7_batch.first(np.array([3, 4]), NUMBERS)
    with pytest.raises(ValueError, match="not between 0 and 1"):
        fsrs7_batch.intervals(traces, retention, NUMBERS)


@pytest.mark.parametrize(
    ("ratings", "days", "words"),
    [([[3, 5]], [[0, 1]], "3 to 5"), ([[3, 1]], [[0]], r"\(1, 2\).*\(1, 1\)"), ([3, 1], [0, 1], "shape")],
)
def test_histories_of_other_ratings_or_shapes_are_refused_with_what_was_given(ratings, days, words):
    with pytest.raises(ValueError, match=words):
        fsrs7_batch.walked(ratings, days, NUMBERS)


def test_many_chances_take_a_fraction_of_the_time_they_take_one_by_one():
    ratings, days = some_histories(2_000, seed=8)
    left, _ = fsrs7_batch.walked(ratings, days, NUMBERS)
    traces = [Trace(*(float(part[row]) for part in left)) for row in range(2_000)]
    began = time.process_time()
    one_by_one = [fsrs7.bound().recall(trace, after(3.0)) for trace in traces]
    between = time.process_time()
    at_once = fsrs7_batch.recalls(left, np.full(2_000, 3.0), NUMBERS)
    assert time.process_time() - between < between - began
    assert list(at_once) == pytest.approx(one_by_one, rel=1e-12)
