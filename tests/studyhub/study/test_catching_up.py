"""After a break: what waits, what a cap does about it, and that it is over when it is."""

from datetime import timedelta

import pytest

from studyhub.study.asking.catching_up import caps_for, catch_up_preview
from studyhub.study.asking.projection import MOST_DAYS, MOST_KINDS, Waiting, project, standing_for
from studyhub.study.asking.queue import study_queue
from studyhub.study.models import DayRollup, Memory
from studyhub.study.pace import usual_reviews
from studyhub.study.scheduling import Rules
from studyhub.study.scheduling.trace import Trace
from tests.studyhub.study.memories import DAY, MONDAY, known, many_cards

RULES = Rules()


def studied(room, *reviews: int) -> None:
    """Days before Monday with so many reviews, the last one first."""
    DayRollup.objects.bulk_create(
        DayRollup(learner=room.learner, study_day=MONDAY.date() - (n + 1) * DAY, mature_recalled=number)
        for n, number in enumerate(reviews)
    )


def waiting(number: int, *, stability: float = 60, days: int = 90) -> list[Waiting]:
    return [Waiting(Trace(stability, 5.0), days) for _ in range(number)]


@pytest.mark.parametrize(
    ("days", "usual"),
    [([], 20), ([9] * 4, 20), ([9] * 5, 9), ([0, 0, 5, 6, 7, 8, 400], 7), ([3] * 30 + [90] * 60, 3)],
    ids=["nothing yet", "four days", "five", "one of them wild", "the last thirty"],
)
def test_a_usual_day_is_the_median_of_the_last_thirty_with_any(room, days, usual):
    studied(room, *days)
    assert usual_reviews(room.learner, MONDAY) == usual


@pytest.mark.parametrize(("due", "is_backlog"), [(0, False), (29, False), (30, True), (31, True)])
def test_a_backlog_is_thirty_at_least(room, topic, due, is_backlog):
    studied(room, *[5] * 9)
    known(room, many_cards(topic, due), interval=60, ago=90)
    found = catch_up_preview(room.learner, MONDAY)
    assert (found.backlog, found.usual, found.is_backlog) == (due, 5, is_backlog)
    assert bool(found.options) == is_backlog


def test_what_is_no_more_than_twice_the_usual_is_no_backlog(room, topic):
    studied(room, *[20] * 9)
    known(room, many_cards(topic, 40), interval=60, ago=90)
    assert not catch_up_preview(room.learner, MONDAY).is_backlog


def test_a_larger_cap_ends_sooner_and_forgets_less(room, topic):
    studied(room, *[10] * 9)
    known(room, many_cards(topic, 90), interval=60, ago=90)
    options = catch_up_preview(room.learner, MONDAY).options
    assert [cap.per_day for cap in options] == [15, 20, 30, 50]
    days, forgotten = [cap.days for cap in options], [cap.forgotten_meanwhile for cap in options]
    assert days == sorted(days, reverse=True)
    assert forgotten == sorted(forgotten, reverse=True)
    assert all(cap.days >= 90 / cap.per_day for cap in options)
    assert options[0].last_day == MONDAY.date() + (options[0].days - 1) * DAY
    assert catch_up_preview(room.learner, MONDAY).options == options


def test_row_18_under_an_accepted_cap_no_day_is_a_dump_and_the_last_is_as_promised(room, topic):
    studied(room, *[10] * 9)
    known(room, many_cards(topic, 36), interval=60, ago=90)
    chosen = catch_up_preview(room.learner, MONDAY).options[0]
    room.learner.reviews_per_day, room.learner.new_per_day = chosen.per_day, 0
    room.learner.save()
    per_day = [study_through(room, MONDAY + n * DAY) for n in range(chosen.days)]
    assert max(per_day) <= chosen.per_day
    assert per_day[0] == chosen.per_day
    assert sum(per_day) >= 36
    assert study_through(room, MONDAY + chosen.days * DAY) < chosen.per_day


def study_through(room, now) -> int:
    """Answers all reviews of a day, nine of ten of them right."""
    asked = [item for item in study_queue(room.learner, now) if item.memory.state == Memory.State.REVIEW]
    for number, item in enumerate(asked):
        room.rate(room.answer(item.card, now=now), 1 if number % 10 == 9 else 3, at=now, draw=item.draw)
    for item in study_queue(room.learner, now + timedelta(hours=1)):  # the steps of what was missed
        if item.memory.state == Memory.State.RELEARNING:
            later = now + timedelta(hours=1)
            room.rate(room.answer(item.card, now=later), 3, at=later, draw=item.draw)
    return len(asked)


@pytest.mark.plain
def test_caps_are_whole_fives_above_a_usual_day_and_below_what_waits():
    assert caps_for(usual=24, backlog=180) == [30, 40, 50, 75, 120]
    assert caps_for(usual=24, backlog=60) == [30, 40, 50]
    assert caps_for(usual=1, backlog=30) == [5, 10]


@pytest.mark.plain
@pytest.mark.parametrize(("cap", "days"), [(100, 1), (50, 2), (34, 3), (25, 4)])
def test_a_backlog_of_long_intervals_takes_what_a_division_says(cap, days):
    lasting = waiting(100, stability=4_000, days=4_100)
    assert project(lasting, scheduled={}, cap=cap, rules=RULES).days - days in (0, 1)  # a miss comes back


@pytest.mark.plain
def test_what_was_done_today_is_taken_off_the_first_day():
    lasting = waiting(60, stability=4_000, days=4_100)
    days = [project(lasting, scheduled={}, cap=20, rules=RULES, done=done).days for done in (0, 20)]
    assert days[1] == days[0] + 1


@pytest.mark.plain
def test_what_comes_due_meanwhile_prolongs_it_and_a_cap_below_it_never_ends():
    free = project(waiting(60), scheduled={}, cap=20, rules=RULES)
    busy = project(waiting(60), scheduled=dict.fromkeys(range(1, 200), 12), cap=20, rules=RULES)
    assert free.days < busy.days < MOST_DAYS
    assert project(waiting(60), scheduled=dict.fromkeys(range(1, 200), 21), cap=20, rules=RULES) is None


@pytest.mark.plain
def test_nothing_is_forgotten_meanwhile_where_all_is_done_today():
    assert project(waiting(30), scheduled={}, cap=30, rules=RULES).forgotten == 0
    assert project(waiting(30), scheduled={}, cap=10, rules=RULES).forgotten > 0


@pytest.mark.plain
def test_a_large_backlog_is_stood_for_by_a_few_of_its_cards():
    many = [Waiting(Trace(10 + n / 10, 5.0), 90) for n in range(4_100)]
    standing = standing_for(many, RULES)
    assert len(standing) <= MOST_KINDS
    assert sum(one.number for one in standing) == 4_100
    whole = project(many[::10], scheduled={}, cap=30, rules=RULES)
    large = project(many, scheduled={}, cap=300, rules=RULES)
    assert large.forgotten / 10 == pytest.approx(whole.forgotten, rel=0.05)
