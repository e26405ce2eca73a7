"""FSRS-7 against golden vectors of the benchmark's own functions, and its intervals being sane everywhere."""

import json
import random
from datetime import UTC, datetime, timedelta
from itertools import accumulate, pairwise
from math import exp, log
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studyhub.study.scheduling import (
    MemoryState,
    Rules,
    fsrs7,
    interval_seconds,
    moment_of,
    preview,
    traces,
)
from studyhub.study.scheduling.trace import Elapsed, Trace

pytestmark = pytest.mark.plain

VECTORS = json.loads((Path(__file__).parents[2] / "data" / "fsrs_vectors.json").read_text())["fsrs7"]
SEQUENCES = VECTORS["sequences"]
MODEL = fsrs7.bound()
DAY = 86_400.0
NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
near = pytest.approx


def after(days: float) -> Elapsed:
    return Elapsed(int(days), days * DAY)


def traces_of(reviews: list[dict]) -> list[Trace]:
    """The trace after each of a list of {rating, elapsed_days}."""
    traces = [MODEL.first(reviews[0]["rating"])]
    for review in reviews[1:]:
        traces.append(MODEL.after(traces[-1], review["rating"], after(review["elapsed_days"])))
    return traces


def any_trace(chance: random.Random) -> Trace:
    """Stabilities evenly over their orders of magnitude, any difficulty."""
    long, short = (exp(chance.uniform(log(0.0001), log(36500))) for _ in range(2))
    return Trace(long, chance.uniform(1, 10), short)


def test_numbers_are_the_published_defaults_and_lie_within_their_bounds():
    assert tuple(VECTORS["parameters"]) == fsrs7.DEFAULT_PARAMETERS
    assert (VECTORS["stability_min"], VECTORS["stability_max"]) == fsrs7.STABILITY_BOUNDS
    assert len(fsrs7.BOUNDS) == 34
    assert fsrs7.clipped(fsrs7.DEFAULT_PARAMETERS) == fsrs7.DEFAULT_PARAMETERS


def test_there_are_twenty_sequences():
    assert len(SEQUENCES) == 20


@pytest.mark.parametrize("sequence", SEQUENCES, ids=lambda s: s["name"])
def test_sequence_leaves_the_golden_trace_after_every_review(sequence):
    for trace, review in zip(traces_of(sequence["reviews"]), sequence["reviews"], strict=True):
        assert trace.stability == near(review["stability_long"], rel=1e-7, abs=1e-8)
        assert trace.short == near(review["stability_short"], rel=1e-7, abs=1e-8)
        assert trace.difficulty == near(review["difficulty"], rel=1e-7, abs=1e-8)


@pytest.mark.parametrize("sequence", SEQUENCES, ids=lambda s: s["name"])
def test_sequence_predicts_the_golden_recall(sequence):
    reviews = sequence["reviews"]
    traces = traces_of(reviews)
    for before, review in zip(traces, reviews[1:], strict=False):
        recall = MODEL.recall(before, after(review["elapsed_days"]))
        assert recall == near(review["retrievability_before"], abs=1e-8)
    for days, recall in sequence["retrievability_after"].items():
        assert MODEL.recall(traces[-1], after(float(days))) == near(recall, abs=1e-8)


@pytest.mark.parametrize("sequence", SEQUENCES, ids=lambda s: s["name"])
def test_sequence_gives_the_golden_intervals(sequence):
    trace = traces_of(sequence["reviews"])[-1]
    for retention, days in sequence["interval_days"].items():
        assert MODEL.interval(trace, float(retention)) == near(days, rel=1e-7)
    assert MODEL.shown_stability(trace) == near(sequence["interval_days"]["0.9"], rel=1e-7)


@pytest.mark.parametrize("first", VECTORS["first_review"], ids=lambda f: f"rating {f['rating']}")
def test_first_review_leaves_the_golden_trace(first):
    trace = MODEL.first(first["rating"])
    assert trace.stability == near(first["stability_long"], rel=1e-7)
    assert trace.short == near(first["stability_short"], rel=1e-7)
    assert trace.difficulty == near(first["difficulty"], abs=1e-8)
    for retention, days in first["interval_days"].items():
        assert MODEL.interval(trace, float(retention)) == near(days, rel=1e-7)


