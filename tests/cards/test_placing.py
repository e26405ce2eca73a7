"""An answer put into a picture: as a number, as text, into a list, as what an option runs; or why not."""

import json
from fractions import Fraction
from typing import Any

import pytest

from attention_engine.spec import make_spec
from cards.answering import grade, grade_json, question_input
from cards.lint import lint_card
from cards.placing import has_place, picture_of, why_not

pytestmark = pytest.mark.plain

DIVIDED = {"kind": "saturation", "parameters": {"d_head": 64, "divisor": "$answer"}}
STRIDES = [160, "$answer", 32, 1]
TAPE = {
    "kind": "memory_tape",
    "parameters": {
        "shape": [2, 5, 4, 8],
        "ops": "transpose(1, 2)",
        "answer_strides": [160, "$answer", 32, 1],
    },
}
PROGRAM = {"kind": "answer_executed", "parameters": {"model": "bert-base", "program": "$answer"}}
HEADS = {"kind": "head_split", "parameters": {"d_model": 768, "num_heads": "$answer"}}
WIDTH = {"kind": "saturation", "parameters": {"d_head": "$answer"}}
ROOT = {"key": {"compute": "scale_divisor", "d_head": 64}}
LINES = {
    "options": [
        {"id": "keys", "text": "over keys", "correct": True, "runs": "scores.softmax(dim=-1)"},
        {"id": "queries", "text": "over queries", "mistake": "queries", "runs": "scores.softmax(dim=-2)"},
    ]
}
LINE_MISTAKES = [{"name": "queries", "says": "Columns sum to 1, not rows."}]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (8, "8"),
        (Fraction(1131, 100), "11.31"),
        (Fraction(1, 8), "0.125"),
        (Fraction(1, 3), "0.333333333333"),
        (Fraction(100), "100"),
        (10**30, "1E+30"),
        (Fraction(1, 10**40), "1E-40"),
        (Fraction(-5, 2), "-2.5"),
        ("q.view(2, 12, 4, 64)", "q.view(2, 12, 4, 64)"),
    ],
)
def test_a_number_becomes_text_where_text_is_taken(value: Any, text: str) -> None:
    assert picture_of("yours", DIVIDED, value)["parameters"] == {"d_head": 64, "divisor": text}


def test_a_number_takes_its_place_in_a_list() -> None:
    assert has_place(TAPE)
    assert picture_of("yours", TAPE, 40)["parameters"]["answer_strides"] == [160, 40, 32, 1]
    assert STRIDES == [160, "$answer", 32, 1]


@pytest.mark.parametrize(
    ("row", "value", "reason"),
    [
        (DIVIDED, 8, ""),
        (DIVIDED, Fraction(1, 8), ""),
        (TAPE, 40, ""),
        (TAPE, 2**31 - 1, ""),
        (HEADS, 12, ""),
        (PROGRAM, "q.view(2, 12, 4, 64)", ""),
        (
            DIVIDED,
            0,
            "Nothing was run: divisor 0 is not above 0: "
            "a score divided by it would lose its sign or its meaning.",
        ),
        (
            DIVIDED,
            10**300,
            "Nothing was run: divisor 1e+300 lies beyond 0.000001 to 1000000: "
            "all weights would be equal, or one of them 1.",
        ),
        (TAPE, 0, "Strides are tried as whole numbers of 1 or more; 0 is none."),
        (TAPE, -3, "Strides are tried as whole numbers of 1 or more; −3 is none."),
        (TAPE, Fraction(15, 2), "Strides are tried as whole numbers of 1 or more; 7.5 is none."),
        (TAPE, 2**31, "A stride goes up to 2,147,483,647; 2,147,483,648 is more, so nothing was run."),
        (TAPE, [8, 1], "Nothing was run: answer_strides has room for one number, and 2 are given."),
        (HEADS, 0, "A view needs whole numbers of 1 or more; 0 is none."),
        (HEADS, True, "A view needs whole numbers of 1 or more; True is none."),
        (HEADS, "twelve", "A view needs whole numbers of 1 or more; 'twelve' is none."),
        (HEADS, 2**40, "An axis holds at most 2,147,483,647; 1,099,511,627,776 is more, so nothing was run."),
        (WIDTH, 2048, "d_head goes up to 1,024; 2,048 is more, so nothing was run."),
        (WIDTH, Fraction(1, 2), "This picture takes whole numbers of 1 or more; 0.5 is none."),
    ],
)
def test_what_a_picture_does_not_take_is_told_with_the_number(row: Any, value: Any, reason: str) -> None:
    assert why_not(row, value) == reason


