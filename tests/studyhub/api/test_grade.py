"""An answer is graded against a question written out, whatever is written: nothing is stored or hangs."""

import json
import time

import pytest
from django.apps import apps

from cards.inline import DEEPEST, MOST_MISTAKES, BrokenSpecification, Specification, grade_inline
from studyhub.api import grading
from studyhub.delivery.judging import Asked

NUMBER = {"key": {"compute": "d_head", "model": "bert-base"}}
OPTIONS = [{"id": "a", "text": "yes", "correct": True}, {"id": "b", "text": "no", "mistake": "denied"}]


def deep(levels: int):
    value: object = 1
    for _ in range(levels):
        value = [value]
    return value


def test_a_wrong_answer_comes_back_by_the_name_of_its_mistake(learner_api, shelf):
    response = learner_api.post("grade", shelf.inline())
    assert response.status_code == 200
    grade = response.json()
    assert (grade["outcome"], grade["mistake"]) == ("incorrect", "width_for_heads")
    assert grade["feedback_html"] == "<p>64 is the width of a head.</p>\n"
    assert grade["key_text"] == "12 heads"
    assert grade["pictures"] == []


def test_a_right_answer_needs_no_mistakes_and_no_type_in_the_answer(learner_api):
    body = {"answer_type": "numeric", "answer": NUMBER, "response": {"text": "768/12"}}
    grade = learner_api.post("grade", body).json()
    assert (grade["outcome"], grade["score"]) == ("correct", 1.0)


def test_an_answer_that_cannot_be_read_is_not_wrong(learner_api, shelf, problem):
    name, errors = problem(learner_api.post("grade", shelf.inline(response={"text": "ten or so"})), 422)
    assert (name, set(errors)) == ("unreadable-answer", {"response.text"})


def test_an_answer_asked_for_instead_of_given_is_a_miss_that_tells_the_key(learner_api, shelf):
    grade = learner_api.post("grade", shelf.inline(response={"revealed": True})).json()
    assert (grade["outcome"], grade["title"]) == ("incorrect", "the answer is 12 heads")


def test_nothing_is_stored(learner_api, shelf):
    before = {model: model._default_manager.count() for model in apps.get_models()}
    learner_api.post("grade", shelf.inline())
    learner_api.post("readings", shelf.reading())
    assert before == {model: model._default_manager.count() for model in apps.get_models()}


def test_a_written_answer_is_graded_by_ticks_that_come_with_it(learner_api):
    answer = {"points": [{"id": "sum", "text": "A sum.", "weight": 3}, {"id": "root", "text": "Its root."}]}
    body = {"answer_type": "rubric", "answer": answer, "response": {"text": "It is a sum."}}
    waiting = learner_api.post("grade", body).json()
    assert (waiting["outcome"], waiting["pending"]) == ("undecided", "ticks")
    assert [(part["id"], part["outcome"]) for part in waiting["parts"]] == [
        ("sum", "unsure"),
        ("root", "unsure"),
    ]
    ticked = learner_api.post(
        "grade", body | {"response": {"text": "It is a sum.", "choices": ["sum"]}}
    ).json()
    assert (ticked["outcome"], ticked["score"], ticked["pending"]) == ("partial", 0.75, "")


