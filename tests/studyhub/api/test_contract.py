"""What is answered has the shape the schema promises, and so have the schema's own examples."""

import json
import uuid

import pytest
from drf_spectacular.generators import SchemaGenerator
from jsonschema import Draft202012Validator, ValidationError

from studyhub.api.schema.examples import REVIEW

from .conftest import asked_interview, planned_interview

SCHEMA = json.loads(json.dumps(SchemaGenerator().get_schema(request=None, public=True), default=str))
OPERATIONS = {op["operationId"]: op for item in SCHEMA["paths"].values() for op in item.values()}


def closed(node):
    """The schema with every object of named members closed: a member nobody announced is a fault."""
    if isinstance(node, list):
        return [closed(inner) for inner in node]
    if not isinstance(node, dict):
        return node
    inner = {key: closed(value) for key, value in node.items()}
    if isinstance(inner.get("properties"), dict) and inner.get("type") == "object":
        inner.setdefault("additionalProperties", False)
    return inner


COMPONENTS = closed(SCHEMA["components"])


def check(value, shape: dict) -> None:
    """Raises where a value is not of a shape."""
    Draft202012Validator(closed(shape) | {"components": COMPONENTS}).validate(value)


def answer_of(operation: str, response) -> dict:
    """The schema of what came back; a status or media type nobody announced is a fault."""
    answers = OPERATIONS[operation]["responses"]
    assert str(response.status_code) in answers, response.content
    return answers[str(response.status_code)]["content"][response["Content-Type"].split(";")[0]]["schema"]


def examples():
    """Every example: (operation, where, value, schema)."""
    for name, op in OPERATIONS.items():
        sent = op.get("requestBody", {}).get("content", {}).items()
        answered = [(media, c) for a in op["responses"].values() for media, c in a.get("content", {}).items()]
        for media, content in (*sent, *answered):
            for title, example in content.get("examples", {}).items():
                yield pytest.param(example["value"], content["schema"], id=f"{name}-{title}-{media}")


@pytest.mark.parametrize(("value", "shape"), list(examples()))
def test_every_example_is_what_it_is_an_example_of(value, shape):
    check(value, shape)


