"""Free text beside an author's points, ticked by the learner. Judges no sentence; knows no card file.

    answer:   {type: rubric, points: [{id, text, weight}], red_flags: [{id, text, mistake: NAME}], pass: 0.8}
    mistakes: [{name, says, title}]     `says` may use {key}, the points in words
The score is the weighted share of the points ticked; a red flag makes the answer incorrect by its mistake.
Until the points are ticked the grade waits, with every part `unsure`: there a proposal may later say hit or
missing, with the clause it rests on. A part that has a mistake is a red flag: `hit` means that it was raised.
"""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from cards.expressions.text import is_blank
from cards.grading import (
    LONGEST_ID,
    MOST_PARTS,
    Example,
    Grade,
    Part,
    Question,
    Response,
    Unreadable,
    fill,
    mistake_title,
)
from cards.keys import KeyProblem
from cards.markdown import plain_text, render_inline

OFFLINE = True
FIELDS = ("type", "points", "red_flags", "pass")
NONE = "none"
PASSING = Fraction(4, 5)
LINES = 8
WORDS = "Each head is as wide as its share of the model."
"""Stands for a learner's text in examples: what it says is never looked at."""
POINT_FIELDS = ("id", "text", "weight")
FLAG_FIELDS = ("id", "text", "mistake")

Row = Mapping[str, Any]


def grade(question: Question, response: Response) -> Grade:
    """Undecided and pending until points are ticked (`choices`), then what the ticks say."""
    _refuse_nothing(response)
    if response.choices:
        return ticked(question, response, response.choices)
    points = points_of(question)
    return Grade(
        outcome="undecided",
        score=0.0,
        title=f"compare with {_counted(len(points), 'point')}",
        feedback="Tick each point that your text makes, and each red flag that it raises.",
        read_as=_read_as(response.text),
        key_text=_listed(points),
        facts={"pass": _passing(question)},
        parts=tuple(_part(row, "unsure") for row in [*points, *flags_of(question)]),
        pending="ticks",
    )


def ticked(question: Question, response: Response, choices: Sequence[str]) -> Grade:
    """The grade of a text by what was ticked: ids of points and red flags, or "none".

    Raises Unreadable for nothing ticked, an id that is not there, or "none" beside another.
    """
    _refuse_nothing(response)
    points, flags = points_of(question), flags_of(question)
    chosen = _ticks(choices, [row["id"] for row in [*points, *flags]])
    weights = {row["id"]: _weight(row) for row in points}
    score = sum((weights[one] for one in weights if one in chosen), Fraction(0)) / sum(weights.values())
    raised = next((row for row in flags if row["id"] in chosen), None)
    mistake = _mistake(question, raised)
    values = {"key": "; ".join(one.rstrip(".") for one in _listed(points).splitlines())}
    return Grade(
        outcome="incorrect" if raised else _outcome(score),
        score=0.0 if raised else round(float(score), 4),
        mistake=str(mistake.get("name", "")),
        title=_title(mistake, values, hits=len(weights.keys() & chosen), count=len(points)),
        feedback=fill(str(mistake.get("says", "")), values),
        read_as=_read_as(response.text),
        key_text=_listed(points),
        facts={"pass": _passing(question)},
        parts=tuple(_part(row, "hit" if row["id"] in chosen else "missing") for row in [*points, *flags]),
    )


def question_input(_question: Question) -> dict[str, Any]:
    """Room to write; the points would be the key."""
    return {"lines": LINES, "hint": "Write it as you would say it; then the points are shown beside it"}


def examples(question: Question) -> list[Example]:
    """Every point ticked; and the same with each red flag."""
    points = [row["id"] for row in points_of(question)]
    wrong = [
        Example({"text": WORDS, "choices": [*points, row["id"]]}, str(row["mistake"]))
        for row in flags_of(question)
    ]
    return [Example({"text": WORDS, "choices": points}), *wrong]


def problems(question: Question) -> list[str]:
    """Red flags without a mistake of the card, mistakes without a red flag, and fields that are not there."""
    named = {str(mistake.get("name")) for mistake in question.mistakes}
    used = {str(row["mistake"]) for row in flags_of(question)}
    found = [
        f"red flag {row['id']}: its mistake {row['mistake']!r} is not among the mistakes"
        for row in flags_of(question)
        if row["mistake"] not in named
    ]
    found += [f"mistake {name}: no red flag leads to it" for name in sorted(named - used)]
    fields = [(points_of(question), POINT_FIELDS), (flags_of(question), FLAG_FIELDS)]
    return found + [
        f"{row['id']}: no field {name}; there are: {', '.join(known)}"
        for rows, known in fields
        for row in rows
        for name in row
        if name not in known
    ]


