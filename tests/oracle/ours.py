"""Our verdict on a pair beside KAS's, and which differences are explained. Runs no Node."""

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cards.answer_types import answer_type
from cards.grading import Question, Response, Unreadable

VERDICTS = Path(__file__).parent / "verdicts.jsonl"
EXPLAINED = Path(__file__).parent / "explained.toml"
WORDS = {"correct": True, "incorrect": False, "undecided": "undecided"}
_NAME = re.compile(r"\\[A-Za-z]+|[A-Za-z]")


@dataclass(frozen=True)
class Compared:
    """A pair with both verdicts: true, false, or why there is none."""

    a: str
    b: str
    kas: Any
    ours: Any


def compared() -> Iterator[Compared]:
    """Every pair of the committed table, graded now."""
    for line in VERDICTS.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        yield Compared(row["a"], row["b"], row["kas"], ours(row["a"], row["b"]))


def unexplained(found: Iterable[Compared]) -> list[Compared]:
    """Pairs on which the two differ without a reason in explained.toml."""
    known = {(row["a"], row["b"], row["ours"]) for row in explained()}
    return [one for one in found if one.ours != one.kas and (one.a, one.b, one.ours) not in known]


def explained() -> list[Mapping[str, Any]]:
    """The listed differences: a, b, ours and why."""
    return list(tomllib.loads(EXPLAINED.read_text(encoding="utf-8")).get("pair", []))


def ours(a: str, b: str) -> Any:
    """The formula grader on `b` where `a` is the key; letters are real numbers, f and g functions."""
    letters = sorted({name for name in _NAME.findall(a + " " + b) if len(name) == 1} - {"e", "f", "g"})
    answer = {"type": "formula", "key": a, "symbols": letters, "functions": ["f", "g"], "domain": "real"}
    try:
        return WORDS[answer_type("formula").grade(Question(answer), Response(b)).outcome]
    except Unreadable:
        return "unread"
