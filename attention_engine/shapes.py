"""Shape, strides and contiguity of one tensor by plain arithmetic; equal to torch by test. Knows no torch."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Shape = tuple[int, ...]

STEPS = ("input", "project", "view", "transpose", "attend", "merge", "output")
SYNONYMS = {"split": "view"}


def contiguous_strides(shape: Sequence[int]) -> Shape:
    """Strides of a freshly written tensor: (2, 4, 12, 64) -> (3072, 768, 64, 1)."""
    strides = [1]
    for size in reversed(shape[1:]):
        strides.append(strides[-1] * max(size, 1))
    return tuple(reversed(strides)) if shape else ()


def is_contiguous(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """True if reading in C order walks the memory without a jump; axes of size 1 do not matter."""
    if 0 in shape:
        return True
    wanted = contiguous_strides(shape)
    return all(size == 1 or a == b for size, a, b in zip(shape, strides, wanted, strict=True))


def swapped(values: Sequence[int], first: int, second: int) -> Shape:
    """The same values with two places exchanged: what transpose does to shape and to strides."""
    if not (0 <= first < len(values) and 0 <= second < len(values)):
        raise ValueError(f"axes {first} and {second} do not both exist in {len(values)} axes")
    changed = list(values)
    changed[first], changed[second] = changed[second], changed[first]
    return tuple(changed)


def offset(strides: Sequence[int], index: Sequence[int]) -> int:
    """Where an element lies in memory, counted in numbers from the first."""
    return sum(stride * i for stride, i in zip(strides, index, strict=True))


def shape_after(
    *,
    step: str,
    batch: int,
    tokens: int,
    num_heads: int,
    d_head: int,
    d_model: int = 0,
    key_tokens: int = 0,
) -> Shape:
    """Shape after a step; d_model 0 means num_heads * d_head, key_tokens 0 means self-attention."""
    inner, keys = num_heads * d_head, key_tokens or tokens
    shapes: dict[str, Shape] = {
        "input": (batch, tokens, d_model or inner),
        "project": (batch, tokens, inner),
        "view": (batch, tokens, num_heads, d_head),
        "transpose": (batch, num_heads, tokens, d_head),
        "scores": (batch, num_heads, tokens, keys),
        "attend": (batch, num_heads, tokens, d_head),
        "merge": (batch, tokens, inner),
        "output": (batch, tokens, d_model or inner),
    }
    name = SYNONYMS.get(step, step)
    if name not in shapes:
        raise ValueError(f'no step "{step}"; steps are {", ".join(shapes)}')
    return shapes[name]


def axes_of(step: str) -> tuple[str, ...]:
    """Names of the axes after a step, as frames and pictures call them."""
    axes = {
        "input": ("B", "T", "d_model"),
        "project": ("B", "T", "H*D"),
        "view": ("B", "T", "H", "D"),
        "transpose": ("B", "H", "T", "D"),
        "scores": ("B", "H", "T", "T"),
        "attend": ("B", "H", "T", "D"),
        "merge": ("B", "T", "H*D"),
        "output": ("B", "T", "d_model"),
    }
    return axes[SYNONYMS.get(step, step)]


MERGE_WITHOUT_COPY = "same memory: with one token or one head nothing has to move"


def strides_after_transpose(*, shape: Sequence[int], axes: Sequence[int] = (1, 2)) -> Shape:
    """Strides after exchanging two axes of a contiguous tensor: (2, 5, 4, 8) -> (160, 8, 32, 1)."""
    first, second = axes
    return swapped(contiguous_strides(shape), first, second)


def shape_after_transpose(*, shape: Sequence[int], axes: Sequence[int] = (1, 2)) -> Shape:
    """Shape after exchanging two axes: (2, 5, 4, 8) -> (2, 4, 5, 8)."""
    first, second = axes
    return swapped(shape, first, second)


def stride(*, shape: Sequence[int], axis: int, op: str = "") -> int:
    """Stride of one axis of a contiguous tensor after `op`: "" or "transpose(1,2)"."""
    strides = contiguous_strides(shape)
    if op:
        call = re.fullmatch(r"\s*transpose\(\s*(\d+)\s*,\s*(\d+)\s*\)\s*", op)
        if call is None:
            raise ValueError(f'op "{op}" is not of the form transpose(1,2)')
        strides = swapped(strides, int(call[1]), int(call[2]))
    if not 0 <= axis < len(strides):
        raise ValueError(f"axis {axis} does not exist in {len(strides)} axes")
    return strides[axis]


def numbers_in(*, shape: Sequence[int]) -> int:
    """How many numbers a tensor of this shape holds."""
    return math.prod(shape)


def bytes_in(*, shape: Sequence[int], bytes_per_value: int = 4) -> int:
    """Bytes of all numbers of a tensor of this shape, at 4 bytes a float32: what a copy of it writes."""
    if bytes_per_value < 1:
        raise ValueError(f"bytes_per_value must be 1 or more, not {bytes_per_value}")
    return numbers_in(shape=shape) * bytes_per_value


COMPUTABLE: Mapping[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        bytes_in,
        numbers_in,
        shape_after,
        shape_after_transpose,
        stride,
        strides_after_transpose,
    )
}
"""Names that a card's key may compute."""
