"""How a tensor lies in memory: shape, strides, offset, and what reading it meets. Knows no value."""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from attention_engine.axis_names import Axis, labels
from attention_engine.shapes import Shape, contiguous_strides, is_contiguous, offset

CACHE_LINE = 64
"""Bytes that a processor fetches at once, on x86-64 and most ARM cores (Apple's have 128)."""


@dataclass(frozen=True)
class Layout:
    """How a tensor lies in memory: strides and offset count numbers. `memory` counts the copies before it."""

    shape: Shape
    strides: Shape
    axes: tuple[Axis, ...]
    storage: int
    """Numbers in the memory behind it, read or not."""
    offset: int = 0
    memory: int = 0

    @property
    def numbers(self) -> int:
        """Numbers that are read when it is read once."""
        return math.prod(self.shape)

    @property
    def contiguous(self) -> bool:
        """torch's is_contiguous()."""
        return is_contiguous(self.shape, self.strides)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of its axes."""
        return labels(self.axes)


def fresh(shape: Sequence[int], axes: Sequence[Axis], memory: int = 0) -> Layout:
    """A tensor just written: side by side from offset 0."""
    sizes = tuple(shape)
    return Layout(sizes, contiguous_strides(sizes), tuple(axes), storage=math.prod(sizes), memory=memory)


def run(layout: Layout) -> int:
    """How many numbers, read in order from the first, lie side by side before a jump."""
    side_by_side = 1
    for size, stride in zip(reversed(layout.shape), reversed(layout.strides), strict=True):
        if size != 1 and stride != side_by_side:
            break
        side_by_side *= size
    return side_by_side


def index_of(place: int, shape: Sequence[int]) -> Shape:
    """The index of the place-th number in order: 64 in (2, 12, 4, 64) is (0, 0, 1, 0)."""
    index = []
    for size in reversed(shape):
        place, at = divmod(place, size)
        index.append(at)
    return tuple(reversed(index))


def offset_of(layout: Layout, place: int) -> int:
    """Where the place-th number in order lies."""
    return layout.offset + offset(layout.strides, index_of(place, layout.shape))


def lines(layout: Layout, bytes_each: int, first: int = 16) -> int:
    """Cache lines touched by reading the first numbers in order; memory begins on one."""
    places = range(min(first, layout.numbers))
    return len({offset_of(layout, place) * bytes_each // CACHE_LINE for place in places})


def view_strides(layout: Layout, shape: Sequence[int]) -> Shape | None:
    """Strides that read the same memory in this shape, or None (torch: computeStride in TensorUtils.cpp)."""
    if layout.numbers == 0:
        return layout.strides if layout.shape == tuple(shape) else contiguous_strides(shape)
    wanted, strides = list(shape), []
    for size, base in _chunks(layout):
        read = 1
        while wanted and (read < size or wanted[-1] == 1):
            strides.append(read * base)
            read *= wanted.pop()
        if read != size:
            return None
    return tuple(reversed(strides)) if not wanted else None


def _chunks(layout: Layout) -> Iterator[tuple[int, int]]:
    """(numbers, stride) of each part that one stride walks through, the innermost first."""
    if not layout.shape:
        yield 1, 1
        return
    axes = list(zip(layout.shape, layout.strides, strict=True))
    size, base = 1, axes[-1][1]
    for place in range(len(axes) - 1, -1, -1):
        size *= axes[place][0]
        outer = axes[place - 1] if place else (0, 0)
        if not place or (outer[0] != 1 and outer[1] != size * base):
            yield size, base
            size, base = 1, outer[1]


def seam(layout: Layout, shape: Sequence[int]) -> tuple[int, int, int]:
    """Where a view fails: (outer axis, its stride, the stride that one axis over both would need)."""
    for cut in range(len(layout.shape) - 1, 0, -1):
        inner = replace(layout, shape=layout.shape[cut:], strides=layout.strides[cut:])
        size, base = list(_chunks(inner))[-1]
        stride = layout.strides[cut - 1]
        ends = set(itertools.accumulate(reversed(shape), int.__mul__))
        if layout.shape[cut - 1] != 1 and stride != size * base and inner.numbers not in {1, *ends}:
            return cut - 1, stride, size * base
    raise ValueError(f"{tuple(shape)} can be viewed")