BROKEN = {
    "a key that is typed": ("numeric", {"key": 64}, [], "answer"),
    "no key": ("numeric", {}, [], "answer"),
    "a computation that is not there": ("numeric", {"key": {"compute": "__import__"}}, [], "answer"),
    "an argument too many": (
        "numeric",
        {"key": {"compute": "d_head", "model": "bert-base", "x": 1}},
        [],
        "answer",
    ),
    "a number without bound": ("numeric", {"key": {"compute": "divisors", "n": 2**40}}, [], "answer"),
    "a text times a number": (
        "shape",
        {
            "key": {
                "compute": "shape_after",
                "step": "view",
                "batch": 1,
                "tokens": 1,
                "num_heads": 2**31,
                "d_head": "x" * 2000,
            }
        },
        [],
        "answer",
    ),
    "a text in a product": (
        "numeric",
        {"key": {"compute": "numbers_in", "shape": ["xxxx", 2**31]}},
        [],
        "answer",
    ),
    "a list times a number": (
        "numeric",
        {"key": {"compute": "numbers_in", "shape": [[0], 2**31]}},
        [],
        "answer",
    ),
    "a text of a width": (
        "numeric",
        {"key": {"compute": "attention_parameters", "d_model": 8, "num_heads": 2**31, "d_head": "x" * 99}},
        [],
        "answer",
    ),
    "a tower of a text": ("numeric", {**NUMBER, "tolerance": {"relative": "1e999999999"}}, [], "answer"),
    "a tolerance of no kind": ("numeric", {**NUMBER, "tolerance": {"roughly": 1}}, [], "answer"),
    "a nested key": (
        "numeric",
        {
            "key": {
                "compute": "scale_divisor",
                "d_head": {
                    "compute": "d_head",
                    "d_model": {
                        "compute": "d_head",
                        "d_model": {
                            "compute": "d_head",
                            "d_model": {"compute": "d_head", "d_model": {"compute": "x"}},
                        },
                    },
                },
            }
        },
        [],
        "answer",
    ),
    "too deep": ("numeric", {"key": deep(DEEPEST)}, [], "answer"),
    "too many values": (
        "choice",
        {"options": [{"id": str(n), "text": "x"} for n in range(700)]},
        [],
        "answer",
    ),
    "a text too long": ("choice", {"options": [{"id": "a", "text": "x" * 2001}, OPTIONS[1]]}, [], "answer"),
    "options of texts": ("choice", {"options": ["a", "b"]}, [], "answer"),
    "options of nothing": ("choice", {"options": None}, [], "answer"),
    "none that is right": ("choice", {"options": [OPTIONS[1], {**OPTIONS[1], "id": "c"}]}, [], "answer"),
    "an answer of another type": ("choice", {"type": "numeric", "options": OPTIONS}, [], "answer"),
    "items of numbers": ("ordering", {"items": [1, 2]}, [], "answer"),
    "no points": ("rubric", {"points": []}, [], "answer"),
    "a weight without end": ("rubric", {"points": [{"id": "a", "text": "b", "weight": 1e300}]}, [], "answer"),
    "an id that is taken": ("rubric", {"points": [{"id": "none", "text": "b"}]}, [], "answer"),
    "a mistake of a text": ("numeric", NUMBER, [{"name": "x", "says": 1}], "mistakes"),
    "a mistake without a key": ("numeric", NUMBER, [{"name": "x", "says": "y"}], "mistakes"),
    "a predicate that is not there": (
        "numeric",
        NUMBER,
        [{"name": "x", "when": "eval", "says": "y"}],
        "mistakes",
    ),
    "a format of a predicate": (
        "numeric",
        NUMBER,
        [{"name": "x", "when": "a_larger_divisor", "n": "%999999999d", "above": 1, "says": "y"}],
        "mistakes",
    ),
    "a factor of nothing": (
        "numeric",
        NUMBER,
        [{"name": "x", "when": "off_by_factor", "factor": 0}],
        "mistakes",
    ),
    "too many mistakes": ("numeric", NUMBER, [{"name": "x", "key": 3}] * (MOST_MISTAKES + 1), "mistakes"),
    "mistakes that say too much": (
        "numeric",
        NUMBER,
        [{"name": "x", "key": 3, "says": "y" * 2001}],
        "mistakes",
    ),
}


@pytest.mark.parametrize("title", BROKEN)
def test_a_broken_specification_is_422_naming_the_field_at_once(learner_api, problem, title):
    answer_type, answer, mistakes, field = BROKEN[title]
    response = {"text": "3", "choices": ["a"], "order": ["a", "b"]}
    sent = {"answer_type": answer_type, "answer": answer, "mistakes": mistakes, "response": response}
    started = time.thread_time()
    answered = learner_api.post("grade", sent)
    assert time.thread_time() - started < 2.0
    name, errors = problem(answered, 422)
    assert name == "invalid-request"
    assert {one.split(".")[0] for one in errors} == {field}


def test_the_largest_specification_that_is_taken_is_graded_at_once():
    near = [
        {"name": f"m{n}", "when": "does_not_divide", "n": 2**31 - 1 - n, "says": "x" * 400} for n in range(40)
    ]
    asked = Specification("numeric", {"key": {"compute": "divisors", "n": 2**31}}, near)
    started = time.thread_time()
    with pytest.raises(BrokenSpecification):
        grade_inline(asked, {"text": "3"})
    any_of = {"key": {"any_of": {"compute": "divisors", "n": 2**31}}}
    grade = grade_inline(Specification("numeric", any_of, near), {"text": "3"})
    assert grade.outcome == "incorrect"
    assert time.thread_time() - started < 1


