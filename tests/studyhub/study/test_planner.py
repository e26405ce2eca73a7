"""The search for a pair: at least as good as what one would choose without it, and honest about its doubt."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from studyhub.study.scheduling import Rules
from studyhub.study.scheduling.planner import (
    RETENTIONS,
    Doubt,
    Pair,
    Prospect,
    candidates,
    outlooks,
    played_pairs,
)
from studyhub.study.scheduling.simulate import Behaviour, Cards, Courses, simulate

pytestmark = pytest.mark.plain
DEFAULT = Pair(0.9, 20)
DOUBT = Doubt((0.6, 0.8, 1.0, 1.25, 1.6), 0.15)


def prospect(new: int, known: int, *, days: int, minutes: float, **changes) -> Prospect:
    """A learner with cards of many strengths, and new ones."""
    place = np.arange(known)
    stability = np.concatenate((1.5 + place % 40, np.zeros(new)))
    cards = Cards(
        stability,
        np.where(stability > 0, 3 + np.arange(len(stability)) % 6, 0),
        np.where(stability > 0, -1 - np.arange(len(stability)) % 5, 0),
        np.where(stability > 0, np.arange(len(stability)) % 9 - 2, 0),
        np.where(stability > 0, 1 + np.arange(len(stability)) % 12, 0),
    )
    given = {"behaviour": Behaviour(), "rules": Rules(), "doubt": DOUBT, "present": DEFAULT} | changes
    return Prospect(cards, days, minutes * 60.0, **given)


LEARNERS = {
    "much time": prospect(40, 20, days=20, minutes=20),
    "little time": prospect(40, 30, days=20, minutes=2),
    "soon": prospect(30, 15, days=5, minutes=12),
    "nothing new": prospect(0, 40, days=20, minutes=4),
    "slow and forgetful": prospect(
        30, 10, days=20, minutes=10, doubt=Doubt((0.3, 0.5)), behaviour=Behaviour(150, 60, 120)
    ),
}


@pytest.mark.parametrize("name", LEARNERS)
def test_the_chosen_pair_is_at_least_as_good_as_fixed_ones_on_fresh_chances(name: str) -> None:
    learner = LEARNERS[name]
    best, _ = outlooks(learner, seed=1)
    paces = sorted({1, max(1, learner.new // learner.days), 20})
    fixed = [Pair(retention, pace) for retention in (0.7, 0.8, 0.9, 0.97) for pace in paces]
    fresh = played_pairs(learner, [best.pair, DEFAULT, *fixed], draws=100, seed=999)
    chosen, *others = (one.expected for one in fresh)
    noise = 0.01 * len(learner.cards)
    assert chosen >= max(others) - noise, (best, fresh)


def test_it_beats_the_default_by_far_where_time_is_short() -> None:
    learner = LEARNERS["little time"]
    best, _ = outlooks(learner, seed=1)
    chosen, default = played_pairs(learner, [best.pair, DEFAULT], draws=100, seed=999)
    assert chosen.expected > default.expected + 2
    assert best.unseen > 0
    assert best.finish == -1


def truths(number: int) -> list[tuple[float, float]]:
    """Steadiness and pace of learners, as doubtful as the planner is told."""
    chance = np.random.default_rng(7)
    return [
        (float(np.exp(0.35 * chance.standard_normal())), float(np.exp(0.15 * chance.standard_normal())))
        for _ in range(number)
    ]


@pytest.mark.parametrize(
    ("number", "least", "most"), [(24, 18, 24), pytest.param(200, 168, 192, marks=pytest.mark.thorough)]
)
def test_what_is_recalled_on_the_day_lies_within_the_interval_9_times_of_10(number, least, most) -> None:
    places = (np.arange(41) + 0.5) / 41
    normal = np.quantile(np.random.default_rng(0).standard_normal(100_000), places)
    learner = prospect(40, 20, days=15, minutes=3, doubt=Doubt(tuple(np.exp(0.35 * normal)), 0.15))
    best, _ = outlooks(learner, seed=3)
    within = 0
    for place, (steadiness, pace) in enumerate(truths(number)):
        one = Courses(
            retention=np.array([best.pair.retention]),
            new_per_day=np.array([best.pair.new_per_day]),
            seconds_per_day=np.array([learner.seconds_per_day]),
            reviews_per_day=np.array([0]),
            steadiness=np.array([steadiness]),
            pace=np.array([pace]),
            draw=np.array([0]),
        )
        lived = simulate(
            learner.cards, one, days=15, behaviour=Behaviour(), rules=Rules(), seed=10_000 + place
        )
        within += best.low <= int(lived.recalled[0]) <= best.high
    assert least <= within <= most


def test_the_same_seed_gives_the_same_outlooks() -> None:
    learner = LEARNERS["soon"]
    assert outlooks(learner, seed=4) == outlooks(learner, seed=4)
    assert outlooks(learner, seed=4) != outlooks(learner, seed=5)


def test_pairs_played_in_parts_come_out_as_those_played_together(monkeypatch) -> None:
    learner = LEARNERS["soon"]
    pairs = [Pair(retention, 5) for retention in (0.8, 0.9, 0.95)]
    together = played_pairs(learner, pairs, draws=5, seed=1)
    monkeypatch.setattr("studyhub.study.scheduling.planner.MOST_AT_ONCE", 1)
    assert played_pairs(learner, pairs, draws=5, seed=1) == together


def test_candidates_hold_what_the_learner_has_and_every_retention() -> None:
    learner = replace(LEARNERS["much time"], present=Pair(0.88, 3))
    pairs = candidates(learner)
    assert {Pair(0.88, 3), DEFAULT, Pair(0.9, 3)} <= set(pairs)
    assert {pair.retention for pair in pairs} == {*RETENTIONS, 0.88}
    assert all(1 <= pair.new_per_day <= 40 for pair in pairs)


def test_without_new_cards_the_pace_stays_as_it_is() -> None:
    learner = replace(LEARNERS["nothing new"], present=Pair(0.9, 12))
    assert {pair.new_per_day for pair in candidates(learner)} == {12, 20}
    assert outlooks(learner, seed=1)[0].finish == -1


def test_more_minutes_never_leave_less_in_mind() -> None:
    expected = [
        outlooks(replace(LEARNERS["soon"], seconds_per_day=60.0 * minutes), seed=1)[0].expected
        for minutes in (2, 6, 18)
    ]
    assert all(less < more for less, more in pairwise(expected))


def test_progress_rises_to_the_end() -> None:
    told: list[int] = []
    outlooks(LEARNERS["soon"], seed=1, progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 100
