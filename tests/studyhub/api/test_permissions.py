"""Who may do what: every operation of the schema by every person."""

import json
import uuid

import pytest
from django.test import Client
from drf_spectacular.generators import SchemaGenerator

from attention_engine.spec import make_spec

from .conftest import asked_interview, offered_version, planned_interview

PEOPLE = ("nobody", "ada", "ben", "cy", "sol")
EVERYBODY = {"ada": 200, "ben": 200, "cy": 200, "sol": 200, "nobody": 401}
OWN = {"ada": 404, "ben": 201, "cy": 404, "sol": 404, "nobody": 401}  # the thing is Ben's
ALLOWED = {
    "get_study_queue": EVERYBODY,
    "list_topics": EVERYBODY,
    "get_topic": EVERYBODY,
    "list_models": EVERYBODY,
    "get_model": EVERYBODY,
    "post_attempt": {**dict.fromkeys(PEOPLE, 201), "nobody": 401},
    "get_attempt": {**OWN, "ben": 200},
    "post_ticks": {**OWN, "ben": 200},
    "post_grade": EVERYBODY,
    "post_reading": EVERYBODY,
    "get_vectors": EVERYBODY,
    "get_overrides": EVERYBODY,
    "get_statistics": EVERYBODY,
    "get_settings": EVERYBODY,
    "patch_settings": EVERYBODY,
    "get_catch_up": EVERYBODY,
    "get_interview": EVERYBODY,
    "put_interview": {**dict.fromkeys(PEOPLE, 202), "nobody": 401},
    "delete_interview": EVERYBODY,
    "use_interview_plan": {**OWN, "ben": 200},
    "get_job": {**OWN, "ben": 200},
    "post_review": OWN,
    "void_review": OWN,
    "list_recent": EVERYBODY,
    "post_card_event": {**dict.fromkeys(PEOPLE, 201), "nobody": 401},
    "post_fit": {**dict.fromkeys(PEOPLE, 202), "nobody": 401},
    "get_parameters": EVERYBODY,
    "get_parameters_difference": {**OWN, "ben": 200},
    "adopt_parameters": {**OWN, "ben": 200},
    "undo_parameters": {**OWN, "ben": 200},
    "post_sync": EVERYBODY,  # each event has an outcome of its own: test_sync.py
    "get_sync": EVERYBODY,
    "post_visualization": {**dict.fromkeys(PEOPLE, 202), "nobody": 401},
    "get_visualization": EVERYBODY,  # a picture is anyone's who knows its digest
    "get_stream": {**dict.fromkeys(PEOPLE, 503), "nobody": 401},  # the test client holds no streams
    "get_tensor": EVERYBODY,
}


@pytest.fixture
def bens(learner_api, shelf) -> dict[str, str]:
    """Ben's attempt, and another that he has rated."""
    attempt, rated = shelf.attempt("heads"), shelf.attempt("heads")
    review = shelf.review(attempt=rated["id"])
    assert learner_api.post("attempts", attempt).status_code == 201
    assert learner_api.post("attempts", rated).status_code == 201
    assert learner_api.post("reviews", review).status_code == 201
    offered_version(learner_api.user)
    written = shelf.attempt("written", response={"text": "Kernels."})
    assert learner_api.post("attempts", written).status_code == 201
    return {"attempt": attempt["id"], "review": review["id"], "written": written["id"],
            "job": str(planned_interview(learner_api.user).pk)}  # fmt: skip


