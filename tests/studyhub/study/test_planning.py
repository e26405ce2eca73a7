"""The plan of an interview: from a learner's real memories and habits to a pair, numbers and sentences."""

from collections.abc import Callable
from datetime import date, timedelta

import numpy as np
import pytest

from cards.models import Card
from studyhub.study import planning
from studyhub.study.interviews import InvalidInterview, NoPlan, interview_of, set_interview
from studyhub.study.models import DayRollup, Interview, Learner, Memory, Review
from studyhub.study.planning import plan, plan_job
from studyhub.study.prospects import USUAL, behaviour_of, known_of, steadiness_of
from studyhub.study.scheduling import DEFAULT_PARAMETERS

from .conftest import MONDAY, Room, make_card

TODAY = MONDAY.date()
Shelf = list[Card]


@pytest.fixture(autouse=True)
def _few_draws(monkeypatch) -> None:
    """Enough to plan by; how well it plans is test_planner.py's business."""
    monkeypatch.setattr("studyhub.study.scheduling.planner.FEW", (2, 2))
    monkeypatch.setattr("studyhub.study.scheduling.planner.MANY", (20, 20))


@pytest.fixture
def shelf(topic) -> Shelf:
    """Twelve cards of one topic."""
    return [make_card(f"card-{place}", topic, place) for place in range(12)]


@pytest.fixture
def asked(room: Room, shelf: Shelf) -> Callable[..., Interview]:
    def ask(*, ahead: int = 10, minutes: int = 10, topics: tuple[str, ...] = ()) -> Interview:
        day = TODAY + timedelta(days=ahead)
        return set_interview(room.learner, day=day, minutes_per_day=minutes, topics=topics, now=MONDAY)

    return ask


def remembered(room: Room, card: Card, **changes) -> Memory:
    given = {
        "state": "review",
        "stability": 10.0,
        "difficulty": 5.0,
        "interval_days": 10,
        "last_study_day": TODAY - timedelta(days=4),
        "last_review": MONDAY - timedelta(days=4),
        "due": MONDAY + timedelta(days=6),
        "reps": 3,
    } | changes
    return Memory.objects.create(learner=room.learner, card=card, **given)


