"""Seven frames, their numbers really computed, and one element found again in each of them."""

from typing import Any

import numpy as np
import pytest

from attention_engine.encoding import Floats
from attention_engine.frames import Frame
from attention_engine.pipeline import head_split_steps
from attention_engine.spec import facts, make_spec
from tests.attention_engine.decoding import decode

STEPS = ["input", "project", "view", "transpose", "attend", "merge", "output"]


def values(frame: Frame) -> Floats:
    return decode(frame.tensors[0], frame.blobs[0])


CONFIGURATIONS: list[dict[str, Any]] = [
    {"model": "bert-base"},
    {"d_model": 48, "num_heads": 3, "d_head": 32},
    {"d_model": 48, "num_heads": 3, "tokens": 1},
    {"d_model": 48, "num_heads": 1},
    {"model": "smollm2-135m", "batch": 1},
    {"model": "gpt-3-175b"},
    {"model": "gemma-7b", "tokens": 600},
]


@pytest.mark.parametrize("parameters", CONFIGURATIONS, ids=str)
def test_shape_strides_and_contiguity_of_the_tensors_are_those_of_arithmetic(
    draw: Any, parameters: dict[str, Any]
) -> None:
    frames = draw("head_split", **parameters)
    complete = make_spec("head_split", parameters).parameters
    sizes = {name: complete[name] for name in ("batch", "tokens", "d_model", "num_heads", "d_head")}
    assert list(frames) == STEPS
    for step in head_split_steps(**sizes):
        frame = frames[step.name]
        told = (frame.axes, frame.shape, frame.strides, frame.contiguous)
        assert told == (step.axes, step.shape, step.strides, step.contiguous), step.name


@pytest.mark.parametrize("parameters", CONFIGURATIONS[:5], ids=str)
def test_the_followed_elements_hold_the_same_number_from_projection_to_heads(
    draw: Any, parameters: dict[str, Any]
) -> None:
    frames = draw("head_split", **parameters)
    for before, after in (("project", "view"), ("view", "transpose"), ("attend", "merge")):
        old, new = frames[before].table, frames[after].table
        assert [row[-1] for row in old.rows] == [row[-1] for row in new.rows]
    for step in ("project", "view", "transpose", "attend", "merge"):
        for row in frames[step].table.rows:
            index = row[1:-2]
            assert values(frames[step])[index] == pytest.approx(row[-1], rel=1e-3, abs=1e-4)


def test_an_element_stays_at_its_offset_until_merge_moves_it_there_again(draw: Any) -> None:
    frames = draw("head_split", model="bert-base")
    assert [frames[step].table.rows[0] for step in ("project", "view", "transpose", "merge")] == [
        ("t 2, h 6, d 5", 0, 2, 389, 1925, frames["project"].table.rows[0][-1]),
        ("t 2, h 6, d 5", 0, 2, 6, 5, 1925, frames["view"].table.rows[0][-1]),
        ("t 2, h 6, d 5", 0, 6, 2, 5, 1925, frames["transpose"].table.rows[0][-1]),
        ("t 2, h 6, d 5", 0, 2, 389, 1925, frames["merge"].table.rows[0][-1]),
    ]
    assert "stays at 2 × 768 + 6 × 64 + 5 = 1,925" in frames["transpose"].sentence
    assert "goes from offset 1,669 to 1,925" in frames["merge"].sentence


def test_transposing_and_merging_lose_no_number(draw: Any) -> None:
    frames = draw("head_split", d_model=48, num_heads=3, d_head=32)
    assert np.array_equal(values(frames["view"]).transpose(0, 2, 1, 3), values(frames["transpose"]))
    back = values(frames["attend"]).transpose(0, 2, 1, 3).reshape(2, 4, 96)
    assert np.array_equal(back, values(frames["merge"]))


def test_beyond_the_limits_the_frames_are_shapes_alone_and_say_so(draw: Any) -> None:
    frames = draw("head_split", model="gpt-3-175b")
    assert not any(frame.tensors for frame in frames.values())
    assert "Shapes only" in frames["input"].sentence
    assert "above 256" in frames["input"].sentence
    assert frames["input"].stamp["device"] == "meta"


def test_grouped_heads_are_told(draw: Any) -> None:
    assert (
        "K and V have 3 heads, each read by 3 query heads"
        in draw("head_split", model="smollm2-135m")["attend"].sentence
    )


def test_the_same_seed_draws_the_same_bytes_and_another_seed_others(draw: Any) -> None:
    first, again, other = (
        draw("head_split", seed, d_model=48, num_heads=3)["output"].blobs for seed in (1, 1, 2)
    )
    assert first == again != other


def test_cross_attention_weighs_the_pairs_of_two_texts(draw: Any) -> None:
    numbers = {"d_model": 256, "num_heads": 8, "d_head": 32, "tokens": 3}
    crossed = draw("head_split", **numbers, key_tokens=9)
    assert "its own 3 × 9 pairs" in crossed["attend"].sentence
    assert crossed["attend"].shape == (2, 8, 3, 32)
    alone = draw("head_split", **numbers)
    assert alone["transpose"].blobs == crossed["transpose"].blobs
    assert alone["attend"].blobs != crossed["attend"].blobs


def test_as_many_key_tokens_as_tokens_is_self_attention() -> None:
    assert make_spec("head_split", {"key_tokens": 4}).digest() == make_spec("head_split", {}).digest()


@pytest.mark.parametrize("numbers", [{}, {"num_heads": 1}, {"num_heads": 768}, {"tokens": 1}, {"d_head": 3}])
def test_the_first_row_of_every_table_is_the_element_that_the_facts_name(draw: Any, numbers: Any) -> None:
    traced = facts(make_spec("head_split", numbers))["traced"]
    words = "t {t}, h {h}, d {d}".format_map(traced)
    frames = draw("head_split", **numbers)
    assert all(frame.table.rows[0][0] == words for frame in frames.values())
    assert words in frames["view"].sentence
