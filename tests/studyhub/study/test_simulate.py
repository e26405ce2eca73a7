"""The simulator: as its slow twin in distribution, exact where nothing is left to chance, repeatable."""

import random
import time
from dataclasses import replace
from datetime import timedelta
from itertools import product

import numpy as np
import pytest

from studyhub.study.scheduling import MemoryState, Rules, moment_of
from studyhub.study.scheduling.batch_days import days_of_graduation, days_of_passes
from studyhub.study.scheduling.course import Course
from studyhub.study.scheduling.fuzz import fuzz_bounds, fuzzed, round_half_away
from studyhub.study.scheduling.passes import Passes
from studyhub.study.scheduling.simulate import Behaviour, Cards, Courses, Played, simulate
from tests.studyhub.study import slow_days

pytestmark = pytest.mark.plain
BEHAVIOUR = Behaviour(50, 15, 40, (0.2, 0.15, 0.5, 0.15), (0.15, 0.7, 0.15))


def courses(number: int, **changes) -> Courses:
    """So many courses alike, each with luck of its own."""
    given = {"retention": 0.9, "new_per_day": 3, "seconds_per_day": 600.0, "reviews_per_day": 0} | changes
    given = {"steadiness": 1.0, "pace": 1.0} | given
    return Courses(**{name: np.full(number, value) for name, value in given.items()}, draw=np.arange(number))


def cards(new: int, known: int = 0) -> tuple[Cards, list[MemoryState]]:
    """The same cards for both: some in review, of different strengths and overdue or not; then new ones."""
    rows = [(2.0 + 3 * i, 3.0 + i % 6, -1 - i % 4, i % 5 - 2, 1 + i % 9) for i in range(known)]
    columns = [np.array(column) for column in zip(*rows, strict=True)] or [np.zeros(0)] * 5
    columns = [np.concatenate((column, np.zeros(new, column.dtype))) for column in columns]
    memories = [known_memory(*row) for row in rows] + [MemoryState()] * new
    return Cards(*columns), memories


def known_memory(stability: float, difficulty: float, last: int, due: int, interval: int) -> MemoryState:
    today = moment_of(slow_days.START, **slow_days.ZONE)
    return MemoryState(
        state="review",
        stability=stability,
        difficulty=difficulty,
        due=today.rollover_in(due),
        interval_days=interval,
        last_review=slow_days.START + timedelta(days=last),
        last_study_day=today.study_day + timedelta(days=last),
        reps=3,
    )


def slowly(memories: list[MemoryState], number: int, *, days: int, rules: Rules, **limits) -> np.ndarray:
    """(number, 4): recalled, answers, new cards met, seconds of each run of the twin."""
    given = {"new_per_day": 3, "seconds_per_day": 600.0, "reviews_per_day": 0, "steadiness": 1.0} | limits
    rows = []
    for seed in range(number):
        recalled, kept, _ = slow_days.played(
            memories, days=days, behaviour=BEHAVIOUR, rules=rules, luck=random.Random(seed), **given
        )
        sums = [sum(getattr(day, name) for day in kept) for name in ("answered", "met", "seconds")]
        rows.append((recalled, *sums))
    return np.array(rows)


def summary(played: Played) -> np.ndarray:
    columns = (played.expected, played.answered.sum(1), played.met.sum(1), played.seconds.sum(1))
    return np.column_stack(columns)


@pytest.mark.parametrize(
    ("retention", "limits"),
    [
        (0.9, {}),
        (0.8, {"seconds_per_day": 200.0}),
        (0.95, {"reviews_per_day": 4, "new_per_day": 5}),
        (0.9, {"steadiness": 0.5, "seconds_per_day": 120.0}),
    ],
)
def test_it_plays_as_its_slow_twin_does(retention: float, limits: dict) -> None:
    given, memories = cards(new=12, known=10)
    rules = Rules(desired_retention=retention)
    slow = slowly(memories, 40, days=20, rules=rules, **limits)
    fast = summary(
        simulate(
            given,
            courses(1000, retention=retention, **limits),
            days=20,
            behaviour=BEHAVIOUR,
            rules=rules,
            seed=5,
        )
    )
    error = np.sqrt(slow.var(axis=0, ddof=1) / len(slow) + fast.var(axis=0, ddof=1) / len(fast))
    assert (np.abs(slow.mean(axis=0) - fast.mean(axis=0)) <= 3.5 * error + 1e-9).all(), (
        slow.mean(axis=0),
        fast.mean(axis=0),
        error,
    )


@pytest.mark.parametrize(("learning", "relearning"), [((), ()), ((60,), (600,)), ((60, 300, 900), (60, 600))])
@pytest.mark.parametrize("rating", [1, 2, 3, 4])
def test_a_first_day_leaves_the_memory_that_next_memory_leaves(learning, relearning, rating) -> None:
    """The memory on the evening of a first day, for each first button and several steps."""
    shares = [float(rating == one) for one in (1, 2, 3, 4)]
    behaviour = Behaviour(first=tuple(shares), passes=tuple(shares[1:]) if rating > 1 else (0, 1, 0))
    rules = Rules(learning_steps=learning, relearning_steps=relearning)
    given, _ = cards(new=1)
    played = simulate(given, courses(400), days=1, behaviour=behaviour, rules=rules, seed=3)
    runs = [
        slow_days.through_steps(MemoryState(), rating, slow_days.START, rules, random.Random(seed))
        for seed in range(200)
    ]
    end = slow_days.START + timedelta(days=1)
    expected = {round(slow_days.truly(memory, end, 1.0, rules), 12) for memory in runs}
    assert {round(float(value), 12) for value in played.expected} == expected


