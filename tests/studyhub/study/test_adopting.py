"""Versions of the parameters come into force and go again: knowledge moves at once, due days by choice."""

from datetime import timedelta

import pytest

from studyhub.study.adopting import CannotAdopt, adopt, difference, undo_adoption
from studyhub.study.batch_replay import replayed
from studyhub.study.dues import Move, staged
from studyhub.study.memories import known_memories
from studyhub.study.models import Memory, Parameters, Review
from studyhub.study.reviews import ReviewSubmission, record_review
from studyhub.study.rules import UnknownVersion
from studyhub.study.schedules import change_schedule
from studyhub.study.scheduling import DEFAULT_PARAMETERS

from .conftest import MONDAY

DAY = timedelta(days=1)
STRONGER = (*(4 * number for number in DEFAULT_PARAMETERS[:4]), *DEFAULT_PARAMETERS[4:])


@pytest.fixture
def offered(room):
    """Ben's version 1: everything is remembered four times as long at first."""
    return Parameters.objects.create(
        learner=room.learner,
        version=1,
        numbers=list(STRONGER),
        learning_steps=[60, 600],
        relearning_steps=[600],
        origin="fit",
        created_at=MONDAY,
    )


@pytest.fixture
def studied(room, topic, new_card):
    """Twenty cards that went into days."""
    cards = [new_card(f"card-{number}", topic, position=number) for number in range(20)]
    for number, card in enumerate(cards):
        room.graduate(card, at=MONDAY + timedelta(minutes=number))
    return cards


def dues(room) -> dict:
    return dict(Memory.objects.filter(learner=room.learner).values_list("card_id", "due"))


def is_fold(room) -> bool:
    """Whether every stored memory is the fold of its lines, to the last bit."""
    known = known_memories(room.learner, list(dues(room)))
    return all(known[one.card].memory == one.memory for one in replayed(room.learner))


def test_row_02_adopting_moves_what_is_known_and_no_due_date(room, offered, studied):
    before, due = room.memory(studied[0]).stability, dues(room)
    adopt(room.learner, 1, now=MONDAY + DAY, client_id=room.new_id())
    assert room.memory(studied[0]).stability > 2 * before
    assert dues(room) == due
    assert is_fold(room)


@pytest.mark.parametrize("days_late", [1, 5, 8])
def test_a_late_answer_among_lines_of_two_versions_leaves_the_fold(room, offered, card, days_late):
    """Version 1 grows by other numbers, so an answer under one version leaves another trace under each."""
    grown = [number * (1.2 if place in (8, 17) else 1) for place, number in enumerate(STRONGER)]
    Parameters.objects.update(numbers=grown)
    room.graduate(card)
    room.study(card, 3, at=MONDAY + 4 * DAY)
    adopt(room.learner, 1, now=MONDAY + 5 * DAY, client_id=room.new_id())
    room.study(card, 3, at=MONDAY + 9 * DAY)
    late = ReviewSubmission(
        client_id=room.new_id(),
        rating=2,
        answered_at=MONDAY + (9 - days_late) * DAY,
        attempt=room.answer(card),
    )
    record_review(room.learner, late, now=MONDAY + 10 * DAY)
    assert room.memory(card).reps == 5
    assert is_fold(room)


def test_an_undo_brings_back_all_that_was(room, offered, studied):
    before, due = room.memory(studied[0]), dues(room)
    adopt(room.learner, 1, now=MONDAY + DAY, client_id=room.new_id(), reschedule=True)
    assert dues(room) != due
    undone = undo_adoption(room.learner, 1, now=MONDAY + 3 * DAY, client_id=room.new_id())
    assert (undone.version, undone.moved) == (0, 20)
    assert dues(room) == due
    assert room.memory(studied[0]) == before
    assert is_fold(room)


