"""The statement of a wrong program from which on nothing is the reference's. Knows no grade."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from attention_engine.execution.compare import Question, Verdict
from attention_engine.execution.difference import differ
from attention_engine.execution.given import NUMBERS, given
from attention_engine.execution.limits import TINY
from attention_engine.execution.run import run
from attention_engine.program import Program, RefusedProgram
from attention_engine.program.plan import Plan
from attention_engine.program.reader import Statement

MOST_COMPARED = 64
"""Tensors of the reference that a statement is looked for among."""
Kept = list[tuple[int, torch.Tensor]]


def diverging(question: Question, verdict: Verdict) -> Statement | None:
    """The statement after the last one whose result the reference has too; the last where all are.

    None where nothing was compared with a reference."""
    statements = question.program.statements
    if question.reference is None or len(statements) == 1:
        return statements[0] if question.reference is not None else None
    if verdict.plan is None or not verdict.plan.sizes:
        return None
    sizes = verdict.plan.sizes[0]
    values = given(question.names, sizes, layout=question.layout, space=NUMBERS, seed=question.seed)
    try:
        mine, theirs = (_kept(question, verdict.plan, number, values=values) for number in range(2))
    except RefusedProgram:
        return None
    alike = [place for place, tensor in _results(mine) if _among(tensor, theirs)]
    known = {place for place, _ in mine}
    after = (place for place in range(max(alike, default=-1) + 1, len(statements)) if place in known)
    return statements[next(after, len(statements) - 1)]


def _kept(question: Question, where: Plan, number: int, *, values: Mapping[str, Any]) -> Kept:
    """What each statement of the program (0) or the reference (1) gives on the first trial's numbers."""
    program: Program = question.programs[number]
    literals = where.literals[number][0] if where.literals else {}
    kept: Kept = []
    run(program, values, space=NUMBERS, limits=TINY, literals=literals, kept=kept)
    return kept


def _results(kept: Kept) -> Kept:
    """The last tensor of each statement."""
    return list(dict(kept).items())


def _among(tensor: torch.Tensor, kept: Sequence[tuple[int, torch.Tensor]]) -> bool:
    """Whether a tensor is one of those kept."""
    same = [one for _, one in kept if one.shape == tensor.shape and one.dtype == tensor.dtype]
    return any(differ(tensor, one) is None for one in same[-MOST_COMPARED:])