def points_of(question: Question) -> list[Row]:
    """The points. Raises KeyProblem unless there is one at least, each with an id, a text and a weight."""
    rows = _rows(question.answer.get("points"), "points")
    if not rows:
        raise KeyProblem("a rubric needs points: a list of {id, text, weight}")
    for row in rows:
        _weight(row)
    flags = question.answer.get("red_flags") or []
    ids = [row["id"] for row in [*rows, *_rows(flags, "red_flags")]]
    if len(ids) > MOST_PARTS or len(set(ids)) < len(ids):
        raise KeyProblem(
            f"a rubric has at most {MOST_PARTS} points and red flags, each with an id of its own"
        )
    _passing(question)
    return rows


def flags_of(question: Question) -> list[Row]:
    """The red flags, each with the mistake it stands for. Raises KeyProblem."""
    rows = _rows(question.answer.get("red_flags") or [], "red_flags")
    for row in rows:
        if not isinstance(row.get("mistake"), str) or not row["mistake"]:
            raise KeyProblem(f"red flag {row['id']} needs mistake: NAME")
    return rows


def _rows(rows: Any, name: str) -> list[Row]:
    """Entries with an id and a text."""
    if not isinstance(rows, list | tuple) or not all(map(_is_row, rows)):
        raise KeyProblem(f"{name} is a list of {{id, text}}; an id is a word, not {NONE!r}")
    return list(rows)


def _is_row(row: Any) -> bool:
    if not isinstance(row, Mapping):
        return False
    name, text = row.get("id"), row.get("text")
    fits = isinstance(name, str) and 0 < len(name) <= LONGEST_ID and name != NONE
    return fits and isinstance(text, str) and bool(text)


def _weight(row: Row) -> Fraction:
    """How much a point counts; 1 where nothing is said."""
    weight = row.get("weight", 1)
    number = isinstance(weight, int | float) and not isinstance(weight, bool) and math.isfinite(weight)
    if not number or not 0 < weight <= 1000:
        raise KeyProblem(f"point {row['id']}: weight is a number above 0, at most 1000, not {weight!r}")
    return Fraction(str(weight))


def _passing(question: Question) -> float:
    """The score that passes, above 0 and at most 1."""
    passing = question.answer.get("pass", float(PASSING))
    if isinstance(passing, bool) or not isinstance(passing, int | float) or not 0 < passing <= 1:
        raise KeyProblem(f"pass is a share above 0 and at most 1, not {passing!r}")
    return float(passing)


def _refuse_nothing(response: Response) -> None:
    if is_blank(response.text):
        raise Unreadable("Write your answer; then the points are shown.")


def _ticks(choices: Sequence[str], known: Sequence[str]) -> set[str]:
    """What was ticked; nothing for "none"."""
    chosen = set(choices)
    if not chosen:
        raise Unreadable("Tick what your text says, or none.", field="choices")
    if NONE in chosen and len(chosen) > 1:
        raise Unreadable("None was ticked beside a point; choose one or the other.", field="choices")
    if not chosen - {NONE} <= set(known):
        raise Unreadable("A tick is not of this question; load the question again.", field="choices")
    return chosen - {NONE}


def _outcome(score: Fraction) -> str:
    if score == 1:
        return "correct"
    return "partial" if score else "incorrect"


def _part(row: Row, outcome: str) -> Part:
    """A point or red flag with what was said of it."""
    score = 1.0 if outcome == "hit" and "mistake" not in row else 0.0
    text = plain_text(render_inline(str(row["text"])))
    return Part(str(row["id"]), outcome, score=score, title=text, mistake=str(row.get("mistake", "")))


def _mistake(question: Question, raised: Row | None) -> Row:
    """The named mistake of a red flag, with what it says."""
    if raised is None:
        return {}
    stated = next((m for m in question.mistakes if m.get("name") == raised["mistake"]), {})
    return {"name": raised["mistake"], **stated}


def _title(mistake: Row, values: Mapping[str, str], *, hits: int, count: int) -> str:
    if mistake:
        return mistake_title(mistake, values)
    return f"all {count} points" if hits == count > 1 else f"{hits} of {_counted(count, 'point')}"


def _counted(count: int, thing: str) -> str:
    return f"{count} {thing}{'' if count == 1 else 's'}"


def _read_as(text: str) -> str:
    return _counted(len(text.split()), "word")


def _listed(points: Sequence[Row]) -> str:
    """The points, one a line."""
    return "\n".join(plain_text(render_inline(str(row["text"]))) for row in points)
