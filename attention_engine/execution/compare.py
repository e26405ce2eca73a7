"""A program beside a reference: run on shapes, then on numbers, compared place by place. Knows no grade."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch

from attention_engine.execution.given import NUMBERS, SHAPES_ONLY, given
from attention_engine.execution.limits import OWN, TINY, Limits, on_meta
from attention_engine.execution.ran import Ran
from attention_engine.execution.run import run
from attention_engine.program import Program, RefusedProgram
from attention_engine.program.inputs import Sizes, meant
from attention_engine.program.plan import OWN as AT_OWN_SIZES
from attention_engine.program.plan import Place, Plan, plan

EQUAL, VALUES, SHAPE, ERROR, UNDECIDED = "equal", "wrong-values", "wrong-shape", "error", "undecided"
RELATIVE, ABSOLUTE = 1e-5, 1e-6
"""float64 all through, but for angles that torch computes in float32 from whole numbers."""


@dataclass(frozen=True)
class Difference:
    """Numbers that differ, of how many, and the first place: what is there and what should be."""

    wrong: int
    of: int
    place: tuple[int, ...]
    yours: float
    right: float
    yours_from: str = ""
    """The input that holds the number there, as "q[0, 2, 13]"; "" where it was computed."""
    right_from: str = ""


@dataclass(frozen=True)
class Verdict:
    """What became of a program: outcome, its runs, and the trial that decided."""

    outcome: str
    shapes: Ran
    """On the meta device at the card's own sizes."""
    reference: Ran | None = None
    plan: Plan | None = None
    trials: int = 0
    sizes: Sizes | None = None
    """Sizes of the trial that is told of: the first one that differs, else the first."""
    tiny: Ran | None = None
    tiny_reference: Ran | None = None
    difference: Difference | None = None
    reason: str = ""
    """Why nothing was decided."""


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


def judge(question: Question) -> Verdict:
    """The verdict on a program. Raises RefusedProgram where the program makes too much or no tensor."""
    ran = on_shapes(question.program, question)
    if ran.failure:
        right = _reference(question) if question.reference else None
        return Verdict(ERROR, ran, right)
    where = plan(question.programs, question.sizes, question.layout)
    right = _reference(question)
    if right is None or right.failure or right.tensor is None:
        reason = f"the reference does not run: {right.failure.words}" if right and right.failure else ""
        return _tried(question, where, Verdict(UNDECIDED, ran, right, where, reason=reason))
    assert ran.tensor is not None
    if ran.tensor.shape != right.tensor.shape:
        return Verdict(SHAPE, ran, right, where)
    return _compared(question, where, Verdict(UNDECIDED, ran, right, where))


def on_shapes(program: Program, question: Question) -> Ran:
    """A program on the meta device, at the card's own sizes: nothing is allocated, torch's own errors."""
    values = given(question.names, question.sizes, layout=question.layout, space=SHAPES_ONLY)
    largest = max((one.numel() for one in values.values() if isinstance(one, torch.Tensor)), default=0)
    sizes = question.sizes
    limits = on_meta(max(largest, sizes.B * sizes.H * sizes.T * sizes.K))
    return run(program, values, space=SHAPES_ONLY, limits=limits)


def _reference(question: Question) -> Ran | None:
    return on_shapes(question.reference, question) if question.reference else None


def _tried(question: Question, where: Plan, verdict: Verdict) -> Verdict:
    """The first trial of a program that is compared with nothing: its shapes on primes."""
    for trial, sizes in enumerate(where.sizes[:1]):
        ran, _, refused = _trial(question, where, trial, sizes)
        if not refused:
            return Verdict(**{**vars(verdict), "tiny": ran, "sizes": sizes})
    return verdict


def _compared(question: Question, where: Plan, verdict: Verdict) -> Verdict:
    """The trials one after another, up to the first that differs."""
    found = verdict
    for trial, sizes in enumerate(where.sizes):
        ran, right, refused = _trial(question, where, trial, sizes)
        if refused:
            return Verdict(**{**vars(verdict), "reason": refused})
        outcome, difference = _outcome(ran, right, question, sizes=sizes, trial=trial)
        told = {
            "outcome": outcome,
            "trials": len(where.sizes),
            "sizes": sizes,
            "tiny": ran,
            "tiny_reference": right,
        }
        if trial == 0 or outcome != EQUAL:
            found = Verdict(**{**vars(verdict), **told, "difference": difference})
        if outcome != EQUAL:
            return found
    return found if where.sizes else Verdict(**{**vars(verdict), "reason": _too_large(question)})


