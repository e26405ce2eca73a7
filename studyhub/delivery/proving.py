"""A card's own programs, run before learners get it: the right ones are right, each mistake by its name.

A worker runs them; nothing is stored but their pictures. Knows no HTTP and publishes nothing.
"""

import time
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from cards.answering import answer_type, grade, judged, question_of
from cards.grading import Example, Grade
from cards.variants import variants_of
from studyhub.delivery.judging import LATER, ask

MOST_VARIANTS = 4  # of a card with drawn values: each is run by a worker
LONGEST_PROOF = 15.0  # seconds that an author waits for all programs of a card


class NotRun(Exception):
    """A program that no worker has run in time; the message says why."""


@dataclass(frozen=True)
class _Worker:
    """Who asks, and until when there is time."""

    owner: str
    until: float

    def grade(self, version: Any, example: Example) -> Grade:
        """The grade of an example once it is run. Raises NotRun."""
        response = dict(example.response)
        wait = max(self.until - time.monotonic(), 0.0)
        told = ask(grade(version, 0, response).asks, f"proving {self.owner}", wait=wait)
        if told.verdict is None:
            why = "no worker is running" if told.retry_after == LATER else "they are still being run"
            raise NotRun(f"its lines are not run yet, {why}; publish again in a moment")
        return judged(version, 0, response, told.verdict)


def refusals(version: Any, owner: str) -> list[str]:
    """What running the programs of a version says against publishing it, one sentence each; none for a card
    without programs. Where they cannot be run in time that is what is said."""
    if version.answer_type != "program":
        return []
    worker, found = _Worker(owner, time.monotonic() + LONGEST_PROOF), list[str]()
    for asked in variants_of(version, MOST_VARIANTS):
        found += _refusals(asked, worker)
    return list(dict.fromkeys(found))


def _refusals(version: Any, worker: _Worker) -> list[str]:
    """The same of one question."""
    found = list[str]()
    examples = answer_type("program").examples(question_of(version))
    try:
        for place, example in enumerate(examples):
            found += _against(example, worker.grade(version, example))
            if place and not example.mistake and not found:
                found += _known_slip(example, worker.grade(_without_others(version), example))
    except NotRun as reason:
        found.append(str(reason))
    return found


def _against(example: Example, found: Grade) -> list[str]:
    """Why a run stands against the card; [] where it does what the card says."""
    lines = str(example.response["text"])
    if found.outcome == "undecided":
        return [f"{lines!r} could not be settled: {found.feedback}"]
    if not example.mistake:
        told = found.facts.get("words") or found.title
        return [] if found.outcome == "correct" else [f"{lines!r} stands as right and is not: {told}"]
    if found.outcome == "correct":
        return [f"mistake {example.mistake}: its lines give what is right"]
    if found.mistake != example.mistake:
        return [f"mistake {example.mistake}: its lines do what {found.mistake or 'no mistake'} does"]
    return []


def _known_slip(example: Example, found: Grade) -> list[str]:
    """An accepted program that is a slip by name, beside the reference alone."""
    lines = str(example.response["text"])
    return [f"accepts: {lines!r} makes a mistake: {found.title}"] if found.mistake else []


def _without_others(version: Any) -> Any:
    """The question with its reference as the only right program, and no mistake of its own."""
    answer = {name: value for name, value in version.answer.items() if name != "accepts"}
    return SimpleNamespace(
        answer_type="program", answer=answer, mistakes=[], parameters=version.parameters, picture=[]
    )
