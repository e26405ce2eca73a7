"""The day a learner prepares for: what can be set, what is refused, its plan put to use and taken back."""

from datetime import timedelta

import pytest

from studyhub.study.interviews import (
    InvalidInterview,
    NoPlan,
    clear_interview,
    interview_of,
    set_interview,
    store_plan,
    undo_plan,
    use_plan,
)
from studyhub.study.models import Interview, Learner

from .conftest import MONDAY, Room

TODAY = MONDAY.date()
PLAN = {"desired_retention": 0.94, "new_per_day": 7, "sentences": []}


def ask(room: Room, *, ahead: int = 10, minutes: int = 20, topics=(), now=MONDAY) -> Interview:
    day = TODAY + timedelta(days=ahead)
    return set_interview(room.learner, day=day, minutes_per_day=minutes, topics=topics, now=now)


def chosen(room: Room) -> tuple[float, int]:
    learner = Learner.objects.get(pk=room.learner.pk)
    return learner.desired_retention, learner.new_per_day


@pytest.fixture
def planned(room: Room, card) -> Interview:
    interview = ask(room)
    assert store_plan(interview, dict(PLAN), MONDAY)
    return interview


@pytest.mark.parametrize(
    ("changes", "field", "said"),
    [
        ({"ahead": 0}, "day", "choose a day from 2026-12-01 to 2028-11-29"),
        ({"ahead": -3}, "day", "2026-11-27 cannot be planned for on 2026-11-30"),
        ({"ahead": 731}, "day", "choose a day from"),
        ({"minutes": 0}, "minutes_per_day", "0 minutes a day are none of 1 to 720"),
        ({"minutes": 721}, "minutes_per_day", "721 minutes"),
        ({"topics": ["d-head", "nowhere"]}, "topics.1", "there is no topic 'nowhere'"),
        ({"topics": ["empty"]}, "topics", "there is no card to study here"),
    ],
)
def test_what_cannot_be_planned_for_is_refused_with_the_way_out(
    room, card, new_topic, changes, field, said
) -> None:
    new_topic("empty")
    with pytest.raises(InvalidInterview, match=said) as caught:
        ask(room, **changes)
    assert caught.value.field == field
    assert interview_of(room.learner) is None


@pytest.mark.parametrize("ahead", [1, 730])
def test_the_first_and_the_last_day_are_taken(room, card, ahead) -> None:
    assert ask(room, ahead=ahead).day == TODAY + timedelta(days=ahead)


def test_today_is_the_learners_study_day_and_not_the_servers(room, card) -> None:
    Learner.objects.update(time_zone="Pacific/Auckland")
    room.learner.refresh_from_db()
    late = MONDAY.replace(hour=16)  # Tuesday 05:00 there
    with pytest.raises(InvalidInterview, match="on 2026-12-01"):
        ask(room, ahead=1, now=late)


def test_the_same_interview_again_keeps_its_plan(planned, room) -> None:
    assert ask(room).plan == PLAN


@pytest.mark.parametrize("changes", [{"ahead": 11}, {"minutes": 21}, {"topics": ["d-head"]}])
def test_another_interview_drops_the_plan(planned, room, changes) -> None:
    interview = ask(room, **changes)
    assert (interview.plan, interview.planned_at) == ({}, None)
    assert Interview.objects.count() == 1


def test_a_plan_of_an_interview_changed_meanwhile_is_not_kept(planned, room) -> None:
    ask(room, minutes=30)
    assert not store_plan(planned, dict(PLAN), MONDAY)
    assert interview_of(room.learner).planned_at is None


def test_using_a_plan_sets_retention_and_pace_and_taking_it_back_restores_both(planned, room) -> None:
    use_plan(room.learner, MONDAY)
    assert chosen(room) == (0.94, 7)
    assert interview_of(room.learner).plan["previous"] == {"desired_retention": 0.9, "new_per_day": 20}
    undo_plan(room.learner, MONDAY)
    assert chosen(room) == (0.9, 20)
    assert interview_of(room.learner).plan == PLAN


def test_a_later_plan_put_to_use_still_goes_back_to_what_the_learner_had_chosen(planned, room) -> None:
    use_plan(room.learner, MONDAY)
    use_plan(room.learner, MONDAY)  # again changes nothing
    ask(room, minutes=40)
    store_plan(interview_of(room.learner), PLAN | {"new_per_day": 9}, MONDAY)
    use_plan(room.learner, MONDAY)
    assert chosen(room) == (0.94, 9)
    undo_plan(room.learner, MONDAY)
    assert chosen(room) == (0.9, 20)


def test_without_a_plan_there_is_nothing_to_use_or_take_back(room, card) -> None:
    for act in (use_plan, undo_plan):
        with pytest.raises(NoPlan):
            act(room.learner, MONDAY)
    ask(room)
    for act in (use_plan, undo_plan):
        with pytest.raises(NoPlan):
            act(room.learner, MONDAY)


def test_a_plan_that_was_dropped_cannot_be_used_though_an_earlier_one_was(planned, room) -> None:
    use_plan(room.learner, MONDAY)
    ask(room, minutes=40)
    with pytest.raises(NoPlan):
        use_plan(room.learner, MONDAY)
    undo_plan(room.learner, MONDAY)
    assert chosen(room) == (0.9, 20)


def test_clearing_leaves_what_is_in_use(planned, room, other_room) -> None:
    use_plan(room.learner, MONDAY)
    assert not clear_interview(other_room.learner)
    assert clear_interview(room.learner)
    assert not clear_interview(room.learner)
    assert chosen(room) == (0.94, 7)
