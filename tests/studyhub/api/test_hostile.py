"""A corpus of hostile values at every field of every operation of the schema.

Each gives a 4xx problem that names the field and says why, and leaves every table as it was, except where
LEGAL says that the value is one the field truly takes. Fields are found by walking the schema: a new one
fails until it is decided.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote_from_bytes

import pytest
from asgiref.sync import async_to_sync
from django.apps import apps
from django.conf import settings
from django.db import transaction
from django.http import JsonResponse
from django.test import AsyncClient
from drf_spectacular.generators import SchemaGenerator

from attention_engine.spec import KINDS, make_spec
from tests.sampling import chosen

from .conftest import asked_interview, offered_version, planned_interview

MARK = "@@hostile@@"
CORPUS = json.loads((Path(__file__).parent / "hostile.json").read_text())


def spelled(value: str | list) -> str:
    """A text of the corpus; in a list, [text, count] is that text so many times."""
    return "".join(one if isinstance(one, str) else one[0] * one[1] for one in value)


# Texts any database can hold (whether a field takes them is its own business), and JSON as it is sent (bytes
# as Latin-1), for what is no text or no JSON at all.
TEXTS = {name: spelled(text) for name, text in CORPUS["texts"].items()}
RAW = {name: spelled(raw).encode("latin-1") for name, raw in CORPUS["raw"].items()}
CORPUS_VALUES = {name: json.dumps(text).encode() for name, text in TEXTS.items()} | RAW
# What an engine itself may refuse; the rest does not depend on it and is tried on SQLite alone.
ENGINE_MATTERS = re.compile("nul|surrogate|utf8|two_to|ten_to|5000|long|noncharacter|infinity|nan|moment_")
POSTGRESQL = settings.DATABASES["default"]["ENGINE"].endswith("postgresql")
VALUES = {n: v for n, v in CORPUS_VALUES.items() if not POSTGRESQL or ENGINE_MATTERS.search(n)}

SHORT = {name for name, text in TEXTS.items() if len(text) <= 64}
BLANKLESS_80 = {name for name, text in TEXTS.items() if len(text) <= 80}
TEXT_4096 = {name for name, text in TEXTS.items() if len(text) <= 4096} | {"empty"}
COUNTS = {"zero", "minus_zero"}
SEEDS = COUNTS | {"two_to_31"}
BOOLEANS = {"true", "false"}
OBJECTS = {"empty_object", "object", "object_prototype", "object_of_100"}
# What a specification may hold where nothing reads it: short, and no number that takes long to write out.
FREE = {name for name, text in TEXTS.items() if len(text) <= 2000} - {"exponent"} | OBJECTS | BOOLEANS
FREE |= {
    "empty",
    "two_to_53",
    "two_to_31",
    "minus_one",
    "zero",
    "minus_zero",
    "one_point_zero",
    "half",
    "null",
}
FREE |= {"empty_array", "array_of_null", "array_of_array", "array_of_65"}
IDS = {"uuid_nil", "uuid_upper"}
LISTS = {"empty_array"}
CELLS = {"empty_object"}
# The card asks for a number: a text that reads as one (invisible marks aside, and 0-0-0-0-0 is arithmetic) is
# graded, any other is unreadable.
NUMBERS = {"digits", "minus", "exponent", "arabic_digits", "uuid_nil"}
NUMBERS |= {"right_to_left", "zero_width", "byte_order_mark"}
RESPONSE = {
    "response": set(),  # {} has no text to read
    "response.text": NUMBERS,
    "response.choices": LISTS,
    "response.choices.0": BLANKLESS_80,
    "response.order": LISTS,
    "response.order.0": BLANKLESS_80,
    "response.cells": CELLS,
    "response.cells.a": TEXT_4096,
    "response.revealed": BOOLEANS,
}
SAID: dict[str, set[str]] = {
    "answered_at": set(),
    "time_zone": set(),
    "device": SHORT | {"empty"},
    "device_sequence": SEEDS,
}
SYNC_EVENT: dict[str, set[str]] = {
    "type": set(),
    "id": IDS,
    **{name: set() for name in ("attempt", "card", "card_version", "rating", "review", "target_day")},
    "variant_seed": SEEDS,
    "confidence": COUNTS,
    "draw": COUNTS | {"half"},
    "elapsed_ms": COUNTS,
    **SAID,
    **RESPONSE,
}
LEGAL: dict[str, dict[str, set[str]]] = {
    "get_study_queue": {
        "?limit": {"digits", "leading_zero"},
        "?kind": set(),
        "?topic": {"empty"},
        "?deck": {"empty"},
        "?minutes": {"digits", "leading_zero", "zero"},
        "?seed": {"digits", "leading_zero", "zero"},
        "?days": {"digits", "leading_zero"},
        "?rounds": {"digits", "leading_zero"},
        "?time_zone": {"empty"},
    },
    "get_settings": {},
    "get_interview": {},
    "put_interview": {
        "body": set(),
        "day": set(),
        "minutes_per_day": set(),
        "topics": LISTS,
        "topics.0": set(),
    },
    "delete_interview": {},
    "use_interview_plan": {"body": set(), "undo": BOOLEANS},
    "get_job": {"/job_id": set()},
    "post_fit": {"body": {"empty_object"}, "numbers": set()},
    "get_parameters": {},
    "get_parameters_difference": {"/version": {"zero"}},
    "adopt_parameters": {
        "/version": {"zero"},
        "body": set(),
        "id": IDS,
        "reschedule": BOOLEANS,
        "per_day": COUNTS,
    },
    "undo_parameters": {"body": set(), "id": IDS, "version": set()},
    "patch_settings": {
        "body": set(),
        "desired_retention": set(),
        "deck_retention": {"empty_object"},
        "deck_retention.a": set(),
        "new_per_day": COUNTS,
        "reviews_per_day": COUNTS,
        "rollover_hour": COUNTS,
        "time_zone": set(),
        "easy_days": set(),
        "easy_days.0": set(),
        "spread_load": BOOLEANS,
        "schedule": {"empty_object"},
        "schedule.learning_steps": LISTS,
        "schedule.learning_steps.0": set(),
        "schedule.relearning_steps": LISTS,
        "schedule.relearning_steps.0": set(),
        "schedule.maximum_interval": set(),
        "schedule.leech_after": COUNTS,
        "schedule.leech_suspends": BOOLEANS,
    },
    "get_catch_up": {},
    "list_topics": {},
    "get_topic": {"/slug": set()},
    "list_models": {},
    "get_model": {"/slug": set()},
    "post_attempt": {
        "body": set(),
        "id": IDS,
        "card": set(),
        "card_version": set(),
        "variant_seed": SEEDS,
        "elapsed_ms": COUNTS,
        "assisted": BOOLEANS,
        "practice": BOOLEANS,
        "confidence": COUNTS,
        "time_zone": set(),
        **RESPONSE,
    },
    "get_attempt": {"/attempt_id": set()},
    "post_ticks": {
        "/attempt_id": set(),
        "body": set(),
        "choices": set(),
        "choices.0": set(),  # ids of this card's points only
    },
    "post_grade": {
        "body": set(),
        "answer_type": set(),
        "answer": set(),
        "answer.a": FREE,  # a member that no type reads; their own follow in test_grade.py
        "mistakes": LISTS,
        "mistakes.0": OBJECTS,
        "mistakes.0.a": FREE,
        "parameters": OBJECTS,
        "parameters.a": FREE,
        "seed": SEEDS,
        **RESPONSE,
    },
    "post_reading": {
        "body": set(),
        "card": set(),
        "card_version": set(),
        "variant_seed": SEEDS,
        "field": set(),
        "text": NUMBERS,
    },
    "get_vectors": {"/answer_type": set(), "#If-None-Match": set(CORPUS_VALUES)},
    "get_overrides": {},
    "get_statistics": {},
    "post_review": {
        "body": set(),
        "id": IDS,
        "attempt": set(),
        "card": set(),
        "card_version": set(),
        "variant_seed": SEEDS,
        "rating": set(),
        "answered_at": set(),
        "time_zone": set(),
        "device": SHORT | {"empty"},
        "device_sequence": SEEDS,
        "elapsed_ms": COUNTS,
        "confidence": COUNTS,
        "draw": COUNTS | {"half"},
        **RESPONSE,
    },
    "void_review": {"/review_id": set(), "body": set(), "id": IDS, **SAID},
    "list_recent": {"?limit": {"digits", "leading_zero"}},
    "post_card_event": {"/card": set(), "body": set(), "id": IDS, "kind": set(), "target_day": set(), **SAID},
    "post_sync": {
        "body": set(),
        # Each of them is refused by itself, in an answer of 200.
        "events": LISTS | {"array_of_null", "array_of_array", "array_of_65"},
        "events.0": set(),
        **{f"events.0.{name}": legal for name, legal in SYNC_EVENT.items()},
    },
    "get_sync": {"?after": {"empty", "digits", "leading_zero", "zero", "two_to_31", "two_to_53"}},
    "post_visualization": {
        "body": set(),
        "kind": set(),
        "parameters": {"empty_object"},
        "parameters.a": set(),  # no kind has a parameter of that name; theirs follow below
        "seed": COUNTS,
    },
    "get_visualization": {"/digest": set(), "?after": {"empty"}},
    "get_stream": {"/digest": set(), "#Last-Event-ID": set(CORPUS_VALUES)},  # an id nobody gave starts anew
    "get_tensor": {"/sha256": set()},
}
# The members of `parameters` are the kind's own and not in the schema.
SENTENCES = set(TEXTS) - {"blank", "control", "digits_5000", "long_4097"}
WORDS = (BLANKLESS_80 | {"empty"}) - {"control"}
WIDTHS: dict[str, set[str]] = {"model": {"empty"}, "d_head": COUNTS, "q_width": COUNTS, "key_tokens": COUNTS}
LEGAL_PARAMETERS: dict[str, dict[str, set[str]]] = {
    "answer_executed": WIDTHS
    | {"key_tokens": COUNTS, "answer_shape": LISTS, "answer_shape.0": COUNTS | {"minus_one"}}
    | {"program": {"empty", "digits", "minus", "uuid_nil"}, "num_kv_heads": COUNTS}
    | {name: {"empty"} for name in ("reference", "accepts", "mistaken")},
    "head_split": WIDTHS | {"num_kv_heads": COUNTS, "d_head_v": COUNTS},
    "silent_mistake": {
        **dict.fromkeys(("d_head", "layer", "head"), COUNTS),
        "model": {"empty"},
        "sentence": SENTENCES,
    },
    "memory_tape": {
        "model": {"empty"},
        "d_head": COUNTS,
        "ops": {"empty"},
        **dict.fromkeys(("shape", "answer_strides", "answer_shape"), LISTS),
    },
    "saturation": {"model": {"empty"}, "divisor": {"digits"}, "sentence": SENTENCES},
    "attention_pattern": {
        "sentence": SENTENCES,
        **dict.fromkeys(("layer", "head", "causal", "window", "padding"), COUNTS),
        **dict.fromkeys(("d_head", "num_kv_heads", "d_head_v"), COUNTS),
    },
    "head_atlas": {"sentence": SENTENCES, **dict.fromkeys(("query", "key"), WORDS)},
    "head_sharing": {
        "model": {"empty"},
        "sentence": SENTENCES,
        **dict.fromkeys(("d_head", "d_head_v", "layers", "num_kv_heads", "kv_rank"), COUNTS),
        **dict.fromkeys(("head", "layer", "answer_kv_heads"), COUNTS),
    },
    "decode_cache": {
        "prompt": SENTENCES,
        **dict.fromkeys(("layer", "head", "window", "sinks"), COUNTS),
        "answer_bytes": COUNTS | {"two_to_31", "two_to_53"},
    },
    "kv_budget": {
        "model": {"empty"},
        **dict.fromkeys(("d_head", "d_head_v", "layers", "num_kv_heads", "kv_rank"), COUNTS),
        **dict.fromkeys(("d_model", "num_heads", "d_head_rope", "card_gib"), COUNTS),
        "answer_bytes": COUNTS | {"two_to_31"},
    },
    "config_museum": {
        "find": {name for name, text in TEXTS.items() if len(text) <= 40} - {"control"} | {"empty"},
        **dict.fromkeys(("d_model", "num_heads", "d_head", "answer_d_head"), COUNTS),
    },
    "roofline": {
        "model": {"empty"},
        **dict.fromkeys(("tokens", "d_head", "again"), COUNTS),
        "d_heads": LISTS,
    },
}
NOTHING_IS_ENOUGH = {"post_fit"}
"""Whose body has nothing that must be there."""
GIVEN = {"d_model": 32, "num_heads": 4, "answer_shape": [2]}
PARAMETERS = [(kind.name, p.name) for kind in KINDS.values() for p in kind.parameters]
PARAMETERS += [("answer_executed", "answer_shape.0")]


@dataclass(frozen=True)
class Operation:
    """An operation of the schema with its fields: `body`, dotted members, `?query` and `/path` parameters."""

    name: str
    method: str
    path: str
    fields: tuple[str, ...]


def operations() -> Iterator[Operation]:
    """Everything the schema offers."""
    schema = SchemaGenerator().get_schema(request=None, public=True)
    for path, item in schema["paths"].items():
        for method, op in item.items():
            signs = {"query": "?", "path": "/", "header": "#"}
            parameters = [signs[p["in"]] + p["name"] for p in op.get("parameters", [])]
            content = op.get("requestBody", {}).get("content", {})
            body = ["body", *members(content["application/json"]["schema"], schema)] if content else []
            yield Operation(op["operationId"], method, path, (*parameters, *body))


def members(node: dict, schema: dict, path: tuple[str, ...] = ()) -> Iterator[str]:
    """The dotted path of every member a body may have; `0` stands for an item, `a` for a free key."""
    while "$ref" in node or "allOf" in node:
        node = (
            schema["components"]["schemas"][node["$ref"].rsplit("/", 1)[1]]
            if "$ref" in node
            else node["allOf"][0]
        )
    inner = dict(node.get("properties", {}))
    inner |= {"0": node["items"]} if "items" in node else {}
    inner |= {"a": node["additionalProperties"]} if isinstance(node.get("additionalProperties"), dict) else {}
    for name, child in inner.items():
        yield ".".join((*path, name))
        yield from members(child, schema, (*path, name))


OPERATIONS = {operation.name: operation for operation in operations()}
EVERY_FIELD = [(op.name, field) for op in OPERATIONS.values() for field in op.fields]
BODY_OPERATIONS = [op.name for op in OPERATIONS.values() if "body" in op.fields]


@pytest.fixture
def hostile(learner_api, shelf, frame_store, throttles_off):
    """Ben with valid requests to spoil."""
    return Spoiler(learner_api, shelf, frame_store)


SENT_WHEN = {
    "answered_at": "2026-11-30T09:15:00+01:00",
    "time_zone": "Europe/Berlin",
    "device": "phone",
    "device_sequence": 1,
}


class Spoiler:
    """Sends an operation's valid request with one field spoilt."""

    def __init__(self, api, shelf, frame_store) -> None:
        self.api, self.shelf, self.store = api, shelf, frame_store
        rated, self.attempt = shelf.attempt("heads"), shelf.attempt("heads")["id"]
        review = shelf.review(attempt=rated["id"])
        for path, body in (
            ("attempts", rated),
            ("attempts", rated | {"id": self.attempt}),
            ("reviews", review),
        ):
            assert api.post(path, body).status_code == 201
        claim = frame_store.claim(make_spec("head_split", {"model": "bert-base"}), "cy")
        written = shelf.attempt("written", response={"text": "Kernels."})
        assert api.post("attempts", written).status_code == 201
        self.paths = {
            "slug": "d-head",
            "card": str(shelf.cards["heads"].uuid),
            "review_id": review["id"],
            "answer_type": "choice",
        }
        self.paths |= {"attempt_id": written["id"]}
        self.paths |= {"digest": claim.digest, "sha256": frame_store.put(b"numbers")}
        self.paths |= {"version": str(offered_version(api.user).version)}
        self.paths |= {"job_id": str(planned_interview(api.user).pk)}
        self.end(claim.digest)

    def body(self, operation: str, field: str) -> dict:
        """A valid body that has the field."""
        response = {"text": "12", "choices": ["a"], "order": ["a"], "cells": {"a": "b"}, "revealed": False}
        card = {"variant_seed": 0, "response": response}
        if operation == "post_attempt":
            return self.shelf.attempt("heads", elapsed_ms=5, assisted=False, **card)
        if operation == "post_ticks":
            return {"choices": ["kernels"]}
        if operation == "patch_settings":
            return settings_sent()
        if operation == "put_interview":
            return asked_interview()
        if operation == "use_interview_plan":
            return {"undo": True}
        if operation == "post_fit":
            return {"numbers": 21}
        if operation == "adopt_parameters":
            return {"id": "0192f0c2-0101-7d4e-a1b2-c3d4e5f60720", "reschedule": False, "per_day": 0}
        if operation == "undo_parameters":
            return {"id": "0192f0c2-0101-7d4e-a1b2-c3d4e5f60721", "version": 1}
        if operation == "post_grade":
            asked = self.shelf.inline(parameters={"a": 1}, seed=0, response=response)
            asked["mistakes"] = [{"name": "x", "key": 3, "says": "y", "a": 1}]
            return asked
        if operation == "post_reading":
            return self.shelf.reading(variant_seed=0, field="text")
        if operation == "void_review":
            return {"id": "0192f0c2-0101-7d4e-a1b2-c3d4e5f60718", **SENT_WHEN}
        if operation == "post_visualization":
            unknown = {"a": 1} if field == "parameters.a" else {}
            return {"kind": "head_split", "parameters": {"d_model": 32, "num_heads": 4} | unknown, "seed": 0}
        if operation == "post_card_event":
            day = {"kind": "set_due", "target_day": "2026-12-24"}
            return {"id": "0192f0c2-0101-7d4e-a1b2-c3d4e5f60719", **day, **SENT_WHEN}
        if operation == "post_sync":
            return {"events": [self.event(field.removeprefix("events.0."))]}
        common = self.shelf.review(device="phone", device_sequence=1, elapsed_ms=5, confidence=0, draw=0.5)
        offline = field.startswith(("card", "variant_seed", "response"))
        versioned = {"card": str(self.shelf.cards["heads"].uuid), "card_version": 1, **card}
        return common | (versioned if offline else {"attempt": self.attempt})

    def event(self, field: str) -> dict:
        """A valid event that has the field."""
        card = {"card": str(self.shelf.cards["heads"].uuid)}
        named = {"id": "0192f0c2-0101-7d4e-a1b2-c3d4e5f6071a", **SENT_WHEN}
        if field == "review":
            return {"type": "void", "review": self.paths["review_id"], **named}
        if field == "target_day":
            return {"type": "set_due", "target_day": "2026-12-24", **card, **named}
        return {"type": "review", **self.body("post_review", field)}

    def send(self, operation: str, field: str, raw: bytes, **options):
        """The request with `raw` JSON in place of the field (of a parameter: what its text says)."""
        op = OPERATIONS[operation]
        parameter = quote_from_bytes(text_of(raw))
        path = op.path
        for name, value in self.paths.items():
            path = path.replace(f"{{{name}}}", parameter if field == f"/{name}" else value)
        if field.startswith("?"):
            path += f"?{field[1:]}={parameter}"
        if operation == "get_stream":
            return self.streamed(path, text_of(raw).decode("latin-1") if field[0] == "#" else "")
        body = self.spoilt(operation, field, raw) if "body" in op.fields else b""
        options.setdefault("content_type", "application/json")
        response = self.api.client.generic(op.method, path, body, **options)
        return own_answer(response) if field.startswith("events.0") else response

    def streamed(self, path: str, last_event_id: str):
        """The answer of the process that serves streams; `told` is all it sent of an ended picture."""

        async def scene():
            client = AsyncClient(raise_request_exception=False)
            client.cookies = self.api.client.cookies
            response = await client.get(path, headers={"Last-Event-ID": last_event_id})
            pieces = [piece async for piece in response.streaming_content] if response.streaming else []
            response.told = b"".join(pieces)
            return response

        return async_to_sync(scene)()

    def end(self, digest: str) -> None:
        """Lets a picture fail, so that its owner may ask for others."""
        if lease := self.store.start(digest):
            self.store.fail(lease.token, "over", "tested")

    def spoilt(self, operation: str, field: str, raw: bytes) -> bytes:
        """The body with raw JSON at the field."""
        if field == "body":
            return raw
        body = self.body(operation, field)
        if field[0] not in "?/#":
            place(body, field.split("."), MARK)
        return json.dumps(body).encode().replace(json.dumps(MARK).encode(), raw)