def test_loss_over_all_sequences_is_the_golden_one():
    """Every review but a card's first, if time has passed, by the chance given to what happened."""
    losses = []
    for sequence in SEQUENCES:
        reviews = sequence["reviews"]
        for before, review in zip(traces_of(reviews), reviews[1:], strict=False):
            if review["elapsed_days"] > 0:
                recall = MODEL.recall(before, after(review["elapsed_days"]))
                losses.append(-log(recall if review["rating"] > 1 else 1 - recall))
    golden = VECTORS["loss_at_defaults"]
    assert (len(losses), sum(losses)) == (golden["terms"], near(golden["bce_sum"], rel=1e-8))


def test_recall_begins_at_all_but_one_and_falls_at_every_later_time():
    chance = random.Random(7)
    for _ in range(500):
        trace = any_trace(chance)
        assert MODEL.recall(trace, after(0)) == near(0.99999, abs=1e-15)
        assert MODEL.recall(trace, Elapsed(0, -50.0)) == MODEL.recall(trace, after(0))
        recalls = [MODEL.recall(trace, Elapsed(0, 10.0**power)) for power in range(1, 10)]
        assert all(earlier > later for earlier, later in pairwise(recalls))
        assert recalls[-1] > 0


@given(st.integers(0, 2**32), st.sampled_from([0.0001, 0.3, 0.7, 0.8, 0.9, 0.95, 0.97, 0.99, 0.9999]))
def test_recall_after_the_interval_is_the_retention_asked_for(seed, retention):
    trace = any_trace(random.Random(seed))
    days = MODEL.interval(trace, retention)
    recall = MODEL.recall(trace, after(days))
    if days == fsrs7.SHORTEST:
        assert recall <= retention + 1e-9
    elif days == fsrs7.LONGEST:
        assert recall >= retention - 1e-9
    else:
        assert recall == near(retention, abs=1e-12)


def test_passes_never_ask_for_less_than_the_pass_below():
    """Not even where the model does by itself: of such traces one in 25, though no answers leave them."""
    chance = random.Random(11)
    fell = 0
    for _ in range(1000):
        trace, elapsed = any_trace(chance), Elapsed(0, exp(chance.uniform(0, log(3650 * DAY))))
        retention = chance.choice((0.7, 0.8, 0.9, 0.97, 0.99))
        left, intervals = MODEL.passed(trace, 4, elapsed, retention)
        assert list(intervals) == sorted(intervals)
        assert 1 <= left.difficulty <= 10
        fell += MODEL.interval(left, retention) < intervals[-1]
    assert 0 < fell < 100


def test_passes_worked_out_together_equal_those_worked_out_alone():
    chance = random.Random(3)
    for _ in range(200):
        trace, elapsed = any_trace(chance), Elapsed(0, exp(chance.uniform(0, 18)))
        for rating in (2, 3, 4):
            left, intervals = MODEL.passed(trace, rating, elapsed, 0.9)
            alone = [MODEL.after(trace, button, elapsed) for button in range(2, rating + 1)]
            assert left == alone[-1]
            assert list(intervals) == list(accumulate([MODEL.interval(one, 0.9) for one in alone], max))


def test_an_again_says_less_of_difficulty_the_more_it_was_to_be_expected():
    trace = MODEL.first(3)
    soon, late = (MODEL.after(trace, 1, after(days)).difficulty for days in (0.5, 3000))
    assert trace.difficulty < late < soon


def test_a_trace_of_fsrs6_is_taken_as_one_just_begun():
    given_up = Trace(3.0, 5.0)
    begun = Trace(3.0, 5.0, 0.8 * 3.0)
    assert MODEL.after(given_up, 3, after(2)) == MODEL.after(begun, 3, after(2))
    assert MODEL.recall(given_up, after(2)) == MODEL.recall(begun, after(2))


