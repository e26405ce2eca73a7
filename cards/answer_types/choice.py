"""One option out of several, shown in an order that gives nothing away. Knows no card file and no learner.

answer:   {type: choice, options: [{id, text, correct: true} | {id, text, mistake: NAME}, ...]}
mistakes: [{name, title, says}]     `says` may use {answer} and {key}, the texts of the options
Where several options are correct, any one of them is enough. `says` of an option is its own reason, right
or wrong, and stands before what its mistake says.
An option may say what it stands for where it is run: runs: "q.view(2, 12, 4, 64)", a number, or a list of
whole numbers. That is what `$answer` of a picture becomes; an option without it is not run.
"""

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from cards.answer_types._options import (
    Option,
    is_right,
    letters_of,
    odd_fields,
    parts_of,
    rationale,
    read_options,
    shown_order,
    shown_rows,
    stated,
    words_of,
)
from cards.grading import Example, Grade, Question, Response, Unreadable, mistake_title
from cards.keys import KeyProblem

__all__ = ["LONGEST_RUN", "OPTION_FIELDS", "Option", "runs", "shown_order"]
OPTION_FIELDS = ("id", "text", "correct", "mistake", "says", "runs")
LONGEST_RUN = 2000  # characters: the longest text that a picture takes
OFFLINE = True
FIELDS = ("type", "options")


def grade(question: Question, response: Response) -> Grade:
    """Correct, or incorrect by the mistake the chosen option stands for."""
    options = options_of(question)
    chosen, rights = _chosen(options, response), list(filter(is_right, options))
    correct = is_right(chosen)
    right = chosen if correct else rights[0]
    mistake = {} if correct else _mistake(question, chosen)
    values = {"answer": chosen["text"], "key": " or ".join(str(one["text"]) for one in rights)}
    return Grade(
        outcome="correct" if correct else "incorrect",
        score=1.0 if correct else 0.0,
        mistake=str(mistake.get("name", "")),
        title="" if correct else mistake_title(mistake, values, default="" if mistake else "that is not it"),
        feedback=rationale(question, chosen, mistake),
        read_as=f"Chosen: {letters_of(options, [chosen['id']], question.seed)[0]}",
        key_text=" or ".join(map(words_of, rights)),
        value=runs(chosen),
        key=runs(right),
        parts=parts_of(question, options, [chosen["id"]], enough=correct),
    )


def question_input(question: Question) -> dict[str, Any]:
    """The options in the order drawn for this seed."""
    return {"options": shown_rows(options_of(question), question.seed)}


def examples(question: Question) -> list[Example]:
    """Every option, the right one first."""
    return [
        Example({"choices": [option["id"]]}, "" if is_right(option) else str(option.get("mistake", "")))
        for option in sorted(options_of(question), key=lambda option: not is_right(option))
    ]


def problems(question: Question) -> list[str]:
    """What gives the answer away or leaves a wrong option without a reason."""
    options = options_of(question)
    named = {str(mistake.get("name")) for mistake in question.mistakes}
    found = [
        f"option {o['id']}: its mistake {o.get('mistake')!r} is not among the mistakes"
        for o in options
        if not is_right(o) and o.get("mistake") not in named
    ]
    used = {str(o.get("mistake")) for o in options}
    found += [problem for option in options for problem in _odd(option)]
    return found + [f"mistake {name}: no wrong answer leads to it" for name in sorted(named - used)]


def options_of(question: Question) -> list[Option]:
    """Two or more options, with ids of their own, of which some are correct. Raises KeyProblem."""
    options = read_options(question, "choice")
    if not any(map(is_right, options)):
        raise KeyProblem("a choice has exactly one correct option, or several of which one is enough; not 0")
    return options


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


def _odd(option: Option) -> list[str]:
    """Fields an option does not have, and a `runs` that is nothing to run."""
    found = odd_fields(option, OPTION_FIELDS)
    if "runs" in option and runs(option) is None:
        found.append(f"option {option['id']}: runs is a text, a number or a list of whole numbers")
    return found


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


def _mistake(question: Question, chosen: Option) -> Mapping[str, Any]:
    """The named mistake of an option, with what it says."""
    return stated(question, chosen.get("mistake"))
