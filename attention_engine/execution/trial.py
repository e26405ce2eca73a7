"""One trial: two programs on the same small numbers, first rehearsed on shapes. Knows no card."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch

from attention_engine.device import META
from attention_engine.execution.difference import Difference, differ, traced
from attention_engine.execution.given import NUMBERS, SHAPES_ONLY, given
from attention_engine.execution.limits import TINY
from attention_engine.execution.ran import Ran
from attention_engine.execution.run import run
from attention_engine.program import Program, RefusedProgram
from attention_engine.program.inputs import Sizes
from attention_engine.program.plan import Place

EQUAL, VALUES, SHAPE, ERROR, UNDECIDED = "equal", "wrong-values", "wrong-shape", "error", "undecided"


@dataclass(frozen=True)
class Question:
    """A program to run, what it is held against, and the layer it is about."""

    program: Program
    reference: Program | None
    sizes: Sizes
    layout: str
    seed: int = 0

    @property
    def names(self) -> tuple[str, ...]:
        """What the two programs read, together."""
        more = self.reference.reads if self.reference else ()
        return tuple(dict.fromkeys((*self.program.reads, *more)))

    @property
    def programs(self) -> tuple[Program, ...]:
        """The program, and the reference where there is one."""
        return (self.program, self.reference) if self.reference else (self.program,)


@dataclass(frozen=True)
class Trial:
    """What became of both programs; their tensors keep shape and strides alone."""

    outcome: str
    sizes: Sizes
    yours: Ran | None = None
    right: Ran | None = None
    difference: Difference | None = None
    reason: str = ""
    """Why nothing was decided."""


def held_trial(
    question: Question,
    sizes: Sizes,
    *,
    number: int,
    literals: tuple[Mapping[Place, int | float], ...],
    again: bool,
) -> Trial:
    """Runs the programs at these sizes on numbers of this trial's own.

    literals: per program, what the numbers written in it stand for. again: whether these sizes were rehearsed
    in a trial before; shapes do not depend on numbers, so once is enough."""
    values = given(question.names, sizes, layout=question.layout, space=NUMBERS, seed=question.seed + number)
    exchanged = literals or ({},) * len(question.programs)
    try:
        ran = []
        for program, stands in zip(question.programs, exchanged, strict=True):
            failed = None if again else _rehearsed(program, question, sizes, stands)
            ran.append(failed or run(program, values, space=NUMBERS, limits=TINY, literals=stands))
    except RefusedProgram as refused:
        return Trial(UNDECIDED, sizes, reason=refused.message)
    return _judged(ran[0], ran[1] if len(ran) > 1 else None, sizes, values)


def _rehearsed(
    program: Program, question: Question, sizes: Sizes, literals: Mapping[Place, int | float]
) -> Ran | None:
    """The failure a program meets on shapes, None where it may run. Raises RefusedProgram for too much."""
    shaped = given(question.names, sizes, layout=question.layout, space=SHAPES_ONLY)
    ran = run(program, shaped, space=SHAPES_ONLY, limits=TINY, literals=literals)
    return ran if ran.failure else None


def _judged(yours: Ran, right: Ran | None, sizes: Sizes, values: Mapping[str, Any]) -> Trial:
    kept = _hollow(yours)
    if right is None:
        return Trial(UNDECIDED, sizes, kept)
    if right.failure:
        return Trial(UNDECIDED, sizes, reason=f"the reference does not run there: {right.failure.words}")
    if yours.tensor is None or right.tensor is None:
        return Trial(ERROR, sizes, kept, _hollow(right))
    if not right.tensor.isfinite().any():
        return Trial(UNDECIDED, sizes, reason="the reference has no finite number to compare with")
    if yours.tensor.shape != right.tensor.shape:
        return Trial(SHAPE, sizes, kept, _hollow(right))
    found = differ(yours.tensor, right.tensor)
    difference = None if found is None else traced(found, values)
    return Trial(EQUAL if found is None else VALUES, sizes, kept, _hollow(right), difference)


def _hollow(ran: Ran) -> Ran:
    """The same without its numbers."""
    if ran.tensor is None:
        return ran
    shape, strides = tuple(ran.tensor.shape), tuple(ran.tensor.stride())
    return replace(ran, tensor=torch.empty_strided(shape, strides, dtype=ran.tensor.dtype, device=META))
