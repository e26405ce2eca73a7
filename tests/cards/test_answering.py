"""Pictures, facts and JSON of a grade, and inputs that nothing may choke on."""

import json
import time

import pytest

from cards.answering import (
    ANSWER_TYPES,
    UnknownAnswerType,
    answer_type,
    grade,
    grade_json,
    key_text,
    question_of,
)
from cards.grading import Unreadable

pytestmark = pytest.mark.plain

EXECUTED = {"kind": "answer_executed", "parameters": {"d_model": 768, "num_heads": "$answer"}, "seed": 3}
TWELVE = {"key": {"compute": "num_heads", "model": "bert-base"}}


def test_every_file_of_the_folder_is_an_answer_type():
    assert set(ANSWER_TYPES) >= {"numeric", "shape", "choice", "ordering", "reveal"}
    with pytest.raises(UnknownAnswerType, match="numeric"):
        answer_type("essay")


def test_a_wrong_number_is_pictured_beside_the_right_one(card):
    found = grade(card(answer=TWELVE, picture=[EXECUTED]), 0, {"text": "10"})
    assert [(p["role"], p["parameters"]["num_heads"], p["seed"]) for p in found.pictures] == [
        ("yours", 10, 3),
        ("right", 12, 3),
    ]
    assert (found.facts["quotient"], found.facts["remainder"], found.facts["divides"]) == (76, 8, False)


def test_a_right_number_is_pictured_once_with_its_facts(card):
    found = grade(card(answer=TWELVE, picture=EXECUTED), 0, {"text": "12.0"})
    assert [p["role"] for p in found.pictures] == ["right"]
    assert found.facts["divides"] is True


@pytest.mark.parametrize("text", ["12.5", "-3", "0", "10^30", "1/3"])
def test_a_number_that_cannot_be_heads_has_no_picture_of_its_own(card, text):
    found = grade(card(answer=TWELVE, picture=[EXECUTED]), 0, {"text": text})
    assert [p["role"] for p in found.pictures] == ["right"]
    assert set(found.facts) == {"not_run"}
    reasons = ("A view needs whole numbers of 1 or more; ", "An axis holds at")
    assert found.facts["not_run"].startswith(reasons)


def test_a_shape_is_pictured_as_a_list(card):
    picture = {
        "kind": "answer_executed",
        "parameters": {"model": "bert-base", "answer_shape": "$answer", "step": "transpose"},
    }
    found = grade(card("shape", picture=[picture]), 0, {"text": "2x4x12x64"})
    assert [p["parameters"]["answer_shape"] for p in found.pictures] == [[2, 4, 12, 64], [2, 12, 4, 64]]


def test_a_picture_without_the_answer_is_shown_once(card):
    picture = {"kind": "head_split", "parameters": {"model": "bert-base"}}
    found = grade(card(picture=[picture]), 0, {"text": "10"})
    assert [p["role"] for p in found.pictures] == ["right"]
    assert len(found.facts["steps"]) == 7


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("numeric", "64"),
        ("shape", "(2, 12, 4, 64)"),
        ("choice", "it runs and is wrong"),
        ("reveal", "kernels"),
    ],
)
def test_the_key_of_every_type_can_be_told_in_words(card, name, words):
    assert key_text(card(name)).startswith(words)


def test_the_json_of_a_grade_is_the_contract(card):
    found = grade_json(grade(card(answer=TWELVE, picture=[EXECUTED]), 0, {"text": "10"}))
    assert set(found) == {
        "outcome", "score", "mistake", "title", "feedback_html", "read_as", "key_text", "facts", "pictures",
        "place", "read_as_mathml", "notes", "parts", "pending",
    }  # fmt: skip
    assert found["feedback_html"] == "<p>10 is 2 less than 12.</p>\n"
    assert json.loads(json.dumps(found)) == found


TOWERS = [
    "9^9^9^9",
    "9**9**9",
    "2^4096^2",
    "10^10^10",
    "-".join("9" * 150),
    "2^" * 100 + "2",
    "9" * 400,
    "9" * 401,
]
DEEP = [
    "(" * 200,
    "(" * 190 + "1" + ")" * 190,
    "[" * 400,
    "-" * 399 + "1",
    "sqrt" * 90,
    "√" * 400,
    "√" * 399 + "4",
]
LONG = [
    "1" * 4097,
    "x" * 100_000,
    "1+" * 200,
    " " * 5000,
    "1 " * 200,
    "½" * 400,
    "①" * 400,
    "2x" * 200,
    ",".join("1" * 200),
]
ODD = ["\x00", "6\x004", "\ud800", "64\udfff", "\u202e46", "10^30", "1e400", "-0", "NaN", "Infinity",
    "\u0300" * 300,
       "ﷺ" * 100, "𒐫" * 50, "<script>alert(1)</script>", "`64`", "${7*7}", "{answer}", "{{7*7}}",
       "%s%n", "'; DROP TABLE",
       "__import__('os').system('true')", "().__class__.__bases__", "64\n64", "\r\n", "\t64", "0x40",
       "1_000_00"]  # fmt: skip
TYPED = [None, True, 64, 64.0, float("nan"), 10**400, [], ["64"], {}, {"text": "64"}, b"64", "text", object()]
FIELDS = ("text", "choices", "order", "cells", "revealed")


def _hostile():
    yield from ({"text": text} for text in [*TOWERS, *DEEP, *LONG, *ODD])
    yield from ({name: value} for name in FIELDS for value in TYPED)
    yield from ({name: [text]} for name in ("choices", "order") for text in [*ODD, *TOWERS])
    yield from ({name: [value]} for name in ("choices", "order") for value in TYPED)
    yield from ({name: ["a"] * 5000} for name in ("choices", "order"))
    yield from ({"cells": {text: text}} for text in ODD)
    yield from TYPED


@pytest.mark.parametrize("name", ["numeric", "shape", "choice", "ordering", "reveal"])
def test_hostile_answers_are_graded_or_unreadable_at_once(card, name):
    version = card(name, picture=[EXECUTED] if name == "numeric" else [])
    for example in answer_type(name).examples(question_of(version)):
        grade(version, 0, example.response)  # imports are not timed
    slowest = 0.0
    for response in _hostile():
        started = time.thread_time()
        message = _graded_or_refused(version, response)
        slowest = max(slowest, time.thread_time() - started)
        assert "<" not in message
    assert slowest < 0.5, slowest  # ten times the bound we hold: a full garbage collection may fall into one


def _graded_or_refused(version, response):
    """The refusal's message, which must be sendable; "" for a grade, which must be JSON."""
    try:
        json.dumps(grade_json(grade(version, 0, response)), allow_nan=False)
    except Unreadable as problem:
        return problem.message.encode().decode()
    return ""


@pytest.mark.parametrize("text", ODD)
def test_no_markup_of_the_learner_reaches_the_page(card, text):
    try:
        said = grade_json(grade(card(), 0, {"text": text}))["feedback_html"]
    except Unreadable as problem:
        said = problem.message
    assert "<script" not in said
