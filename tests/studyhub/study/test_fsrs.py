"""FSRS-6 against golden vectors, and against the package `fsrs` on histories nobody chose."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import fsrs as oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studyhub.study.scheduling import fsrs, traces
from studyhub.study.scheduling.trace import Elapsed, Trace

pytestmark = pytest.mark.plain

MODEL = traces.model_of(fsrs.DEFAULT_PARAMETERS)

VECTORS = json.loads((Path(__file__).parents[2] / "data" / "fsrs_vectors.json").read_text())
FSRS6 = VECTORS["fsrs6"]
SEQUENCES = FSRS6["sequences"]
NEAR = pytest.approx


def after(number_of_days: int) -> Elapsed:
    return Elapsed(number_of_days, number_of_days * 86_400.0)


def trace_of(reviews: list[dict]) -> Trace:
    """The trace after a list of {rating, elapsed_days}."""
    trace = MODEL.first(reviews[0]["rating"])
    for review in reviews[1:]:
        trace = MODEL.after(trace, review["rating"], after(review["elapsed_days"]))
    return trace


def test_parameters_are_the_published_defaults():
    assert tuple(FSRS6["parameters"]) == fsrs.DEFAULT_PARAMETERS
    assert (FSRS6["stability_min"], FSRS6["stability_max"]) == fsrs.STABILITY_BOUNDS


def test_there_are_twenty_sequences():
    assert len(SEQUENCES) == 20


@pytest.mark.parametrize("sequence", SEQUENCES, ids=lambda s: s["name"])
def test_sequence_leaves_the_golden_trace_after_every_review(sequence):
    reviews = sequence["reviews"]
    for length, review in enumerate(reviews, start=1):
        trace = trace_of(reviews[:length])
        assert trace.stability == NEAR(review["stability"], rel=1e-7, abs=1e-8)
        assert trace.difficulty == NEAR(review["difficulty"], rel=1e-7, abs=1e-8)


@pytest.mark.parametrize("sequence", SEQUENCES, ids=lambda s: s["name"])
def test_sequence_predicts_the_golden_recall(sequence):
    reviews = sequence["reviews"]
    for length, review in enumerate(reviews[1:], start=1):
        before = trace_of(reviews[:length])
        recall = MODEL.recall(before, after(review["elapsed_days"]))
        assert recall == NEAR(review["retrievability_before"], abs=1e-8)
    for days, recall in sequence["retrievability_after"].items():
        assert MODEL.recall(trace_of(reviews), after(int(days))) == NEAR(recall, abs=1e-8)


@pytest.mark.parametrize("sequence", SEQUENCES, ids=lambda s: s["name"])
def test_sequence_gives_the_golden_intervals(sequence):
    trace = trace_of(sequence["reviews"])
    for retention, days in sequence["interval_days"].items():
        assert MODEL.interval(trace, float(retention)) == NEAR(days, rel=1e-7)


@pytest.mark.parametrize("first", FSRS6["first_review"], ids=lambda f: f"rating {f['rating']}")
def test_first_review_leaves_the_golden_trace(first):
    trace = MODEL.first(first["rating"])
    assert (trace.stability, trace.difficulty) == NEAR((first["stability"], first["difficulty"]), abs=1e-8)
    for retention, days in first["interval_days"].items():
        assert MODEL.interval(trace, float(retention)) == NEAR(days, rel=1e-7)


def test_interval_at_ninety_percent_is_the_stability():
    assert MODEL.interval(Trace(17.0, 5.0), 0.9) == NEAR(17.0, rel=1e-12)


def test_hard_on_the_same_day_never_lowers_stability():
    trace = Trace(stability=200.0, difficulty=5.0)
    assert MODEL.after(trace, 2, after(0)).stability == 200.0


@pytest.mark.parametrize("retention", [0.0, 1.0, 1.5, -0.1, float("nan")])
def test_retention_outside_zero_and_one_is_refused_with_the_number(retention):
    with pytest.raises(ValueError, match=str(retention)):
        MODEL.interval(Trace(10.0, 5.0), retention)


@given(
    st.lists(st.tuples(st.integers(1, 4), st.integers(0, 400)), min_size=1, max_size=10),
)
@settings(max_examples=150, deadline=None)
def test_random_history_equals_the_package_fsrs(history):
    """The package counts spans of 24 hours, so its clock moves in whole days; its S has no upper bound."""
    scheduler = oracle.Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)
    clock, theirs = datetime(2026, 1, 1, tzinfo=UTC), oracle.Card()
    ours = None
    for rating, days in history:
        clock += timedelta(days=days)
        theirs, _ = scheduler.review_card(theirs, oracle.Rating(rating), clock)
        ours = MODEL.after(ours, rating, after(days)) if ours else MODEL.first(rating)
        if theirs.stability > fsrs.STABILITY_BOUNDS[1]:
            assert ours.stability == fsrs.STABILITY_BOUNDS[1]
            return
        assert ours.stability == NEAR(theirs.stability, rel=1e-9)
        assert ours.difficulty == NEAR(theirs.difficulty, rel=1e-9)
        later = scheduler.get_card_retrievability(theirs, clock + timedelta(days=9))
        assert MODEL.recall(ours, after(9)) == NEAR(later, abs=1e-9)
