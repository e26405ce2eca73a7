"""What each axis holds while shapes change, as far as names can follow it. Knows no stride."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Part:
    """A named axis, or a piece of an axis that nobody named ("")."""

    name: str
    size: int


Axis = tuple[Part, ...]
"""What one axis walks through, the slowest first: (H, D) is the width H*D."""


KNOWN = (("B", "T", "H*D"), ("B", "T", "H", "D"), ("B", "H", "T", "D"), ("B", "T", "d_model"), ("T", "H*D"))
"""Axes of the shapes that attention gives its tensors."""


def start(shape: Sequence[int], sizes: Mapping[str, int]) -> tuple[Axis, ...]:
    """Names of the axes of x: those of attention where the shape is one of its shapes, else none."""
    for names in KNOWN:
        axes = tuple(tuple(Part(name, sizes[name]) for name in axis.split("*")) for axis in names)
        if tuple(size_of(axis) for axis in axes) == tuple(shape):
            return axes
    return unnamed(shape)


def unnamed(shape: Sequence[int]) -> tuple[Axis, ...]:
    """Axes of these sizes, and no more known of them."""
    return tuple((Part("", size),) for size in shape)


def size_of(axis: Axis) -> int:
    """How many places the axis has."""
    return math.prod(part.size for part in axis)


def labels(axes: Sequence[Axis]) -> tuple[str, ...]:
    """B, T, H*D; "axis 1" where an axis holds something without a name."""
    return tuple(
        "*".join(part.name for part in axis) if axis and all(part.name for part in axis) else f"axis {place}"
        for place, axis in enumerate(axes)
    )


def resized(axis: Axis, size: int) -> Axis:
    """The axis with fewer or more places: it keeps its name where it is one part."""
    if size == size_of(axis):
        return axis
    return (Part(axis[0].name if len(axis) == 1 else "", size),)


def regrouped(axes: Sequence[Axis], shape: Sequence[int]) -> tuple[Axis, ...]:
    """The same numbers in the same order in another shape: an axis takes whole parts, or has no name."""
    if 0 in shape:
        return unnamed(shape)
    parts = [part for axis in axes for part in axis]
    grouped: list[Axis] = []
    while len(grouped) < len(shape):
        count = _together(parts, shape[len(grouped) :])
        sizes = shape[len(grouped) : len(grouped) + count]
        taken = _taken(parts, math.prod(sizes))
        grouped += [tuple(taken)] if count == 1 and taken else [(Part("", size),) for size in sizes]
        parts = parts[len(taken) :]
    if parts and grouped:  # parts of size 1 that no axis needed
        grouped[-1] = (*grouped[-1], *parts)
    return tuple(grouped)


def _together(parts: Sequence[Part], shape: Sequence[int]) -> int:
    """How many new axes it takes until they end where some part ends."""
    ends = {1}
    for part in parts:
        ends.add(max(ends) * part.size)
    product = 1
    for count, size in enumerate(shape, 1):
        product *= size
        if product in ends:
            return count
    return len(shape)


def _taken(parts: Sequence[Part], numbers: int) -> list[Part]:
    """The first parts whose product is this; of an axis of size 1 the part of size 1 that stands there."""
    taken: list[Part] = []
    product = 1
    for part in parts:
        if product == numbers and (taken or part.size != 1):
            break
        taken.append(part)
        product *= part.size
    return taken
