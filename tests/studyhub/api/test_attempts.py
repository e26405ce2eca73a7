"""An answer is stored once and graded once; what cannot be read leaves nothing behind."""

import uuid

import pytest

from studyhub.study.models import Attempt


def test_a_wrong_answer_comes_back_with_its_reason_and_the_buttons(learner_api, shelf):
    response = learner_api.post("attempts", body := shelf.attempt("heads", response={"text": "10"}))
    answer = response.json()
    assert response.status_code == 201
    assert set(answer) == {"id", "grade", "suggested_rating", "reason", "draw", "intervals"}
    assert answer["id"] == body["id"]
    assert answer["grade"]["outcome"] == "incorrect"
    assert "768 = 10" in answer["grade"]["feedback_html"] + str(answer["grade"]["facts"])
    assert answer["suggested_rating"] == "again"
    assert set(answer["intervals"]) == {"again", "hard", "good", "easy"}
    assert all(isinstance(seconds, int) and seconds > 0 for seconds in answer["intervals"].values())


def test_the_grade_has_exactly_the_members_of_the_contract_and_our_title(learner_api, shelf):
    grade = learner_api.post("attempts", shelf.attempt("heads", response={"text": "12"})).json()["grade"]
    assert set(grade) == {
        *("outcome", "score", "mistake", "title", "feedback_html"),
        *("read_as", "read_as_mathml", "place", "notes", "parts", "pending"),
        *("key_text", "facts", "pictures"),
    }
    assert (grade["outcome"], grade["score"], grade["mistake"]) == ("correct", 1.0, "")


def test_the_learners_own_picture_is_named_but_not_drawn(learner_api, shelf):
    grade = learner_api.post("attempts", shelf.attempt("heads", response={"text": "10"})).json()["grade"]
    yours = next(picture for picture in grade["pictures"] if picture["role"] == "yours")
    assert yours["kind"] == "answer_executed"
    assert yours["parameters"]["num_heads"] == 10


@pytest.mark.parametrize(
    ("name", "response", "outcome", "mistake"),
    [
        ("heads", {"text": "64"}, "incorrect", "width_for_heads"),
        ("shelf", {"choices": ["whole"]}, "correct", ""),
        ("shelf", {"choices": ["part"]}, "incorrect", "owns_a_part"),
        ("steps", {"order": ["project", "view", "transpose"]}, "correct", ""),
        ("aloud", {"revealed": True}, "undecided", ""),
    ],
)
def test_every_answer_type_reads_its_own_part_of_the_response(
    learner_api, shelf, name, response, outcome, mistake
):
    grade = learner_api.post("attempts", shelf.attempt(name, response=response)).json()["grade"]
    assert (grade["outcome"], grade["mistake"]) == (outcome, mistake)


def test_the_same_id_again_is_200_with_the_stored_outcome(learner_api, shelf):
    body = shelf.attempt("heads")
    first, second = learner_api.post("attempts", body), learner_api.post("attempts", body)
    assert (first.status_code, second.status_code) == (201, 200)
    assert first.json() == second.json()
    assert Attempt.objects.count() == 1


def test_the_same_id_with_another_body_is_a_conflict_and_the_first_stands(learner_api, shelf, problem):
    body = shelf.attempt("heads")
    learner_api.post("attempts", body)
    name, errors = problem(learner_api.post("attempts", body | {"response": {"text": "12"}}), 422)
    assert name == "idempotency-conflict"
    assert set(errors) == {"id"}
    assert Attempt.objects.get().response == {"text": "10"}


def test_two_learners_may_happen_on_the_same_id(learner_api, shelf, as_user, cy):
    body = shelf.attempt("heads")
    assert learner_api.post("attempts", body).status_code == 201
    assert as_user(cy).post("attempts", body).status_code == 201


def test_an_unreadable_answer_is_422_with_its_offset_and_stores_nothing(learner_api, shelf):
    response = learner_api.post("attempts", shelf.attempt("heads", response={"text": "12 twelve heads?"}))
    body = response.json()
    assert (response.status_code, body["type"]) == (422, "/problems/unreadable-answer")
    [error] = body["errors"]
    assert error["field"] == "response.text"
    assert 0 <= error["offset"] <= len("12 twelve heads?")
    assert not Attempt.objects.exists()


def test_the_id_of_an_unreadable_answer_is_free_for_the_mended_one(learner_api, shelf):
    body = shelf.attempt("heads", response={"text": "?"})
    assert learner_api.post("attempts", body).status_code == 422
    assert learner_api.post("attempts", body | {"response": {"text": "12"}}).status_code == 201


def test_an_unknown_member_is_named(learner_api, shelf, problem):
    name, errors = problem(learner_api.post("attempts", shelf.attempt("heads", rating="good")), 422)
    assert name == "invalid-request"
    assert set(errors) == {"rating"}
    nested = shelf.attempt("heads", response={"text": "1", "txt": "2"})
    assert set(problem(learner_api.post("attempts", nested), 422)[1]) == {"response.txt"}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"card": str(uuid.uuid4())}, "card"),
        ({"card_version": 2}, "card_version"),
    ],
)
def test_a_card_or_version_that_is_not_there_is_404(learner_api, shelf, problem, change, field):
    name, errors = problem(learner_api.post("attempts", shelf.attempt("heads") | change), 404)
    assert (name, set(errors)) == ("not-found", {field})


def test_a_draft_is_as_good_as_missing(learner_api, shelf, problem):
    assert problem(learner_api.post("attempts", shelf.attempt("draft")), 404)[0] == "not-found"


def test_a_retired_card_still_takes_late_answers(learner_api, shelf):
    card = shelf.cards["heads"]
    card.state = card.State.RETIRED
    card.save()
    assert learner_api.post("attempts", shelf.attempt("heads")).status_code == 201


def test_the_121st_answer_of_a_minute_waits(learner_api, shelf, problem):
    for _ in range(120):
        learner_api.post("attempts", {})
    response = learner_api.post("attempts", shelf.attempt("heads"))
    assert problem(response, 429)[0] == "rate-limited"
    assert 1 <= int(response["Retry-After"]) <= 60
    assert not Attempt.objects.exists()


def test_an_answer_takes_few_queries_and_no_other_service(
    learner_api, shelf, django_assert_max_num_queries, monkeypatch
):
    import socket

    def refuse(*args, **kwargs):
        raise AssertionError("the accept path opened a socket")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    with django_assert_max_num_queries(16):
        assert learner_api.post("attempts", shelf.attempt("heads")).status_code == 201
