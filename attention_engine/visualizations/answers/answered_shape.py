"""A learner's shape tried on what its step gives, and what its axes would then hold. Knows no grade."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

import torch

from attention_engine.device import META
from attention_engine.frames import Cell, Frame, Table
from attention_engine.kinds import answer_executed as kind
from attention_engine.kinds.answers import asked as answer_asked
from attention_engine.kinds.operations import axes_after
from attention_engine.outcomes import Outcome, attempt, device_of, numbered, outcome_frame, rounded
from attention_engine.visualizations.answers.readings import grouping, matched, readings

Numbers = Mapping[str, Any]


def frames(numbers: Numbers) -> Iterator[Frame]:
    """run: the step with the learner's shape; right: its axes; compare: axis by axis, where it is another."""
    step = numbers["step"]
    truth, axes = _truth(numbers), axes_after(step, numbers)
    outcome = _tried(numbers, truth)
    hit = outcome.tensor is not None and outcome.tensor.shape == truth.shape
    got = () if outcome.tensor is None else outcome.tensor.shape
    yield outcome_frame(
        outcome,
        step="run",
        axes=axes if hit else tuple(matched(got, truth.shape, axes)),
        sentence=_sentence(numbers, outcome, truth),
        table=Table(("line", "outcome"), tuple(_lines(numbers, outcome, truth))),
    )
    yield outcome_frame(
        Outcome(kind.operation(numbers), tensor=truth),
        step="right",
        axes=axes,
        sentence=f"After {step} the axes are {', '.join(axes)}: {rounded(truth.shape)}.",
        table=Table(("axis", "size", "stride"), tuple(zip(axes, truth.shape, truth.stride(), strict=True))),
    )
    if not hit:
        yield _compare(numbers, outcome, truth)


def _truth(numbers: Numbers) -> torch.Tensor:
    """What the step gives, run on the meta device, its cells numbered so that each says which it is."""
    step = numbers["step"]
    q = numbered(answer_asked.shape_of(numbers, "project"))
    split = q.view(answer_asked.shape_of(numbers, "view"))
    if step in {"project", "view", "transpose"}:
        return {"project": q, "view": split, "transpose": split.transpose(1, 2)}[step]
    if step == "attend":
        return split.transpose(1, 2).contiguous()
    if step == "merge":
        mixed = split.transpose(1, 2)
        return mixed.transpose(1, 2).reshape(answer_asked.shape_of(numbers, "merge"))
    return numbered(_product(numbers).shape)


def _product(numbers: Numbers) -> torch.Tensor:
    """The step that makes new numbers, on the meta device: scores or output."""
    shape = {name: answer_asked.shape_of(numbers, name) for name in ("transpose", "merge", "output")}
    if numbers["step"] == "output":
        out, w_o = shape["merge"], (shape["merge"][-1], shape["output"][-1])
        return torch.empty(out, device=META) @ torch.empty(w_o, device=META)
    batch, heads, _, width = shape["transpose"]
    k = torch.empty((batch, heads, numbers["key_tokens"], width), device=META)
    return torch.empty(shape["transpose"], device=META) @ k.transpose(-2, -1)


def _tried(numbers: Numbers, truth: torch.Tensor) -> Outcome:
    """The learner's shape as a reshape of what the step gives; the step itself if it is that."""
    answer = numbers["answer_shape"]
    if kind.works(numbers):
        return Outcome(kind.code(numbers), tensor=truth)
    return attempt(kind.code(numbers), lambda: truth.reshape(answer))


def _lines(numbers: Numbers, outcome: Outcome, truth: torch.Tensor) -> Iterator[tuple[Cell, ...]]:
    """What the step gives, and what became of the learner's line."""
    yield kind.operation(numbers), f"shape {rounded(truth.shape)}, {truth.numel():,} numbers"
    if outcome.code != kind.operation(numbers):
        yield outcome.code, outcome.said()


def _sentence(numbers: Numbers, outcome: Outcome, truth: torch.Tensor) -> str:
    step, after = numbers["step"], f"After {numbers['step']} the shape is {rounded(truth.shape)}."
    if outcome.tensor is None:
        return f"{kind.sentence(numbers)}. {after}"
    if outcome.tensor.shape == truth.shape:
        return f"{rounded(truth.shape)} is the shape after {step}: {truth.numel():,} numbers."
    return f"{_meaning(numbers, outcome.tensor, truth)} {after}"


def _meaning(numbers: Numbers, got: torch.Tensor, truth: torch.Tensor) -> str:
    """What a shape that runs and is not the step's means: its axes, and how many cells do not hold that."""
    words, wanted = next(readings(numbers, got.shape, truth), ("", None))
    if wanted is None:
        axes = axes_after(numbers["step"], numbers)
        told = grouping(axes, tuple(truth.shape), tuple(got.shape))
        return f"It runs: the same {truth.numel():,} numbers in the same order, but {told}."
    if got.is_meta:
        return f"It runs, and its shape would be that of {words}: the numbers are too many to compare here."
    wrong = int((got != wanted).sum())
    if not wrong:
        return f"It runs with every number in its place, but its axes would mean {words}."
    share = f"{wrong:,} of {got.numel():,} cells hold another number"
    return f"It runs, and it is wrong: {share} than {words} would hold."


def _compare(numbers: Numbers, outcome: Outcome, truth: torch.Tensor) -> Frame:
    """Axis by axis: the learner's size beside the right one."""
    yours: Sequence[int] = numbers["answer_shape"] if outcome.tensor is None else outcome.tensor.shape
    rows = tuple(zip_longest(axes_after(numbers["step"], numbers), yours, truth.shape, fillvalue=""))
    same = sum(1 for _, mine, right in rows if mine == right)
    return Frame(
        step="compare",
        layout="text",
        title="Yours beside the right shape",
        sentence=f"{same} of {len(rows)} axes agree: {rounded(yours)} beside {rounded(truth.shape)}.",
        table=Table(("axis", "yours", "right"), rows),
        stamp={"device": device_of(truth)},
    )
