"""A rating is a line of the ledger; the same id again says the same; undo appends."""

import uuid
from datetime import UTC, datetime

import pytest

from studyhub.study.models import Attempt, Learner, Memory, Review


@pytest.fixture
def answered(learner_api, shelf) -> str:
    """The id of a stored attempt."""
    body = shelf.attempt("heads")
    assert learner_api.post("attempts", body).status_code == 201
    return body["id"]


def test_a_review_of_an_attempt_says_when_the_card_comes_back(learner_api, shelf, answered):
    response = learner_api.post("reviews", body := shelf.review(attempt=answered, rating="again"))
    outcome = response.json()
    assert response.status_code == 201
    assert set(outcome) == {"review", "grade", "due", "state", "intervals"}
    assert outcome["review"] == body["id"]
    assert outcome["state"] == "learning"
    assert datetime.fromisoformat(outcome["due"]) == Memory.objects.get().due
    assert outcome["grade"]["outcome"] == "incorrect"


def test_the_same_review_again_is_200_with_the_stored_outcome(learner_api, shelf, answered):
    body = shelf.review(attempt=answered)
    first, second = learner_api.post("reviews", body), learner_api.post("reviews", body)
    assert (first.status_code, second.status_code) == (201, 200)
    assert first.json() == second.json()
    assert Review.objects.count() == 1


def test_the_same_id_with_another_rating_is_a_conflict(learner_api, shelf, answered, problem):
    body = shelf.review(attempt=answered)
    learner_api.post("reviews", body)
    assert problem(learner_api.post("reviews", body | {"rating": "easy"}), 422)[0] == "idempotency-conflict"


def test_an_attempt_is_rated_once(learner_api, shelf, answered, problem):
    learner_api.post("reviews", shelf.review(attempt=answered))
    name, errors = problem(learner_api.post("reviews", shelf.review(attempt=answered)), 422)
    assert (name, set(errors)) == ("idempotency-conflict", {"attempt"})


def test_a_review_made_offline_brings_its_answer(learner_api, shelf):
    card = {"card": str(shelf.cards["heads"].uuid), "card_version": 1, "response": {"text": "12"}}
    body = shelf.review(**card)
    response = learner_api.post("reviews", body)
    assert response.status_code == 201
    assert response.json()["grade"]["outcome"] == "correct"
    assert Attempt.objects.count() == Review.objects.count() == 1
    assert learner_api.post("reviews", body).status_code == 200
    assert Attempt.objects.count() == 1


def test_an_attempt_that_took_the_id_of_the_answer_brought_is_a_conflict(learner_api, shelf, problem):
    card = {"card": str(shelf.cards["heads"].uuid), "card_version": 1, "response": {"text": "12"}}
    body = shelf.review(**card)
    taken = str(uuid.uuid5(uuid.UUID(body["id"]), "attempt"))
    assert learner_api.post("attempts", shelf.attempt("heads", id=taken)).status_code == 201
    name, errors = problem(learner_api.post("reviews", body), 422)
    assert (name, set(errors)) == ("idempotency-conflict", {"id"})
    assert not Review.objects.exists()


def test_an_unreadable_offline_answer_stores_neither_attempt_nor_review(learner_api, shelf, problem):
    card = {"card": str(shelf.cards["heads"].uuid), "card_version": 1, "response": {"text": "?"}}
    assert problem(learner_api.post("reviews", shelf.review(**card)), 422)[0] == "unreadable-answer"
    assert not Attempt.objects.exists()
    assert not Review.objects.exists()


def test_an_attempt_and_an_answer_together_are_refused(learner_api, shelf, answered, problem):
    both = shelf.review(attempt=answered, card=str(shelf.cards["heads"].uuid))
    assert set(problem(learner_api.post("reviews", both), 422)[1]) == {"card"}


def test_neither_attempt_nor_answer_is_refused_naming_what_is_missing(learner_api, shelf, problem):
    assert set(problem(learner_api.post("reviews", shelf.review()), 422)[1]) == {
        "card",
        "card_version",
        "response",
    }


