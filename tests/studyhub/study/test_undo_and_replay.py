"""State is a fold of the log: in any order of arrival, after undo, bit for bit."""

import itertools
import random
import uuid
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from django.contrib.auth import get_user_model
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from studyhub.study.models import Memory, Review, learner_of
from studyhub.study.replay import fold, memory_value
from studyhub.study.reviews import (
    IdempotencyConflict,
    InvalidSubmission,
    ReviewSubmission,
    Said,
    VoidRefused,
    recent_lines,
    record_event,
    record_review,
    void_review,
)
from studyhub.study.scheduling import MemoryState

MONDAY = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
Kind = Review.Kind
NAMES = itertools.count(1)


def learner_named_by_chance():
    learner = learner_of(get_user_model().objects.create(username=f"learner {next(NAMES)}"))
    learner.time_zone = "Europe/Berlin"
    learner.save()
    return learner


def upload(learner, card, events):
    """Sends offline reviews [(client id, rating, minutes after Monday, device sequence)] in this order."""
    for client_id, rating, minutes, sequence in events:
        submission = ReviewSubmission(
            client_id=client_id, rating=rating, answered_at=MONDAY + timedelta(minutes=minutes),
            device_sequence=sequence, version=card.published_version, response={"text": "12"},
        )  # fmt: skip
        record_review(learner, submission, now=MONDAY + timedelta(days=400))


def remembered(learner, card) -> tuple[MemoryState, uuid.UUID | None]:
    row = Memory.objects.select_related("as_of").get(learner=learner, card=card)
    return memory_value(row), row.as_of.client_id if row.as_of else None


EVENTS = st.lists(
    st.tuples(st.uuids(), st.integers(1, 4), st.integers(0, 400_000) | st.integers(0, 20), st.integers(0, 3)),
    min_size=1,
    max_size=7,
    unique_by=lambda event: event[0],
)
FEW = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@given(events=EVENTS, seed=st.integers(0, 1000))
@FEW
def test_any_permutation_of_uploads_gives_equal_memory(card, events, seed):
    shuffled = random.Random(seed).sample(events, len(events))
    here, there = learner_named_by_chance(), learner_named_by_chance()
    upload(here, card, sorted(events, key=lambda e: (e[2], e[3], e[0])))
    upload(there, card, shuffled)
    assert remembered(here, card) == remembered(there, card)


@given(events=EVENTS)
@FEW
def test_memory_kept_step_by_step_equals_the_fold_of_the_log(card, events):
    learner = learner_named_by_chance()
    upload(learner, card, events)
    memory, last = fold(Review.objects.filter(learner=learner), str(card.uuid))
    assert remembered(learner, card) == (memory, last.client_id)


@given(events=EVENTS, data=st.data())
@FEW
def test_undo_of_any_review_leaves_what_would_be_without_it(card, events, data):
    undone = data.draw(st.sampled_from(events))
    with_it, without_it = learner_named_by_chance(), learner_named_by_chance()
    upload(with_it, card, events)
    review = Review.objects.get(learner=with_it, client_id=undone[0])
    void_review(with_it, review, client_id=uuid.uuid4(), now=MONDAY + timedelta(days=400))
    upload(without_it, card, [event for event in events if event != undone])
    alone = len(events) == 1
    assert remembered(with_it, card) == ((MemoryState(), None) if alone else remembered(without_it, card))


def test_undo_restores_the_memory_bit_for_bit(room, card):
    room.graduate(card)
    before = room.memory(card)
    later = MONDAY + timedelta(days=4)
    void = room.undo(room.study(card, 1, at=later), now=later)
    assert room.memory(card) == before
    assert void.outcome["due"] == before.due.isoformat()


def test_undo_of_the_first_review_leaves_a_new_card(room, card):
    room.undo(room.study(card))
    assert room.memory(card) == MemoryState()


def test_undo_appends_and_deletes_nothing(room, card):
    review = room.study(card)
    void = room.undo(review)
    assert list(Review.objects.order_by("pk")) == [review, void]
    assert (void.kind, void.voids, void.rating) == ("void", review, 0)