def test_every_answer_type_can_be_asked_for_and_no_other(learner_api, problem):
    body = {"answer_type": "essay", "answer": {}, "response": {}}
    assert set(problem(learner_api.post("grade", body), 422)[1]) == {"answer_type"}


def test_the_61st_of_a_minute_waits(learner_api, shelf, problem):
    for _ in range(60):
        learner_api.post("grade", {})
    assert problem(learner_api.post("grade", shelf.inline()), 429)[0] == "rate-limited"
    assert learner_api.post("attempts", shelf.attempt("heads")).status_code == 201


def test_what_is_typed_is_read_and_never_judged(learner_api, shelf):
    right, wrong = (learner_api.post("readings", shelf.reading(text=text)) for text in ("3*4", "2*5"))
    assert (right.status_code, wrong.status_code) == (200, 200)
    assert set(right.json()) == set(wrong.json()) == {"read_as", "read_as_mathml"}
    assert "12" in right.json()["read_as"]
    assert "10" in wrong.json()["read_as"]


def test_what_cannot_be_read_says_where(learner_api, shelf):
    response = learner_api.post("readings", shelf.reading(text="12 twelve?"))
    assert (response.status_code, response.json()["type"]) == (422, "/problems/unreadable-answer")
    [error] = response.json()["errors"]
    assert error["field"] == "text"
    assert 0 <= error["offset"] <= len("12 twelve?")


@pytest.mark.parametrize(("name", "field"), [("shelf", "text"), ("heads", "cells.a"), ("heads", "order")])
def test_a_field_that_is_not_typed_into_has_no_reading(learner_api, shelf, problem, name, field):
    answered = learner_api.post("readings", shelf.reading(name, field=field))
    assert (problem(answered, 422)) == ("invalid-request", {"field": "Nothing is read as it is typed here."})


def test_a_draft_is_not_read(learner_api, shelf, problem):
    assert problem(learner_api.post("readings", shelf.reading("draft")), 404)[0] == "not-found"


def test_the_241st_reading_of_a_minute_waits(learner_api, shelf, problem):
    for _ in range(240):
        learner_api.post("readings", {})
    assert problem(learner_api.post("readings", shelf.reading()), 429)[0] == "rate-limited"


def test_a_reading_costs_few_queries(learner_api, shelf, django_assert_max_num_queries):
    with django_assert_max_num_queries(6):
        assert learner_api.post("readings", shelf.reading()).status_code == 200


def test_the_body_of_a_grade_is_bounded(learner_api, shelf):
    body = json.dumps(shelf.inline(parameters={"x": "y" * 2**20}))
    response = learner_api.client.post("/api/v1/grade", body, content_type="application/json")
    assert response.status_code == 413


PROGRAM = {
    "answer_type": "program",
    "answer": {"reference": "q.view(2, 4, 12, 64).transpose(1, 2)", "model": "bert-base"},
    "mistakes": [{"name": "not_transposed", "program": "q.view(2, 12, 4, 64)", "says": "Rows are cut."}],
    "response": {"text": "q.view(2, 12, 4, 64)"},
}


def test_a_program_with_no_worker_waits_and_says_so(learner_api, frame_store):
    response = learner_api.post("grade", PROGRAM)
    assert (response.status_code, response["Retry-After"]) == (202, "30")
    grade = response.json()
    assert (grade["outcome"], grade["pending"]) == ("undecided", "worker")
    assert "no worker is running" in grade["title"]


def test_a_program_is_graded_by_what_the_worker_tells(learner_api, frame_store, monkeypatch):
    verdict = {
        "outcome": "wrong-values",
        "reason": "",
        "words": "",
        "line": 1,
        "statement": "",
        "mistaken": 0,
    }
    monkeypatch.setattr(grading, "ask", lambda *args, **kwargs: Asked(verdict))
    response = learner_api.post("grade", PROGRAM)
    assert response.status_code == 200
    assert (response.json()["outcome"], response.json()["mistake"]) == ("incorrect", "not_transposed")


def test_a_program_that_cannot_be_read_asks_no_worker(learner_api, problem, monkeypatch):
    monkeypatch.setattr(grading, "ask", lambda *args, **kwargs: pytest.fail("a worker was asked"))
    body = PROGRAM | {"response": {"text": "__import__('os')"}}
    assert problem(learner_api.post("grade", body), 422)[0] == "unreadable-answer"
    body = PROGRAM | {"answer": {"reference": "__import__('os')", "model": "bert-base"}}
    assert set(problem(learner_api.post("grade", body), 422)[1]) == {"answer"}
