"""What a grade is, and what is too unclear to grade. Knows no answer type, no card and no learner."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

LONGEST_TEXT = 4096  # characters of an answer, or of one cell
LONGEST_TABLE = 16_384  # characters of all cells together
MOST_PARTS = 64  # options chosen, items ordered, cells filled in
LONGEST_ID = 80  # characters of the name of one of them
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
class Place:
    """Where in the learner's own text something is: characters from `start` up to `end` of one field."""

    field: str
    start: int
    end: int


@dataclass(frozen=True)
class Part:
    """The verdict on one cell, option, item or point. `quote` is the learner's clause it rests on."""

    id: str
    outcome: str
    score: float = 0.0
    title: str = ""
    mistake: str = ""
    feedback: str = ""
    read_as: str = ""
    key_text: str = ""
    quote: str = ""


@dataclass(frozen=True)
class Reading:
    """How an answer is read, before it is graded; never whether it is right."""

    read_as: str
    read_as_mathml: str = ""


@dataclass(frozen=True)
class Grade:
    """A verdict with its reason. `value`, `key` (learner's and right) and `asks` are never sent.

    `pending` says what an undecided grade waits for: "worker" (then `asks` is the spec it has to render),
    "ticks", or "" for nothing.
    """

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
    place: Place | None = None
    read_as_mathml: str = ""
    notes: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    pending: str = ""
    asks: Mapping[str, Any] = field(default_factory=dict)


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
    """A Response from JSON. Raises Unreadable naming the field that has the wrong type or is too long."""
    if not isinstance(body, Mapping):
        raise Unreadable(
            "An answer is an object with text, choices, order, cells or revealed.", field="response"
        )
    revealed = body.get("revealed", False)
    if not isinstance(revealed, bool):
        raise Unreadable("revealed must be true or false.", field="revealed")
    text = _text(body.get("text", ""), "text")
    return Response(text, _ids(body, "choices"), _ids(body, "order"), _cells(body.get("cells", {})), revealed)


def _text(value: object, field: str) -> str:
    """What was typed into one field."""
    if not isinstance(value, str):
        raise Unreadable(f"{field} must be a string.", field=field)
    if len(value) > LONGEST_TEXT:
        raise Unreadable(
            f"The answer has {len(value)} characters; at most {LONGEST_TEXT} are read.", LONGEST_TEXT, field
        )
    return value


def _ids(body: Mapping[str, Any], field: str) -> tuple[str, ...]:
    """A list of ids of options or items."""
    ids = body.get(field, [])
    if not isinstance(ids, list | tuple) or not all(isinstance(one, str) for one in ids):
        raise Unreadable(f"{field} must be a list of strings.", field=field)
    _refuse_many(ids, field)
    return tuple(ids)


def _cells(cells: object) -> dict[str, str]:
    """What was typed into the cells of a table, by name."""
    if not isinstance(cells, Mapping) or not all(isinstance(name, str) for name in cells):
        raise Unreadable("cells must be an object of strings.", field="cells")
    _refuse_many(cells, "cells")
    read = {name: _text(text, f"cells.{name}") for name, text in cells.items()}
    if (total := sum(map(len, read.values()))) > LONGEST_TABLE:
        raise Unreadable(
            f"The cells have {total} characters together; at most {LONGEST_TABLE} are read.", field="cells"
        )
    return read


def _refuse_many(names: Collection[str], field: str) -> None:
    """No card has as many options, items or cells, nor such long names for them."""
    if len(names) > MOST_PARTS:
        raise Unreadable(f"{field} has {len(names)} entries; at most {MOST_PARTS} are read.", field=field)
    if any(len(name) > LONGEST_ID for name in names):
        raise Unreadable(f"{field} has a name of more than {LONGEST_ID} characters.", field=field)


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
