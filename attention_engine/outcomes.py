"""Running one line and keeping what became of it: a tensor, or torch's words unchanged. Knows no grade."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch

from attention_engine.device import META
from attention_engine.frames import Frame, Table
from attention_engine.kinds.answer_executed import REAL_NUMBERS


def rounded(shape: Sequence[int]) -> str:
    """(2, 4, 768), as Python writes a tuple."""
    return repr(tuple(int(size) for size in shape))


def numbered(shape: Sequence[int]) -> torch.Tensor:
    """A tensor whose numbers say where they lie, real if small, else on the meta device."""
    count = math.prod(shape)
    if count > REAL_NUMBERS:
        return torch.empty(tuple(shape), device=META)
    return torch.arange(count, dtype=torch.int32).view(tuple(shape))


def device_of(tensor: torch.Tensor | None) -> str:
    """Where a line ran, for a frame's stamp."""
    return "meta" if tensor is not None and tensor.is_meta else "CPU"


@dataclass(frozen=True)
class Outcome:
    """What became of one line."""

    code: str
    tensor: torch.Tensor | None = None
    words: str = ""
    """torch's words with the type before them, as a terminal shows them; "" where the line ran."""
    result: str = ""
    """What to say of a line that ran, where its shape is not the point."""

    def said(self) -> str:
        """The outcome in one cell of a table."""
        if self.tensor is None:
            return self.words
        return f"runs: {self.result or 'shape ' + rounded(self.tensor.shape)}"


def attempt(code: str, run: Callable[[], torch.Tensor], *, result: str = "") -> Outcome:
    """Runs a line and keeps what torch raises about sizes."""
    try:
        return Outcome(code, tensor=run(), result=result)
    except (RuntimeError, AssertionError, ValueError, TypeError, IndexError) as error:
        return Outcome(code, words=f"{type(error).__name__}: {error}")


def outcome_frame(
    outcome: Outcome, *, step: str, axes: tuple[str, ...], sentence: str, table: Table
) -> Frame:
    """A frame about one line: its shape and strides where it ran, torch's words where it did not."""
    ran = outcome.tensor
    return Frame(
        step=step,
        layout="blocks",
        title=outcome.code,
        sentence=sentence,
        axes=axes if ran is not None and len(axes) == ran.dim() else (),
        shape=() if ran is None else tuple(ran.shape),
        strides=() if ran is None else tuple(ran.stride()),
        contiguous=ran is None or ran.is_contiguous(),
        table=table,
        error=outcome.words,
        stamp={"device": device_of(ran)},
    )
