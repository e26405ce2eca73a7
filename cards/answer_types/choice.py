"""One option out of several, shown in an order that gives nothing away. Knows no card file and no learner.

answer:   {type: choice, options: [{id, text, correct: true} | {id, text, mistake: NAME}, ...]}
mistakes: [{name, title, says}]     `says` may use {answer} and {key}, the texts of the options
An option may say what it stands for where it is run: runs: "q.view(2, 12, 4, 64)", a number, or a list of
whole numbers. That is what `$answer` of a picture becomes; an option without it is not run.
"""

import hashlib
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from cards.grading import Example, Grade, Question, Response, Unreadable, fill, mistake_title
from cards.keys import KeyProblem
from cards.markdown import plain_text, render_inline

Option = Mapping[str, Any]
OPTION_FIELDS = ("id", "text", "correct", "mistake", "says", "runs")
LONGEST_RUN = 2000  # characters: the longest text that a picture takes
OFFLINE = True


def grade(question: Question, response: Response) -> Grade:
    """Correct, or incorrect by the mistake the chosen option stands for."""
    options = options_of(question)
    chosen, right = _chosen(options, response), _right(options)
    correct = chosen is right
    mistake = {} if correct else _mistake(question, chosen)
    values = {"answer": chosen["text"], "key": right["text"]}
    return Grade(
        outcome="correct" if correct else "incorrect",
        score=1.0 if correct else 0.0,
        mistake=str(mistake.get("name", "")),
        title="" if correct else mistake_title(mistake, values, default="" if mistake else "that is not it"),
        feedback=fill(str(mistake.get("says") or chosen.get("says", "")), values),
        read_as=f"Chosen: {_letter(question, chosen)}",
        key_text=plain_text(render_inline(str(right["text"]))),
        value=runs(chosen),
        key=runs(right),
    )


def question_input(question: Question) -> dict[str, Any]:
    """The options in the order drawn for this seed."""
    return {
        "options": [
            {"id": o["id"], "text": o["text"]} for o in shown_order(options_of(question), question.seed)
        ]
    }


def examples(question: Question) -> list[Example]:
    """Every option."""
    return [
        Example({"choices": [option["id"]]}, "" if option.get("correct") else str(option.get("mistake", "")))
        for option in sorted(options_of(question), key=lambda option: not option.get("correct"))
    ]


def problems(question: Question) -> list[str]:
    """What gives the answer away or leaves a wrong option without a reason."""
    options = options_of(question)
    named = {str(mistake.get("name")) for mistake in question.mistakes}
    found = [
        f"option {o['id']}: its mistake {o.get('mistake')!r} is not among the mistakes"
        for o in options
        if not o.get("correct") and o.get("mistake") not in named
    ]
    used = {str(o.get("mistake")) for o in options}
    found += [problem for option in options for problem in _odd_fields(option)]
    return found + [f"mistake {name}: no wrong answer leads to it" for name in sorted(named - used)]


def options_of(question: Question) -> list[Option]:
    """Two or more options, with ids of their own and exactly one correct. Raises KeyProblem."""
    options = question.answer.get("options")
    if not isinstance(options, list | tuple) or not all(
        isinstance(o, Mapping) and "text" in o for o in options
    ):
        raise KeyProblem("a choice needs options: a list of {id, text, correct: true | mistake: NAME}")
    ids = [option.get("id") for option in options]
    if (
        len(options) < 2
        or len(set(map(str, ids))) < len(ids)
        or not all(isinstance(i, str) and i for i in ids)
    ):
        raise KeyProblem(f"a choice needs two or more options, each with an id (text) of its own; got {ids}")
    correct = [option["id"] for option in options if option.get("correct") is True]
    if len(correct) != 1:
        raise KeyProblem(f"a choice has exactly one correct option, not {len(correct)}")
    return list(options)


def runs(option: Option) -> int | Fraction | str | list[int] | None:
    """What an option stands for where it is run; None where it says nothing, or nothing that can be."""
    value = option.get("runs")
    if isinstance(value, float) and math.isfinite(value):
        exact = Fraction(str(value))
        return int(exact) if exact.denominator == 1 else exact
    return value if _runnable(value) else None


def _runnable(value: object) -> bool:
    """A text, a number, or a list of whole numbers."""
    if isinstance(value, list):
        return bool(value) and all(type(one) is int for one in value)
    return type(value) is int or (isinstance(value, str) and 0 < len(value) <= LONGEST_RUN)


def _odd_fields(option: Option) -> list[str]:
    """Fields an option does not have, and a `runs` that is nothing to run."""
    unknown = [name for name in option if name not in OPTION_FIELDS]
    there = ", ".join(OPTION_FIELDS)
    found = [f"option {option['id']}: no field {name}; there are: {there}" for name in unknown]
    if "runs" in option and runs(option) is None:
        found.append(f"option {option['id']}: runs is a text, a number or a list of whole numbers")
    return found


def shown_order(rows: Sequence[Option], seed: int) -> list[Option]:
    """The rows in an order that follows from the seed and all ids, not from where the author put the key."""
    salt = ":".join([str(seed), *sorted(str(row["id"]) for row in rows)])
    return sorted(rows, key=lambda row: hashlib.sha256(f"{salt}|{row['id']}".encode()).digest())


def _chosen(options: list[Option], response: Response) -> Option:
    """The one option chosen."""
    if not response.choices:
        raise Unreadable("Choose at least one.", field="choices")
    if len(response.choices) > 1:
        raise Unreadable("Choose one.", field="choices")
    by_id = {option["id"]: option for option in options}
    if response.choices[0] not in by_id:
        raise Unreadable("That is not one of the options; load the question again.", field="choices")
    return by_id[response.choices[0]]


def _right(options: list[Option]) -> Option:
    return next(option for option in options if option.get("correct"))


def _mistake(question: Question, chosen: Option) -> Option:
    """The named mistake of an option, with what it says."""
    name = chosen.get("mistake", "")
    stated = next((m for m in question.mistakes if m.get("name") == name), {})
    return {"name": name, **stated}


def _letter(question: Question, chosen: Option) -> str:
    """The letter the option was shown under."""
    order = [option["id"] for option in shown_order(options_of(question), question.seed)]
    return chr(ord("A") + order.index(chosen["id"]))
