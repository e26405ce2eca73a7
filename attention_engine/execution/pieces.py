"""Operations that could make very many pieces, refused before they do. Knows no program text."""

import math
from collections.abc import Callable
from typing import Any

import torch

from attention_engine.execution.limits import MOST_PIECES
from attention_engine.program import RefusedProgram, TooMuch

Call = Callable[..., Any]


def called(name: str) -> Callable[[Call], Call]:
    """Names a function as the learner wrote it: Python says that name where arguments are too many or few."""

    def named(call: Call) -> Call:
        call.__qualname__ = name
        return call

    return named


def guarded(name: str, run: Call) -> Call:
    """The same operation, with what would make very many pieces refused before it runs."""
    checks: dict[str, Call] = {
        "chunk": _chunks,
        "split": _splits,
        "unbind": _slices,
        "repeat_interleave": _repeats,
    }
    check = checks.get(name)
    if check is None:
        return run

    def checked(*arguments: Any, **named: Any) -> Any:
        check(*arguments, **named)
        return run(*arguments, **named)

    return checked


def _pieces(number: int) -> None:
    if number > MOST_PIECES:
        raise TooMuch(f"{number:,} pieces are above {MOST_PIECES}")


def _length(tensor: Any, dim: Any) -> int:
    """The size of an axis, 0 where there is none: then torch itself says so."""
    if (
        not isinstance(tensor, torch.Tensor)
        or not isinstance(dim, int)
        or not -tensor.dim() <= dim < tensor.dim()
    ):
        return 0
    return tensor.shape[dim]


@called("chunk")
def _chunks(tensor: Any, chunks: Any = 0, dim: Any = 0) -> None:
    _pieces(min(chunks, _length(tensor, dim)) if isinstance(chunks, int) else 0)


@called("split")
def _splits(tensor: Any, size: Any = 0, dim: Any = 0, **named: Any) -> None:
    size = next((value for name, value in named.items() if name.startswith("split_size")), size)
    _pieces(math.ceil(_length(tensor, dim) / size) if isinstance(size, int) and size > 0 else 0)


@called("unbind")
def _slices(tensor: Any, dim: Any = 0) -> None:
    _pieces(_length(tensor, dim))


@called("repeat_interleave")
def _repeats(tensor: Any, repeats: Any = None, dim: Any = None) -> None:  # noqa: ARG001
    if not isinstance(repeats, int):
        raise RefusedProgram("repeat_interleave takes a whole number here, not a tensor of numbers")
