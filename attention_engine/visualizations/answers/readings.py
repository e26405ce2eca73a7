"""What the axes of a shape could mean that holds a step's numbers but is not its shape. Knows no answer."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch

from attention_engine.kinds.answers import asked as answer_asked
from attention_engine.kinds.operations import many
from attention_engine.outcomes import numbered

Numbers = Mapping[str, Any]
Reading = tuple[str, torch.Tensor]


def readings(numbers: Numbers, shape: Sequence[int], truth: torch.Tensor) -> Iterator[Reading]:
    """What such a shape would be read as, likeliest first, with the tensor that really holds that."""
    sizes = tuple(shape)
    if numbers["step"] not in {"scores", "output"}:
        yield from _layouts(numbers, sizes)
    if sorted(sizes) == sorted(truth.shape):
        order = _order(sizes, tuple(truth.shape))
        yield "its axes in that order", truth.permute(order)


def _layouts(numbers: Numbers, sizes: tuple[int, ...]) -> Iterator[Reading]:
    """Whole rows, heads in each token, tokens in each head: for any number of heads that fits."""
    batch, tokens, inner = answer_asked.shape_of(numbers, "project")
    q = numbered((batch, tokens, inner))
    if sizes == (batch, tokens, inner):
        yield f"one row of {inner:,} numbers for each token", q
    if len(sizes) != 4:
        return
    first, second, third, width = sizes
    found = []
    if (first, second) == (batch, tokens) and third * width == inner:
        found.append((f"{_heads(third, width)} in each token", q.view(sizes)))
    if (first, third) == (batch, tokens) and second * width == inner:
        held = q.view(batch, tokens, second, width).transpose(1, 2)
        found.append((f"{_heads(second, width)} with {many(tokens, 'token')} each", held))
    moved = numbers["step"] in {"transpose", "attend"}
    yield from reversed(found) if moved else found


def _heads(heads: int, width: int) -> str:
    return f"{many(heads, 'head')} of {width:,}"


def _order(sizes: tuple[int, ...], shape: tuple[int, ...]) -> list[int]:
    """For each size the axis that has it: its own place if that agrees, else the first still free."""
    free = [axis for axis, size in enumerate(shape) if sizes[axis] != size]
    return [axis if size == shape[axis] else _take(free, size, shape) for axis, size in enumerate(sizes)]


def _take(free: list[int], size: int, shape: tuple[int, ...]) -> int:
    axis = next(one for one in free if shape[one] == size)
    free.remove(axis)
    return axis


def matched(sizes: Sequence[int], shape: Sequence[int], axes: Sequence[str]) -> Iterator[str]:
    """For each size the name of an axis that has it, each axis once; "" where none has."""
    own = {n for n, (mine, right) in enumerate(zip(sizes, shape, strict=False)) if mine == right}
    free = [n for n in range(len(shape)) if n not in own]
    for place, size in enumerate(sizes):
        found = place if place in own else next((n for n in free if shape[n] == size), None)
        if found in free:
            free.remove(found)
        yield "" if found is None else axes[found]


def grouping(axes: Sequence[str], shape: tuple[int, ...], sizes: tuple[int, ...]) -> str:
    """How sizes regroup axes: "10 would be B × T", "6 × 32 would be H*D"; equal parts are left out."""
    if 0 in shape:
        return "there is none to regroup"
    told = []
    for left, right in _groups(shape, sizes):
        if [shape[n] for n in left] != [sizes[n] for n in right]:
            parts = " × ".join(f"{sizes[n]:,}" for n in right)
            told.append(f"{parts} would be {' × '.join(axes[n] for n in left)}")
    return ", ".join(told) or "an axis of length 1 would have no meaning"


def _groups(shape: tuple[int, ...], sizes: tuple[int, ...]) -> Iterator[tuple[list[int], list[int]]]:
    """Runs of axes on both sides that hold equally many numbers, as short as they can be."""
    i = j = 0
    while i < len(shape) and j < len(sizes):
        left, right, there, asked = [i], [j], shape[i], sizes[j]
        while there != asked:
            if there < asked:
                i += 1
                left.append(i)
                there *= shape[i]
            else:
                j += 1
                right.append(j)
                asked *= sizes[j]
        yield left, right
        i, j = i + 1, j + 1