def test_row_18_the_difference_is_shown_first_and_is_what_happens(room, offered, studied):
    now = MONDAY + DAY
    shown = difference(room.learner, 1, now)
    assert (shown.cards, shown.moved, shown.sooner, shown.later) == (20, 20, 0, 20)
    assert sum(day.now for day in shown.days) + shown.overdue_now == 20
    adopted = adopt(room.learner, 1, now=now, client_id=room.new_id(), reschedule=True)
    assert adopted.moved == shown.moved
    days = {day.day: day.then for day in shown.days if day.then}
    found = Memory.objects.filter(learner=room.learner).values_list("last_study_day", "interval_days")
    assert {start + timedelta(days=count) for start, count in found} == set(days)
    assert difference(room.learner, 1, now).moved == 0


def test_row_18_rescheduling_keeps_to_so_many_cards_a_day(room, offered, studied):
    adopt(room.learner, 1, now=MONDAY + DAY, client_id=room.new_id(), reschedule=True, per_day=7)
    lines = Review.objects.filter(kind="set_due").values_list("target_day", flat=True)
    loads = [list(lines).count(day) for day in set(lines)]
    assert sorted(loads) == [6, 7, 7]


def test_a_day_that_is_past_is_put_on_today_and_the_days_after(room):
    today = MONDAY.date()
    found = [Move(pk, today + 9 * DAY, today - pk * DAY) for pk in range(1, 6)]
    assert sorted(staged(found, today, 2).values()) == [today + ahead * DAY for ahead in (0, 0, 1, 1, 2)]


def test_the_same_request_again_moves_nothing_twice(room, offered, studied):
    again = {"now": MONDAY + DAY, "client_id": room.new_id(), "reschedule": True, "per_day": 7}
    first, second = adopt(room.learner, 1, **again), adopt(room.learner, 1, **again)
    assert (first.moved, second.moved) == (20, 0)
    assert Review.objects.filter(kind="set_due").count() == 20


def test_an_undo_that_comes_twice_goes_back_once(room, offered, studied):
    adopt(room.learner, 1, now=MONDAY + DAY, client_id=room.new_id())
    for _ in range(2):
        undone = undo_adoption(room.learner, 1, now=MONDAY + DAY, client_id=room.new_id())
        assert (undone.version, undone.moved) == (0, 0)


def test_a_fit_made_under_other_steps_keeps_those_in_force(room, offered):
    edited = change_schedule(room.learner, {"learning_steps": [300]}, MONDAY)
    adopted = adopt(room.learner, 1, now=MONDAY, client_id=room.new_id())
    row = Parameters.objects.get(learner=room.learner, version=adopted.version)
    assert (row.learning_steps, row.numbers, row.based_on) == ([300], list(STRONGER), edited.version)


def test_a_fit_under_other_steps_that_comes_twice_makes_one_version_and_moves_once(room, offered, studied):
    change_schedule(room.learner, {"learning_steps": [60]}, MONDAY)
    request = {"now": MONDAY + DAY, "client_id": room.new_id(), "reschedule": True}
    assert adopt(room.learner, 1, **request).moved == 20
    due = dues(room)
    again = adopt(room.learner, 1, **request)
    assert (again.version, again.moved, dues(room)) == (3, 0, due)
    assert Parameters.objects.count() == 3
    assert undo_adoption(room.learner, 3, now=MONDAY + DAY, client_id=room.new_id()).version == 2


def test_a_version_that_is_not_there_is_refused_and_changes_nothing(room, offered, other_room):
    for version in (2, 10**30):
        with pytest.raises(CannotAdopt, match=f"no version {version} "):
            adopt(room.learner, version, now=MONDAY, client_id=room.new_id())
    with pytest.raises(CannotAdopt, match="no version 1 "):
        adopt(other_room.learner, 1, now=MONDAY, client_id=room.new_id())
    with pytest.raises(CannotAdopt, match="nothing to go back to"):
        undo_adoption(room.learner, 0, now=MONDAY, client_id=room.new_id())
    with pytest.raises(UnknownVersion):
        difference(room.learner, 7, MONDAY)
    room.learner.refresh_from_db()
    assert room.learner.parameters_version == 0
