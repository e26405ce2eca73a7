"""Two tensors of one shape, place by place: how many numbers differ, whence the first came. Runs nothing."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch

from attention_engine.program.inputs import meant

RELATIVE = 1e-7
"""As far as float32, in which learners compute, tells numbers apart; here all is float64."""
SMALLEST_SCALE = 1e-6
"""Of a reference that is zero everywhere: rounding is no difference."""
AT_ONCE = 16_384
"""Numbers compared at once, so that comparing holds little beside the two tensors."""
COMPUTED = frozenset({"mask", "cos", "sin"})
"""Inputs in which one number stands at many places, or not by chance."""


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


def differ(yours: torch.Tensor, right: torch.Tensor) -> Difference | None:
    """Where two tensors of one shape hold different numbers; NaN equals NaN, an infinity itself."""
    wrong, first, start = 0, -1, 0
    absolute = RELATIVE * scale_of(right)
    for mine, theirs in _pieces(yours, right):
        piece = [one.reshape(-1).to(torch.float64) for one in (mine, theirs)]
        apart = ~torch.isclose(piece[0], piece[1], rtol=RELATIVE, atol=absolute, equal_nan=True)
        found = int(apart.sum())
        if found and first < 0:
            first = start + int(apart.to(torch.uint8).argmax())
        wrong, start = wrong + found, start + apart.numel()
    if not wrong:
        return None
    place = _place(first, tuple(yours.shape))
    return Difference(wrong, yours.numel(), place, float(yours[place]), float(right[place]))


def scale_of(right: torch.Tensor) -> float:
    """The largest finite number of a tensor, at most 1: beside it a difference is small or not."""
    largest = 0.0
    for piece, _ in _pieces(right, right):
        finite = piece.to(torch.float64).nan_to_num(0.0, 0.0, 0.0).abs()
        largest = max(largest, float(finite.max()) if finite.numel() else 0.0)
    return min(1.0, max(largest, SMALLEST_SCALE))


def _pieces(yours: torch.Tensor, right: torch.Tensor) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """The two tensors in blocks along their first axes, in order."""
    if yours.numel() <= AT_ONCE:
        yield yours, right
        return
    rows = max(1, AT_ONCE * yours.shape[0] // yours.numel())
    for start in range(0, yours.shape[0], rows):
        mine, theirs = yours[start : start + rows], right[start : start + rows]
        if mine.numel() > AT_ONCE:
            yield from _pieces(mine[0], theirs[0])
        else:
            yield mine, theirs


def _place(flat: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The index, axis by axis, of a place counted through."""
    index: list[int] = []
    for size in reversed(shape):
        flat, at = divmod(flat, size)
        index.insert(0, at)
    return tuple(index)


def traced(difference: Difference, values: Mapping[str, Any]) -> Difference:
    """The same, with the place in an input that each number was taken from unchanged."""
    yours, right = (next(_places(number, values), "") for number in (difference.yours, difference.right))
    return replace(difference, yours_from=yours, right_from=right)


def _places(number: float, values: Mapping[str, Any]) -> Iterator[str]:
    for name, tensor in values.items():
        if isinstance(tensor, torch.Tensor) and meant(name) not in COMPUTED:
            found = (tensor == number).nonzero()
            if len(found) == 1:
                yield f"{name}[{', '.join(str(int(axis)) for axis in found[0])}]"
