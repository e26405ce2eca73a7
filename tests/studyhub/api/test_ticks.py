"""A written answer waits for its writer's ticks; the first that come count."""

import uuid

import pytest

from studyhub.study.models import Attempt


@pytest.fixture
def written(learner_api, shelf) -> str:
    """The id of Ben's written answer."""
    body = shelf.attempt("written", response={"text": "Kernels are compiled for a few widths."})
    answer = learner_api.post("attempts", body).json()
    assert (answer["grade"]["outcome"], answer["grade"]["pending"]) == ("undecided", "ticks")
    assert answer["suggested_rating"] == ""
    assert answer["reason"] == "Tick the points you named, or rate it yourself"
    return body["id"]


def ticks(api, attempt: str, *choices: str):
    return api.post(f"attempts/{attempt}/ticks", {"choices": list(choices)})


@pytest.mark.parametrize(
    ("choices", "outcome", "score", "mistake", "rating"),
    [
        (["kernels", "trade"], "correct", 1.0, "", "good"),
        (["kernels"], "partial", 0.75, "", "hard"),
        (["trade"], "partial", 0.25, "", "again"),
        (["none"], "incorrect", 0.0, "", "again"),
        (["kernels", "trade", "law"], "incorrect", 0.0, "called_a_law", "again"),
        (["law"], "incorrect", 0.0, "called_a_law", "again"),
    ],
)
def test_ticks_give_the_grade_by_their_weights(
    learner_api, written, choices, outcome, score, mistake, rating
):
    response = ticks(learner_api, written, *choices)
    answer = response.json()
    assert response.status_code == 200
    grade = answer["grade"]
    assert (grade["outcome"], grade["score"], grade["mistake"]) == (outcome, score, mistake)
    assert grade["pending"] == ""
    assert {part["id"] for part in grade["parts"] if part["outcome"] == "hit"} == {*choices} - {"none"}
    assert answer["suggested_rating"] == rating
    stored = Attempt.objects.get(client_id=written)
    assert (stored.outcome, stored.score, stored.settled_at is None) == (outcome, score, False)


def test_the_reason_names_the_score_that_passes(learner_api, written):
    assert ticks(learner_api, written, "trade").json()["reason"] == (
        "Suggested: Again, 25 of 100 right, 70 is a pass"
    )


def test_the_first_ticks_count(learner_api, written):
    first = ticks(learner_api, written, "kernels").json()
    second = ticks(learner_api, written, "kernels", "trade")
    assert (second.status_code, second.json()) == (200, first)


def test_a_tick_of_another_question_is_named(learner_api, written, problem):
    name, errors = problem(ticks(learner_api, written, "kernels", "merge"), 422)
    assert (name, set(errors)) == ("invalid-request", {"choices.1"})
    assert Attempt.objects.get(client_id=written).grade["pending"] == "ticks"


@pytest.mark.parametrize("choices", [[], ["none", "kernels"]])
def test_ticks_that_say_nothing_settle_nothing(learner_api, written, problem, choices):
    name, errors = problem(ticks(learner_api, written, *choices), 422)
    assert (name, set(errors)) == ("unreadable-answer", {"choices"})
    assert Attempt.objects.get(client_id=written).grade["pending"] == "ticks"


def test_an_answer_without_points_has_none_to_tick(learner_api, shelf, problem):
    body = shelf.attempt("heads")
    learner_api.post("attempts", body)
    name, errors = problem(ticks(learner_api, body["id"], "kernels"), 422)
    assert (name, errors) == ("invalid-request", {"choices": "this answer has no points to tick"})


def test_a_rating_given_before_the_ticks_stays(learner_api, shelf, written):
    review = learner_api.post("reviews", shelf.review(attempt=written, rating="good")).json()
    ticks(learner_api, written, "none")
    again = learner_api.post(f"reviews/{review['review']}/void", {"id": str(uuid.uuid4())})
    assert again.json()["state"] == "new"
    rated = learner_api.post("reviews", shelf.review(attempt=written, rating="again")).json()
    assert rated["grade"]["outcome"] == "incorrect"


def test_anothers_answer_is_not_there_to_be_ticked(as_user, cy, written, problem):
    for attempt in (written, str(uuid.uuid4()), "nonsense"):
        name, errors = problem(ticks(as_user(cy), attempt, "kernels"), 404)
        assert (name, set(errors)) == ("not-found", {"attempt_id"})


def test_an_answer_asked_for_is_no_answer_to_tick(learner_api, shelf, problem):
    body = shelf.attempt("written", response={"revealed": True})
    grade = learner_api.post("attempts", body).json()["grade"]
    assert (grade["outcome"], grade["pending"]) == ("incorrect", "")
    assert {part["outcome"] for part in grade["parts"]} == {"missing"}
    problem(ticks(learner_api, body["id"], "kernels"), 422)
