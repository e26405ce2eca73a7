"""An answer that waits for its verdict is settled once, whoever comes first."""

from datetime import timedelta

import pytest

from cards.grading import Grade, Unreadable
from cards.models import CardVersion
from studyhub.study.models import Attempt
from studyhub.study.reviews import InvalidSubmission
from studyhub.study.settling import is_pending, settle, settle_by_ticks
from tests.studyhub.study.conftest import MONDAY

POINTS = {"points": [{"id": "one", "text": "One.", "weight": 4}, {"id": "two", "text": "Two."}]}
RIGHT, WRONG = Grade("correct", 1.0, title="right"), Grade("incorrect", 0.0, mistake="slip", title="wrong")


@pytest.fixture
def waiting(room, new_card, topic) -> Attempt:
    """A written answer that is still to be ticked."""
    card = new_card("written", topic)
    CardVersion.objects.filter(card=card).update(answer_type="rubric", answer=POINTS)
    card.refresh_from_db()
    return room.answer(card, response={"text": "One and two."}, elapsed_ms=5000)


def test_a_verdict_takes_the_place_of_the_wait(waiting):
    assert is_pending(waiting)
    settled, first = settle(waiting, WRONG, MONDAY + timedelta(minutes=1))
    assert first
    assert (settled.outcome, settled.score, settled.grade["mistake"]) == ("incorrect", 0.0, "slip")
    assert settled.settled_at == MONDAY + timedelta(minutes=1)
    assert (settled.suggested_rating, settled.reason) == (1, "Suggested: Again, a miss")
    assert not is_pending(Attempt.objects.get())


def test_the_first_verdict_counts(waiting):
    settle(waiting, RIGHT, MONDAY)
    settled, first = settle(waiting, WRONG, MONDAY)
    assert not first
    assert (settled.outcome, Attempt.objects.get().outcome) == ("correct", "correct")


def test_a_verdict_that_still_waits_settles_nothing(waiting):
    still = Grade("undecided", 0.0, pending="worker")
    assert settle(waiting, still, MONDAY)[1] is False
    assert is_pending(Attempt.objects.get())


def test_an_undecided_verdict_ends_the_wait(waiting):
    settled, first = settle(waiting, Grade("undecided", 0.0, title="no worker"), MONDAY)
    assert first
    assert not is_pending(settled)
    assert settled.reason == "Rate it yourself"


def test_an_answer_that_never_waited_is_left_alone(room, card):
    attempt = room.answer(card, "10")
    assert settle(attempt, RIGHT, MONDAY)[1] is False
    assert Attempt.objects.get().outcome == "incorrect"


def test_a_rating_given_meanwhile_stays_as_it_was(room, waiting):
    review = room.rate(waiting, 3)
    settle(waiting, WRONG, MONDAY)
    review.refresh_from_db()
    assert (review.rating, review.suggested_rating) == (3, 0)
    assert room.memory(waiting.card_version.card).reps == 1


def test_the_suggestion_looks_at_what_was_known_when_the_answer_was_given(room, waiting):
    missed = room.answer(waiting.card_version.card, response={"text": "?"}, now=MONDAY + timedelta(minutes=1))
    settle(missed, WRONG, MONDAY)
    settled, _ = settle(waiting, RIGHT, MONDAY + timedelta(minutes=5))
    assert settled.reason == "Suggested: Good, right"


def test_ticks_settle_by_their_weights(waiting):
    settled, _ = settle_by_ticks(waiting, ["one"], MONDAY)
    assert (settled.outcome, settled.score) == ("partial", 0.8)
    assert settled.reason == "Suggested: Hard, 80 of 100 right"
    assert settle_by_ticks(settled, ["one", "two"], MONDAY) == (settled, False)


def test_ticks_of_nothing_and_of_an_answer_without_points_are_refused(room, card, waiting):
    with pytest.raises(Unreadable):
        settle_by_ticks(waiting, [], MONDAY)
    with pytest.raises(InvalidSubmission, match="no points"):
        settle_by_ticks(room.answer(card, "10"), ["one"], MONDAY)


def test_a_rating_sees_a_verdict_that_came_since_the_answer_was_read(room, waiting):
    settle(Attempt.objects.get(), WRONG, MONDAY)
    assert is_pending(waiting)  # as it was read before
    review = room.rate(waiting, 3)
    assert (review.suggested_rating, review.outcome["grade"]["outcome"]) == (1, "incorrect")