def test_heads_that_do_not_divide_are_told_by_the_picture_that_refuses_them() -> None:
    assert why_not(HEADS, 10).startswith("Nothing was run: d_model 768 is not a multiple of num_heads 10")


@pytest.mark.parametrize("text", ["8", "64", "1/8", "11.31", "sqrt(128)", "-8", "0", "10^30", "1/3"])
def test_a_divisor_is_drawn_as_the_learner_gave_it_or_its_reason_is_told(card: Any, text: str) -> None:
    found = grade(card(answer=ROOT, picture=[DIVIDED]), 0, {"text": text})
    roles = [one["role"] for one in found.pictures]
    assert roles == (
        ["right"] if found.outcome == "correct" or "not_run" in found.facts else ["yours", "right"]
    )
    assert json.loads(json.dumps(grade_json(found)))["pictures"][-1]["parameters"]["divisor"] == "8"
    for one in found.pictures:
        make_spec(one["kind"], one["parameters"], one["seed"])


def test_an_option_is_run_as_its_author_says(card: Any) -> None:
    version = card("choice", answer=LINES, mistakes=LINE_MISTAKES, picture=[PROGRAM])
    wrong, right = (grade(version, 0, {"choices": [one]}) for one in ("queries", "keys"))
    programs = [(one["role"], one["parameters"]["program"]) for one in wrong.pictures]
    assert programs == [("yours", "scores.softmax(dim=-2)"), ("right", "scores.softmax(dim=-1)")]
    assert [one["role"] for one in right.pictures] == ["right"]
    assert wrong.facts["code"] == "scores.softmax(dim=-2)"
    assert "runs" not in json.dumps(question_input(version))
    assert lint_card(version, sources={"bert-readme"}) == []


@pytest.mark.parametrize(("runs", "placed"), [("t5-11b", "t5-11b"), (12, "12"), (11.31, "11.31"), (8.0, "8")])
def test_an_option_may_stand_for_a_text_or_a_number(card: Any, runs: Any, placed: str) -> None:
    options = [{**LINES["options"][0], "runs": runs}, LINES["options"][1]]
    row = {"kind": "saturation", "parameters": {"model": "$answer"}}
    version = card("choice", answer={"options": options}, mistakes=LINE_MISTAKES, picture=[row])
    given = grade(version, 0, {"choices": ["keys"]})
    assert [one["parameters"]["model"] for one in given.pictures] == ([placed] if placed == "t5-11b" else [])
    assert picture_of("right", row, given.key)["parameters"]["model"] == placed


def test_an_option_may_stand_for_a_shape(card: Any) -> None:
    row = {"kind": "answer_executed", "parameters": {"model": "bert-base", "answer_shape": "$answer"}}
    options = [
        {**LINES["options"][0], "runs": [2, 4, 12, 64]},
        {**LINES["options"][1], "runs": [2, 12, 4, 64]},
    ]
    version = card("choice", answer={"options": options}, mistakes=LINE_MISTAKES, picture=[row])
    shapes = [
        one["parameters"]["answer_shape"] for one in grade(version, 0, {"choices": ["queries"]}).pictures
    ]
    assert shapes == [[2, 12, 4, 64], [2, 4, 12, 64]]


def problems(version: Any) -> list[str]:
    return [f"{p.rule}{' (warning)' if p.warning else ''}: {p.message}" for p in lint_card(version)]


