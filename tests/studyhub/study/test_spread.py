"""The day within the fuzz: by chance without a reason, away from kin and easy days, never out of bounds."""

import random
import time
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studyhub.study.scheduling import MemoryState, Rules, fsrs, fsrs7, moment_of, preview
from studyhub.study.scheduling.fuzz import fuzz_bounds
from studyhub.study.scheduling.memory import passes_of
from studyhub.study.scheduling.passes import Passes
from studyhub.study.scheduling.spread import Spread, chosen_draw, spread_draw

pytestmark = pytest.mark.plain

NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)  # a Monday
MOMENT = moment_of(NOW, time_zone="UTC", rollover_hour=4)
RULES = Rules()
HARD, GOOD, EASY = range(3)
ALONE = -1
WEEKEND_OFF = ("normal",) * 5 + ("minimum",) * 2
QUIET_WEDNESDAY = ("normal", "normal", "reduced", "normal", "normal", "normal", "normal")


def known(stability: float, *, days: int, state: str = "review", **more: float) -> MemoryState:
    """A card answered last `days` days ago."""
    last = NOW - timedelta(days=days)
    return MemoryState(
        state=state, stability=stability, difficulty=5.4, interval_days=days, reps=4,
        last_review=last, last_study_day=last.date(), **more,
    )  # fmt: skip


def landings(ideal: float, spread: Spread, *, cards: int = 600, button: int = ALONE) -> Counter[int]:
    """On which days cards of an interval land by one of three buttons; ALONE: by Good, the others in steps.

    Hard asks for a fifth less, Easy for a quarter more.
    """
    passes = Passes(
        (0.8 * ideal, ideal, 1.25 * ideal), (1, 1, 1), maximum=36500,
        in_days=(False, True, False) if button == ALONE else (True,) * 3, hard_below=button != ALONE,
    )  # fmt: skip
    draws = [chosen_draw(passes, card=f"card-{card}", reps=3, spread=spread) for card in range(cards)]
    return Counter(passes.days(draw)[GOOD if button == ALONE else button] for draw in draws)


def share(days: Counter[int], weekdays: set[int], today: int = 0) -> float:
    """The share that landed on these weekdays, Monday = 0."""
    return sum(seen for day, seen in days.items() if (today + day) % 7 in weekdays) / days.total()


def chi_squared(counts: list[int]) -> float:
    expected = sum(counts) / len(counts)
    return sum((seen - expected) ** 2 / expected for seen in counts)


# With nothing to mind


@pytest.mark.parametrize(("ideal", "bound"), [(10, 18.5), (100, 36.2)])
def test_without_loads_and_easy_days_all_days_of_the_bounds_come_equally_often(ideal, bound):
    """p = 0.001 with 4 and 14 degrees of freedom. An even load is no reason either."""
    lower, upper = fuzz_bounds(ideal, minimum=1, maximum=36500)
    for spread in (Spread(), Spread(loads=dict.fromkeys(range(1, 100), 40))):
        days = landings(ideal, spread, cards=2000)
        assert sorted(days) == list(range(lower, upper + 1))
        assert chi_squared(list(days.values())) < bound


def test_draws_are_even_over_zero_to_one():
    passes = Passes((8, 10, 12), (1, 1, 1), maximum=36500)
    draws = [chosen_draw(passes, card=f"card-{card}", reps=1, spread=Spread()) for card in range(2000)]
    assert 0 <= min(draws) < max(draws) < 1
    assert chi_squared([sum(int(draw * 40) == part for draw in draws) for part in range(40)]) < 72.1


def test_the_draw_belongs_to_the_card_its_answers_and_what_is_due():
    loads = {day: day % 5 * 10 for day in range(1, 100)}
    memory = known(17.0, days=17)

    def draw(card: str = "a", spread: Spread | None = None, memory: MemoryState = memory) -> float:
        spread = spread or Spread(loads)
        return spread_draw(memory, moment=MOMENT, rules=RULES, card=card, spread=spread)

    assert draw() == draw() == draw(spread=Spread(dict(reversed(loads.items()))))
    assert draw() != draw("b")
    assert len({draw(f"card-{number}") for number in range(50)}) == 50


# Where draws land


