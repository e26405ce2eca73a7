"""How answers are graded, one type a file; found by name. Knows no card file and no learner."""

import importlib
import pkgutil
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Protocol

from cards.grading import Example, Grade, Question, Response

ANSWER_TYPES: tuple[str, ...] = tuple(
    sorted(m.name for m in pkgutil.iter_modules(__path__) if not m.name.startswith("_"))
)


class UnknownAnswerType(ValueError):
    """No file of that name in cards/answer_types."""


class AnswerType(Protocol):
    """What a file in cards/answer_types offers. Those of one typed text also have `read`."""

    OFFLINE: bool
    """Whether a client can grade it alone, by the published vectors."""
    FIELDS: Sequence[str]
    """The fields that an answer of this type may have in a card."""

    def grade(self, question: Question, response: Response, /) -> Grade:
        """The verdict. Raises Unreadable, or KeyProblem if the card itself is broken."""
        ...

    def question_input(self, question: Question, /) -> Mapping[str, Any]:
        """What the field needs: items, options [{id, text}], unit, hint, names ...; never the key."""
        ...

    def examples(self, question: Question, /) -> Sequence[Example]:
        """Responses with the verdict each must get: the key, its alternatives, one for each named mistake."""
        ...

    def problems(self, question: Question, /) -> Sequence[str]:
        """What is wrong with the card's answer, in words."""
        ...


@cache
def answer_type(name: str) -> AnswerType:
    """The module that grades this type. Raises UnknownAnswerType naming those there are."""
    if name not in ANSWER_TYPES:
        raise UnknownAnswerType(f"no answer type {name!r}; there are: {', '.join(ANSWER_TYPES)}")
    module: Any = importlib.import_module(f"{__name__}.{name}")
    return module  # type: ignore[no-any-return]


def odd_settings(kind: AnswerType, answer: Mapping[str, Any]) -> list[str]:
    """Fields of an answer that its type does not know, in words: a misspelt one would else do nothing."""
    there = ", ".join(kind.FIELDS)
    return [f"no field {name}; there are: {there}" for name in answer if name not in kind.FIELDS]
