"""An answer is graded once and kept; what cannot be read or kept leaves no row."""

import uuid
from datetime import UTC, datetime

import pytest

from cards.grading import Unreadable
from studyhub.study.models import Attempt, Memory, Review
from studyhub.study.reviews import (
    AttemptSubmission,
    IdempotencyConflict,
    InvalidSubmission,
    record_attempt,
    suggestion_of,
)

MONDAY = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


def test_right_answer_is_kept_with_its_grade(room, card):
    attempt = room.answer(card, "4 * 3", elapsed_ms=8000)
    attempt.refresh_from_db()
    assert (attempt.outcome, attempt.score, attempt.elapsed_ms) == ("correct", 1.0, 8000)
    assert attempt.grade["key_text"] == "12"
    assert suggestion_of(attempt).name == "good"


def test_wrong_answer_suggests_again(room, card):
    assert suggestion_of(room.answer(card, "10")).name == "again"


def test_reveal_is_undecided_and_the_learner_rates(room, new_card, topic):
    attempt = room.answer(new_card("aloud", topic, answer_type="reveal"), response={"revealed": True})
    assert (attempt.outcome, suggestion_of(attempt).reason) == ("undecided", "Rate it yourself")


@pytest.mark.parametrize("text", ["twelve or so", "", "12x"])
def test_unreadable_answer_leaves_no_row(room, card, text):
    with pytest.raises(Unreadable):
        room.answer(card, text)
    assert (Attempt.objects.count(), Review.objects.count(), Memory.objects.count()) == (0, 0, 0)


@pytest.mark.parametrize(
    "response",
    [
        {"text": "12\x00"},
        {"text": "12", "cells": {"\x00": "1"}},
        {"text": "\ud800"},
        {"text": "12", "x": float("nan")},
        {"text": "12", "x": object},
    ],
    ids=["NUL", "NUL key", "lone surrogate", "NaN", "no JSON"],
)
def test_what_the_database_could_not_hold_is_refused_before_it(room, card, response):
    with pytest.raises((InvalidSubmission, Unreadable)):
        room.answer(card, response={**response, "x": response.get("x", 0)} if "x" in response else response)
    assert Attempt.objects.count() == 0


def test_a_written_backslash_u0000_is_no_nul(room, card):
    assert room.answer(card, response={"text": "12", "cells": {"a": "\\u0000"}}).outcome == "correct"


def test_deeply_nested_response_is_refused(room, card):
    deep: list = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(InvalidSubmission):
        room.answer(card, response={"text": "12", "cells": deep})


@pytest.mark.parametrize("seed", [-1, 2**63])
def test_seed_beyond_a_row_is_refused_with_the_bounds(room, card, seed):
    with pytest.raises(InvalidSubmission, match="variant_seed"):
        room.answer(card, variant_seed=seed)


def test_a_thought_is_timed_from_zero_to_two_minutes_for_a_longer_one_was_a_break(room, card):
    assert room.answer(card, elapsed_ms=-5).elapsed_ms == 0
    assert room.answer(card, elapsed_ms=10**12).elapsed_ms == 120_000


def test_same_id_same_body_answers_with_the_stored_attempt(room, card):
    submission = AttemptSubmission(uuid.uuid4(), card.published_version, response={"text": "10"})
    first, created = record_attempt(room.learner, submission, now=MONDAY)
    second, again = record_attempt(room.learner, submission, now=MONDAY)
    assert (created, again, second.pk) == (True, False, first.pk)
    assert Attempt.objects.count() == 1


def test_same_id_with_another_body_is_a_conflict_and_the_first_stands(room, card):
    client_id = uuid.uuid4()
    room.answer(card, "10", client_id=client_id)
    with pytest.raises(IdempotencyConflict, match=str(client_id)):
        room.answer(card, "12", client_id=client_id)
    assert [attempt.outcome for attempt in Attempt.objects.all()] == ["incorrect"]


def test_two_learners_may_use_the_same_id(room, other_room, card):
    client_id = uuid.uuid4()
    attempts = [one.answer(card, client_id=client_id) for one in (room, other_room)]
    assert [attempt.learner for attempt in attempts] == [room.learner, other_room.learner]