@pytest.fixture
def calls(learner_api, shelf, frame_store):
    """(operation, response) of a whole visit."""
    api, attempt = learner_api, shelf.attempt("heads")
    review, void = shelf.review(attempt=attempt["id"], rating="again"), {"id": str(uuid.uuid4())}
    moved = {"id": str(uuid.uuid4()), "kind": "set_due", "target_day": "2026-12-24"}
    picture = {"kind": "head_split", "parameters": {"d_model": 32, "num_heads": 4}, "seed": 0}
    visit = [
        ("list_topics", api.get("topics")),
        ("get_topic", api.get("topics/d-head")),
        ("list_models", api.get("models")),
        ("get_model", api.get("models/deepseek-v3")),
        ("get_study_queue", api.get("study/queue")),
        ("post_attempt", api.post("attempts", attempt)),
        ("post_attempt", api.post("attempts", attempt)),
        ("post_attempt", api.post("attempts", shelf.attempt("heads", response={"text": "?"}))),
        ("post_attempt", api.post("attempts", shelf.attempt("aloud", response={"revealed": True}))),
        ("post_attempt", api.post("attempts", shelf.attempt("shelf", response={"choices": ["part"]}))),
        ("post_attempt", api.post("attempts", written := shelf.attempt("written"))),
        ("get_attempt", api.get(f"attempts/{written['id']}")),
        ("get_attempt", api.get(f"attempts/{uuid.uuid4()}")),
        ("post_ticks", api.post(f"attempts/{written['id']}/ticks", {"choices": []})),
        ("post_ticks", api.post(f"attempts/{written['id']}/ticks", {"choices": ["law"]})),
        ("post_grade", api.post("grade", shelf.inline())),
        ("post_grade", api.post("grade", shelf.inline(answer={"key": 1}))),
        ("post_reading", api.post("readings", shelf.reading())),
        ("post_reading", api.post("readings", shelf.reading(text="?"))),
        ("get_vectors", api.get("vectors/ordering")),
        ("get_vectors", api.get("vectors/reveal")),
        ("get_overrides", api.get("study/overrides")),
        ("get_settings", api.get("study/settings")),
        ("patch_settings", api.send("PATCH", "study/settings", {"schedule": {"leech_after": 5}})),
        ("patch_settings", api.send("PATCH", "study/settings", {"schedule": {"leech_after": 500}})),
        ("get_catch_up", api.get("study/catch-up")),
        ("get_study_queue", api.get("study/queue?kind=cram&deck=transformers&minutes=9")),
        ("get_study_queue", api.get("study/queue?deck=none")),
        ("get_interview", api.get("study/interview")),
        ("put_interview", interview := api.send("PUT", "study/interview", asked_interview())),
        ("put_interview", api.send("PUT", "study/interview", asked_interview(days=-1))),
        ("get_job", api.get(f"jobs/{interview.json()['job']['id']}")),
        ("get_job", api.get("jobs/none")),
        ("use_interview_plan", api.post("study/interview/use", {"undo": False})),
        ("delete_interview", api.send("DELETE", "study/interview")),
        ("get_job", api.get(f"jobs/{planned_interview(api.user).pk}")),
        ("get_interview", api.get("study/interview")),
        ("use_interview_plan", api.post("study/interview/use", {"undo": True})),
        ("get_statistics", api.get("study/statistics")),
        ("post_fit", api.post("study/fits", {})),
        ("post_fit", api.post("study/fits", {"numbers": 7})),
        ("get_parameters", api.get("study/parameters")),
        ("get_parameters_difference", api.get("study/parameters/0/difference")),
        ("get_parameters_difference", api.get("study/parameters/9/difference")),
        ("adopt_parameters", api.post("study/parameters/0/adopt", {"id": str(uuid.uuid4())})),
        ("undo_parameters", api.post("study/parameters/undo", {"id": str(uuid.uuid4()), "version": 0})),
        ("post_review", api.post("reviews", review)),
        ("post_review", api.post("reviews", review)),
        ("post_review", api.post("reviews", review | {"rating": "easy"})),
        ("get_study_queue", api.get("study/queue")),
        ("void_review", api.post(f"reviews/{review['id']}/void", void)),
        ("void_review", api.post(f"reviews/{review['id']}/void", void)),
        ("void_review", api.post(f"reviews/{uuid.uuid4()}/void", void)),
        ("post_card_event", api.post(f"cards/{attempt['card']}/events", moved)),
        ("post_card_event", api.post(f"cards/{attempt['card']}/events", moved)),
        ("post_card_event", api.post(f"cards/{uuid.uuid4()}/events", moved)),
        ("post_sync", api.post("sync", {"events": shelf.events(attempt["card"])})),
        ("post_sync", api.post("sync", {"events": "all"})),
        ("list_recent", api.get("reviews")),
        ("get_sync", api.get("sync")),
        ("get_sync", api.get("sync?after=x")),
        ("post_visualization", asked := api.post("visualizations", picture)),
        ("get_visualization", api.client.get(asked.json()["poll"])),
        ("get_visualization", api.get("visualizations/none")),
        ("get_stream", api.get("streams/none")),
        ("get_tensor", api.get("tensors/none")),
        ("get_study_queue", api.get("study/queue?limit=0")),
    ]
    assert {name for name, _ in visit} == set(OPERATIONS)
    return visit


def test_every_answer_of_a_visit_has_the_announced_shape(calls):
    for operation, response in calls:
        check(response.json(), answer_of(operation, response))


def test_a_shape_with_a_member_too_many_would_be_noticed():
    with pytest.raises(ValidationError, match="Additional properties"):
        check(REVIEW | {"key": 12}, {"$ref": "#/components/schemas/Review"})