def test_undoing_twice_with_one_id_is_one_void(room, card):
    review, client_id = room.study(card), uuid.uuid4()
    first, created = void_review(room.learner, review, client_id=client_id, now=MONDAY)
    second, again = void_review(room.learner, review, client_id=client_id, now=MONDAY)
    assert (created, again, first) == (True, False, second)


def test_undoing_twice_with_two_ids_is_one_void(room, card):
    review = room.study(card)
    first = room.undo(review)
    assert room.undo(review) == first
    assert Review.objects.filter(kind="void").count() == 1


def test_one_id_cannot_undo_two_reviews(room, card):
    reviews, client_id = [room.study(card), room.study(card)], uuid.uuid4()
    void_review(room.learner, reviews[0], client_id=client_id, now=MONDAY)
    with pytest.raises(IdempotencyConflict):
        void_review(room.learner, reviews[1], client_id=client_id, now=MONDAY)


def test_an_undo_cannot_be_undone(room, card):
    void = room.undo(room.study(card))
    with pytest.raises(VoidRefused, match="rate the card again"):
        room.undo(void)


def test_another_learners_review_cannot_be_undone(room, other_room, card):
    review = room.study(card)
    with pytest.raises(VoidRefused, match="not yours"):
        other_room.undo(review)
    assert room.memory(card).reps == 1


def test_late_review_refolds_its_card_alone(room, new_card, topic):
    late, still = new_card("late", topic), new_card("still", topic)
    for one in (late, still):
        room.graduate(one)
    untouched = room.memory(still)
    room.rate(room.answer(late), 1, at=MONDAY - timedelta(days=3))
    assert room.memory(still) == untouched
    assert room.memory(late).reps == 3
    assert room.memory(late).last_review == MONDAY + timedelta(minutes=10)


def test_a_changed_rollover_and_retention_leave_what_was_scheduled_before(room, card):
    """A line carries the rules of its day, so a replay of old lines moves nothing."""
    room.graduate(card)
    before = room.memory(card)
    room.learner.rollover_hour, room.learner.desired_retention = 0, 0.8
    room.learner.time_zone = "Asia/Tokyo"
    room.learner.save()
    lines = Review.objects.filter(learner=room.learner, card=card)
    assert fold(lines, str(card.uuid))[0] == before


def event(room, card, kind, at=MONDAY, target_day=None):
    return record_event(room.learner, card, kind, client_id=room.new_id(), now=at, target_day=target_day)


def test_suspend_and_unsuspend_change_that_alone(room, card):
    room.graduate(card)
    before = room.memory(card)
    event(room, card, Kind.SUSPEND, MONDAY + timedelta(hours=1))
    assert room.memory(card) == replace(before, suspended=True)
    event(room, card, Kind.UNSUSPEND, MONDAY + timedelta(hours=2))
    assert room.memory(card) == before


def test_reset_forgets_the_card_and_can_be_undone(room, card):
    room.graduate(card)
    before = room.memory(card)
    reset, _ = event(room, card, Kind.RESET, MONDAY + timedelta(hours=1))
    assert room.memory(card) == MemoryState()
    room.undo(reset, now=MONDAY + timedelta(hours=2))
    assert room.memory(card) == before


def test_bury_hides_until_a_day_and_the_next_review_ends_it(room, card):
    room.graduate(card)
    event(room, card, Kind.BURY, MONDAY + timedelta(hours=1), date(2026, 12, 5))
    assert room.memory(card).buried_until == date(2026, 12, 5)
    room.study(card, at=MONDAY + timedelta(days=6))
    assert room.memory(card).buried_until is None


def test_set_due_moves_the_due_day_and_teaches_nothing(room, card):
    room.graduate(card)
    before = room.memory(card)
    event(room, card, Kind.SET_DUE, MONDAY + timedelta(hours=1), date(2026, 12, 10))
    after = room.memory(card)
    assert after.due == datetime(2026, 12, 10, 4, 0, tzinfo=UTC)
    assert after.interval_days == 10
    assert (after.stability, after.difficulty) == (before.stability, before.difficulty)


def test_set_due_leaves_a_new_card_new(room, card):
    event(room, card, Kind.SET_DUE, MONDAY, date(2026, 12, 10))
    assert room.memory(card) == MemoryState()