def test_study_days_are_nothing_to_this_model():
    trace = MODEL.first(3)
    assert MODEL.after(trace, 3, Elapsed(0, 7200.0)) == MODEL.after(trace, 3, Elapsed(1, 7200.0))


@pytest.mark.parametrize("retention", [0.0, 1.0, 1.5, -0.1, float("nan")])
def test_retention_outside_zero_and_one_is_refused_with_the_number(retention):
    with pytest.raises(ValueError, match=str(retention)):
        MODEL.interval(MODEL.first(3), retention)


def test_numbers_are_brought_within_their_bounds_and_into_order():
    numbers = fsrs7.clipped((60.0, 0.5, 3.0, 2.0, *[1e9] * 30))
    assert numbers[:4] == (50.0, 50.0, 50.0, 50.0)
    assert numbers[4:] == tuple(highest for _, highest in fsrs7.BOUNDS[4:])
    lowest = fsrs7.clipped((-1e9,) * 34)
    assert lowest == tuple(lowest for lowest, _ in fsrs7.BOUNDS)
    raised = list(fsrs7.DEFAULT_PARAMETERS)
    raised[25], raised[26] = 0.8, 0.6
    assert fsrs7.clipped(tuple(raised))[26] == 0.8


@given(st.integers(0, 2**32))
def test_any_numbers_within_the_bounds_keep_traces_and_intervals_finite(seed):
    chance = random.Random(seed)
    model = fsrs7.Fsrs7(fsrs7.clipped(tuple(chance.uniform(*pair) for pair in fsrs7.BOUNDS)))
    trace = model.first(chance.randint(1, 4))
    for _ in range(8):
        elapsed = Elapsed(0, exp(chance.uniform(0, 19)))
        assert 0 < model.recall(trace, elapsed) < 1
        trace = model.after(trace, chance.randint(1, 4), elapsed)
        assert 0.0001 <= min(trace.stability, trace.short) <= max(trace.stability, trace.short) <= 36500
        assert fsrs7.SHORTEST <= model.interval(trace, chance.uniform(0.7, 0.99)) <= fsrs7.LONGEST


def test_the_numbers_of_each_model_lead_to_it():
    assert isinstance(traces.model_of(fsrs7.DEFAULT_PARAMETERS), fsrs7.Fsrs7)
    assert traces.checked_numbers(fsrs7.DEFAULT_PARAMETERS) == fsrs7.DEFAULT_PARAMETERS
    assert traces.checked_numbers([-1e9] * 34) == fsrs7.clipped((-1e9,) * 34)
    with pytest.raises(ValueError, match=r"35 numbers.*34"):
        traces.checked_numbers([1.0] * 35)


@given(st.integers(0, 2**32), st.sampled_from([0.9, 0.97, 0.98, 0.99]), st.booleans())
@settings(max_examples=200)
def test_buttons_are_ordered_and_none_asks_again_within_the_minute(seed, retention, without_steps):
    """Of any trace, in any state, by any numbers within the bounds; passes wait ten minutes at least."""
    chance = random.Random(seed)
    numbers = fsrs7.clipped(tuple(chance.uniform(*pair) for pair in fsrs7.BOUNDS))
    steps = {"learning_steps": (), "relearning_steps": ()} if without_steps else {}
    rules = Rules(retention, chance.choice((numbers, fsrs7.DEFAULT_PARAMETERS)), **steps)
    trace, days = any_trace(chance), chance.randint(0, 400)
    before = MemoryState(
        state=chance.choice(("learning", "review", "relearning")), stability=trace.stability,
        difficulty=trace.difficulty, short_stability=trace.short, interval_days=days, reps=3,
        last_review=NOW - timedelta(days=days), last_study_day=(NOW - timedelta(days=days)).date(),
    )  # fmt: skip
    moment = moment_of(NOW, time_zone="UTC", rollover_hour=4)
    offered = preview(before, moment=moment, rules=rules, card=str(seed))
    waits = [interval_seconds(offered[rating], NOW) for rating in (1, 2, 3, 4)]
    assert waits == sorted(waits)
    assert waits[0] >= 60
    if without_steps:
        assert waits[1] >= 600
