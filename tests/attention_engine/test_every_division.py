"""Twelve widths and every number of heads up to each: arithmetic, facts and torch agree on what divides."""

from typing import Any

import pytest
import torch

from attention_engine.admission import admit
from attention_engine.arithmetic import divisors, nearest_divisors
from attention_engine.engine import render
from attention_engine.kinds import head_split
from attention_engine.pipeline import head_split_steps
from attention_engine.spec import InvalidSpec, facts, make_spec
from tests.attention_engine.test_pipeline import made_by_torch

META = torch.device("meta")
WIDTHS = [1, 12, 45, 97, 128, 256, 384, 512, 576, 720, 768, 1024]
LIMIT = 512


def torch_views(width: int, num_heads: int) -> bool:
    """Whether torch reads (2, 4, width) as num_heads heads of width // num_heads."""
    q = torch.empty(2, 4, width, device=META)
    try:
        q.view(2, 4, num_heads, width // num_heads)
    except RuntimeError:
        return False
    return True


def refusal(width: int, num_heads: int) -> str:
    """Why no split is drawn, or ""."""
    try:
        make_spec("head_split", {"d_model": width, "num_heads": num_heads})
    except InvalidSpec as refused:
        return str(refused)
    return ""


@pytest.mark.parametrize("width", WIDTHS)
def test_a_view_runs_exactly_where_the_number_of_heads_divides(width: int) -> None:
    dividing = set(divisors(n=width))
    for num_heads in range(1, width + 1):
        told = facts(make_spec("answer_executed", {"d_model": width, "num_heads": num_heads}))
        agreed = {
            num_heads in dividing,
            torch_views(width, num_heads),
            told["runs"],
            told["divides"],
            not refusal(width, num_heads),
        }
        assert len(agreed) == 1, num_heads
        assert width == told["quotient"] * num_heads + told["remainder"]


@pytest.mark.parametrize("width", WIDTHS)
def test_the_nearest_that_divide_are_the_next_on_either_side(width: int) -> None:
    for num_heads in range(1, width + 1):
        found = facts(make_spec("answer_executed", {"d_model": width, "num_heads": num_heads}))["nearest"]
        assert all(width == one["num_heads"] * one["d_head"] for one in found)
        beside = [one["num_heads"] for one in found]
        below = max((heads for heads in range(1, num_heads) if width % heads == 0), default=0)
        above = next((heads for heads in range(num_heads + 1, width + 1) if width % heads == 0), 0)
        assert beside == [heads for heads in (below, above) if heads]


@pytest.mark.parametrize("width", WIDTHS)
def test_a_split_that_leaves_features_over_is_refused_with_its_numbers(width: int) -> None:
    for num_heads in set(range(1, width + 1)) - set(divisors(n=width)):
        near = ", ".join(map(str, nearest_divisors(n=width, near=num_heads)))
        quotient, rest = divmod(width, num_heads)
        assert refusal(width, num_heads) == (
            f"d_model {width} is not a multiple of num_heads {num_heads} "
            f"({width} = {num_heads}*{quotient} + {rest}); nearest that divide: {near}"
        )


@pytest.mark.parametrize("width", WIDTHS[1:6])
@pytest.mark.parametrize("tokens", [1, 4, LIMIT])
def test_every_division_into_kv_heads_has_the_steps_that_torch_makes(width: int, tokens: int) -> None:
    for num_heads in divisors(n=width):
        for shared in divisors(n=num_heads):
            numbers = {"d_model": width, "num_heads": num_heads, "num_kv_heads": shared, "tokens": tokens}
            assert_made(numbers | {"batch": 1})


@pytest.mark.parametrize("tokens", [1, 2, LIMIT])
@pytest.mark.parametrize("d_head", [1, 3, 64, 129])
@pytest.mark.parametrize("num_heads", [1, 6, 25])
def test_heads_that_are_not_d_model_together_have_the_steps_that_torch_makes(
    num_heads: int, d_head: int, tokens: int
) -> None:
    numbers = {"d_model": 100, "num_heads": num_heads, "d_head": d_head, "tokens": tokens}
    for shared in divisors(n=num_heads):
        assert_made(numbers | {"num_kv_heads": shared, "d_head_v": d_head + 1})


def assert_made(numbers: dict[str, Any]) -> None:
    """The steps that the facts promise are the tensors that torch makes on meta."""
    spec = make_spec("head_split", numbers)
    sizes = head_split.sizes(spec.parameters)
    made = made_by_torch(sizes)
    names = {"view": "q_view", "transpose": "q", "keys": "k", "attend": "mixed", "merge": "merged"}
    for step in head_split_steps(**sizes):
        if step.name in names:
            tensor = made[names[step.name]]
            told = (step.shape, step.strides, step.contiguous)
            assert told == (tuple(tensor.shape), tensor.stride(), tensor.is_contiguous()), numbers


@pytest.mark.parametrize("num_kv_heads", [1, 2, 3, 6])
@pytest.mark.parametrize("tokens", [1, LIMIT])
def test_one_token_and_the_most_are_drawn_with_their_numbers(tokens: int, num_kv_heads: int) -> None:
    numbers = {"d_model": 50, "num_heads": 6, "d_head": 8, "num_kv_heads": num_kv_heads, "batch": 1}
    spec = make_spec("head_split", numbers | {"tokens": tokens})
    assert admit(spec).carries_values
    frames = {frame.step: frame for frame in render(spec)}
    assert frames["attend"].shape == (1, 6, tokens, 8)
    assert frames["output"].shape == (1, tokens, 50)


@pytest.mark.parametrize("tokens", [LIMIT + 1, 2**20])
def test_beyond_the_limit_the_steps_are_shapes_that_torch_makes_too(tokens: int) -> None:
    spec = make_spec("head_split", {"tokens": tokens, "batch": 1, "num_kv_heads": 4})
    frames = list(render(spec))
    for frame, step in zip(frames, facts(spec)["steps"], strict=True):
        assert not frame.tensors
        assert (list(frame.shape), list(frame.strides)) == (step["shape"], step["strides"])
