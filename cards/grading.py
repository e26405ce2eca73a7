"""What a grade is, and what is too unclear to grade. Knows no answer type, no card and no learner."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

OUTCOMES = ("correct", "partial", "incorrect", "undecided")
_PLACEHOLDER = re.compile(r"\{([A-Za-z_]+)\}")
_FRAGMENT = 40


class Unreadable(ValueError):
    """The answer could not be read: nothing is counted. `offset` points into the learner's own text."""

    def __init__(self, message: str, offset: int = 0, field: str = "text") -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset
        self.field = field


@dataclass(frozen=True)
class Grade:
    """A verdict with its reason. `value` and `key` (learner's and right) are for pictures, never sent."""

    outcome: str
    score: float
    mistake: str = ""
    feedback: str = ""
    title: str = ""
    read_as: str = ""
    key_text: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    pictures: tuple[Mapping[str, Any], ...] = ()
    value: Any = None
    key: Any = None


@dataclass(frozen=True)
class Question:
    """The part of a card's version that grading reads: plain JSON, keys not yet computed."""

    answer: Mapping[str, Any]
    mistakes: Sequence[Mapping[str, Any]] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0


@dataclass(frozen=True)
class Example:
    """A response with the verdict it must get: correct where `mistake` is "", else wrong by that name."""

    response: Mapping[str, Any]
    mistake: str = ""


@dataclass(frozen=True)
class Response:
    """A learner's response, flat: the answer type says which field is read."""

    text: str = ""
    choices: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    cells: Mapping[str, str] = field(default_factory=dict)
    revealed: bool = False


def read_response(body: object) -> Response:
    """A Response from JSON. Raises Unreadable naming the field that has the wrong type."""
    if not isinstance(body, Mapping):
        raise Unreadable(
            "An answer is an object with text, choices, order, cells or revealed.", field="response"
        )
    text = body.get("text", "")
    if not isinstance(text, str):
        raise Unreadable("text must be a string.")
    cells = body.get("cells", {})
    if not isinstance(cells, Mapping) or not all(
        isinstance(cell, str) for pair in cells.items() for cell in pair
    ):
        raise Unreadable("cells must be an object of strings.", field="cells")
    revealed = body.get("revealed", False)
    if not isinstance(revealed, bool):
        raise Unreadable("revealed must be true or false.", field="revealed")
    return Response(text, _ids(body, "choices"), _ids(body, "order"), dict(cells), revealed)


def _ids(body: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """A list of short strings out of a response."""
    ids = body.get(name, [])
    if not isinstance(ids, list | tuple) or len(ids) > 100 or not all(isinstance(one, str) for one in ids):
        raise Unreadable(f"{name} must be a list of at most 100 strings.", field=name)
    return tuple(ids)


def quoted(text: str) -> str:
    """The learner's own words, short and harmless, in backticks; what could be markup becomes a space."""
    safe = "".join(c if c.isprintable() and c not in "`<>&" else " " for c in text[: _FRAGMENT * 2])
    shown = " ".join(safe.split())
    if not shown:
        return "that text"
    return f"`{shown[:_FRAGMENT]}{'...' if len(shown) > _FRAGMENT or len(text) > _FRAGMENT * 2 else ''}`"


def fill(template: str, values: Mapping[str, Any]) -> str:
    """`says` with `{answer}`, `{key}` and other facts filled in; a name nobody knows stays as written."""
    return _PLACEHOLDER.sub(lambda match: str(values.get(match[1], match[0])), template)


def placeholders(template: str) -> set[str]:
    """The names a `says` uses."""
    return set(_PLACEHOLDER.findall(template))


def mistake_title(mistake: Mapping[str, Any], values: Mapping[str, Any], default: str = "") -> str:
    """The mistake's own title, else the default, else its name in words."""
    title = mistake.get("title") or default or str(mistake.get("name", "")).replace("_", " ")
    return fill(str(title), values)
