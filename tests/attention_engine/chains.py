"""Random operations on a tensor, most of them possible and some not: strategies for property tests."""

from typing import Any

import torch
from hypothesis import strategies as st

from attention_engine.op_chain import OPS, Op


@st.composite
def shapes(draw: Any) -> tuple[int, ...]:
    return tuple(draw(st.lists(st.sampled_from([1, 2, 3, 4, 6]), min_size=1, max_size=4)))


def dims(tensor: torch.Tensor, *, beyond: int = 1) -> st.SearchStrategy[int]:
    """An axis, counted from either end; now and then one that is not there."""
    there = st.integers(-max(tensor.dim(), 1), max(tensor.dim(), 1) - 1)
    return st.one_of(there, there, there, st.integers(-tensor.dim() - beyond, tensor.dim() + beyond - 1))


@st.composite
def sizes(draw: Any, numbers: int) -> tuple[int, ...]:
    """A shape that may hold so many numbers, perhaps with a -1 or a size too many."""
    found, left = [], numbers
    while left > 1 and len(found) < 5:
        found.append(draw(st.sampled_from([size for size in range(1, left + 1) if left % size == 0])))
        left //= found[-1]
    found += [left] if left != 1 or draw(st.booleans()) else []
    if found and draw(st.integers(0, 3)) == 0:
        found[draw(st.integers(0, len(found) - 1))] = draw(st.sampled_from([-1, -1, -1, 0, 5, -2]))
    return tuple(found)


@st.composite
def merged(draw: Any, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape with two neighbours made one, which strides may or may not allow."""
    if len(shape) < 2:
        return shape
    at = draw(st.integers(0, len(shape) - 2))
    return (*shape[:at], shape[at] * shape[at + 1], *shape[at + 2 :])


@st.composite
def ops(draw: Any, tensor: torch.Tensor) -> Op:
    name = draw(st.sampled_from(OPS))
    return Op(name, tuple(draw(_arguments(name, tensor))))


@st.composite
def _arguments(draw: Any, name: str, tensor: torch.Tensor) -> tuple[Any, ...]:
    shape, axes = tuple(tensor.shape), tensor.dim()
    if name in {"view", "reshape"}:
        return (draw(st.one_of(sizes(tensor.numel()), merged(shape))),)
    if name == "permute":
        places = draw(st.permutations(range(axes)))
        return (tuple(places) if draw(st.integers(0, 5)) else (*places[1:], 0),)
    if name == "expand":
        grown = [draw(st.sampled_from([-1, size, *([3, 0] if size == 1 else [])])) for size in shape]
        new = draw(st.lists(st.sampled_from([1, 2, -1]), max_size=2))
        return ((*new, *grown[draw(st.integers(0, 5)) == 0 :]),)
    if name in {"contiguous", "T", "mT"}:
        return ()
    if name == "squeeze":
        one = dims(tensor)
        return draw(st.one_of(st.just(()), st.tuples(one), st.tuples(st.tuples(one, one)), st.just(((),))))
    return draw(_with_an_axis(name, tensor))


@st.composite
def _with_an_axis(draw: Any, name: str, tensor: torch.Tensor) -> tuple[Any, ...]:
    dim = draw(dims(tensor, beyond=2 if name == "unsqueeze" else 1))
    size = tensor.shape[dim] if -tensor.dim() <= dim < tensor.dim() else 3
    if name in {"transpose", "flatten"}:
        return (dim, draw(dims(tensor)))
    if name == "unflatten":
        return (dim, draw(sizes(size)))
    if name == "narrow":
        return (dim, draw(st.integers(-size - 1, size + 1)), draw(st.integers(-1, size)))
    return (dim,) if name == "unsqueeze" else (dim, draw(st.integers(-size - 1, size)))