def test_it_says_what_is_new_when_it_ends_and_what_to_expect(room, shelf, asked) -> None:
    for card in shelf[:5]:
        remembered(room, card)
    made = plan(room.learner, asked(), MONDAY)
    first, expect = made.sentences
    finish = f"{made.finish_day.day} {made.finish_day:%B}"
    assert first == f"7 of 12 cards are still new. At {made.new_per_day} a day you finish on {finish}."
    assert expect == (
        f"On 10 December expect to recall {round(made.expected)} of 12 cards; "
        f"9 times of 10 it is {made.low} to {made.high}."
    )
    assert (made.cards, made.new_left, made.unseen) == (12, 7, 0)
    assert made.finish_day == TODAY + timedelta(days=-(-7 // made.new_per_day) - 1)
    assert made.low <= made.expected <= made.high <= 12


def test_what_cannot_be_met_in_the_time_is_counted(room, shelf, asked) -> None:
    made = plan(room.learner, asked(ahead=2, minutes=1), MONDAY)
    assert made.unseen > 0
    assert made.finish_day is None
    assert made.sentences[0] == "12 of 12 cards are still new."
    assert made.sentences[1] == f"At 1 minute a day {made.unseen} cards stay unseen."


def test_the_same_state_day_and_seed_give_the_same_plan(room, shelf, asked) -> None:
    remembered(room, shelf[0])
    first = plan(room.learner, asked(), MONDAY, seed=5)
    later = plan(room.learner, interview_of(room.learner), MONDAY + timedelta(hours=5), seed=5)
    assert first == later
    assert first.as_json() != plan(room.learner, asked(), MONDAY, seed=6).as_json()
    assert first.as_json() != plan(room.learner, asked(), MONDAY + timedelta(days=1), seed=5).as_json()


def test_the_curve_has_every_retention_and_the_chosen_pair(room, shelf, asked) -> None:
    made = plan(room.learner, asked(), MONDAY)
    assert [point.retention for point in made.curve] == sorted({point.retention for point in made.curve})
    assert {0.7, 0.9, 0.97} <= {point.retention for point in made.curve}
    chosen = next(point for point in made.curve if point.retention == made.desired_retention)
    assert (chosen.new_per_day, chosen.expected) == (made.new_per_day, made.expected)
    assert (made.now.retention, made.now.new_per_day) == (0.9, 20)


def test_a_day_that_has_come_has_no_plan(room, asked) -> None:
    interview = asked(ahead=3)
    with pytest.raises(InvalidInterview, match="2026-12-03 is not ahead on 2026-12-03"):
        plan(room.learner, interview, MONDAY + timedelta(days=3))


def test_suspended_cards_are_no_part_of_it_and_only_those_are_none(room, shelf, asked) -> None:
    interview = asked()
    remembered(room, shelf[0], suspended=True)
    assert plan(room.learner, interview, MONDAY).cards == 11
    for card in shelf[1:]:
        remembered(room, card, suspended=True)
    with pytest.raises(InvalidInterview, match="no card is left"):
        plan(room.learner, interview, MONDAY)


def test_only_the_chosen_topics_count(room, asked, new_topic) -> None:
    other = new_topic("masks", 1)
    for place in range(3):
        make_card(f"mask-{place}", other, place)
    assert plan(room.learner, asked(), MONDAY).cards == 15
    assert plan(room.learner, asked(topics=("masks",)), MONDAY).cards == 3


# ---- what is known of a learner


def test_memories_become_arrays_by_study_days(room, shelf, asked) -> None:
    remembered(room, shelf[3])
    remembered(room, shelf[4], interval_days=2, due=MONDAY - timedelta(days=2))
    remembered(room, shelf[5], interval_days=5, buried_until=TODAY + timedelta(days=4), due=MONDAY)
    remembered(room, shelf[6], state="relearning", interval_days=0, last_study_day=TODAY, due=MONDAY)
    cards = known_of(room.learner, asked(), TODAY).prospect.cards
    met = cards.stability > 0
    assert sorted(zip(cards.due[met], cards.last[met], cards.interval[met], strict=True)) == [
        (0, -4, 2), (0, 0, 0), (4, -4, 5), (6, -4, 10),
    ]  # fmt: skip
    assert (~met).sum() == 8


def test_reading_a_learner_takes_as_many_queries_with_many_cards(
    room, shelf, asked, django_assert_max_num_queries
) -> None:
    interview = asked()
    for card in shelf:
        remembered(room, card)
    with django_assert_max_num_queries(6):
        known_of(room.learner, interview, TODAY)


def test_a_large_shelf_is_sampled_and_told_whole(room, shelf, asked, monkeypatch) -> None:
    for card in shelf[:8]:
        remembered(room, card)
    monkeypatch.setattr("studyhub.study.prospects.MOST_CARDS", 6)
    known = known_of(room.learner, asked(), TODAY)
    assert (len(known.prospect.cards), known.prospect.new, known.share) == (6, 2, 0.5)
    assert known.prospect.seconds_per_day == 300
    made = plan(room.learner, interview_of(room.learner), MONDAY)
    assert (made.cards, made.new_left) == (12, 4)
    assert 6 < made.expected <= 12


def test_habits_are_those_of_real_answers(room, shelf) -> None:
    for place, card in enumerate(shelf):
        at = MONDAY - timedelta(days=6, minutes=place)
        room.rate(room.answer(card, now=at), 1, at=at, elapsed_ms=30_000)
        room.rate(room.answer(card, now=at), 3, at=at + timedelta(minutes=2), elapsed_ms=10_000)
    lines = Review.objects.values_list("card_id", "study_day", "rating", "state_before", "elapsed_ms")
    habits = behaviour_of(lines.order_by("answered_at"))
    assert habits.seconds_new == pytest.approx((12 * 40 + 10 * USUAL.seconds_new) / 22)
    assert habits.first[0] == pytest.approx((12 + 10 * USUAL.first[0]) / 22)
    assert sum(habits.first) == pytest.approx(1)
    assert habits.passes == pytest.approx(USUAL.passes)


def test_without_answers_habits_are_the_usual_ones() -> None:
    assert behaviour_of([]) == USUAL


def test_answers_narrow_what_is_thought_of_a_learner() -> None:
    unknown = np.log(steadiness_of([], DEFAULT_PARAMETERS))
    as_promised = np.log(steadiness_of([(1000, 900, 0.9)], DEFAULT_PARAMETERS))
    forgetful = np.log(steadiness_of([(1000, 750, 0.9)], DEFAULT_PARAMETERS))
    assert abs(unknown.mean()) < 0.01
    assert unknown.std() == pytest.approx(0.5, abs=0.03)
    assert abs(as_promised.mean()) < 0.1
    assert as_promised.std() < 0.25
    assert forgetful.mean() < -0.8
    told = (
        1
        / (1 + (0.9 ** (-1 / DEFAULT_PARAMETERS[20]) - 1) / np.exp(forgetful.mean()))
        ** (DEFAULT_PARAMETERS[20])
    )
    assert told == pytest.approx(0.75, abs=0.03)


def test_what_was_recalled_of_late_is_read_from_the_sums_of_days(room, shelf, asked) -> None:
    DayRollup.objects.create(
        learner=room.learner, study_day=TODAY - timedelta(days=3), promised={"900": [400, 280, 364_000]}
    )
    steady = known_of(room.learner, asked(), TODAY).prospect.doubt.steadiness
    assert np.median(steady) < 0.5


# ---- the job


def test_the_job_keeps_the_plan_with_the_interview(room, shelf) -> None:
    tomorrow = date.today() + timedelta(days=8)
    Interview.objects.create(learner=room.learner, day=tomorrow, minutes_per_day=10)
    told: list[int] = []
    result = plan_job(room.learner.pk, told.append)
    interview = interview_of(room.learner)
    assert interview.plan["new_per_day"] == result["new_per_day"]
    assert interview.plan["finish_day"].count("-") == 2
    assert interview.planned_at is not None
    assert told[-1] == 100


def test_an_interview_changed_meanwhile_is_planned_again(room, shelf, monkeypatch) -> None:
    interview = Interview.objects.create(
        learner=room.learner, day=date.today() + timedelta(days=8), minutes_per_day=10
    )
    real, minutes = planning.plan, iter((15, 20))

    def interrupted(learner, asked, now, **options):
        made = real(learner, asked, now, **options)
        if wanted := next(minutes, 0):
            Interview.objects.filter(pk=interview.pk).update(minutes_per_day=wanted)
        return made

    monkeypatch.setattr(planning, "plan", interrupted)
    plan_job(room.learner.pk, lambda _percent: None)
    interview.refresh_from_db()
    assert (interview.minutes_per_day, interview.planned_at is not None) == (20, True)


def test_without_an_interview_the_job_says_so(room) -> None:
    with pytest.raises(NoPlan, match="was cleared"):
        plan_job(room.learner.pk, lambda _percent: None)


def test_a_plan_in_use_stays_undoable_when_it_is_made_again(room, shelf) -> None:
    Interview.objects.create(
        learner=room.learner,
        day=date.today() + timedelta(days=8),
        minutes_per_day=10,
        plan={"previous": {"desired_retention": 0.8, "new_per_day": 3}},
    )
    plan_job(room.learner.pk, lambda _percent: None)
    assert interview_of(room.learner).plan["previous"] == {"desired_retention": 0.8, "new_per_day": 3}


def test_a_learner_of_another_model_is_planned_for_too(room, shelf, asked, monkeypatch) -> None:
    from studyhub.study.scheduling import Rules

    monkeypatch.setattr("studyhub.study.prospects.rules_of", lambda _learner: Rules(parameters=(0.5,) * 34))
    remembered(room, shelf[0])
    assert plan(Learner.objects.get(pk=room.learner.pk), asked(), MONDAY).cards == 12
