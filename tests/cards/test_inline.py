"""A question written out by anybody: whatever stands in it, it is graded or refused, at once and by name."""

import json
import random
import time
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest

from cards.grading import Grade, Unreadable
from cards.inline import BrokenSpecification, Specification, grade_inline
from cards.vector_files import CHOSEN, FOLDER
from tests.sampling import tries

pytestmark = pytest.mark.plain

QUESTIONS = json.loads((FOLDER / CHOSEN).read_text(encoding="utf-8")) + [
    {
        "answer_type": "program",
        "name": "split",
        "answer": {"reference": "q.view(2, 4, 12, 64)", "model": "bert-base", "accepts": []},
        "mistakes": [{"name": "swapped", "program": "q.view(2, 12, 4, 64)", "says": "Rows are cut."}],
        "responses": [{"text": "q.view(2, 4, 12, 64)"}],
    },
    {
        "answer_type": "numeric",
        "name": "heads-above-eight",
        "answer": {"key": {"compute": "smallest_divisor_above", "n": 768, "above": 8}},
        "mistakes": [{"name": "no_divisor", "when": "does_not_divide", "n": 768, "says": "{n} = {quotient}"}],
        "responses": [{"text": "10"}, {"revealed": True}],
    },
]  # fmt: skip
HOSTILE: list[Any] = [
    *(None, True, -1, 0, 2**31, 2**53, 1e308, -1e-308, 0.5),
    *("", "x" * 2000, "1e99", "9^9^9^9", "(" * 300, "%999999999d"),
    *("{answer}{key}", "\u202e<b>", "__import__"),
    *([], [[]] * 5, ["x"] * 64, [2**31] * 16, {}, {"compute": "divisors", "n": 2**31}, {"any_of": {}}),
    *({"compute": "numbers_in", "shape": [2**31] * 64}, {"cell": "heads"}, {"id": "x", "text": "y"}),
]  # fmt: skip
LONGEST_S = 0.5


def places(value: Any, path: tuple = ()) -> Iterator[tuple]:
    """Where every value within a value is."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, one in inner:
        yield (*path, name)
        yield from places(one, (*path, name))


def spoilt(question: dict, path: tuple, hostile: Any) -> dict:
    """The question with one value replaced."""
    changed = deepcopy(question)
    within = changed
    for step in path[:-1]:
        within = within[step]
    within[path[-1]] = hostile
    return changed


def outcome(question: dict, response: dict) -> str:
    """What comes of it; any other error, and any other kind of grade, is a failure."""
    answer, mistakes = question.get("answer"), question.get("mistakes", [])
    if not isinstance(answer, dict) or not isinstance(mistakes, list):
        return "refused by its form"
    if not all(isinstance(one, dict) for one in mistakes):
        return "refused by its form"
    try:
        grade = grade_inline(Specification(question["answer_type"], answer, mistakes), response)
    except BrokenSpecification as broken:
        return "broken" if broken.field.split(".")[0] in ("answer", "mistakes") else f"blames {broken.field}"
    except Unreadable:
        return "unreadable"
    assert isinstance(grade, Grade)
    assert 0 <= grade.score <= 1
    return grade.outcome


CASES = [
    (question, path, hostile)
    for question in QUESTIONS
    for path in places({name: question[name] for name in ("answer", "mistakes") if name in question})
    for hostile in HOSTILE
]


def test_whatever_stands_in_a_question_it_is_graded_or_refused_at_once():
    told: dict[str, int] = {}
    for question, path, hostile in random.Random(7).sample(CASES, min(tries(4000), len(CASES))):
        changed = spoilt(question, path, hostile)
        for response in (*question["responses"][:2], {"revealed": True}):
            started = time.thread_time()
            found = outcome(changed, response)
            taken = time.thread_time() - started
            assert taken < LONGEST_S, (question["name"], path, str(hostile)[:60], response, taken)
            told[found] = told.get(found, 0) + 1
    assert {"correct", "incorrect", "broken"} <= set(told)
    assert not [found for found in told if found.startswith("blames")]


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question["name"])
def test_each_question_is_graded_before_it_is_spoilt(question):
    assert outcome(question, question["responses"][0]) in ("correct", "undecided", "incorrect")