def own_answer(response):
    """Of a sync of one event: that event's outcome, as if it had been sent alone."""
    if response.status_code != 200:
        return response
    [outcome] = response.json()["outcomes"]
    if "body" in outcome:
        return JsonResponse(outcome["body"], status=outcome["status"])
    problem = outcome["problem"]
    named = [{**error, "field": f"events.0.{error['field']}"} for error in problem["errors"]]
    told = {**problem, "errors": named}
    return JsonResponse(told, status=outcome["status"], content_type="application/problem+json")


def settings_sent() -> dict:
    """A body of settings that has every member with members of its own, and a deck that is there."""
    schedule = {"learning_steps": [60], "relearning_steps": [60]}
    return {
        "deck_retention": {"transformers": 0.9},
        "easy_days": ["normal"] * 7,
        "schedule": schedule,
    }


def place(body, path: list[str], value) -> None:
    """Puts a value at a path."""
    *way, last = path
    for step in way:
        body = body[int(step) if isinstance(body, list) else step]
    body[int(last) if isinstance(body, list) else last] = value


def text_of(raw: bytes) -> bytes:
    """What a JSON value is in an address: a text's own bytes, else its spelling; addresses have an end."""
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        value = None
    text = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else raw.strip(b'"')
    return text[:8000]


def row_counts() -> dict[str, int]:
    """Rows of every table Django knows."""
    return {model._meta.db_table: model._default_manager.count() for model in apps.get_models()}