RUN_OF_QUERIES = "picture: answer_executed for option queries: Nothing was run: "


def _with(runs: Any) -> dict[str, Any]:
    return {"options": [LINES["options"][0], {**LINES["options"][1], "runs": runs}]}


@pytest.mark.parametrize(
    ("answer", "picture", "told"),
    [
        (
            _with("import os"),
            PROGRAM,
            RUN_OF_QUERIES + "program cannot be run",
        ),
        (
            _with("nowhere.view(2)"),
            PROGRAM,
            RUN_OF_QUERIES + "program cannot be run",
        ),
        (_with(None), PROGRAM, "answer: option queries: runs is a text, a number or a list of whole numbers"),
        (_with({"a": 1}), PROGRAM, "answer: option queries: runs is a text, a number or a list"),
        (_with([1, "a"]), PROGRAM, "answer: option queries: runs is a text, a number or a list"),
        (_with(True), PROGRAM, "answer: option queries: runs is a text, a number or a list"),
        (LINES, {}, "picture (warning): options say what they run, and no picture has $answer"),
        (
            LINES,
            {**PROGRAM, "speed": 2},
            "picture: no field speed in a picture; there are: kind",
        ),
    ],
)
def test_what_could_not_be_drawn_of_an_option_keeps_a_card_from_learners(
    card: Any, answer: Any, picture: Any, told: str
) -> None:
    version = card("choice", answer=answer, mistakes=LINE_MISTAKES, picture=[picture] if picture else [])
    assert any(problem.startswith(told) for problem in problems(version)), problems(version)


def test_an_option_that_says_nothing_to_run_is_named(card: Any) -> None:
    plain = {
        "options": [LINES["options"][0], {"id": "queries", "text": "over queries", "mistake": "queries"}]
    }
    version = card("choice", answer=plain, mistakes=LINE_MISTAKES, picture=[PROGRAM])
    assert problems(version) == [
        "picture: answer_executed waits for $answer, and option queries has no `runs`"
    ]
    given = grade(version, 0, {"choices": ["queries"]})
    assert [one["role"] for one in given.pictures] == ["right"]


def test_a_field_that_an_option_does_not_have_is_named(card: Any) -> None:
    misspelt = {"options": [{**LINES["options"][0], "run": "q"}, LINES["options"][1]]}
    version = card("choice", answer=misspelt, mistakes=LINE_MISTAKES, picture=[PROGRAM])
    assert problems(version) == [
        "answer: option keys: no field run; there are: id, text, correct, mistake, says, runs"
    ]


@pytest.mark.parametrize("kind", ["ordering", "reveal"])
def test_an_answer_that_is_nothing_to_run_cannot_be_waited_for(card: Any, kind: str) -> None:
    version = card(kind, picture=[HEADS])
    assert any(problem.startswith("picture: head_split") for problem in problems(version))
    responses = {"ordering": {"order": ["project", "view", "transpose", "attend", "merge"]}}
    assert grade(version, 0, responses.get(kind, {"revealed": True})).pictures == ()


INDEXED = {"kind": "answer_executed", "parameters": {"program": "k[:, $answer]", "reference": "k[:, 2]"}}


@pytest.mark.parametrize(("value", "line"), [(2, "k[:, 2]"), (-3, "k[:, -3]"), (64, "k[:, 64]")])
def test_a_whole_number_stands_inside_a_line_that_is_run(value: int, line: str) -> None:
    assert has_place(INDEXED)
    assert why_not(INDEXED, value) == ""
    assert picture_of("yours", INDEXED, value)["parameters"] == {"program": line, "reference": "k[:, 2]"}


@pytest.mark.parametrize(
    ("value", "said"),
    [(Fraction(15, 2), "7.5 is none."), (None, "None is none."), ((2, 4), "(2, 4) is none.")],
)
def test_what_is_no_whole_number_stands_in_no_line(value: object, said: str) -> None:
    assert why_not(INDEXED, value) == f"The line that is run takes a whole number; {said}"
