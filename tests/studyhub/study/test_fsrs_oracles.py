"""FSRS-6 beside the two public implementations, on histories nobody chose.

`fsrs` counts spans of 24 hours, so its clock moves in whole days; its stability has no upper bound, so
histories that pass ours are left out. `fsrs-rs-python` works in float32: of 100,000 under the default numbers
none was off by more than 7.4e-6, of 150,000 under others none by more than 2.2e-5, both relative.
"""

import os
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import fsrs as py_fsrs
import fsrs_rs_python as fsrs_rs
import numpy as np
import pytest

from studyhub.study.scheduling import batch, fsrs

pytestmark = pytest.mark.plain

NUMBER = 100_000
SAMPLE = NUMBER if os.environ.get("THOROUGH") else 10_000  # py-fsrs takes 10 s for all of them
DAYS = np.array([0, 0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 400])
LOW, HIGH = np.array(fsrs.BOUNDS).T


@dataclass(frozen=True)
class Histories:
    """Ratings (N, T) filled up with 0, and days since the answer before (N, T)."""

    ratings: np.ndarray
    days: np.ndarray

    def of(self, row: int) -> list[tuple[int, int]]:
        pairs = zip(self.ratings[row].tolist(), self.days[row].tolist(), strict=True)
        return [(rating, days) for rating, days in pairs if rating]


def histories(seed: int, number: int = NUMBER, longest: int = 12) -> Histories:
    chance = np.random.default_rng(seed)
    ratings = chance.choice([1, 2, 3, 4], (number, longest), p=[0.2, 0.15, 0.5, 0.15])
    days = chance.choice(DAYS, (number, longest))
    days[:, 0] = 0
    ratings[np.arange(longest) >= chance.integers(1, longest + 1, number)[:, np.newaxis]] = 0
    return Histories(ratings, days)


def numbers_near_the_defaults(seed: int) -> fsrs.Parameters:
    """As fits find them: each a third of the way towards a point within its bounds."""
    chance = np.random.default_rng(seed)
    default = np.array(fsrs.DEFAULT_PARAMETERS)
    return tuple((default + (chance.uniform(LOW, HIGH) - default) / 3).tolist())


def of_rust(given: Histories, numbers: fsrs.Parameters) -> np.ndarray:
    """(N, 2): its stability and difficulty."""
    items = [
        fsrs_rs.FSRSItem([fsrs_rs.FSRSReview(rating, days) for rating, days in given.of(row)])
        for row in range(len(given.ratings))
    ]
    states = fsrs_rs.FSRS(list(numbers)).memory_state_batch(items)
    return np.array([(state.stability, state.difficulty) for state in states])


def differences(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    return np.abs(ours / theirs - 1)


def test_a_hundred_thousand_histories_equal_fsrs_rs():
    given = histories(1)
    ours = np.stack(batch.traces(given.ratings, given.days, fsrs.DEFAULT_PARAMETERS), axis=1)
    theirs = of_rust(given, fsrs.DEFAULT_PARAMETERS)
    assert differences(ours, theirs).max() < 1e-5


@pytest.mark.parametrize("seed", range(20))
def test_histories_under_other_numbers_equal_fsrs_rs(seed):
    given, numbers = histories(seed, 500), numbers_near_the_defaults(seed)
    ours = np.stack(batch.traces(given.ratings, given.days, numbers), axis=1)
    assert differences(ours, of_rust(given, numbers)).max() < 3e-5


def test_long_histories_equal_fsrs_rs():
    given = histories(3, 2_000, longest=60)
    ours = np.stack(batch.traces(given.ratings, given.days, fsrs.DEFAULT_PARAMETERS), axis=1)
    assert differences(ours, of_rust(given, fsrs.DEFAULT_PARAMETERS)).max() < 1e-5


def test_next_states_and_intervals_of_all_four_buttons_equal_fsrs_rs():
    chance = np.random.default_rng(4)
    stability, difficulty = (
        np.exp(chance.normal(2, 2, 2_000)).clip(0.01, 30_000),
        chance.uniform(1, 10, 2_000),
    )
    days = chance.choice(DAYS, 2_000)
    left, moved, intervals = batch.previews(stability, difficulty, days, 0.9, fsrs.DEFAULT_PARAMETERS)
    engine, theirs = fsrs_rs.FSRS(list(fsrs.DEFAULT_PARAMETERS)), []
    for s, d, t in zip(stability.tolist(), difficulty.tolist(), days.tolist(), strict=True):
        states = engine.next_states(fsrs_rs.MemoryState(s, d), 0.9, t)
        buttons = (states.again, states.hard, states.good, states.easy)
        theirs.append([(one.memory.stability, one.memory.difficulty, one.interval) for one in buttons])
    found = np.array(theirs)
    for place, ours in enumerate((left, moved, intervals)):
        assert differences(ours, found[:, :, place]).max() < 1e-5


def of_python(
    scheduler: py_fsrs.Scheduler, history: list[tuple[int, int]]
) -> tuple[float, float, float, bool]:
    """Stability, difficulty and recall nine days on by py-fsrs; whether it ever passed our upper bound."""
    clock, card, passed = datetime(2026, 1, 1, tzinfo=UTC), py_fsrs.Card(card_id=1), False
    for rating, days in history:
        clock += timedelta(days=days)
        card, _ = scheduler.review_card(card, py_fsrs.Rating(rating), clock)
        passed |= card.stability > fsrs.STABILITY_BOUNDS[1]
    recall = scheduler.get_card_retrievability(card, clock + timedelta(days=9))
    return card.stability, card.difficulty, recall, passed


def test_histories_equal_py_fsrs():
    """Each history has its own length, so traces are compared after 1, 2, ... 12 answers."""
    given = histories(2, SAMPLE)
    ours = np.stack(batch.traces(given.ratings, given.days, fsrs.DEFAULT_PARAMETERS), axis=1)
    recall = batch.recalls(ours[:, 0], np.full(SAMPLE, 9), fsrs.DEFAULT_PARAMETERS)
    scheduler = py_fsrs.Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)
    theirs = np.array([of_python(scheduler, given.of(row)) for row in range(SAMPLE)])
    within = theirs[:, 3] == 0
    assert within.mean() > 0.95
    assert differences(ours, theirs[:, :2])[within].max() < 1e-9
    assert np.abs(recall - theirs[:, 2])[within].max() < 1e-9
    assert (ours[:, 0] <= fsrs.STABILITY_BOUNDS[1]).all()