def complaint(response, field: str) -> str:
    """What is wrong with a refusal, "" when it is as it should be."""
    if not 400 <= response.status_code < 500:
        return f"status {response.status_code}"
    if response["Content-Type"] != "application/problem+json":
        return f"content type {response['Content-Type']}"
    errors = json.loads(response.content)["errors"]
    if not errors or not all(error["field"] and error["reason"] for error in errors):
        return f"errors {errors}"
    name = field.lstrip("?/#")
    blamed = {error["field"] for error in errors}
    allowed = {"path", name} if field[0] == "/" else {"body", name}
    if field != "body" and not any(one in allowed or one.startswith(f"{name}.") for one in blamed):
        return f"blames {blamed}"
    return ""


def test_the_corpus_is_large_enough():
    assert len(CORPUS_VALUES) >= 40


def test_every_field_of_the_schema_is_decided():
    found = {op.name: set(op.fields) for op in OPERATIONS.values()}
    assert found == {name: set(fields) for name, fields in LEGAL.items()}
    assert all(legal <= set(CORPUS_VALUES) for fields in LEGAL.values() for legal in fields.values())


def values_for(operation: str, field: str) -> dict[str, bytes]:
    """A part of them, other ones for each field; inside an event, whose members other operations try as well,
    of what an engine minds."""
    inner = field.startswith("events.0.")
    return {
        name: raw
        for name, raw in VALUES.items()
        if chosen(operation, field, name) and (not inner or ENGINE_MATTERS.search(name))
    }


