"""Vectors are served as they are published, and not sent twice."""

import json

from cards.vector_files import FOLDER


def test_vectors_are_served_with_an_address_of_their_content(learner_api):
    response = learner_api.get("vectors/choice")
    assert response.status_code == 200
    assert response.content == (FOLDER / "choice.json").read_bytes()
    assert json.loads(response.content)["answer_type"] == "choice"
    again = learner_api.get("vectors/choice", headers={"If-None-Match": response["ETag"]})
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", response["ETag"])
    other = learner_api.get("vectors/choice", headers={"If-None-Match": '"another"'})
    assert other.status_code == 200


def test_a_type_that_needs_the_service_has_none(learner_api, problem):
    for name in ("reveal", "essay", "chosen"):
        kind, errors = problem(learner_api.get(f"vectors/{name}"), 404)
        assert (kind, set(errors)) == ("not-found", {"answer_type"})


def test_the_queue_says_what_can_be_graded_offline(learner_api, shelf):
    told = {item["answer_type"]: item["offline"] for item in learner_api.get("study/queue").json()}
    assert told == {"numeric": True, "choice": True, "ordering": True, "rubric": True, "reveal": False}
