"""A rating is a line of the ledger: once per id, graded never again, its memory saved with it."""

import uuid
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from cards.grading import Unreadable
from studyhub.study import reviews as reviews_module
from studyhub.study.asking.offering import offer_of
from studyhub.study.models import Attempt, Memory, Review
from studyhub.study.reviews import (
    AlreadyRated,
    IdempotencyConflict,
    InvalidSubmission,
    ReviewSubmission,
    record_review,
)

MONDAY = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


@pytest.fixture
def offline(card):
    """A review that carries its answer."""
    return ReviewSubmission(
        client_id=uuid.uuid4(), rating=3, answered_at=MONDAY, time_zone="Europe/Berlin", device="phone",
        device_sequence=7, elapsed_ms=9000, version=card.published_version, response={"text": "12"},
    )  # fmt: skip


def test_review_saves_the_line_and_the_memory_together(room, card):
    review = room.study(card)
    memory = Memory.objects.get()
    assert (memory.state, memory.reps, memory.as_of) == ("learning", 1, review)
    assert memory.due == MONDAY + timedelta(minutes=10)
    review.refresh_from_db()
    assert review.outcome["due"] == memory.due.isoformat()
    offered = review.outcome["intervals"]
    assert (offered["again"], offered["hard"], offered["good"]) == (60, 330, 600)
    assert 6 * 86400 <= offered["easy"] <= 10 * 86400
    assert review.outcome["grade"]["outcome"] == "correct"
    assert (review.rating, review.suggested_rating, review.outcome["reason"]) == (
        3,
        3,
        "Suggested: Good, right",
    )


def test_button_shows_the_interval_it_gives(room, card):
    room.graduate(card)
    later = MONDAY + timedelta(days=3)
    for rating, name in ((1, "again"), (2, "hard"), (3, "good"), (4, "easy")):
        offer = offer_of(room.learner, card, later)
        shown = offer.intervals[name]
        review = room.rate(room.answer(card, now=later), rating, at=later, draw=offer.draw)
        assert review.outcome["interval_seconds"] == shown == review.outcome["intervals"][name]
        room.undo(review)


def test_review_never_grades_a_second_time(room, card, monkeypatch):
    attempt = room.answer(card, "10")
    monkeypatch.setattr(reviews_module, "grade", lambda *_: pytest.fail("graded again"))
    assert room.rate(attempt, 1).outcome["grade"]["outcome"] == "incorrect"


def test_review_without_an_attempt_makes_it(room, card, offline):
    review, created = record_review(room.learner, offline, now=MONDAY)
    attempt = Attempt.objects.get()
    assert created
    assert review.attempt == attempt
    assert attempt.client_id == uuid.uuid5(offline.client_id, "attempt")
    assert (attempt.outcome, review.elapsed_ms, review.time_zone) == ("correct", 9000, "Europe/Berlin")


@pytest.mark.parametrize("text", ["12", "10"], ids=["the same answer", "another"])
def test_an_attempt_that_has_the_id_of_the_answer_brought_is_a_conflict(room, card, offline, text):
    room.answer(card, text, client_id=uuid.uuid5(offline.client_id, "attempt"))
    with pytest.raises(IdempotencyConflict, match="with a new id"):
        record_review(room.learner, offline, now=MONDAY)
    assert (Attempt.objects.count(), Review.objects.count()) == (1, 0)


def test_unreadable_offline_answer_leaves_no_row(room, offline):
    with pytest.raises(Unreadable):
        record_review(room.learner, replace(offline, response={"text": "12 or so"}), now=MONDAY)
    assert (Attempt.objects.count(), Review.objects.count(), Memory.objects.count()) == (0, 0, 0)


def test_same_id_same_body_answers_with_the_stored_outcome(room, card, offline):
    first, _ = record_review(room.learner, offline, now=MONDAY)
    room.study(card, 1, at=MONDAY + timedelta(minutes=5))
    second, created = record_review(room.learner, offline, now=MONDAY + timedelta(hours=1))
    assert not created
    assert second.outcome == first.outcome
    assert (Review.objects.count(), Memory.objects.get().reps) == (2, 2)


