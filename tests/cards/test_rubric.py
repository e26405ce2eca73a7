"""A written answer is counted by the points that are ticked beside it."""

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from cards.answer_types import rubric
from cards.answering import grade, grade_json, key_text, question_input
from cards.grading import Question, Unreadable, read_response
from cards.keys import KeyProblem
from cards.lint import killed_mistakes, lint_card
from tests.sampling import tries

pytestmark = pytest.mark.plain

ANSWER = {
    "points": [
        {"id": "kernels", "text": "Kernels fit $64$.", "weight": 2},
        {"id": "trade", "text": "Fewer heads."},
        {"id": "habit", "text": "A habit."},
    ],
    "red_flags": [{"id": "law", "text": "It is a law.", "mistake": "called_a_law"}],
}
MISTAKES = [{"name": "called_a_law", "title": "it is no law", "says": "Nothing forces it: {key}."}]
TEXT = "Kernels, and a habit."


def graded(*choices: str, answer=ANSWER, text: str = TEXT):
    return rubric.grade(Question(answer, MISTAKES), read_response({"text": text, "choices": list(choices)}))


def test_without_ticks_it_waits_and_every_part_is_unsure():
    found = graded()
    assert (found.outcome, found.score, found.pending) == ("undecided", 0.0, "ticks")
    assert [part.outcome for part in found.parts] == ["unsure"] * 4
    assert [part.quote for part in found.parts] == [""] * 4
    assert found.read_as == "4 words"
    assert found.parts[0].title == "Kernels fit 64."


@pytest.mark.parametrize(
    ("choices", "outcome", "score", "title"),
    [
        (("kernels", "trade", "habit"), "correct", 1.0, "all 3 points"),
        (("kernels",), "partial", 0.5, "1 of 3 points"),
        (("trade", "habit"), "partial", 0.5, "2 of 3 points"),
        (("none",), "incorrect", 0.0, "0 of 3 points"),
        (("kernels", "trade", "habit", "law"), "incorrect", 0.0, "it is no law"),
    ],
)
def test_the_score_is_the_weighted_share_and_a_red_flag_takes_all(choices, outcome, score, title):
    found = graded(*choices)
    assert (found.outcome, found.score, found.title, found.pending) == (outcome, score, title, "")
    assert {part.id for part in found.parts if part.outcome == "hit"} == set(choices) - {"none"}
    assert {part.id for part in found.parts if part.mistake} == {"law"}


def test_a_red_flag_says_why_by_its_name():
    found = graded("law")
    assert found.mistake == "called_a_law"
    assert found.feedback == "Nothing forces it: Kernels fit 64; Fewer heads; A habit."


@pytest.mark.parametrize("choices", [("none", "law"), ("merge",), ("kernels", "x")])
def test_ticks_that_cannot_be_meant_are_unreadable(choices, refusal):
    assert refusal(graded, *choices).field == "choices"


@pytest.mark.parametrize("text", ["", "  \n\t ", "\u200b", "\x00 \x01", "\u202e\ufeff", "\ud800"])
def test_nothing_written_is_unreadable(text, refusal):
    assert refusal(graded, text=text).field == "text"


@given(
    st.sets(st.sampled_from(["kernels", "trade", "habit"])), st.sampled_from(["kernels", "trade", "habit"])
)
@hypothesis_settings(max_examples=tries(60), deadline=None)
def test_one_more_point_never_costs(ticked, more):
    before, after = (graded(*(one or {"none"})).score for one in (ticked, ticked | {more}))
    assert before <= after
    assert (after > before) == (more not in ticked)


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"points": []},
        {"points": ["a"]},
        {"points": [{"id": "a"}]},
        {"points": [{"id": "none", "text": "x"}]},
        {"points": [{"id": "a", "text": "x"}, {"id": "a", "text": "y"}]},
        {"points": [{"id": "a", "text": "x"}], "red_flags": [{"id": "a", "text": "y", "mistake": "m"}]},
        {"points": [{"id": "a", "text": "x"}], "red_flags": [{"id": "b", "text": "y"}]},
        {"points": [{"id": "a", "text": "x", "weight": 0}]},
        {"points": [{"id": "a", "text": "x", "weight": True}]},
        {"points": [{"id": "a", "text": "x", "weight": float("nan")}]},
        {"points": [{"id": "a", "text": "x"}], "pass": 0},
        {"points": [{"id": "a", "text": "x"}], "pass": 1.5},
        {"points": [{"id": str(n), "text": "x"} for n in range(65)]},
    ],
)
def test_a_rubric_that_cannot_be_counted_is_the_cards_fault(answer):
    with pytest.raises(KeyProblem):
        graded("a", answer=answer)


def test_each_red_flag_has_a_mistake_of_the_card_and_the_other_way_round(card):
    assert rubric.problems(Question(ANSWER, MISTAKES)) == []
    assert rubric.problems(Question(ANSWER)) == [
        "red flag law: its mistake 'called_a_law' is not among the mistakes"
    ]
    other = [*MISTAKES, {"name": "other", "says": "x"}]
    assert rubric.problems(Question(ANSWER, other)) == ["mistake other: no red flag leads to it"]
    odd = {"points": [{"id": "a", "text": "x", "wieght": 2}]}
    assert rubric.problems(Question(odd)) == ["a: no field wieght; there are: id, text, weight"]


def test_its_examples_are_graded_as_they_say(card):
    version = card("rubric", ANSWER, mistakes=MISTAKES)
    assert [problem for problem in lint_card(version) if problem.rule in ("key", "mistake", "answer")] == []
    assert killed_mistakes(version) == {"called_a_law"}


def test_the_points_are_no_part_of_the_question(card):
    asked = question_input(card("rubric", ANSWER, mistakes=MISTAKES))
    assert asked["lines"] == rubric.LINES
    assert "Kernels" not in str(asked)
    assert key_text(card("rubric", ANSWER)).splitlines() == ["Kernels fit 64.", "Fewer heads.", "A habit."]


def test_asked_for_instead_of_given_it_is_a_miss_with_nothing_left_to_tick(card):
    found = grade_json(grade(card("rubric", ANSWER), 0, {"revealed": True}))
    assert (found["outcome"], found["pending"], found["title"]) == ("incorrect", "", "the answer is shown")
    assert {part["outcome"] for part in found["parts"]} == {"missing"}


def test_ticks_are_counted_of_a_text_alone():
    with pytest.raises(Unreadable):
        rubric.ticked(Question(ANSWER, MISTAKES), read_response({"revealed": True}), ["kernels"])