@given(
    st.sampled_from(["new", "learning", "review", "relearning"]), st.integers(0, 2**32), st.booleans(),
    st.sampled_from([(), (600,), (60, 600), (60, 172_800)]), st.sampled_from([3, 40, 36_500]),
)  # fmt: skip
@settings(max_examples=100, deadline=None)
def test_each_draw_lands_where_the_buttons_show_it(state, seed, newer_model, steps, maximum):
    chance = random.Random(seed)
    memory = known(
        10 ** chance.uniform(-2, 3), days=int(10 ** chance.uniform(0, 2.5)), state=state,
        short_stability=10 ** chance.uniform(-2, 3),
    ) if state != "new" else MemoryState()  # fmt: skip
    numbers = fsrs7.DEFAULT_PARAMETERS if newer_model else fsrs.DEFAULT_PARAMETERS
    rules = Rules(chance.choice((0.7, 0.9, 0.97)), numbers, steps, steps, maximum)
    passes = passes_of(memory, moment=MOMENT, rules=rules)
    for draw in (0.0, chance.random(), chance.random(), 1 - 2**-53):
        shown = preview(memory, moment=MOMENT, rules=rules, card="c", draw=draw)
        in_days = [after.interval_days if after.state == "review" else 0 for after in shown.values()]
        assert list(passes.days(draw)) == in_days[1:]