def _too_large(question: Question) -> str:
    shape = question.sizes.of("B T H D")
    return f"numbers are written out, and layers of {shape} are too large to compare number by number"


def _trial(question: Question, where: Plan, trial: int, sizes: Sizes) -> tuple[Ran, Ran | None, str]:
    """Both programs at the sizes of a trial, or why they are not run there.

    A trial with the sizes of one before needs no second rehearsal: shapes do not depend on numbers."""
    limits = OWN if where.mode == AT_OWN_SIZES else TINY
    exchanged = [several[trial] for several in where.literals] or [{} for _ in question.programs]
    values = given(question.names, sizes, layout=question.layout, space=NUMBERS, seed=question.seed + trial)
    shaped = given(question.names, sizes, layout=question.layout, space=SHAPES_ONLY)
    try:
        ran = [
            _safely(
                program, values, shaped, limits=limits, literals=literals, again=sizes in where.sizes[:trial]
            )
            for program, literals in zip(question.programs, exchanged, strict=True)
        ]
    except RefusedProgram as refused:
        return Ran(()), None, refused.message
    return ran[0], (ran[1] if len(ran) > 1 else None), ""


def _safely(
    program: Program,
    values: Mapping[str, Any],
    shaped: Mapping[str, Any],
    *,
    limits: Limits,
    literals: Mapping[Place, int | float],
    again: bool,
) -> Ran:
    """First on shapes, where too much is refused before it is made; then on the numbers."""
    if not again:
        rehearsed = run(program, shaped, space=SHAPES_ONLY, limits=limits, literals=literals)
        if rehearsed.failure:
            return rehearsed
    return run(program, values, space=NUMBERS, limits=limits, literals=literals)


def _outcome(
    ran: Ran, right: Ran | None, question: Question, *, sizes: Sizes, trial: int
) -> tuple[str, Difference | None]:
    if ran.failure or ran.tensor is None:
        return ERROR, None
    if right is None or right.tensor is None:
        return UNDECIDED, None
    if ran.tensor.shape != right.tensor.shape:
        return SHAPE, None
    difference = differ(ran.tensor, right.tensor)
    if difference is None:
        return EQUAL, None
    values = given(question.names, sizes, layout=question.layout, space=NUMBERS, seed=question.seed + trial)
    return VALUES, _traced(difference, values)


def differ(yours: torch.Tensor, right: torch.Tensor) -> Difference | None:
    """Where two tensors of one shape hold different numbers; NaN equals NaN, an infinity itself."""
    mine, theirs = yours.to(torch.float64), right.to(torch.float64)
    apart = ~torch.isclose(mine, theirs, rtol=RELATIVE, atol=ABSOLUTE, equal_nan=True)
    wrong = int(apart.sum())
    if not wrong:
        return None
    first = int(apart.reshape(-1).to(torch.uint8).argmax())
    place = tuple(int(axis) for axis in torch.unravel_index(torch.tensor(first), apart.shape))
    return Difference(wrong, apart.numel(), place, float(mine[place]), float(theirs[place]))


def _traced(difference: Difference, values: Mapping[str, Any]) -> Difference:
    """The same, with the place in an input that each number was taken from unchanged."""
    yours, right = (next(_places(number, values), "") for number in (difference.yours, difference.right))
    return Difference(**{**vars(difference), "yours_from": yours, "right_from": right})


def _places(number: float, values: Mapping[str, Any]) -> Iterator[str]:
    for name, tensor in values.items():
        if not isinstance(tensor, torch.Tensor) or meant(name) in {"mask", "cos", "sin"}:
            continue
        found = (tensor == number).nonzero()
        if len(found) == 1:
            yield f"{name}[{', '.join(str(int(axis)) for axis in found[0])}]"
