"""Shapes by arithmetic are the shapes, strides and contiguity of torch."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_engine.attention import attend
from attention_engine.heads import merge_heads, split_heads
from attention_engine.pipeline import head_split_steps
from attention_engine.shapes import (
    COMPUTABLE,
    contiguous_strides,
    is_contiguous,
    offset,
    shape_after,
    stride,
    strides_after_transpose,
    swapped,
)

SIZES = st.fixed_dictionaries(
    {
        "batch": st.integers(1, 5),
        "tokens": st.integers(1, 40),
        "d_model": st.integers(1, 4000),
        "num_heads": st.integers(1, 40),
        "d_head": st.integers(1, 300),
    }
)


def torch_steps(
    batch: int, tokens: int, d_model: int, num_heads: int, d_head: int
) -> dict[str, torch.Tensor]:
    """The same seven steps, run by torch on the meta device."""
    meta, inner = torch.device("meta"), num_heads * d_head
    x = torch.empty(batch, tokens, d_model, device=meta)
    q = x @ torch.empty(d_model, inner, device=meta)
    heads = split_heads(q, num_heads)
    mixed = attend(heads, heads, heads).output
    merged = merge_heads(mixed)
    return {
        "input": x,
        "project": q,
        "view": q.view(batch, tokens, num_heads, d_head),
        "transpose": heads,
        "attend": mixed,
        "merge": merged,
        "output": merged @ torch.empty(inner, d_model, device=meta),
    }


@settings(deadline=None)
@given(sizes=SIZES)
def test_every_step_equals_torch_also_where_heads_times_width_is_not_d_model(sizes: dict[str, int]) -> None:
    tensors = torch_steps(**sizes)
    for step in head_split_steps(**sizes):
        tensor = tensors[step.name]
        assert step.shape == tuple(tensor.shape), step.name
        assert step.strides == tensor.stride(), step.name
        assert step.contiguous == tensor.is_contiguous(), step.name


@pytest.mark.parametrize("sizes", [{"tokens": 1}, {"num_heads": 1}, {"d_head": 1}, {"batch": 1}, {}])
def test_copies_says_whether_torch_writes_new_memory_when_merging(sizes: dict[str, int]) -> None:
    numbers = {"batch": 2, "tokens": 4, "d_model": 24, "num_heads": 3, "d_head": 8} | sizes
    merge = {step.name: step for step in head_split_steps(**numbers)}["merge"]
    mixed = torch.zeros(numbers["batch"], numbers["num_heads"], numbers["tokens"], numbers["d_head"])
    assert merge.copies == (merge_heads(mixed).data_ptr() != mixed.data_ptr())


def test_the_steps_are_the_seven_of_the_picture_in_order() -> None:
    steps = head_split_steps(batch=2, tokens=4, d_model=768, num_heads=12, d_head=64)
    names = [step.name for step in steps]
    assert names == ["input", "project", "view", "transpose", "attend", "merge", "output"]
    assert all(len(step.axes) == len(step.shape) == len(step.strides) for step in steps)


def test_gemma_projects_to_more_than_d_model_and_comes_back() -> None:
    steps = {s.name: s for s in head_split_steps(batch=1, tokens=2, d_model=3072, num_heads=16, d_head=256)}
    assert steps["project"].shape == (1, 2, 4096)
    assert steps["output"].shape == (1, 2, 3072)


@settings(deadline=None)
@given(shape=st.lists(st.integers(1, 6), min_size=1, max_size=5), data=st.data())
def test_strides_contiguity_and_offset_of_any_transpose_equal_torch(
    shape: list[int], data: st.DataObject
) -> None:
    axis = st.integers(0, len(shape) - 1)
    first, second = data.draw(axis), data.draw(axis)
    tensor = torch.arange(torch.Size(shape).numel()).view(shape).transpose(first, second)
    strides = swapped(contiguous_strides(shape), first, second)
    assert strides == tensor.stride()
    assert is_contiguous(tensor.shape, strides) == tensor.is_contiguous()
    index = tuple(data.draw(st.integers(0, size - 1)) for size in tensor.shape)
    assert offset(strides, index) == int(tensor[index])


def test_a_tensor_without_numbers_is_contiguous_as_in_torch() -> None:
    assert is_contiguous((0, 3), (1, 1)) == torch.empty(0, 3).t().t().is_contiguous()
    assert contiguous_strides((2, 0, 3)) == torch.empty(2, 0, 3).stride()


@pytest.mark.parametrize(
    ("step", "shape"),
    [
        ("project", (2, 5, 32)),
        ("split", (2, 5, 4, 8)),
        ("view", (2, 5, 4, 8)),
        ("transpose", (2, 4, 5, 8)),
        ("scores", (2, 4, 5, 5)),
        ("attend", (2, 4, 5, 8)),
        ("merge", (2, 5, 32)),
        ("output", (2, 5, 32)),
    ],
)
def test_shape_after_a_step(step: str, shape: tuple[int, ...]) -> None:
    assert COMPUTABLE["shape_after"](step=step, batch=2, tokens=5, num_heads=4, d_head=8) == shape


def test_cross_attention_scores_have_the_keys_last() -> None:
    sizes = {"batch": 2, "tokens": 3, "num_heads": 4, "d_head": 8}
    assert shape_after(step="scores", key_tokens=7, **sizes) == (2, 4, 3, 7)


def test_stride_of_tokens_after_transpose_is_the_width_of_all_heads() -> None:
    assert strides_after_transpose(shape=(2, 5, 4, 8)) == (160, 8, 32, 1)
    assert stride(shape=[2, 5, 4, 8], op="transpose(1,2)", axis=1) == 8
    assert stride(shape=[2, 5, 4, 8], axis=1) == 32


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: shape_after(step="fold", batch=1, tokens=1, num_heads=1, d_head=1), 'no step "fold"'),
        (lambda: stride(shape=[2, 3], op="permute(1,0)", axis=0), "not of the form"),
        (lambda: stride(shape=[2, 3], op="transpose(1,2)", axis=0), "do not both exist"),
        (lambda: stride(shape=[2, 3], axis=2), "axis 2 does not exist"),
    ],
)
def test_a_step_or_axis_that_does_not_exist_is_named(call: object, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        call()  # type: ignore[operator]


@pytest.mark.parametrize(
    ("dtype", "each"), [(torch.float32, 4), (torch.float16, 2), (torch.bfloat16, 2), (torch.float64, 8)]
)
def test_bytes_of_a_shape_are_those_that_torch_keeps(dtype: torch.dtype, each: int) -> None:
    copied = torch.zeros(2, 4, 12, 64, dtype=dtype).transpose(1, 2).contiguous()
    kept = copied.untyped_storage().nbytes()
    assert COMPUTABLE["bytes_in"](shape=copied.shape, bytes_per_value=each) == kept
    assert COMPUTABLE["bytes_in"](shape=[2, 12, 4, 64]) == 24_576
    assert COMPUTABLE["bytes_in"](shape=[0]) == 0


def test_a_number_of_no_bytes_is_refused() -> None:
    with pytest.raises(ValueError, match="bytes_per_value must be 1 or more, not 0"):
        COMPUTABLE["bytes_in"](shape=[4], bytes_per_value=0)