@pytest.mark.parametrize(("operation", "field"), EVERY_FIELD)
def test_hostile_values_are_refused_by_name_and_leave_no_row(hostile, operation, field):
    before, legal, wrong = row_counts(), LEGAL[operation][field], {}
    for name, raw in values_for(operation, field).items():
        with transaction.atomic():
            response = hostile.send(operation, field, raw)
            transaction.set_rollback(name in legal)
        fault = complaint(response, field)
        if name in legal and response.status_code not in {200, 201, 202}:
            wrong[name] = f"is legal but gave {response.status_code} {response.content[:200]!r}"
        elif name not in legal and fault:
            wrong[name] = fault
    assert wrong == {}
    assert row_counts() == before


def test_a_stream_told_an_id_it_never_gave_starts_anew(hostile):
    for name, raw in VALUES.items():
        told = hostile.send("get_stream", "#Last-Event-ID", raw).told
        assert (b"event: reset" in told) == (name != "empty"), name
        assert told.count(b"event: failed") == 1, name


@pytest.mark.parametrize(("kind", "field"), PARAMETERS)
def test_hostile_parameters_of_a_picture_are_refused_by_name_and_claim_nothing(hostile, kind, field):
    given = {p.name: GIVEN[p.name] for p in KINDS[kind].parameters if p.name in GIVEN}
    given |= {"attention_pattern": {"model": "random"}, "head_sharing": {"model": ""}}.get(kind, {})
    legal, wrong = LEGAL_PARAMETERS[kind].get(field, set()), {}
    place(given, field.split("."), MARK)
    body = json.dumps({"kind": kind, "parameters": given}).encode()
    for name, raw in values_for(kind, field).items():
        sent = body.replace(json.dumps(MARK).encode(), raw)
        response = hostile.send("post_visualization", "body", sent)
        if name in legal and response.status_code == 202:
            hostile.end(response.json()["digest"])
        elif name in legal:
            wrong[name] = f"is legal but gave {response.status_code} {response.content[:200]!r}"
        elif fault := complaint(response, f"parameters.{field.removesuffix('.0')}"):
            wrong[name] = fault
    assert wrong == {}


