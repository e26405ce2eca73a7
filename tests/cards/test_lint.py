"""A card is published only if its key, its mistakes and its pictures hold."""

import pytest

from cards.answer_types import ANSWER_TYPES, answer_type, odd_settings
from cards.lint import killed_mistakes, lint_card
from tests.cards.grading import corpus_rows

pytestmark = pytest.mark.plain

GOOD = {
    "name": "heads_for_width",
    "key": {"compute": "num_heads", "model": "bert-base"},
    "says": "12 counts heads.",
}


def rules(version, **named):
    return [problem.rule for problem in lint_card(version, **named)]


@pytest.mark.parametrize("name", ["numeric", "shape", "choice", "ordering", "reveal"])
def test_a_sound_card_has_no_problem(card, name):
    assert lint_card(card(name), sources={"bert-readme"}) == []


def test_each_mistake_that_changes_a_grade_is_counted(card):
    assert killed_mistakes(card(mistakes=[GOOD])) == {"heads_for_width"}
    assert killed_mistakes(card("choice")) == {"view_refuses", "shape_is_enough"}


@pytest.mark.parametrize(
    "mistake",
    [
        {**GOOD, "key": {"compute": "d_head", "model": "bert-base"}},
        {**GOOD, "key": 64},
        {**GOOD, "key": "sixty"},
        {**GOOD, "key": {"compute": "nothing"}},
        {**GOOD, "says": ""},
        {**GOOD, "name": "Two Words"},
        {**GOOD, "says": "{answer} and {nobody_knows}"},
        {"name": "no_way", "when": "not_above", "bound": 0, "says": "x"},
        {"name": "unknown", "when": "feels_wrong", "says": "x"},
        {"name": "bad", "when": "not_above", "limit": 1, "says": "x"},
    ],
)
def test_a_mistake_that_cannot_be_made_or_says_nothing_is_a_problem(card, mistake):
    assert rules(card(mistakes=[mistake]))


def test_a_mistake_hidden_by_one_before_it_is_a_problem(card):
    hidden = {**GOOD, "name": "the_same_again"}
    (problem,) = lint_card(card(mistakes=[GOOD, hidden]))
    assert "12 is named heads_for_width, not the_same_again" in problem.message


@pytest.mark.parametrize(
    ("fields", "rule"),
    [
        ({"answer": {"key": {"compute": "nothing"}}}, "answer"),
        ({"answer": {"key": {"compute": "scale_divisor", "d_head": 128}}}, "answer"),
        ({"prompt": "Is it 64 or 12?"}, "prompt-contains-key"),
        ({"prompt": "TODO ask something"}, "unfinished"),
        ({"explanation": ""}, "explanation"),
        ({"explanation": "$\\nonsense$"}, "maths"),
        ({"hints": ["a", "b", "c", "d"]}, "hints"),
        ({"sources": []}, "sources"),
        ({"sources": ["hearsay"]}, "sources"),
        ({"picture": {"kind": "fireworks", "parameters": {}}}, "picture"),
        ({"picture": [{"kind": "head_split", "parameters": {"d_model": 768, "num_heads": 10}}]}, "picture"),
        ({"answer_type": "essay", "answer": {}}, "answer"),
    ],
)
def test_each_rule_finds_its_problem(card, fields, rule):
    assert rule in rules(card(**fields), sources={"bert-readme"})


@pytest.mark.parametrize(
    ("prompt", "given_away"),
    [
        ("Is it 64?", True),
        ("64 heads", True),
        ("1.64 or 164 or 64.5 or 2^64", False),
        ("d_64", False),
        ("(64)", True),
    ],
)
def test_the_key_in_the_prompt_counts_only_as_a_number_of_its_own(card, prompt, given_away):
    assert ("prompt-contains-key" in rules(card(prompt=prompt))) == given_away


def test_a_rule_may_be_waived_with_a_reason(card):
    waivers = {"waivers": {"prompt-contains-key": "the shape is given"}}
    assert rules(card(prompt="Is it 64?", parameters=waivers)) == []


@pytest.mark.parametrize(
    "options",
    [
        [{"id": "a", "text": "one", "correct": True}],
        [{"id": "a", "text": "one", "correct": True}, {"id": "b", "text": "two", "correct": True}],
        [{"id": "a", "text": "one", "mistake": "m"}, {"id": "b", "text": "two", "mistake": "m"}],
        [{"id": "a", "text": "one", "correct": True}, {"id": "a", "text": "two", "mistake": "m"}],
        [{"id": "a", "text": "one", "correct": True}, {"id": "b", "text": "two"}],
        [{"id": "a", "text": "one", "correct": True}, {"id": "b", "text": "two", "mistake": "elsewhere"}],
    ],
)
def test_a_choice_needs_one_right_option_and_a_mistake_behind_each_other(card, options):
    mistakes = [{"name": "m", "says": "no"}]
    assert rules(card("choice", answer={"options": options}, mistakes=mistakes))


def test_a_right_option_that_is_far_the_longest_is_a_warning(card):
    options = [
        {"id": "a", "text": "long " * 9, "correct": True},
        {"id": "b", "text": "short", "mistake": "m"},
    ]
    (problem,) = lint_card(
        card("choice", answer={"options": options}, mistakes=[{"name": "m", "says": "no"}])
    )
    assert (problem.rule, problem.warning) == ("option-length", True)


def test_an_ordering_mistake_that_is_the_right_order_is_a_problem(card):
    mistake = {"name": "no_mistake", "before": ["project", "view"], "says": "x"}
    assert "answer" in rules(card("ordering", mistakes=[mistake]))


@pytest.mark.parametrize("name", ANSWER_TYPES)
def test_each_type_tells_a_field_that_it_does_not_know(name):
    (told,) = odd_settings(answer_type(name), {"type": name, "tolerence": "exact"})
    assert told.startswith("no field tolerence; there are: type, ")


def test_a_misspelt_setting_keeps_a_card_from_learners(card):
    answer = {"key": {"compute": "d_head", "model": "bert-base"}, "unit": "dims", "unit_requird": True}
    (problem,) = lint_card(card("numeric", answer=answer, mistakes=[GOOD]))
    assert problem.rule == "answer"
    assert problem.message.startswith("no field unit_requird")


def test_a_misspelt_setting_of_a_cell_is_told_with_the_cell(card):
    width = {"id": "width", "type": "words", "key": "wide", "typo": 1}
    answer = {"columns": ["a"], "rows": [{"cells": [width]}]}
    assert "cell width: no field typo" in str(lint_card(card("table", answer=answer, mistakes=[])))


def test_every_field_of_an_answer_that_a_person_graded_is_known():
    odd = {
        (row.type, told)
        for row in corpus_rows.rows()
        if row.type in ANSWER_TYPES and not row.id.startswith("hostile")
        for told in odd_settings(answer_type(row.type), row.answer)
    }
    assert odd == set()