@given(st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_no_reason_moves_an_interval_out_of_the_fuzz(seed):
    chance = random.Random(seed)
    spread = Spread(
        loads={day: chance.choice((0, 0, 5, 300)) for day in range(1, 100)},
        siblings=frozenset(chance.sample(range(1, 100), 20)),
        topic={day: chance.randint(0, 30) for day in range(1, 100)},
        easy_days=tuple(chance.choices(("normal", "reduced", "minimum"), k=7)),
        weekday_of_today=chance.randrange(7),
    )
    interval = chance.uniform(1, 400)
    memory = known(interval, days=round(interval))
    draw = spread_draw(memory, moment=MOMENT, rules=RULES, card=str(seed), spread=spread)
    assert 0 <= draw < 1
    least, most = (preview_days(memory, end) for end in (0.0, 1 - 2**-53))
    shown = preview_days(memory, draw)
    assert all(low <= days <= high for low, days, high in zip(least, shown, most, strict=True))


def preview_days(memory: MemoryState, draw: float) -> list[int]:
    shown = preview(memory, moment=MOMENT, rules=RULES, card="c", draw=draw)
    return [shown[rating].interval_days for rating in (2, 3, 4)]


# Loads


def test_fuller_days_are_taken_less_and_the_emptiest_most():
    loads = dict.fromkeys(range(1, 100), 40) | {20: 20, 18: 60}
    days = landings(20, Spread(loads))
    assert days.most_common(1)[0][0] == 20
    assert days[20] > 0.8 * days.total()
    assert days[18] <= days[17] + 2


def test_days_that_empty_out_evenly_ahead_draw_no_longer_intervals():
    """Nobody has planned that far yet: a trend is no reason, or every interval would grow."""
    days = landings(30, Spread({day: 120 - day for day in range(1, 100)}))
    mean = sum(day * seen for day, seen in days.items()) / days.total()
    assert mean == pytest.approx(30, abs=0.2)


def test_beyond_ninety_days_loads_change_nothing():
    crowded = Spread({day: 500 if day % 2 else 0 for day in range(1, 100)})
    assert landings(92, crowded, cards=300) == landings(92, Spread(), cards=300)
    assert landings(80, crowded, cards=300) != landings(80, Spread(), cards=300)


def test_cards_of_one_topic_keep_somewhat_apart():
    even = dict.fromkeys(range(1, 100), 20)
    days = landings(20, Spread(even, topic={20: 3}))
    assert 0 < days[20] < 0.6 * days.total() / 7


# Easy days


@pytest.mark.parametrize("today", range(7))
@pytest.mark.parametrize("ideal", [20, 60, 200])
def test_minimum_days_get_almost_nothing_at_any_length(ideal, today):
    spread = Spread(easy_days=WEEKEND_OFF, weekday_of_today=today)
    days = landings(ideal, spread, cards=100)
    assert share(days, {5, 6}, today) == 0
    assert min(share(days, {weekday}, today) for weekday in range(5)) > 0.03


def test_hard_and_easy_keep_off_minimum_days_too_where_good_leaves_them_the_choice():
    spread = Spread(easy_days=WEEKEND_OFF)
    for button, most in ((HARD, 0.12), (GOOD, 0.001), (EASY, 0.12)):
        assert share(landings(20, spread, button=button), {5, 6}) < most


def test_an_empty_minimum_day_does_not_win_over_a_crowded_one():
    loads = {day: 0 if day % 7 in (5, 6) else 150 + day % 3 * 40 for day in range(1, 100)}
    days = landings(20, Spread(loads, easy_days=WEEKEND_OFF))
    assert share(days, {5, 6}) < 0.01


def test_a_reduced_day_takes_half_as_many_without_loads_and_fills_to_half_with_them():
    days = landings(20, Spread(easy_days=QUIET_WEDNESDAY), cards=1500)
    wednesday, others = share(days, {2}), (1 - share(days, {2})) / 6
    assert wednesday / others == pytest.approx(0.5, abs=0.1)
    passes = Passes((16, 20, 25), (1, 1, 1), maximum=36500)
    loads: Counter[int] = Counter()
    for card in range(500):
        spread = Spread(loads, easy_days=QUIET_WEDNESDAY)
        loads[passes.days(chosen_draw(passes, card=str(card), reps=1, spread=spread))[GOOD]] += 1
    full = [seen for day, seen in loads.items() if day % 7 != 2]
    assert max(full) - min(full) <= 20
    assert loads[23] / (sum(full) / len(full)) == pytest.approx(0.5, abs=0.12)


@pytest.mark.parametrize("kind", ["normal", "reduced", "minimum"])
def test_a_week_of_one_kind_is_a_normal_week(kind):
    loads = {day: day * 7 % 11 for day in range(1, 100)}
    assert landings(30, Spread(loads, easy_days=(kind,) * 7), cards=200) == landings(
        30, Spread(loads), cards=200
    )


def test_without_a_normal_day_reduced_days_are_the_normal_ones():
    easy = ("reduced",) * 5 + ("minimum",) * 2
    assert landings(30, Spread(easy_days=easy)) == landings(30, Spread(easy_days=WEEKEND_OFF))


def test_a_minimum_day_is_taken_where_the_bounds_leave_no_other():
    assert landings(2, Spread(easy_days=WEEKEND_OFF, weekday_of_today=3), cards=50) == {2: 50}


# Siblings


@pytest.mark.parametrize("ideal", [3, 10, 30, 200])
def test_siblings_never_share_a_day_where_the_bounds_allow_another(ideal):
    """Not even where the other days are crowded, or are minimum days."""
    day = round(ideal)
    for spread in (
        Spread(siblings=frozenset({day})),
        Spread({near: 0 if near == day else 400 for near in range(1, 100)}, frozenset({day})),
        Spread(
            siblings=frozenset({day}),
            weekday_of_today=(0 - day) % 7,
            easy_days=("normal",) + ("minimum",) * 6,
        ),
    ):
        assert landings(ideal, spread, cards=200)[day] == 0
        assert landings(ideal, spread, cards=200, button=GOOD)[day] == 0 or ideal == 3


def test_the_farther_from_a_sibling_the_likelier_a_day():
    days = landings(60, Spread(siblings=frozenset({56})), cards=1500)
    by_distance = [days[56 + distance] for distance in range(6)]
    assert by_distance == sorted(by_distance)
    assert by_distance[0] == 0
    assert by_distance[1] / by_distance[5] == pytest.approx(0.2, abs=0.08)


def test_hard_and_easy_keep_off_siblings_too():
    passes_by_chance = landings(20, Spread(), button=EASY)[25]
    assert landings(20, Spread(siblings=frozenset({25})), button=EASY)[25] < passes_by_chance / 20


def test_where_every_day_has_a_sibling_one_is_taken_all_the_same():
    assert landings(10, Spread(siblings=frozenset(range(1, 100))), cards=200).total() == 200


def test_a_new_card_that_good_keeps_in_steps_is_placed_by_its_easy():
    spread = Spread(siblings=frozenset({8}))
    days = Counter(
        preview_days(
            MemoryState(),
            spread_draw(MemoryState(), moment=MOMENT, rules=RULES, card=f"card-{card}", spread=spread),
        )[EASY]
        for card in range(200)
    )
    assert days[8] == 0
    assert len(days) > 2


# What is refused, and what it costs


@pytest.mark.parametrize("easy", [("normal",) * 6, ("normal",) * 6 + ("off",), ("minimum",)])
def test_other_easy_days_are_refused_with_what_was_given(easy):
    with pytest.raises(ValueError, match=f"{easy[-1]}.*seven of normal, reduced, minimum"):
        Spread(easy_days=easy)


@pytest.mark.parametrize("weekday", [-1, 7])
def test_another_weekday_is_refused_with_the_number(weekday):
    with pytest.raises(ValueError, match=str(weekday)):
        Spread(weekday_of_today=weekday)


def test_a_queue_of_fifty_is_drawn_in_a_moment():
    """About 0.1 ms each; ten times that is allowed, as machines differ and are busy."""
    spread = Spread(
        {day: 40 + day % 7 for day in range(1, 100)},
        frozenset({30}),
        {31: 4},
        WEEKEND_OFF,
        weekday_of_today=2,
    )
    memories = [known(float(days), days=days) for days in range(3, 53)]
    best = min(_seconds(memories, spread) for _ in range(3))
    assert best < 50 * 0.0015


def _seconds(memories: list[MemoryState], spread: Spread) -> float:
    began = time.process_time()
    for memory in memories:
        spread_draw(memory, moment=MOMENT, rules=RULES, card="c", spread=spread)
    return time.process_time() - began