def test_anothers_attempt_is_as_good_as_missing(shelf, answered, as_user, cy, problem):
    stranger = as_user(cy)
    foreign = stranger.post("reviews", shelf.review(attempt=answered))
    missing = stranger.post("reviews", shelf.review(attempt=str(uuid.uuid4())))
    assert problem(foreign, 404)[0] == problem(missing, 404)[0] == "not-found"
    assert not Review.objects.exists()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("rating", "perfect"),
        ("rating", 3),
        ("answered_at", "2026-11-30T09:15:00"),
        ("answered_at", "yesterday"),
        ("answered_at", "1969-01-01T00:00:00Z"),
        ("answered_at", "9999-12-31T23:59:59-14:00"),
        ("answered_at", "2026-02-30T00:00:00Z"),
        ("time_zone", "Mars/Olympus"),
        ("time_zone", "../../etc/passwd"),
        ("device", "x" * 65),
        ("device_sequence", -1),
        ("elapsed_ms", 2**31),
        ("id", "17"),
    ],
)
def test_a_field_out_of_bounds_is_named(learner_api, shelf, answered, problem, field, value):
    name, errors = problem(learner_api.post("reviews", shelf.review(attempt=answered) | {field: value}), 422)
    assert (name, set(errors)) == ("invalid-request", {field})


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Pago_Pago", "Asia/Kathmandu", "UTC"])
def test_what_the_queue_and_the_answer_offer_is_what_the_review_gives(learner_api, shelf, zone):
    body = shelf.attempt("heads", response={"text": "12"}, time_zone=zone)
    [asked] = [
        i for i in learner_api.get(f"study/queue?time_zone={zone}").json() if i["card"] == body["card"]
    ]
    answer = learner_api.post("attempts", body).json()
    offered, draw = answer["intervals"], answer["draw"]
    now = datetime.now(UTC).isoformat(timespec="microseconds")
    sent = shelf.review(attempt=body["id"], answered_at=now, time_zone=zone, draw=draw)
    given = learner_api.post("reviews", sent)
    assert given.json()["intervals"] == offered == asked["intervals"]
    assert Learner.objects.get().time_zone == zone


def test_reading_the_queue_moves_nobody(learner_api):
    learner_api.get("study/queue?time_zone=Asia/Tokyo")
    assert Learner.objects.get().time_zone == "UTC"


def test_a_clock_far_ahead_is_set_right_and_flagged(learner_api, shelf, answered):
    body = shelf.review(attempt=answered, answered_at="2099-01-01T00:00:00Z")
    assert learner_api.post("reviews", body).status_code == 201
    assert Review.objects.get().clock_adjusted


def test_a_void_takes_the_review_back_and_the_card_is_new_again(learner_api, shelf, answered):
    review = shelf.review(attempt=answered)
    learner_api.post("reviews", review)
    void = {"id": str(uuid.uuid4())}
    first = learner_api.post(f"reviews/{review['id']}/void", void)
    second = learner_api.post(f"reviews/{review['id']}/void", void)
    assert (first.status_code, second.status_code) == (201, 200)
    assert first.json() == second.json()
    assert first.json() | {"intervals": {}} == {
        "review": review["id"],
        "due": None,
        "state": "new",
        "intervals": {},
    }
    assert Review.objects.count() == 2


def test_anothers_review_cannot_be_voided_nor_told_from_a_missing_one(
    learner_api, shelf, answered, as_user, cy, problem
):
    review = shelf.review(attempt=answered)
    learner_api.post("reviews", review)
    stranger = as_user(cy)
    for review_id in (review["id"], str(uuid.uuid4()), "no-uuid"):
        response = stranger.post(f"reviews/{review_id}/void", {"id": str(uuid.uuid4())})
        assert problem(response, 404) == ("not-found", {"review_id": "no such review"})
    assert Review.objects.count() == 1


def test_the_id_of_the_review_itself_cannot_void_it(learner_api, shelf, answered, problem):
    review = shelf.review(attempt=answered)
    learner_api.post("reviews", review)
    response = learner_api.post(f"reviews/{review['id']}/void", {"id": review["id"]})
    assert problem(response, 422)[0] == "idempotency-conflict"


def test_a_review_takes_few_queries_and_no_other_service(
    learner_api, shelf, answered, django_assert_max_num_queries, monkeypatch
):
    import socket

    def refuse(*args, **kwargs):
        raise AssertionError("the accept path opened a socket")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    with django_assert_max_num_queries(18):  # one moves the learner to Berlin, two keep the day's sums
        assert learner_api.post("reviews", shelf.review(attempt=answered)).status_code == 201
