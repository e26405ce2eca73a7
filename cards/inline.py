"""An answer graded against a question written out beside it, within bounds. Knows no card and no learner.

Whoever writes the question is not trusted: every text, list and number of it is bounded before a key is
computed, and what does not work out is a BrokenSpecification that names the field, never another error.
"""

import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from cards.answer_types import UnknownAnswerType, answer_type
from cards.answering import verdict
from cards.faults import ERRORS, form_faults
from cards.grading import Grade, Question, Unreadable, read_response
from cards.keys import KeyProblem, is_key, refuse_odd

MOST_MISTAKES = 40
MOST_VALUES = 600  # texts, numbers, lists and objects of answer, mistakes and parameters together
MOST_CHARACTERS = 20_000  # of all texts together
LONGEST_TEXT = 2000
DEEPEST = 12
LARGEST = 2**53
LARGEST_ARGUMENT = 2**31  # of a computation: the divisors of a larger number take too long to find
logger = logging.getLogger(__name__)
_EXPONENT = re.compile(r"[eE][-+]?[0-9_]{3,}")


class BrokenSpecification(ValueError):
    """The question itself does not work out. `field` is answer_type, answer, mistakes or parameters."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True)
class Specification:
    """A question as a card's front matter holds it."""

    answer_type: str
    answer: Mapping[str, Any]
    mistakes: Sequence[Mapping[str, Any]] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0

    def question(self, *, mistakes: bool = True) -> Question:
        """What grading reads."""
        answer = {name: value for name, value in self.answer.items() if name != "type"}
        return Question(answer, tuple(self.mistakes) if mistakes else (), self.parameters, self.seed)


def grade_inline(asked: Specification, response: object) -> Grade:
    """The grade of a response. Raises Unreadable for the response, BrokenSpecification for the question."""
    _refuse(asked)
    read = read_response(response)
    try:
        return verdict(answer_type(asked.answer_type), asked.question(), read)
    except Unreadable:
        raise
    except ERRORS as error:
        if not isinstance(error, ValueError):  # foreseen ones are; another may be a fault of the grader
            logger.warning("a specification of type %s failed", asked.answer_type, exc_info=error)
        raise BrokenSpecification(_blamed(asked, read), _words(error)) from error


def _refuse(asked: Specification) -> None:
    """Raises BrokenSpecification for what is too large, of another form, or of no type there is."""
    try:
        answer_type(asked.answer_type)
    except UnknownAnswerType as error:
        raise BrokenSpecification("answer_type", str(error)) from error
    if asked.answer.get("type", asked.answer_type) != asked.answer_type:
        raise BrokenSpecification("answer", f"its type is not {asked.answer_type}; leave `type` out")
    if len(asked.mistakes) > MOST_MISTAKES:
        raise BrokenSpecification("mistakes", f"has {len(asked.mistakes)}; at most {MOST_MISTAKES} are taken")
    values = characters = 0
    for name in ("answer", "mistakes", "parameters"):
        for value, depth, argument in _walk(getattr(asked, name)):
            values, characters = values + 1, characters + (len(value) if isinstance(value, str) else 0)
            reason = _reason(value, depth, argument=argument) or _odd(value) or _many(values, characters)
            if reason:
                raise BrokenSpecification(name, reason)
    for name, message in form_faults(_version(asked)):
        raise BrokenSpecification(name, message)


def _walk(value: Any) -> Iterator[tuple[Any, int, bool]]:
    """Every value with its depth, and whether it is an argument of a computation. Takes no stack."""
    waiting: list[tuple[Any, int, bool]] = [(value, 1, False)]
    while waiting:
        one, depth, argument = waiting.pop()
        yield one, depth, argument
        if depth > DEEPEST:
            continue
        if isinstance(one, Mapping):
            inner = argument or "compute" in one or "when" in one
            waiting += [(key, depth, False) for key in one]
            waiting += [(each, depth + 1, inner) for each in one.values()]
        elif isinstance(one, list | tuple):
            waiting += [(each, depth + 1, argument) for each in one]


def _reason(value: Any, depth: int, *, argument: bool) -> str:
    """Why one value is not taken; "" where it is."""
    if depth > DEEPEST:
        return f"is nested deeper than {DEEPEST} levels"
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        return f"has a text of {len(value)} characters; at most {LONGEST_TEXT} are taken"
    if isinstance(value, str) and _EXPONENT.search(value) and not any(c.isspace() for c in value.strip()):
        return f"has {value[:40]!r}: an exponent of more than two digits"
    most = LARGEST_ARGUMENT if argument else LARGEST
    if isinstance(value, int | float) and not -most <= value <= most:
        return f"has a number beyond {most:,}"
    return ""


def _odd(value: Any) -> str:
    """Why an argument of a computation is of the wrong kind: types also read them without computing."""
    given = value if isinstance(value, Mapping) and "compute" in value else {}
    try:
        for name, one in given.items():
            if name != "compute" and not is_key(one):
                refuse_odd(name, one)
    except KeyProblem as problem:
        return str(problem)
    return ""


def _many(values: int, characters: int) -> str:
    if values > MOST_VALUES:
        return f"has more than {MOST_VALUES} values"
    return f"has more than {MOST_CHARACTERS:,} characters" if characters > MOST_CHARACTERS else ""


def _version(asked: Specification) -> SimpleNamespace:
    """The specification in the form of a card's version."""
    return SimpleNamespace(
        answer=asked.answer,
        parameters=asked.parameters,
        mistakes=list(asked.mistakes),
        hints=[],
        sources=[],
        picture=[],
    )


def _blamed(asked: Specification, response: Any) -> str:
    """Which field does not work out: the answer, if it fails without the mistakes too."""
    try:
        verdict(answer_type(asked.answer_type), asked.question(mistakes=False), response)
    except ERRORS:
        return "answer"
    return "mistakes"


def _words(error: BaseException) -> str:
    """What is wrong, short and in words."""
    return (str(error) or type(error).__name__)[:400]
