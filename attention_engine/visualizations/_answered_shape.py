"""A learner's shape tried on the tensor of its step and laid beside the true one. Knows no grade."""

import math
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Any

import torch

from attention_engine.frames import Cell, Frame, Table
from attention_engine.kinds import answer_executed as kind
from attention_engine.outcomes import Outcome, attempt, device_of, numbered, outcome_frame, rounded
from attention_engine.shapes import axes_of

Numbers = Mapping[str, Any]

LINES = {
    "project": "q = x @ W_Q",
    "scores": "heads @ keys.transpose(-2, -1)",
    "attend": "weights @ values",
    "merge": "mixed.transpose(1, 2).reshape(B, T, H*D)",
    "output": "merged @ W_O",
}
SWAPPED = {"view": "transpose", "transpose": "view", "attend": "view"}
"""Steps whose shape has tokens and heads the other way round."""


def frames(numbers: Numbers) -> Iterator[Frame]:
    """run: the learner's shape; right: the step itself; compare: axis by axis."""
    answer, step = numbers["answer_shape"], numbers["step"]
    source, truth, line = _tensors(numbers)
    outcome = attempt(kind.code(numbers), lambda: source.view(answer))
    hit = outcome.tensor is not None and outcome.tensor.shape == truth.shape
    yield outcome_frame(
        outcome,
        step="run",
        axes=axes_of(step) if hit else (),
        sentence=_sentence(numbers, outcome, truth),
        table=Table(("line", "outcome"), tuple(_tried(numbers, source, outcome))),
    )
    yield outcome_frame(
        Outcome(line, tensor=truth),
        step="right",
        axes=axes_of(step),
        sentence=f"After {step} the axes are {', '.join(axes_of(step))}: {rounded(truth.shape)}.",
        table=_axis_table(step, truth),
    )
    yield _compare(numbers, outcome, truth)


def _axis_table(step: str, truth: torch.Tensor) -> Table:
    rows = zip(axes_of(step), truth.shape, truth.stride(), strict=True)
    return Table(("axis", "size", "stride"), tuple(rows))


def _tensors(numbers: Numbers) -> tuple[torch.Tensor, torch.Tensor, str]:
    """The tensor the shape is tried on, the tensor the step really gives, and the line that gives it."""
    step, view = numbers["step"], kind.shape_of(numbers, "view")
    if step not in {"view", "transpose"}:
        tensor = numbered(kind.shape_of(numbers, step))
        return tensor, tensor, LINES[step]
    q = numbered(kind.shape_of(numbers, "project"))
    split, line = q.view(view), f"q.view{rounded(view)}"
    if step == "view":
        return q, split, line
    return split.transpose(1, 2), split.transpose(1, 2), f"{line}.transpose(1, 2)"


def _tried(numbers: Numbers, source: torch.Tensor, outcome: Outcome) -> Iterator[tuple[Cell, ...]]:
    """What it was tried on, the view, and where the view is refused for its strides, the reshape."""
    answer, name = numbers["answer_shape"], kind.NAMES[numbers["step"]]
    strides = "" if source.is_contiguous() else f", strides {rounded(source.stride())}"
    yield name, f"shape {rounded(source.shape)}, {source.numel()} numbers{strides}"
    yield outcome.code, outcome.said()
    if outcome.words and strides:
        code = f"{name}.reshape({', '.join(str(size) for size in answer)})"
        yield code, attempt(code, lambda: source.reshape(answer)).said()


def _sentence(numbers: Numbers, outcome: Outcome, truth: torch.Tensor) -> str:
    answer, step = numbers["answer_shape"], numbers["step"]
    if outcome.tensor is None:
        asked = math.prod(answer)
        if min(answer) < 0 or asked == truth.numel():
            return f"torch refuses {rounded(answer)}; after {step} the shape is {rounded(truth.shape)}."
        return f"{rounded(answer)} holds {asked} numbers, but after {step} there are {truth.numel()}."
    if outcome.tensor.shape == truth.shape:
        return f"{rounded(truth.shape)} is the shape after {step}."
    meaning = _meaning(numbers, outcome.tensor, truth)
    return f"It runs: the same {truth.numel()} numbers under other axes. {meaning}"


def _meaning(numbers: Numbers, got: torch.Tensor, truth: torch.Tensor) -> str:
    """What a shape that runs and is not the step's means: another step's shape, and how many cells differ."""
    step = numbers["step"]
    other = SWAPPED.get(step, "")
    if not other or tuple(got.shape) != kind.shape_of(numbers, other):
        return f"After {step} the shape is {rounded(truth.shape)}."
    if got.is_meta:
        return f"That is the shape of {other}, without the numbers being where {other} puts them."
    wrong = int((got != truth.transpose(1, 2)).sum())
    share = f"{wrong} of {got.numel()} cells ({100 * wrong / got.numel():.1f} %)"
    return f"That is the shape of {other}, but {share} hold another number."


def _compare(numbers: Numbers, outcome: Outcome, truth: torch.Tensor) -> Frame:
    """Axis by axis: the learner's size beside the right one."""
    yours = numbers["answer_shape"] if outcome.tensor is None else list(outcome.tensor.shape)
    rows = tuple(zip_longest(axes_of(numbers["step"]), yours, truth.shape, fillvalue=""))
    same = sum(1 for _, mine, right in rows if mine == right)
    return Frame(
        step="compare",
        layout="text",
        title="Yours beside the right shape",
        sentence=f"{same} of {len(rows)} axes agree: {rounded(yours)} beside {rounded(truth.shape)}.",
        table=Table(("axis", "yours", "right"), rows),
        stamp={"device": device_of(truth)},
    )
