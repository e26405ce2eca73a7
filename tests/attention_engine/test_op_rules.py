"""Arithmetic of strides against torch: the same shape, strides, offset and copies, and the same refusals."""

import warnings
from itertools import pairwise
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attention_engine import axis_names, strides
from attention_engine.op_chain import Op, parse, written
from attention_engine.op_rules import NeedsCopy, Refused, after
from attention_engine.visualizations._untouched import untouched
from attention_engine.visualizations.memory_tape import applied
from tests.attention_engine.chains import ops, shapes
from tests.sampling import tries

SIZES = {"B": 2, "T": 4, "H": 3, "D": 2, "d_model": 6}
MOST = 2000


def laid(shape: tuple[int, ...]) -> strides.Layout:
    return strides.fresh(shape, axis_names.start(shape, SIZES))


def outcome(run: Any, *arguments: Any) -> tuple[Any, str]:
    try:
        return run(*arguments), ""
    except (RuntimeError, IndexError, Refused) as error:
        return None, f"{type(error).__name__}: {error}"


@settings(max_examples=tries(400), deadline=None, suppress_health_check=list(HealthCheck))
@given(shape=shapes(), data=st.data())
def test_each_operation_of_a_random_chain_does_what_torch_does_or_refuses_with_it(
    shape: tuple[int, ...], data: Any
) -> None:
    warnings.simplefilter("ignore", UserWarning)
    tensor, layout = torch.empty(shape, device="meta"), laid(shape)
    for _ in range(6):
        op = data.draw(ops(tensor))
        (ran, words), (told, why) = outcome(applied, op, tensor), outcome(after, op, layout)
        assert (ran is None) == (told is None), f"{op}: torch {words or tuple(ran.shape)}, told {why or told}"
        if ran is None:
            return
        made = (tuple(ran.shape), ran.stride(), ran.storage_offset(), ran.is_contiguous())
        assert (told.shape, told.strides, told.offset, told.contiguous) == made, str(op)
        assert told.storage == ran.untyped_storage().nbytes() // 4
        copied = ran.untyped_storage()._cdata != tensor.untyped_storage()._cdata
        assert (told.memory > layout.memory) == copied
        assert tuple(map(axis_names.size_of, told.axes)) == told.shape
        tensor, layout = ran, told
        if tensor.numel() > MOST or tensor.dim() > 6:
            return


@settings(max_examples=tries(150), deadline=None, suppress_health_check=list(HealthCheck))
@given(shape=shapes(), data=st.data())
def test_a_refusal_is_worded_as_a_tensor_in_memory_words_it(shape: tuple[int, ...], data: Any) -> None:
    warnings.simplefilter("ignore", UserWarning)
    real, meta = torch.zeros(shape), torch.empty(shape, device="meta")
    for _ in range(5):
        op = data.draw(ops(meta))
        ran, words = outcome(applied, op, real)
        twin = untouched(meta)
        assert twin is not None
        assert outcome(applied, op, twin)[1] == words
        if ran is None or ran.numel() > MOST or ran.dim() > 6:
            return
        real, meta = ran, applied(op, meta)


@settings(max_examples=tries(100), deadline=None)
@given(shape=shapes(), data=st.data())
def test_an_operation_is_read_back_from_how_it_is_written(shape: tuple[int, ...], data: Any) -> None:
    op = data.draw(ops(torch.empty(shape, device="meta")))
    assert parse(written([op]), {}) == (op,)


@settings(max_examples=tries(200), deadline=None)
@given(
    axes=st.lists(st.tuples(st.integers(1, 4), st.integers(0, 12)), max_size=4), each=st.sampled_from([2, 4])
)
def test_runs_and_cache_lines_are_those_of_walking_the_numbers(
    axes: list[tuple[int, int]], each: int
) -> None:
    shape, steps = tuple(size for size, _ in axes), tuple(stride for _, stride in axes)
    layout = strides.Layout(shape, steps, (), storage=99, offset=3)
    walked = torch.arange(1000).as_strided(shape, steps, 3).flatten().tolist()
    assert [strides.offset_of(layout, place) for place in range(layout.numbers)] == walked
    jumps = [at for at, (a, b) in enumerate(pairwise(walked), 1) if b != a + 1]
    assert strides.run(layout) == (jumps[0] if jumps else len(walked))
    assert strides.lines(layout, each) == len({at * each // 64 for at in walked[:16]})


def test_a_view_after_transpose_is_refused_where_two_axes_have_no_common_stride() -> None:
    heads = after(Op("transpose", (1, 2)), strides.fresh((2, 4, 12, 64), laid((2, 4, 12, 64)).axes))
    with pytest.raises(NeedsCopy, match="would have to lie 64 numbers on, and it lies 768 on"):
        after(Op("view", ((2, 4, 768),)), heads)


@pytest.mark.parametrize(
    ("shape", "chain", "names"),
    [
        ((2, 4, 6), "view(2, 4, 3, 2)", ("B", "T", "H", "D")),
        ((2, 4, 6), "view(2, 4, 3, 2).transpose(1, 2)", ("B", "H", "T", "D")),
        ((2, 4, 6), "view(2, 4, 3, 2).transpose(1, 2).flatten(2)", ("B", "H", "T*D")),
        ((2, 4, 6), "flatten(0, 1).unflatten(0, (2, 4)).contiguous()", ("B", "T", "H*D")),
        ((2, 4, 6), "view(2, 3, 4, 2)", ("B", "axis 1", "axis 2", "D")),
        ((2, 4, 6), "view(8, 6)", ("B*T", "H*D")),
        ((2, 4, 6), "select(0, 1).unsqueeze(0)", ("axis 0", "T", "H*D")),
        ((2, 4, 6), "narrow(1, 0, 2)", ("B", "T", "H*D")),
        ((2, 4, 6), "narrow(2, 0, 2)", ("B", "T", "axis 2")),
        ((5, 7), "T", ("axis 0", "axis 1")),
    ],
)  # fmt: skip
def test_axes_keep_their_names_as_long_as_they_hold_what_they_are_called(
    shape: tuple[int, ...], chain: str, names: tuple[str, ...]
) -> None:
    layout = laid(shape)
    for op in parse(chain, {}):
        layout = after(op, layout)
    assert layout.names == names


def test_axes_of_size_1_are_told_apart_by_what_they_come_from() -> None:
    start = axis_names.start((2, 1, 6), SIZES | {"T": 1})
    heads = after(Op("view", ((2, 1, 3, 2),)), strides.fresh((2, 1, 6), start))
    assert heads.names == ("B", "T", "H", "D")
    assert after(Op("view", ((2, 3, 2, 1),)), heads).names == ("B", "T*H", "D", "axis 3")