@pytest.mark.parametrize(
    ("kind", "day"),
    [(Kind.BURY, None), (Kind.SUSPEND, date(2026, 12, 1)), (Kind.REVIEW, None), (Kind.VOID, None)],
)
def test_events_that_make_no_sense_are_refused(room, card, kind, day):
    with pytest.raises(InvalidSubmission):
        event(room, card, kind, target_day=day)


def test_an_event_sent_twice_is_one_line(room, card):
    client_id = uuid.uuid4()
    lines = [
        record_event(room.learner, card, Kind.SUSPEND, client_id=client_id, now=MONDAY) for _ in range(2)
    ]
    assert [created for _, created in lines] == [True, False]
    with pytest.raises(IdempotencyConflict):
        record_event(room.learner, card, Kind.UNSUSPEND, client_id=client_id, now=MONDAY)


def test_a_line_of_any_kind_is_undone_and_leaves_what_would_be_without_it(room, card):
    room.graduate(card)
    before = room.memory(card)
    for kind, day in (
        (Kind.SUSPEND, None),
        (Kind.RESET, None),
        (Kind.BURY, date(2026, 12, 5)),
        (Kind.SET_DUE, date(2026, 12, 10)),
    ):
        line, _ = event(room, card, kind, MONDAY + timedelta(hours=1), day)
        assert room.memory(card) != before
        room.undo(line)
        assert room.memory(card) == before


def test_a_line_is_undone_for_a_day_after_its_receipt_however_old_the_answer(room, card):
    submission = ReviewSubmission(
        uuid.uuid4(), rating=1, answered_at=MONDAY, version=card.published_version, response={"text": "12"}
    )
    received = MONDAY + timedelta(days=9)
    review, _ = record_review(room.learner, submission, now=received)
    with pytest.raises(VoidRefused, match=r"came 24 hours ago.*reset the card"):
        room.undo(review, now=received + timedelta(hours=24, seconds=1))
    void = room.undo(review, now=received + timedelta(hours=24))
    assert void.kind == Kind.VOID
    again = room.undo(review, now=received + timedelta(days=30))
    assert again == void  # undoing twice changes nothing, however late


def test_what_can_be_undone_is_listed_last_first_for_a_day(room, card):
    review = room.study(card)
    line, _ = event(room, card, Kind.SUSPEND, MONDAY + timedelta(hours=1))
    room.undo(room.study(card, at=MONDAY + timedelta(hours=2)), now=MONDAY + timedelta(hours=2))
    assert recent_lines(room.learner, MONDAY + timedelta(hours=3)) == [line, review]
    assert recent_lines(room.learner, MONDAY + timedelta(hours=25)) == [line]


def test_an_event_of_a_device_that_was_away_takes_its_place_in_time(room, card):
    room.graduate(card)
    said = Said(MONDAY - timedelta(days=1), "Asia/Tokyo", "phone", 4)
    line, _ = record_event(
        room.learner, card, Kind.RESET, client_id=uuid.uuid4(), now=MONDAY + timedelta(days=1), said=said
    )
    assert room.memory(card).reps == 2  # the reset came before the answers
    assert (line.time_zone, line.device, line.device_sequence) == ("Asia/Tokyo", "phone", 4)


def test_an_event_by_a_clock_far_ahead_is_set_right_and_flagged(room, card):
    said = Said(MONDAY + timedelta(hours=1))
    line, _ = record_event(room.learner, card, Kind.SUSPEND, client_id=uuid.uuid4(), now=MONDAY, said=said)
    assert (line.answered_at, line.clock_adjusted) == (MONDAY, True)


def test_what_was_known_as_a_line_came_is_kept_with_it(room, card):
    first = room.study(card)
    room.study(card, at=MONDAY + timedelta(minutes=10))
    days = room.memory(card).interval_days
    tested = room.study(card, at=MONDAY + timedelta(days=days))
    same_day = room.study(card, at=MONDAY + timedelta(days=days, minutes=5))
    assert (first.state_before, first.interval_before, first.recall_before) == ("new", 0, 0)
    assert (tested.state_before, tested.interval_before) == ("review", days)
    assert 850 <= tested.recall_before <= 950  # promised about 90 %
    assert same_day.recall_before == 0  # within a day there is no promise
