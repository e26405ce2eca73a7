"""What each operation does to shape, strides and offset, by torch's own rules. Knows no torch, no value."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from attention_engine.axis_names import Part, regrouped, resized
from attention_engine.op_chain import Op
from attention_engine.shapes import Shape
from attention_engine.strides import Layout, fresh, seam, view_strides


class Refused(ValueError):
    """What torch refuses too; the message is the arithmetic of it."""


class NeedsCopy(Refused):
    """Refused because no strides over this memory give the shape: a copy would."""


def after(op: Op, layout: Layout) -> Layout:
    """The layout that the operation gives. Raises Refused where torch does."""
    changed: Layout = RULES[op.name](layout, *op.arguments)
    return changed


def sizes_of(given: Sequence[int], numbers: int) -> Shape:
    """The shape with its one -1 found. Raises Refused where the numbers do not fit."""
    known = math.prod(size for size in given if size != -1)
    if list(given).count(-1) > 1 or min(given, default=0) < -1:
        raise Refused(f"{tuple(given)} leaves more open than one size, and only one -1 can be found")
    if -1 not in given and known != numbers:
        raise Refused(f"{tuple(given)} asks for {known:,} numbers, and there are {numbers:,}")
    if -1 in given and (known == 0 or numbers % known):
        raise Refused(f"-1 in {tuple(given)} has no size: {numbers:,} is not a multiple of {known:,}")
    return tuple(numbers // known if size == -1 else size for size in given)


def wrapped(dim: int, axes: int) -> int:
    """An axis counted from the front. Raises Refused."""
    count = max(axes, 1)
    if not -count <= dim < count:
        raise Refused(f"axis {dim} is not one of {-count} to {count - 1}")
    return dim % count


def _picked(layout: Layout, places: Sequence[int]) -> Layout:
    """The axes at these places, in this order."""
    return replace(
        layout,
        shape=tuple(layout.shape[place] for place in places),
        strides=tuple(layout.strides[place] for place in places),
        axes=tuple(layout.axes[place] for place in places),
    )


def _copied(layout: Layout, shape: Sequence[int]) -> Layout:
    return fresh(shape, regrouped(layout.axes, shape), layout.memory + 1)


def _view(layout: Layout, given: Sequence[int]) -> Layout:
    shape = sizes_of(given, layout.numbers)
    strides = view_strides(layout, shape)
    if strides is None:
        outer, stride, needed = seam(layout, shape)
        name, inner = layout.names[outer], layout.names[outer + 1]
        raise NeedsCopy(
            f"{shape} reads {name} and {inner} as parts of one axis, whose steps all have one length: "
            f"the next {name} would have to lie {needed:,} numbers on, and it lies {stride:,} on"
        )
    return replace(layout, shape=shape, strides=strides, axes=regrouped(layout.axes, shape))


def _reshape(layout: Layout, given: Sequence[int]) -> Layout:
    shape = sizes_of(given, layout.numbers)
    return _copied(layout, shape) if view_strides(layout, shape) is None else _view(layout, shape)


def _contiguous(layout: Layout) -> Layout:
    return layout if layout.contiguous else _copied(layout, layout.shape)


def _transpose(layout: Layout, dim0: int, dim1: int) -> Layout:
    first, second = (wrapped(dim, len(layout.shape)) for dim in (dim0, dim1))
    places = list(range(len(layout.shape)))
    if places:
        places[first], places[second] = places[second], places[first]
    return _picked(layout, places)


def _permute(layout: Layout, dims: Sequence[int]) -> Layout:
    if len(dims) != len(layout.shape):
        raise Refused(f"{len(dims)} places are named, and there are {len(layout.shape)} axes")
    places = [wrapped(dim, len(dims)) for dim in dims]
    if len(set(places)) < len(places):
        raise Refused(f"an axis is named twice in {tuple(dims)}")
    return _picked(layout, places)


def _flatten(layout: Layout, start_dim: int, end_dim: int) -> Layout:
    first, last = (wrapped(dim, len(layout.shape)) for dim in (start_dim, end_dim))
    if first > last:
        raise Refused(f"axis {first} does not come before axis {last}")
    if layout.shape and first == last:
        return layout
    inner = math.prod(layout.shape[first : last + 1])
    return _reshape(layout, (*layout.shape[:first], inner, *layout.shape[last + 1 :]))


def _unflatten(layout: Layout, dim: int, sizes: Sequence[int]) -> Layout:
    place = wrapped(dim, len(layout.shape))
    if not sizes or not layout.shape:
        raise Refused("an axis is cut into at least one size" if layout.shape else "there is no axis to cut")
    cut = sizes_of(sizes, layout.shape[place])
    return _view(layout, (*layout.shape[:place], *cut, *layout.shape[place + 1 :]))


def _unsqueeze(layout: Layout, dim: int) -> Layout:
    place = wrapped(dim, len(layout.shape) + 1)
    last = place == len(layout.shape)
    stride = 1 if last else layout.shape[place] * layout.strides[place]
    return replace(
        layout,
        shape=(*layout.shape[:place], 1, *layout.shape[place:]),
        strides=(*layout.strides[:place], stride, *layout.strides[place:]),
        axes=(*layout.axes[:place], (Part("", 1),), *layout.axes[place:]),
    )


def _squeeze(layout: Layout, dims: int | Sequence[int] | None = None) -> Layout:
    axes = len(layout.shape)
    asked = range(axes) if dims is None else (dims,) if isinstance(dims, int) else dims
    places = [wrapped(dim, axes) for dim in asked]
    if len(set(places)) < len(places):
        raise Refused(f"an axis is named twice in {tuple(asked)}")
    return _picked(layout, [at for at in range(axes) if at not in places or layout.shape[at] != 1])


def _expand(layout: Layout, sizes: Sequence[int]) -> Layout:
    new = len(sizes) - len(layout.shape)
    if new < 0:
        raise Refused(f"{len(sizes)} sizes are given for {len(layout.shape)} axes")
    shape, strides, axes = list(layout.shape), list(layout.strides), list(layout.axes)
    for place in range(len(sizes) - 1, -1, -1):
        wanted, there = sizes[place], place - new
        if there < 0:
            shape, axes = [1, *shape], [(Part("", 1),), *axes]
            strides = [shape[1] * strides[0] if strides else 0, *strides]
        at = max(there, 0)
        _expandable(wanted, shape[at], new=there < 0)
        if wanted not in {-1, shape[at]}:
            shape[at], strides[at], axes[at] = wanted, 0, resized(axes[at], wanted)
    return replace(layout, shape=tuple(shape), strides=tuple(strides), axes=tuple(axes))


def _expandable(wanted: int, size: int, *, new: bool) -> None:
    if wanted == -1 and new:
        raise Refused("-1 keeps the size of an axis, and an axis that is not there has none")
    if wanted not in {-1, size} and size != 1:
        raise Refused(f"an axis of {size:,} cannot become {wanted:,}: only an axis of 1 is repeated")


def _narrow(layout: Layout, dim: int, start: int, length: int) -> Layout:
    if not layout.shape:
        raise Refused("there is no axis to take a part of")
    place = wrapped(dim, len(layout.shape))
    size, stride = layout.shape[place], layout.strides[place]
    if length < 0 or not -size <= start <= size:
        raise Refused(f"{length} from {start} is no part of an axis of {size:,}")
    begin = start + size if start < 0 else start
    if begin + length > size:
        raise Refused(f"{start:,} + {length:,} is beyond the {size:,} there are")
    cut = _resized(layout, place, length)
    return replace(cut, offset=layout.offset + begin * stride)


def _resized(layout: Layout, place: int, size: int) -> Layout:
    shape = (*layout.shape[:place], size, *layout.shape[place + 1 :])
    axes = (*layout.axes[:place], resized(layout.axes[place], size), *layout.axes[place + 1 :])
    return replace(layout, shape=shape, axes=axes)


def _select(layout: Layout, dim: int, index: int) -> Layout:
    if not layout.shape:
        raise Refused("there is no axis to take a place of")
    place = wrapped(dim, len(layout.shape))
    size = layout.shape[place]
    if not -size <= index < size:
        raise Refused(f"{index} is not one of the {size:,} places")
    left = _picked(layout, [at for at in range(len(layout.shape)) if at != place])
    return replace(left, offset=layout.offset + (index % size) * layout.strides[place])


def _reversed(layout: Layout) -> Layout:
    return _picked(layout, range(len(layout.shape) - 1, -1, -1))


def _matrix_transposed(layout: Layout) -> Layout:
    if len(layout.shape) == 1:
        raise Refused("one axis is no matrix: mT needs two")
    return _transpose(layout, -2, -1) if layout.shape else layout


RULES: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        "view": _view,
        "reshape": _reshape,
        "permute": _permute,
        "expand": _expand,
        "contiguous": _contiguous,
        "transpose": _transpose,
        "flatten": _flatten,
        "unflatten": _unflatten,
        "unsqueeze": _unsqueeze,
        "squeeze": _squeeze,
        "narrow": _narrow,
        "select": _select,
        "T": _reversed,
        "mT": _matrix_transposed,
    }
)
"""What each operation does to a layout."""
