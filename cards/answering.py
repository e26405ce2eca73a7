"""An answer to a card, graded: finds the answer type by name. Knows no learner and no database.

A version is anything with answer_type, answer, parameters, mistakes and picture; what it leaves to be drawn
is filled in here from the seed (`generators`), pictures are placed in `placing`.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from cards.answer_types import ANSWER_TYPES, AnswerType, UnknownAnswerType, answer_type
from cards.asking import input_json
from cards.generators import concrete
from cards.grading import Example, Grade, Part, Question, Reading, Response, Unreadable, read_response
from cards.markdown import render
from cards.placing import PLACE, first_refusal, has_place, picture_facts, picture_of, rows_of, why_not

__all__ = [
    "ANSWER_TYPES",
    "UnknownAnswerType",
    "accepted_names",
    "answer_type",
    "grade",
    "grade_json",
    "judged",
    "key_text",
    "not_run",
    "offline",
    "pictures_of",
    "question_input",
    "question_of",
    "reading",
    "ticked",
    "verdict",
]
LONGEST_TITLE = 60
CELL = "cells."

logger = logging.getLogger(__name__)


def question_of(version: Any, variant_seed: int = 0) -> Question:
    """The part of a version that grading reads, its values drawn. Raises DrawProblem."""
    asked = concrete(version, variant_seed)
    return Question(asked.answer, asked.mistakes, asked.parameters, variant_seed)


def grade(version: Any, variant_seed: int, response: object) -> Grade:
    """The grade of a response (a flat mapping). Raises Unreadable and nothing else.

    A card whose key does not compute gives `undecided`: a fault of the card never counts against a learner.
    """
    read = read_response(response)
    try:
        asked = concrete(version, variant_seed)
        found = verdict(answer_type(asked.answer_type), question_of(asked, variant_seed), read)
        return _pictured(asked, found)
    except Unreadable:
        raise
    except Exception:
        logger.exception("card version %s could not be graded", getattr(version, "pk", None))
        return Grade(
            outcome="undecided",
            score=0.0,
            title="this card's own key could not be computed",
            feedback="The fault is the card's: nothing is counted. Read the explanation and rate yourself.",
        )


def judged(version: Any, variant_seed: int, response: object, told: Mapping[str, Any]) -> Grade:
    """The grade of a program by what a worker told of it. Raises Unreadable, KeyProblem."""
    judge: Any = answer_type(version.answer_type)
    asked = concrete(version, variant_seed)
    grade_of_run: Grade = judge.judged(question_of(asked, variant_seed), read_response(response), told)
    return _pictured(asked, grade_of_run)


def _pictured(version: Any, found: Grade) -> Grade:
    """The verdict with its pictures and their facts."""
    rows = _rows(version.picture, found)
    pictures = pictures_of(rows, found)
    facts = {**_facts(rows, pictures, found), **found.facts}
    reason = not_run(rows, found)
    return replace(found, pictures=pictures, facts={**facts, "not_run": reason} if reason else facts)


def _rows(picture: object, found: Grade) -> list[Mapping[str, Any]]:
    """The card's pictures; first the one in which a worker's verdict stands, so that both are one."""
    rows = rows_of(picture)
    if not found.asks or any(map(has_place, rows)):
        return rows
    parameters = {**found.asks["parameters"], "program": PLACE}
    return [{**found.asks, "parameters": parameters}, *rows]


def verdict(kind: AnswerType, question: Question, response: Response) -> Grade:
    """The type's own verdict; where the answer was asked for instead of given, the right one as a miss."""
    bare = Question(question.answer, (), question.parameters, question.seed)
    right = next((one for one in kind.examples(bare) if not one.mistake), None) if response.revealed else None
    if right is None:
        return kind.grade(question, response)
    solved = kind.grade(question, read_response(right.response))
    short = len(solved.key_text) <= LONGEST_TITLE and "\n" not in solved.key_text
    return Grade(
        outcome="incorrect",
        score=0.0,
        title=f"the answer is {solved.key_text}" if short else "the answer is shown",
        key_text=solved.key_text,
        facts=solved.facts,
        key=solved.key,
        parts=tuple(map(_missed, solved.parts)),
        asks=solved.asks,
    )


def _missed(part: Part) -> Part:
    """A part of the right answer that was shown instead of given; what was only to be ticked is missing."""
    outcome = "missing" if part.outcome in ("hit", "missing", "unsure") else "incorrect"
    return Part(part.id, outcome, title=part.title, key_text=part.key_text)


def ticked(version: Any, variant_seed: int, response: object, choices: Sequence[str]) -> Grade:
    """The grade of a text by the points that its writer ticked. Raises Unreadable, UnknownAnswerType."""
    tick: Any = getattr(answer_type(version.answer_type), "ticked", None)
    if tick is None:
        raise Unreadable("This answer has no points to tick.", field="choices")
    grade_of_ticks: Grade = tick(question_of(version, variant_seed), read_response(response), choices)
    return grade_of_ticks