SPOILT: list[tuple[dict[str, str], bytes]] = [
    ({"content_type": "text/plain"}, b"{}"),
    (
        {"content_type": "application/xml"},
        b"<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><a>&b;</a>",
    ),
    ({"content_type": "application/x-www-form-urlencoded"}, b"id=1"),
    ({"content_type": "multipart/form-data; boundary=x"}, b"--x\r\nbroken"),
    ({"content_type": "multipart/form-data"}, b"no boundary"),
    ({"content_type": "application/json; charset=utf-16"}, '{"id": 1}'.encode("utf-16")),
    ({"content_type": "application/json; charset=nonsense"}, b"{}"),
    ({"content_type": "x" * 10_000}, b"{}"),
    ({"content_type": ""}, b"{}"),
    ({"HTTP_CONTENT_ENCODING": "gzip"}, b"\x1f\x8b\x08\x00"),
    ({"HTTP_ACCEPT": "text/csv"}, b"{}"),
    ({"HTTP_AUTHORIZATION": "Bearer \x00"}, b"{}"),
    ({"HTTP_AUTHORIZATION": "Bearer a b"}, b"{}"),
    ({"HTTP_AUTHORIZATION": "Bearer " + "x" * 10_000}, b"{}"),
    ({}, b""),
    ({}, b"\xef\xbb\xbf{}"),
    ({}, b"\xff\xff"),
    ({}, b"{}{}"),
    ({}, b'{"\xff": 1}'),
    ({}, b'{"id": 1,}'),
    ({}, b"x" * (2**20 + 1)),
    ({"CONTENT_LENGTH": "9" * 30}, b"{}"),
    ({"CONTENT_LENGTH": "", "HTTP_TRANSFER_ENCODING": "chunked"}, b"{}"),
]
KEYS = ("__proto__", "constructor", "", " ", "id ", "ID", "ид", "\u202eid", "x" * 5000)


