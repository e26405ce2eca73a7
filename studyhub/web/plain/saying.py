"""What a file of this folder says of a kind: title, sentence, table, exceptions. Knows no kind.

Made from the facts of the kind alone, without a frame and a tensor.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Facts = Mapping[str, Any]


@dataclass(frozen=True)
class Table:
    """Named columns and rows of words."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Plain:
    """The picture in words: a sentence, a table, and where its rule has exceptions."""

    sentence: str = ""
    table: Table | None = None
    exceptions_title: str = ""
    exceptions: tuple[str, ...] = ()


def shape_text(sizes: Sequence[int]) -> str:
    """(2, 4, 768), (8,)."""
    return f"({', '.join(map(str, sizes))}{',' if len(sizes) == 1 else ''})"


def whose(role: str) -> str:
    """What a title adds where the numbers are the learner's."""
    return ", as you answered" if role == "yours" else ""


def listed(facts: Facts) -> Plain:
    """The plain facts of a kind that has no words of its own, in one sentence."""
    plain = {
        name: value
        for name, value in facts.items()
        if isinstance(value, str | int) and not isinstance(value, bool) and value != "" and name != "asks"
    }
    return Plain(", ".join(f"{name} {value}" for name, value in plain.items()))
