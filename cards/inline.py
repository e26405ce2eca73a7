"""An answer graded against a question written out beside it, within bounds. Knows no card and no learner.

Whoever writes the question is not trusted: every text, list and number of it is bounded before a key is
computed, and what does not work out is a BrokenSpecification that names the field, never another error.
"""

import logging
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from cards.answer_types import UnknownAnswerType, answer_type
from cards.answering import verdict
from cards.faults import ERRORS, form_faults
from cards.grading import LONGEST_ID, Grade, Question, Response, Unreadable, read_response
from cards.keys import KeyProblem, refuse_odd

MOST_MISTAKES = 40
MOST_VALUES = 600  # texts, numbers, lists and objects of answer, mistakes and parameters together
MOST_CHARACTERS = 20_000  # of all texts together
LONGEST_TEXT = 2000
DEEPEST = 12
LARGEST = 2**53
LARGEST_ARGUMENT = 2**31  # of a computation: the divisors of a larger number take too long to find
NAMES_ALONE = "answer.computes"
"""A closed form by the names of a formula's symbols: compared with when a card is linted, never here."""
logger = logging.getLogger(__name__)
_EXPONENT = re.compile(r"[eE][-+]?[0-9_]{3,}")


class BrokenSpecification(ValueError):
    """The question itself does not work out. `field`: answer_type, or a dotted path such as answer.key.n."""

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
    return _worked_out(asked, read, lambda kind: verdict(kind, asked.question(), read))


def judge_inline(asked: Specification, response: object, told: Mapping[str, Any]) -> Grade:
    """The grade of a program by what a worker told of it; errors as `grade_inline`."""
    read = read_response(response)
    return _worked_out(asked, read, lambda kind: kind.judged(asked.question(), read, told))


def _worked_out(asked: Specification, read: Response, attempt: Callable[[Any], Grade]) -> Grade:
    """What comes of a question; whatever does not work out is the specification's fault."""
    try:
        return attempt(answer_type(asked.answer_type))
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
        for path, value, argument in _walk(name, getattr(asked, name)):
            values, characters = values + 1, characters + (len(value) if isinstance(value, str) else 0)
            odd = "" if path.startswith(NAMES_ALONE) else _odd(value)
            if reason := _reason(value, path, argument=argument) or odd or _many(values, characters):
                raise BrokenSpecification(path, reason)
    for name, message in form_faults(_version(asked)):
        raise BrokenSpecification(name, message)


def _walk(name: str, value: Any) -> Iterator[tuple[str, Any, bool]]:
    """(dotted path, value, whether it is an argument of a computation) of every value. Takes no stack.

    What is refused ends the walk, so nothing long or deep is gone through.
    """
    waiting: list[tuple[str, Any, bool]] = [(name, value, False)]
    while waiting:
        path, one, argument = waiting.pop()
        yield path, one, argument
        if isinstance(one, Mapping):
            inner = argument or "compute" in one or "when" in one
            named = [(f"{path}.{str(key)[:LONGEST_ID]}", key, each) for key, each in one.items()]
            waiting += [(there, key, False) for there, key, _ in named]
            waiting += [(there, each, inner) for there, _, each in named]
        elif isinstance(one, list | tuple):
            waiting += [(f"{path}.{place}", each, argument) for place, each in enumerate(one)]


def _reason(value: Any, path: str, *, argument: bool) -> str:
    """Why one value is not taken; "" where it is."""
    if path.count(".") >= DEEPEST:
        return f"is nested deeper than {DEEPEST} levels"
    if isinstance(value, list | tuple | Mapping) and len(value) > MOST_VALUES:
        return f"has {len(value)} entries; {MOST_VALUES} values are taken in all"
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
            if name != "compute" and not isinstance(one, Mapping):
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