def reading(version: Any, variant_seed: int, field: str, text: str) -> Reading:
    """How a text would be read in a field ("text", or "cells.ID"), never whether it is right.

    Raises Unreadable, also for a field that is not read from text.
    """
    question = question_of(version, variant_seed)
    kind: Any = answer_type(version.answer_type)
    try:
        if field.startswith(CELL) and hasattr(kind, "read_cell"):
            cell: Reading = kind.read_cell(question, field.removeprefix(CELL), text)
            return cell
        if field == "text" and hasattr(kind, "read"):
            whole: Reading = kind.read(question, text)
            return whole
    except Unreadable:
        raise
    except Exception as error:
        logger.exception("card version %s could not be read", getattr(version, "pk", None))
        raise Unreadable("This card cannot read an answer; the fault is the card's.", field=field) from error
    raise Unreadable("Nothing is read as it is typed here.", field="field")


def offline(name: str) -> bool:
    """Whether an answer type can be graded without this service, by its published vectors."""
    return bool(answer_type(name).OFFLINE)


def key_text(version: Any, variant_seed: int = 0) -> str:
    """The right answer in words, as a learner sees it after answering. Raises KeyProblem."""
    kind, question = answer_type(version.answer_type), question_of(version, variant_seed)
    shown = Example({"revealed": True})  # what is said aloud has no example to grade
    right = next((example for example in kind.examples(question) if not example.mistake), shown)
    return kind.grade(question, read_response(right.response)).key_text


def question_input(version: Any, variant_seed: int = 0) -> dict[str, Any]:
    """What the field needs, its Markdown as HTML and as text (`cards.asking`); never a key."""
    return input_json(answer_type(version.answer_type).question_input(question_of(version, variant_seed)))


def accepted_names(version: Any, variant_seed: int = 0) -> list[str]:
    """Names a typed answer may use, without values: before the `=` of a number, as axes of a shape."""
    given = answer_type(version.answer_type).question_input(question_of(version, variant_seed))
    return [str(name) for name in given.get("names", ())]


def grade_json(grade: Grade) -> dict[str, Any]:
    """GRADE of the API: the feedback rendered; value, key and what a worker is asked left out."""
    return {
        "outcome": grade.outcome,
        "score": grade.score,
        "mistake": grade.mistake,
        "title": grade.title,
        "feedback_html": _html(grade.feedback),
        "place": asdict(grade.place) if grade.place else None,
        "read_as": grade.read_as,
        "read_as_mathml": grade.read_as_mathml,
        "notes": list(grade.notes),
        "key_text": grade.key_text,
        "parts": [_part_json(part) for part in grade.parts],
        "pending": grade.pending,
        "facts": dict(grade.facts),
        "pictures": [dict(picture) for picture in grade.pictures],
    }


def _part_json(part: Part) -> dict[str, Any]:
    """A part with its feedback rendered."""
    row = {name: value for name, value in asdict(part).items() if name != "feedback"}
    return {**row, "feedback_html": _html(part.feedback)}


def _html(feedback: str) -> str:
    return render(feedback) if feedback else ""


def pictures_of(picture: object, verdict: Grade) -> tuple[dict[str, Any], ...]:
    """The card's pictures with the learner's value ("yours") and the key ("right") in place of $answer."""
    return tuple(one for row in rows_of(picture) for one in _roles(row, verdict))


def _roles(row: Mapping[str, Any], verdict: Grade) -> list[dict[str, Any]]:
    """One picture of a card: right once, and before it the learner's own where it differs."""
    if not has_place(row):
        return [picture_of("right", row, None)]
    other = verdict.value is not None and verdict.value != verdict.key and not why_not(row, verdict.value)
    yours = [picture_of("yours", row, verdict.value)] if other else []
    known = verdict.key is not None and not why_not(row, verdict.key)
    return yours + ([picture_of("right", row, verdict.key)] if known else [])


def not_run(picture: object, verdict: Grade) -> str:
    """Why the learner's answer could not be run as it was given, in one line; "" where it was or is right."""
    if verdict.value is None or verdict.value == verdict.key:
        return ""
    return first_refusal(rows_of(picture), verdict.value)


def _facts(rows: object, pictures: Sequence[Mapping[str, Any]], verdict: Grade) -> dict[str, Any]:
    """The torch-free facts of the learner's own picture, else of one that does not depend on the answer.

    A right answer's own picture is the right one; a wrong one that has no picture takes no facts of the key.
    """
    fixed = [dict(row.get("parameters") or {}) for row in rows_of(rows) if not has_place(row)]
    own = "right" if verdict.value == verdict.key else "yours"
    ranked = [one for one in pictures if one["role"] == own] + [
        p for p in pictures if p["parameters"] in fixed
    ]
    return next((found for one in ranked if (found := picture_facts(one))), {})
