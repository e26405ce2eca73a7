"""The words a real tensor would meet, where the meta device says the same in others. Computes nothing."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

RAISED = (
    RuntimeError,
    ValueError,
    TypeError,
    IndexError,
    AttributeError,
    ArithmeticError,
    AssertionError,
    KeyError,
)
"""What torch, einops and Python's own arithmetic raise about sizes and types."""
LONGEST_WORDS = 500

MOST_NUMBERS = 2**17
"""Up to so many numbers (512 KiB) operands are laid out for real, with their strides; beyond it not."""


def said(error: BaseException) -> str:
    """The type before the words, as a terminal shows them; without torch's addresses in its own code."""
    told = str(error).partition("\nException raised from")[0]
    told = told if len(told) <= LONGEST_WORDS else f"{told[: LONGEST_WORDS - 1]}…"
    return f"{type(error).__name__}: {told}"


def exact_words(
    error: Exception, call: Callable[..., Any], arguments: Sequence[Any], named: Mapping[str, Any]
) -> str:
    """What torch says of the same operation on real operands, if they were on the meta device and it differs.

    Operands of moderate size are laid out with their strides, all zeros, so that no other memory is read; a
    larger one is one zero repeated. Where the real operation runs, the words of the meta one stay."""
    flat = [*arguments, *named.values()]
    tensors = [one for one in flat for one in (one if isinstance(one, tuple | list) else (one,))]
    if not any(isinstance(one, torch.Tensor) and one.is_meta for one in tensors):
        return said(error)
    try:
        call(*(_real(one) for one in arguments), **{key: _real(one) for key, one in named.items()})
    except RAISED as real:
        return said(real)
    return said(error)


def _real(value: Any) -> Any:
    """The same operand off the meta device."""
    if isinstance(value, tuple | list) and any(isinstance(one, torch.Tensor) for one in value):
        return type(value)(_real(one) for one in value)
    if not isinstance(value, torch.Tensor) or not value.is_meta:
        return value
    if _reach(value) <= MOST_NUMBERS:
        held = torch.zeros(_reach(value), dtype=value.dtype)
        return held.as_strided(tuple(value.shape), tuple(value.stride()))
    return torch.zeros((), dtype=value.dtype).expand(tuple(value.shape))


def _reach(tensor: torch.Tensor) -> int:
    """Numbers from the first to the last one the strides reach."""
    if not math.prod(tensor.shape):
        return 0
    return 1 + sum((size - 1) * step for size, step in zip(tensor.shape, tensor.stride(), strict=True))