@pytest.mark.parametrize(
    "change",
    [
        {"rating": 4},
        {"answered_at": MONDAY + timedelta(seconds=1)},
        {"time_zone": "UTC"},
        {"device": "tablet"},
        {"device_sequence": 8},
        {"elapsed_ms": 1},
        {"variant_seed": 1},
        {"response": {"text": "10"}},
    ],
    ids=lambda change: next(iter(change)),
)
def test_same_id_with_another_body_is_a_conflict(room, offline, change):
    record_review(room.learner, offline, now=MONDAY)
    with pytest.raises(IdempotencyConflict):
        record_review(room.learner, replace(offline, **change), now=MONDAY)
    assert (Review.objects.count(), Attempt.objects.count()) == (1, 1)


def test_a_body_given_decides_alone_so_two_clicks_are_one_review(room, card):
    attempt, client_id = room.answer(card), uuid.uuid4()
    body = {"attempt": str(attempt.client_id), "rating": "good"}
    first = room.rate(attempt, client_id=client_id, body=body)
    second = room.rate(attempt, client_id=client_id, body=body, at=MONDAY + timedelta(seconds=1))
    assert first == second
    with pytest.raises(IdempotencyConflict):
        room.rate(attempt, 1, client_id=client_id, body=body | {"rating": "again"})


def test_an_attempt_is_rated_once_until_that_is_undone(room, card):
    attempt = room.answer(card)
    review = room.rate(attempt, 3)
    with pytest.raises(AlreadyRated, match=r"rated good.*undo that review"):
        room.rate(attempt, 4)
    room.undo(review)
    assert room.rate(attempt, 4).rating == 4


def test_another_learners_attempt_cannot_be_rated(room, other_room, card):
    attempt = room.answer(card)
    with pytest.raises(InvalidSubmission, match="not yours"):
        other_room.rate(attempt)


def test_clock_ahead_by_more_than_five_minutes_is_replaced_and_flagged(room, card):
    attempt = room.answer(card)
    ahead = ReviewSubmission(
        uuid.uuid4(), rating=3, answered_at=MONDAY + timedelta(minutes=5, seconds=1), attempt=attempt
    )
    review, _ = record_review(room.learner, ahead, now=MONDAY)
    assert (review.answered_at, review.clock_adjusted) == (MONDAY, True)


def test_clock_ahead_by_five_minutes_is_kept(room, card):
    near = MONDAY + timedelta(minutes=5)
    submission = ReviewSubmission(uuid.uuid4(), rating=3, answered_at=near, attempt=room.answer(card))
    review, _ = record_review(room.learner, submission, now=MONDAY)
    assert (review.answered_at, review.clock_adjusted) == (near, False)


def test_study_day_is_decided_by_the_zone_of_the_device(room, card):
    night = datetime(2026, 11, 30, 2, 0, tzinfo=UTC)
    berlin = room.rate(room.answer(card), at=night, time_zone="Europe/Berlin")
    tokyo = room.rate(room.answer(card), at=night, time_zone="Asia/Tokyo")
    assert (str(berlin.study_day), str(tokyo.study_day)) == ("2026-11-29", "2026-11-30")


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"rating": 0}, "rating"),
        ({"rating": 5}, "rating"),
        ({"answered_at": datetime(2026, 1, 1)}, "answered_at"),
        ({"answered_at": datetime(1, 1, 1, tzinfo=UTC)}, "answered_at"),
        ({"time_zone": "Mars/Olympus"}, "time_zone"),
        ({"device": "x" * 65}, "device"),
        ({"device": "x\x00"}, "device"),
        ({"device_sequence": 2**63}, "device_sequence"),
        ({"variant_seed": -1}, "variant_seed"),
        ({"version": None}, "attempt"),
    ],
)
def test_what_no_ledger_can_hold_is_refused_by_field(room, offline, change, field):
    with pytest.raises(InvalidSubmission) as refusal:
        record_review(room.learner, replace(offline, **change), now=MONDAY)
    assert refusal.value.field == field
    assert (Review.objects.count(), Attempt.objects.count()) == (0, 0)


def test_a_failure_after_the_insert_takes_the_line_back(room, card, monkeypatch):
    attempt = room.answer(card)

    def full_disk(*_, **__):
        raise OSError("disk full")

    monkeypatch.setattr("studyhub.study.desk.save_memories", full_disk)
    with pytest.raises(OSError, match="disk full"):
        room.rate(attempt)
    assert (Review.objects.count(), Memory.objects.count()) == (0, 0)
