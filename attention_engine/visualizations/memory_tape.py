"""A chain of operations run by torch on its meta device, one frame each. Has no values."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import torch

from attention_engine.device import META
from attention_engine.frames import Frame
from attention_engine.kinds import memory_tape as kind
from attention_engine.kinds import tape_words
from attention_engine.op_chain import Op
from attention_engine.outcomes import Outcome, attempt
from attention_engine.spec import VisualizationSpec
from attention_engine.strides import Layout
from attention_engine.visualizations._untouched import untouched
from attention_engine.visualizations.tape import answer as tape_answer
from attention_engine.visualizations.tape.table import table, ways


def frames(spec: VisualizationSpec) -> Iterator[Frame]:
    """start, every operation until one is refused, then the learner's strides where there are any."""
    numbers = spec.parameters
    dtype = getattr(torch, numbers["dtype"])
    tensor, steps = torch.empty(tuple(numbers["shape"]), dtype=dtype, device=META), kind.chain(numbers)
    for step in steps:
        outcome = Outcome(step.code, tensor=tensor) if step.op is None else _run(step.op, tensor, step.code)
        if outcome.tensor is None:
            assert step.op is not None
            yield _refused(step, tensor, _real_words(step.op, tensor, outcome), numbers)
            break
        yield _frame(step, tensor, outcome.tensor, numbers)
        tensor = outcome.tensor
    if numbers["answer_strides"]:
        yield tape_answer.frame(numbers, tensor)


def _run(op: Op, tensor: torch.Tensor, code: str) -> Outcome:
    return attempt(code, lambda: applied(op, tensor))


def applied(op: Op, tensor: torch.Tensor) -> torch.Tensor:
    """The operation on a tensor, as the learner writes it."""
    found = getattr(tensor, op.name)
    result: torch.Tensor = found if isinstance(found, torch.Tensor) else found(*op.arguments)
    return result


def _real_words(op: Op, tensor: torch.Tensor, outcome: Outcome) -> Outcome:
    """The refusal as a tensor on the CPU words it, where one of that size can be addressed."""
    real = untouched(tensor)
    return outcome if real is None else _run(op, real, outcome.code)


def layout_of(tensor: torch.Tensor, told: Layout) -> Layout:
    """What torch says of a tensor; the names of its axes are those of arithmetic."""
    return replace(
        told,
        shape=tuple(tensor.shape),
        strides=tuple(tensor.stride()),
        offset=int(tensor.storage_offset()),
        storage=tensor.untyped_storage().nbytes() // tensor.itemsize,
    )


def _frame(step: kind.Done, old: torch.Tensor, new: torch.Tensor, numbers: Mapping[str, Any]) -> Frame:
    assert step.after is not None
    each = new.itemsize
    same = new.untyped_storage()._cdata == old.untyped_storage()._cdata
    before = layout_of(old, replace(step.before, memory=0))
    after = layout_of(new, replace(step.after, memory=0 if same else 1))
    return Frame(
        step=step.name,
        layout="tape",
        title=step.code,
        sentence=tape_words.sentence(step.op, before, after, each),
        axes=after.names,
        shape=after.shape,
        strides=after.strides,
        contiguous=new.is_contiguous(),
        dtype=numbers["dtype"],
        table=table(after, each),
        stamp={"device": "meta"},
    )


def _refused(step: kind.Done, tensor: torch.Tensor, outcome: Outcome, numbers: Mapping[str, Any]) -> Frame:
    assert step.op is not None
    before = layout_of(tensor, step.before)
    return Frame(
        step=step.name,
        layout="tape",
        title=step.code,
        sentence=tape_words.refused(
            step.op, before, step.reason, copying_helps=step.copying_helps, each=tensor.itemsize
        ),
        dtype=numbers["dtype"],
        table=ways(step.op, tensor, outcome),
        error=outcome.words,
        stamp={"device": "meta"},
    )
