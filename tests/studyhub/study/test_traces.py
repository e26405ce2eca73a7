"""The count of the numbers names the model; older and odd numbers become good ones or are refused."""

import math

import fsrs_rs_python as fsrs_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from studyhub.study.scheduling import fsrs, fsrs7, traces
from studyhub.study.scheduling.trace import Elapsed, Trace

pytestmark = pytest.mark.plain

SIX, SEVEN = fsrs.DEFAULT_PARAMETERS, fsrs7.DEFAULT_PARAMETERS
FSRS5 = (*SIX[:19],)
FSRS45 = (0.4, 0.6, 2.4, 5.8, 4.93, 0.94, 0.86, 0.01, 1.49, 0.14, 0.94, 2.18, 0.05, 0.34, 1.26, 0.29, 2.61)


@pytest.mark.parametrize("numbers", [SIX, SEVEN])
def test_good_numbers_stay_as_they_are(numbers):
    assert traces.checked_numbers(list(numbers)) == numbers


def test_no_numbers_are_the_defaults():
    assert traces.checked_numbers(()) == SIX


@pytest.mark.parametrize("older", [FSRS5, FSRS45], ids=["FSRS-5", "FSRS-4.5"])
def test_older_numbers_become_those_that_fsrs_rs_makes_of_them(older):
    ours, theirs = traces.checked_numbers(older), fsrs_rs.check_and_fill_parameters(list(older))
    assert ours == pytest.approx(theirs, rel=1e-6)


@pytest.mark.parametrize("count", [1, 16, 18, 20, 22, 35])
def test_another_count_is_refused_with_the_counts_there_are(count):
    with pytest.raises(ValueError, match=rf"^{count} numbers .* 21 .* 34"):
        traces.checked_numbers([1.0] * count)


@pytest.mark.parametrize("odd", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("numbers", [SIX, SEVEN, FSRS5])
def test_a_number_that_is_not_finite_is_refused_with_its_place(numbers, odd):
    with pytest.raises(ValueError, match=rf"number 7 of {len(numbers)} is {odd}"):
        traces.checked_numbers((*numbers[:7], odd, *numbers[8:]))


@given(st.sampled_from([fsrs, fsrs7]), st.data())
def test_numbers_out_of_bounds_are_moved_to_them(model, data):
    count = len(model.BOUNDS)
    wild = data.draw(st.lists(st.floats(-1e6, 1e6), min_size=count, max_size=count))
    checked = traces.checked_numbers(wild)
    assert all(low <= number <= high for number, (low, high) in zip(checked, model.BOUNDS, strict=True))
    assert traces.checked_numbers(checked) == checked


@pytest.mark.parametrize("numbers", [SIX, SEVEN], ids=["FSRS-6", "FSRS-7"])
def test_the_functions_ask_the_model_of_the_numbers(numbers):
    model, elapsed = traces.model_of(numbers), Elapsed(3, 3 * 86_400.0)
    first = traces.first_trace(3, numbers)
    assert first == model.first(3)
    assert traces.next_trace(first, 4, elapsed=elapsed, numbers=numbers) == model.after(first, 4, elapsed)
    assert traces.recall(first, elapsed, numbers) == model.recall(first, elapsed)
    assert traces.interval(first, 0.9, numbers) == model.interval(first, 0.9)
    shown = traces.shown_stability(first, numbers)
    assert traces.interval(first, 0.9, numbers) == pytest.approx(shown)
    assert model.waits_in_seconds is (numbers is SEVEN)


@given(st.floats(0.001, 36_500), st.floats(1, 10), st.integers(0, 2000), st.sampled_from([0.7, 0.9, 0.97]))
def test_what_a_pass_gives_is_what_each_button_gives(stability, difficulty, days, retention):
    model, elapsed, before = traces.model_of(SIX), Elapsed(days, 0.0), Trace(stability, difficulty)
    left, intervals = model.passed(before, 4, elapsed, retention)
    alone = [model.after(before, rating, elapsed) for rating in (2, 3, 4)]
    assert left == alone[-1]
    assert list(intervals) == pytest.approx([model.interval(one, retention) for one in alone], rel=1e-12)
