"""A learner's strides run by torch.as_strided on the last tensor's memory. Knows no grade."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch

from attention_engine.frames import Frame, Table
from attention_engine.kinds import memory_tape as kind
from attention_engine.kinds.operations import many
from attention_engine.outcomes import Outcome, attempt, rounded
from attention_engine.overlaps import reads
from attention_engine.strides import Layout
from attention_engine.visualizations._untouched import untouched
from attention_engine.visualizations.tape.table import table


@dataclass(frozen=True)
class Counted:
    """What the strides read: cells of memory read twice or never, indices that get another number than right.

    None where there is too much to count."""

    twice: int | None = None
    never: int | None = None
    other: int | None = None


def frame(numbers: Mapping[str, Any], tensor: torch.Tensor) -> Frame:
    """answer: as_strided run where it can read nothing, and counted on numbers that say where they lie."""
    right, answer = kind.last(numbers), kind.tried(numbers)
    code = f"y.as_strided({rounded(answer.shape)}, {rounded(answer.strides)})"
    outcome = _run(code, tensor, answer)
    why, read = kind.why_not(answer), outcome.tensor
    shown = read is not None and not why
    return Frame(
        step="answer",
        layout="tape",
        title=code,
        sentence=_refused(why, right) if why else _sentence(answer, right, _counted(answer, right)),
        axes=answer.names if shown else (),
        shape=tuple(read.shape) if read is not None and shown else (),
        strides=tuple(read.stride()) if read is not None and shown else (),
        contiguous=read is not None and shown and read.is_contiguous(),
        dtype=numbers["dtype"],
        table=_beside(answer, right, tensor.itemsize) if shown else _axes(answer, right),
        error=outcome.words,
        stamp={"device": "meta" if read is not None and read.is_meta else "CPU"},
    )


def _run(code: str, tensor: torch.Tensor, answer: Layout) -> Outcome:
    """On the CPU, where torch looks whether the memory suffices; on meta it does not."""
    real = untouched(tensor)
    memory = tensor if real is None else real
    return attempt(code, lambda: memory.as_strided(answer.shape, answer.strides))


def _counted(answer: Layout, right: Layout) -> Counted:
    """Counted by torch on a memory that holds its own offsets if it is small, else by arithmetic."""
    if max(answer.storage, answer.numbers) > kind.COUNTED_NUMBERS:
        found = reads(answer.shape, answer.strides)
        return Counted(found.twice, answer.storage - found.cells) if found else Counted()
    memory = torch.arange(answer.storage, dtype=torch.int32)
    read = memory.as_strided(answer.shape, answer.strides, answer.offset)
    times = torch.bincount(read.flatten(), minlength=answer.storage)
    alike = answer.shape == right.shape
    meant = memory.as_strided(right.shape, right.strides, right.offset) if alike else None
    other = None if meant is None else int((read != meant).sum())
    return Counted(int((times > 1).sum()), int((times == 0).sum()), other)


def _sentence(answer: Layout, right: Layout, counted: Counted) -> str:
    whole = counted.twice == counted.never == 0 and answer.shape == right.shape
    if whole and not kind.same(answer, right):
        told = f"{rounded(answer.strides)} reads every cell of memory once, and in another order"
        return f"{told}. {_verdict(answer, right, counted)}"
    told = f"{rounded(answer.strides)} reads {many(answer.numbers, 'number')}"
    if counted.twice is not None and counted.never is not None:
        told += (
            f": of {many(answer.storage, 'cell')} of memory {counted.twice:,} "
            f"{'is' if counted.twice == 1 else 'are'} read more than once and {counted.never:,} never"
        )
    return f"{told}. {_verdict(answer, right, counted)}"


def _verdict(answer: Layout, right: Layout, counted: Counted) -> str:
    if kind.same(answer, right):
        return "Every index gets the number that the tensor has there."
    if answer.shape != right.shape:
        return f"The tensor has shape {rounded(right.shape)} and strides {rounded(right.strides)}."
    held = f"The tensor's own strides are {rounded(right.strides)}"
    if counted.other is None:
        return f"{held}: the same indices lie elsewhere."
    gets = "gets" if counted.other == 1 else "get"
    return f"{held}: with yours {counted.other:,} of {answer.numbers:,} indices {gets} another number."


def _refused(why: str, right: Layout) -> str:
    return f"torch refuses: {why}. The tensor's own strides are {rounded(right.strides)}."


def _beside(answer: Layout, right: Layout, each: int) -> Table:
    """Where the learner's strides read and where the right ones do; one column where both agree."""
    apart = answer.shape == right.shape and not kind.same(answer, right)
    return table(answer, each, right if apart else None)


def _axes(answer: Layout, right: Layout) -> Table:
    """Axis by axis where the strides could not be run."""
    if not len(answer.shape) == len(answer.strides) == len(right.shape):
        whose = {"yours": answer, "right": right}
        rows = tuple((who, rounded(one.shape), rounded(one.strides)) for who, one in whose.items())
        return Table(("whose", "shape", "strides"), rows)
    cells = zip(right.names, answer.shape, answer.strides, right.strides, strict=True)
    return Table(("axis", "size", "your stride", "right stride"), tuple(cells))