@pytest.mark.parametrize("operation", BODY_OPERATIONS)
def test_hostile_bodies_and_headers_are_problems(hostile, operation):
    before = row_counts()
    for headers, body in SPOILT:
        if operation in NOTHING_IS_ENOUGH and not body:
            continue
        response = hostile.send(operation, "body", body, **headers)
        shown = (headers, body[:40])
        assert 400 <= response.status_code < 500, (shown, response.content)
        assert response["Content-Type"] == "application/problem+json", shown
        assert json.loads(response.content)["errors"] or response.status_code == 401, shown
        assert row_counts() == before, shown


@pytest.mark.parametrize("operation", BODY_OPERATIONS)
def test_nothing_asked_for_is_enough_where_everything_has_a_default(hostile, operation):
    empty = hostile.send(operation, "body", b"").status_code
    assert (empty == 202) == (operation in NOTHING_IS_ENOUGH)


@pytest.mark.parametrize("operation", BODY_OPERATIONS)
def test_unknown_members_are_refused_by_name(hostile, operation):
    for key in KEYS:
        body = hostile.body(operation, "id") | {key: 1}
        response = hostile.send(operation, "body", json.dumps(body).encode())
        assert response.status_code == 422, key
        assert json.loads(response.content)["errors"][0]["field"] == (key[:64] or "body")