def test_days_of_passes_equal_the_scalar_rules() -> None:
    rows = list(product((0.4, 2.4, 3.0, 7.5, 19.6, 180.0, 40_000.0), (0, 1, 5, 30, 400), (0.0, 0.37, 0.999)))
    ideal, previous, draw = (np.array(column) for column in zip(*rows, strict=True))
    hard, good, easy = ideal * 0.8, ideal, ideal * 1.6
    ideals = np.column_stack((hard, good, easy))
    found = days_of_passes(ideals, previous=previous, draw=draw, maximum=365)
    rules = Rules(maximum_interval=365)
    for place, (*ideal, before, luck) in enumerate(zip(hard, good, easy, previous, draw, strict=True)):
        course = Course(MemoryState(state="review", interval_days=int(before)), "")
        least = [course.least_after_pass(one, rules) for one in ideal]
        most = [course.most_after_pass(button, one, rules) for button, one in enumerate(ideal, start=2)]
        expected = Passes(ideal, least, maximum=365, most=most).days(luck)
        assert tuple(days[place] for days in found) == expected


def test_days_of_graduation_equal_the_scalar_rule() -> None:
    luck = random.Random(3)
    rows = list(product((0.1, 1.4, 2.5, 3.2, 8.5, 90.0), (0.0, 0.5, 0.99), (0, 3)))
    rows += [(luck.uniform(0, 60), luck.random(), luck.randrange(9)) for _ in range(3000)]
    ideal, draw, after = (np.array(column) for column in zip(*rows, strict=True))
    found = days_of_graduation(ideal, draw=draw, maximum=36_500, after=after)
    assert found.tolist() == [
        fuzzed(max(1, round_half_away(one)), least + 1, max(fuzz_bounds(one, 1, 36_500)[1] + 2, least), luck)
        for one, luck, least in rows
    ]


def test_the_same_seed_gives_the_same_days_and_another_does_not() -> None:
    given, _ = cards(new=40, known=20)
    first, again, other = (
        summary(simulate(given, courses(5), days=40, behaviour=BEHAVIOUR, rules=Rules(), seed=seed))
        for seed in (1, 1, 2)
    )
    assert (first == again).all()
    assert (first != other).any()


def test_a_course_does_not_depend_on_those_beside_it() -> None:
    given, _ = cards(new=40, known=20)
    many = courses(6, retention=0.9)
    kinds = replace(many, retention=np.array([0.9, 0.8] * 3), draw=np.array([0, 0, 1, 1, 2, 2]))
    alone = replace(courses(3, retention=0.9), draw=np.arange(3))
    both = [
        summary(simulate(given, one, days=40, behaviour=BEHAVIOUR, rules=Rules(), seed=1))
        for one in (kinds, alone)
    ]
    assert (both[0][::2] == both[1]).all()


def test_time_is_kept_but_for_the_card_that_was_begun() -> None:
    given, _ = cards(new=200, known=30)
    played = simulate(
        given,
        courses(20, seconds_per_day=120.0, new_per_day=50),
        days=30,
        behaviour=BEHAVIOUR,
        rules=Rules(),
        seed=1,
    )
    assert played.seconds.max() < 120 + BEHAVIOUR.seconds_new
    assert played.seconds.min() >= 120  # there is always more to do
    assert (played.unseen + played.met.sum(1) == 200).all()


def test_no_time_leaves_every_new_card_unseen() -> None:
    given, _ = cards(new=7)
    played = simulate(
        given, courses(2, seconds_per_day=0.0), days=9, behaviour=BEHAVIOUR, rules=Rules(), seed=1
    )
    assert played.unseen.tolist() == [7, 7]
    assert played.expected.tolist() == [0.0, 0.0]


def test_recalled_is_drawn_from_what_is_expected() -> None:
    given, _ = cards(new=30, known=20)
    played = simulate(given, courses(1500), days=20, behaviour=BEHAVIOUR, rules=Rules(), seed=9)
    error = (played.recalled - played.expected).std() / np.sqrt(1500)
    assert abs((played.recalled - played.expected).mean()) < 4 * error
    assert (played.recalled <= 50).all()


def test_higher_retention_takes_more_answers_and_keeps_more() -> None:
    given, _ = cards(new=100)
    kinds = replace(
        courses(40, new_per_day=10), retention=np.repeat([0.8, 0.95], 20), draw=np.tile(np.arange(20), 2)
    )
    low, high = np.split(
        summary(simulate(given, kinds, days=60, behaviour=BEHAVIOUR, rules=Rules(), seed=1)), 2
    )
    assert low[:, 0].mean() < high[:, 0].mean()
    assert low[:, 1].mean() < high[:, 1].mean()


def test_a_year_of_a_thousand_cards_at_four_retentions_takes_little() -> None:
    given, _ = cards(new=1000)
    kinds = replace(
        courses(4, new_per_day=20, seconds_per_day=3600.0), retention=np.array([0.8, 0.85, 0.9, 0.95])
    )
    began = time.process_time()
    simulate(given, kinds, days=365, behaviour=Behaviour(), rules=Rules(), seed=1)
    took = time.process_time() - began
    print(f"4 x 1,000 cards x 365 days: {took:.2f} s")  # noqa: T201
    assert took < 5  # the goal is 0.5