@pytest.fixture
def calls(bens, shelf, frame_store) -> dict[str, tuple[str, dict | None]]:
    """Operation -> (path, body), valid for Ben."""
    picture = make_spec("head_split", {"model": "bert-base"})
    digest, sha256 = frame_store.claim(picture, "ben").digest, frame_store.put(b"numbers")
    return {
        "get_study_queue": ("study/queue", None),
        "list_topics": ("topics", None),
        "get_topic": ("topics/d-head", None),
        "list_models": ("models", None),
        "get_model": ("models/bert-base", None),
        "post_attempt": ("attempts", shelf.attempt("heads")),
        "get_attempt": (f"attempts/{bens['attempt']}", None),
        "post_ticks": (f"attempts/{bens['written']}/ticks", {"choices": ["kernels"]}),
        "post_grade": ("grade", shelf.inline()),
        "post_reading": ("readings", shelf.reading()),
        "get_vectors": ("vectors/choice", None),
        "get_overrides": ("study/overrides", None),
        "get_statistics": ("study/statistics", None),
        "get_settings": ("study/settings", None),
        "patch_settings": ("study/settings", {"new_per_day": 5}),
        "get_catch_up": ("study/catch-up", None),
        "get_interview": ("study/interview", None),
        "put_interview": ("study/interview", asked_interview()),
        "delete_interview": ("study/interview", None),
        "use_interview_plan": ("study/interview/use", {"undo": True}),
        "get_job": (f"jobs/{bens['job']}", None),
        "post_review": ("reviews", shelf.review(attempt=bens["attempt"])),
        "void_review": (f"reviews/{bens['review']}/void", {"id": str(uuid.uuid4())}),
        "list_recent": ("reviews", None),
        "post_card_event": (
            f"cards/{shelf.cards['heads'].uuid}/events",
            {"id": str(uuid.uuid4()), "kind": "suspend"},
        ),
        "post_fit": ("study/fits", {"numbers": 21}),
        "get_parameters": ("study/parameters", None),
        "get_parameters_difference": ("study/parameters/1/difference", None),
        "adopt_parameters": ("study/parameters/1/adopt", {"id": str(uuid.uuid4())}),
        "undo_parameters": ("study/parameters/undo", {"id": str(uuid.uuid4()), "version": 1}),
        "post_sync": ("sync", {"events": []}),
        "get_sync": ("sync", None),
        "post_visualization": ("visualizations", {"kind": "head_split", "parameters": {"d_model": 768}}),
        "get_visualization": (f"visualizations/{digest}", None),
        "get_stream": (f"streams/{digest}", None),
        "get_tensor": (f"tensors/{sha256}", None),
    }


def test_the_matrix_names_every_operation_of_the_schema():
    schema = SchemaGenerator().get_schema(request=None, public=True)
    names = {op["operationId"] for item in schema["paths"].values() for op in item.values()}
    assert names == set(ALLOWED)


@pytest.mark.parametrize("person", PEOPLE)
@pytest.mark.parametrize("operation", ALLOWED)
def test_every_person_at_every_operation(request, as_user, calls, problem, person, operation):
    user = None if person == "nobody" else request.getfixturevalue(person)
    path, body = calls[operation]
    api = as_user(user)
    response = api.send(METHODS.get(operation, "POST" if body else "GET"), path, body)
    assert response.status_code == ALLOWED[operation][person], response.content
    if response.status_code >= 400:
        problem(response, response.status_code)
    if response.status_code == 401:
        assert response["WWW-Authenticate"].startswith("Bearer")


METHODS = {"patch_settings": "PATCH", "put_interview": "PUT", "delete_interview": "DELETE"}
WRITING = ["post_attempt", "post_ticks", "post_review", "void_review", "post_visualization", "post_grade"]
WRITING += ["post_fit", "adopt_parameters", "undo_parameters"]
WRITING += ["post_card_event", "post_sync", "put_interview", "delete_interview", "use_interview_plan"]


@pytest.mark.parametrize("operation", [*WRITING, "post_reading"])
def test_a_session_needs_the_csrf_token_to_write(ben, calls, problem, operation):
    path, body = calls[operation]
    client = Client(enforce_csrf_checks=True)
    client.force_login(ben)
    method, content = METHODS.get(operation, "POST"), json.dumps(body) if body else ""
    forged = client.generic(method, f"/api/v1/{path}", content, content_type="application/json")
    assert "CSRF" in json.loads(forged.content)["detail"]
    problem(forged, 403)
    client.cookies["csrftoken"] = "a" * 32
    honest = client.generic(
        method,
        f"/api/v1/{path}",
        content,
        content_type="application/json",
        headers={"X-CSRFToken": "a" * 32},
    )
    assert honest.status_code in {200, 201, 202}, honest.content


def test_a_learner_reads_with_a_session_and_no_token(ben):
    client = Client(enforce_csrf_checks=True)
    client.force_login(ben)
    assert client.get("/api/v1/models").status_code == 200
