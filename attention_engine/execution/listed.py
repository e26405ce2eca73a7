"""Which listed program a program equals: another right one, or a known mistake. Knows no grade."""

from dataclasses import dataclass, replace
from typing import Any

import torch

from attention_engine.execution.compare import EQUAL, UNDECIDED, Question, Verdict, judge, on_shapes
from attention_engine.execution.ran import Failure
from attention_engine.program import Program, RefusedProgram

MOST_OPERATIONS = 2_000
"""Of all comparisons with listed programs: one more is not begun beyond it."""


@dataclass(frozen=True)
class Judged:
    """The verdict, the question it answers (held against the program that decided), the mistake it equals."""

    question: Question
    verdict: Verdict
    mistaken: int = -1
    """The place of the mistake in its list; -1 for none."""


def judge_listed(
    question: Question, *, accepts: tuple[Program, ...] = (), mistaken: tuple[Program, ...] = ()
) -> Judged:
    """The verdict beside the reference; where that is not equal, beside each other right program; where
    none is equal, the known mistake it is equal to. Raises RefusedProgram as `judge` does."""
    verdict = judge(question)
    if question.reference is None or verdict.outcome == EQUAL:
        return Judged(question, verdict)
    purse = _Purse(verdict)
    for other in accepts:
        beside = replace(question, reference=other)
        found = None if verdict.shapes.failure else purse.judged(beside)
        if found is not None and found.outcome == EQUAL:
            return Judged(beside, found)
    if verdict.outcome == UNDECIDED:
        return Judged(question, verdict)
    return Judged(question, verdict, _named(question, verdict, mistaken, purse=purse))


class _Purse:
    """What comparisons with listed programs may still take."""

    def __init__(self, verdict: Verdict) -> None:
        self.left = MOST_OPERATIONS
        self._own = verdict.shapes.operations

    def judged(self, question: Question) -> Verdict | None:
        """A verdict beside a listed program; None where that is refused or too much has been compared."""
        if self.left <= 0:
            return None
        self.left -= 2 * self._own + 1
        try:
            verdict = judge(question)
        except RefusedProgram:
            return None
        self.left -= 2 * verdict.reference.operations if verdict.reference else 0
        return verdict


def _named(question: Question, verdict: Verdict, mistaken: tuple[Program, ...], *, purse: _Purse) -> int:
    """The place of the first mistake a wrong program is equal to, -1 for none."""
    failure = verdict.shapes.failure
    for place, program in enumerate(mistaken):
        if failure is not None:
            alike = _stops_alike(failure, program, question)
        else:
            found = purse.judged(replace(question, reference=program))
            alike = found is not None and found.outcome == EQUAL
        if alike:
            return place
    return -1


def _stops_alike(failure: Failure, program: Program, question: Question) -> bool:
    """Whether a mistake is refused at the same operation, on the same tensor, in the same words."""
    try:
        other = on_shapes(program, question).failure
    except RefusedProgram:
        return False
    return other is not None and _signs(other) == _signs(failure)


def _signs(failure: Failure) -> tuple[Any, ...]:
    laid = [
        (tuple(one.shape), one.stride()) for one in failure.arguments[:1] if isinstance(one, torch.Tensor)
    ]
    return failure.name, failure.words, laid
