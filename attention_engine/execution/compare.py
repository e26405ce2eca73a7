"""A program beside a reference: run on shapes, then on numbers in several trials. Knows no grade."""

from dataclasses import dataclass, replace

import torch

from attention_engine.execution.beyond import refusal
from attention_engine.execution.given import SHAPES_ONLY, given
from attention_engine.execution.limits import on_meta
from attention_engine.execution.ran import Ran
from attention_engine.execution.run import run
from attention_engine.execution.trial import (
    EQUAL,
    ERROR,
    SHAPE,
    UNDECIDED,
    VALUES,
    Question,
    Trial,
    held_trial,
)
from attention_engine.program import Program, TooMuch
from attention_engine.program.plan import OWN, PRIMES, SUBSTITUTED, Plan, plan, rounded
from attention_engine.program.written import instead, written_out

__all__ = ["EQUAL", "ERROR", "SHAPE", "UNDECIDED", "VALUES", "Question", "Verdict", "judge", "on_shapes"]


@dataclass(frozen=True)
class Verdict:
    """What became of a program: the outcome, its run on shapes, and the trial that is told of."""

    outcome: str
    shapes: Ran
    """On the meta device at the card's own sizes."""
    reference: Ran | None = None
    plan: Plan | None = None
    trial: Trial | None = None
    """The first one that differs, else the first."""
    reason: str = ""
    """Why nothing was decided."""


def judge(question: Question) -> Verdict:
    """The verdict on a program. Raises RefusedProgram where the program makes too much or no tensor."""
    try:
        ran = on_shapes(question.program, question)
    except TooMuch as much:
        raise refusal(question, much) from None
    right = on_shapes(question.reference, question) if question.reference else None
    if ran.failure:
        return Verdict(ERROR, ran, right)
    where = plan(question.programs, question.sizes, question.layout)
    if right is None or right.failure:
        reason = f"the reference does not run: {right.failure.words}" if right and right.failure else ""
        alone = replace(question, reference=None)
        return Verdict(UNDECIDED, ran, right, where, _first(alone, where), reason)
    if ran.tensor is None or right.tensor is None or ran.tensor.shape != right.tensor.shape:
        return Verdict(SHAPE, ran, right, where)
    return _compared(question, where, Verdict(UNDECIDED, ran, right, where))


def on_shapes(program: Program, question: Question) -> Ran:
    """A program on the meta device, at the card's own sizes: nothing is allocated, torch's own errors."""
    sizes = question.sizes
    values = given(question.names, sizes, layout=question.layout, space=SHAPES_ONLY)
    tensors = [one.numel() for one in values.values() if isinstance(one, torch.Tensor)]
    limits = on_meta(max([sizes.B * sizes.H * sizes.T * sizes.K, *tensors]))
    return run(program, values, space=SHAPES_ONLY, limits=limits)


def _first(alone: Question, where: Plan) -> Trial | None:
    """The first trial of a program that is compared with nothing: its shapes on primes."""
    if not where.sizes:
        return None
    trial = held_trial(
        alone, where.sizes[0], number=0, literals=tuple(one[0] for one in where.literals[:1]), again=False
    )
    return trial if trial.yours else None


def _compared(question: Question, where: Plan, verdict: Verdict) -> Verdict:
    """The trials, up to the first that differs; then, where they may mislead, at the card's own sizes."""
    trials: list[Trial] = []
    for number, sizes in enumerate(where.sizes):
        literals = tuple(several[number] for several in where.literals)
        again = sizes in where.sizes[:number]
        trials.append(held_trial(question, sizes, number=number, literals=literals, again=again))
        if trials[-1].outcome != EQUAL:
            break
    if not trials:
        return replace(verdict, reason=_too_large(question))
    last = trials[-1]
    told = trials[0] if last.outcome == EQUAL else last
    found = replace(verdict, outcome=last.outcome, trial=told if told.yours else None, reason=last.reason)
    return found if where.mode == OWN else _at_own_sizes(question, where, found)


def _at_own_sizes(question: Question, where: Plan, found: Verdict) -> Verdict:
    """What primes found, or what the card's own sizes find where they say otherwise.

    A program equal at primes may name one of them (T - 7); one that is not may be written for this layer
    alone (four heads listed one by one)."""
    special = found.outcome not in {EQUAL, UNDECIDED} and written_out(question.program)
    if found.outcome not in {EQUAL, UNDECIDED} and not special:
        return found
    if found.outcome == EQUAL and where.mode == SUBSTITUTED and rounded(where, question.sizes):
        return found
    own = instead(question.programs, question.sizes, question.layout)
    trial = (
        held_trial(question, own.sizes[0], number=len(where.sizes), literals=(), again=False)
        if own.sizes
        else None
    )
    if trial is None or trial.outcome == UNDECIDED:
        reason = trial.reason if trial else _too_large(question)
        unsure = special and (found.outcome == ERROR or where.mode == PRIMES)
        return replace(found, outcome=UNDECIDED, trial=None, reason=reason) if unsure else found
    if (trial.outcome == EQUAL) == (found.outcome == EQUAL) and found.outcome != UNDECIDED:
        return found
    return replace(found, plan=own, outcome=trial.outcome, trial=trial if trial.yours else None, reason="")


def _too_large(question: Question) -> str:
    shape = question.sizes.of("B T H D")
    return f"numbers are written out, and layers of {shape} are too large to compare number by number"
