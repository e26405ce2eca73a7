"""The graded answers of our own corpus, read from JSON lines, and what the grader makes of each."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from cards.answer_types import answer_type
from cards.answering import question_of, verdict
from cards.grading import Grade, Unreadable, read_response

CORPUS = Path(__file__).parent / "corpus"
VERDICTS = frozenset({"correct", "partial", "incorrect", "undecided", "unreadable"})


@dataclass(frozen=True)
class Row:
    """One answer to one question, with the verdict a person gave it and why."""

    id: str
    type: str
    answer: Mapping[str, Any]
    response: Any
    verdict: str
    why: str
    row: str
    template: str
    mistakes: tuple[Mapping[str, Any], ...] = ()
    mistake: str | None = None
    score: float | None = None
    also: tuple[str, ...] = ()
    """Verdicts that the contract leaves open beside `verdict`."""


@dataclass(frozen=True)
class Verdict:
    """What the grader said: an outcome of a grade, or `unreadable` with the message."""

    outcome: str
    mistake: str = ""
    score: float = 0.0
    said: str = ""


def rows() -> Iterator[Row]:
    """Every row of every file, long inputs written out."""
    for path in sorted(CORPUS.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.strip():
                yield _row(json.loads(line))


def version_of(row: Row) -> Any:
    """A card's version that asks this question."""
    return SimpleNamespace(
        pk=row.id,
        answer_type=row.type,
        answer=row.answer,
        mistakes=row.mistakes,
        parameters={},
        picture=[],
    )


def verdict_on(row: Row) -> Verdict:
    """The grader's verdict; a program is run by the engine as a worker does. Raises KeyProblem."""
    version = version_of(row)
    try:
        found = verdict(answer_type(row.type), question_of(version), read_response(row.response))
        if found.pending == "worker":
            found = _judged(version, row.response, found)
    except Unreadable as problem:
        return Verdict("unreadable", said=problem.message)
    return Verdict(found.outcome, found.mistake, found.score, found.title or found.feedback)


def agrees(row: Row, found: Verdict) -> bool:
    """Whether outcome, and where the row says so the mistake and the score, are as a person gave them."""
    named = row.mistake is None or found.mistake == row.mistake
    scored = row.score is None or abs(found.score - row.score) < 0.01
    return found.outcome in row.also or (found.outcome == row.verdict and named and scored)


def _judged(version: Any, response: Any, waiting: Grade) -> Grade:
    """What a worker finds, turned into a grade as the service does it."""
    from attention_engine.engine import render
    from attention_engine.spec import make_spec

    spec = make_spec(waiting.asks["kind"], waiting.asks["parameters"], waiting.asks.get("seed", 0))
    last = [frame.as_json() for frame in render(spec)][-1]
    kind: Any = answer_type(version.answer_type)
    graded: Grade = kind.judged(question_of(version), read_response(response), last["verdict"])
    return graded


def _row(data: dict[str, Any]) -> Row:
    data["response"] = written_out(data["response"])
    data["mistakes"], data["also"] = tuple(data.get("mistakes", ())), tuple(data.get("also", ()))
    return Row(**data)


def written_out(value: Any) -> Any:
    """{"$repeat": [["(", 3000], ["1", 1]]} as the text it stands for, wherever it is."""
    if isinstance(value, dict) and set(value) == {"$repeat"}:
        return "".join(text * count for text, count in value["$repeat"])
    if isinstance(value, dict):
        return {name: written_out(one) for name, one in value.items()}
    return [written_out(one) for one in value] if isinstance(value, list) else value
