"""The frames of a split, their numbers really computed, and one element found again in each of them."""

import gzip
import json
from typing import Any

import numpy as np
import pytest

from attention_engine import gaussian
from attention_engine.admission import MIB, admit
from attention_engine.configs import all_models
from attention_engine.encoding import Floats
from attention_engine.engine import render
from attention_engine.frames import Frame
from attention_engine.kinds import head_split as kind
from attention_engine.kinds import projection
from attention_engine.spec import InvalidSpec, facts, make_spec
from tests.attention_engine.decoding import decode

STEPS = ["input", "project", "view", "transpose", "attend", "merge", "output"]
LATENT = ["latent", "rope_key", "keys", "values"]
MLA = [config.slug for config in all_models() if config.kv_rank]
WIRE = 8_000


def values(frame: Frame) -> Floats:
    return decode(frame.tensors[0], frame.blobs[0])


CONFIGURATIONS: list[dict[str, Any]] = [
    {"model": "bert-base"},
    {"d_model": 48, "num_heads": 3, "d_head": 32},
    {"d_model": 48, "num_heads": 3, "tokens": 1},
    {"d_model": 48, "num_heads": 1},
    {"model": "smollm2-135m", "batch": 1},
    {"d_model": 48, "num_heads": 6, "num_kv_heads": 1, "d_head_v": 4, "key_tokens": 2},
    {"d_model": 48, "num_heads": 3, "weights": "pinned"},
    {"model": "gpt-3-175b"},
    {"model": "deepseek-v3-r1-671b"},
    {"model": "glm-5", "key_tokens": 1},
    {"model": "gemma-7b", "tokens": 600},
    {"model": "deepseek-v3-r1-671b", "batch": 9},
]
CARRIED = CONFIGURATIONS[:10]


@pytest.mark.parametrize("parameters", CONFIGURATIONS, ids=str)
def test_shape_strides_and_contiguity_of_the_tensors_are_those_of_arithmetic(
    draw: Any, parameters: dict[str, Any]
) -> None:
    frames = draw("head_split", **parameters)
    promised = kind.steps(make_spec("head_split", parameters).parameters)
    assert list(frames) == [step.name for step in promised]
    for step in promised:
        frame = frames[step.name]
        told = (frame.axes, frame.shape, frame.strides, frame.contiguous)
        assert told == (step.axes, step.shape, step.strides, step.contiguous), step.name


@pytest.mark.parametrize("parameters", CARRIED, ids=str)
def test_the_followed_elements_hold_the_same_number_from_projection_to_heads(
    draw: Any, parameters: dict[str, Any]
) -> None:
    frames = draw("head_split", **parameters)
    for before, after in (("project", "view"), ("view", "transpose"), ("attend", "merge")):
        old, new = frames[before].table, frames[after].table
        assert [row[-1] for row in old.rows] == [row[-1] for row in new.rows]


def test_in_a_small_layer_every_number_is_sent_and_is_that_of_the_table(draw: Any) -> None:
    frames = draw("head_split", d_model=48, num_heads=3, d_head=32, batch=1)
    for step in ("project", "view", "transpose", "attend", "merge"):
        numbers = values(frames[step])
        assert numbers.shape == (4, 3, 32)
        for row in frames[step].table.rows:
            t, h, d = (int(part.split()[1]) for part in str(row[0]).split(","))
            assert numbers[t, h, d] == pytest.approx(row[-1], rel=1e-3, abs=1e-4)
    assert values(frames["input"]).shape == (4, 48)


@pytest.mark.parametrize("parameters", [{}, {"model": "gpt-3-175b"}, {"tokens": 1}, {"d_head": 3}])
def test_steps_that_share_their_numbers_send_one_tensor(draw: Any, parameters: dict[str, Any]) -> None:
    frames = draw("head_split", **parameters)
    sent = {step: frame.tensors[0].sha256 for step, frame in frames.items()}
    assert sent["project"] == sent["view"] == sent["transpose"]
    assert sent["attend"] == sent["merge"]
    assert len(set(sent.values())) == 4


def test_of_a_long_row_the_largest_number_of_each_bin_is_sent(draw: Any) -> None:
    frames = draw("head_split", batch=1)
    sent = frames["view"].tensors[0]
    assert (sent.shape, sent.axes, sent.encoding) == ((4, 12, 21), ("T", "H", "D"), "u8")
    wide, narrow = draw("head_split", d_model=84, num_heads=4, batch=1), values(frames["view"])
    assert values(wide["view"]).shape == (4, 4, 21)
    assert np.abs(narrow).mean() > np.abs(values(wide["view"])).mean()


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


def test_merging_heads_of_another_width_tells_their_own_offsets(draw: Any) -> None:
    frames = draw("head_split", model="bert-base", d_head_v=32)
    assert frames["merge"].table.rows[0][:-1] == ("t 2, h 6, d 5", 0, 2, 197, 965)
    assert "goes from offset 837 to 965" in frames["merge"].sentence
    assert "V with 12 heads, each 32 wide" in frames["values"].sentence
    assert "W_O, 384 × 768" in frames["output"].sentence


def test_a_layer_of_gpt_3_width_carries_values_and_costs_nothing(draw: Any) -> None:
    cost = admit(make_spec("head_split", {"model": "gpt-3-175b", "tokens": 16, "batch": 1}))
    assert (cost.carries_values, cost.queue) == (True, "renders.fast")
    assert cost.peak_bytes < 16 * MIB
    frames = draw("head_split", model="gpt-3-175b", tokens=16, batch=1)
    assert frames["view"].shape == (1, 16, 96, 128)
    assert all(frame.tensors for frame in frames.values())


def test_beyond_the_limits_the_frames_are_shapes_alone_and_say_so(draw: Any) -> None:
    frames = draw("head_split", model="gpt-3-175b", tokens=512)
    assert not any(frame.tensors for frame in frames.values())
    assert "Shapes only" in frames["input"].sentence
    assert "above 256" in frames["input"].sentence
    assert frames["input"].stamp["device"] == "meta"


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"model": "smollm2-135m"}, "K and V have 3 heads, each read by 3 query heads."),
        ({"model": "falcon-7b"}, "K and V have 1 head, read by all 71 query heads."),
        ({"num_kv_heads": 4}, "K and V have 4 heads, each read by 3 query heads."),
        ({}, "Masks and positions are left out: shapes do not depend on them."),
        ({"key_tokens": 6}, "K and V come from another text of 6 tokens."),
        ({"key_tokens": 1}, "K and V come from another text of 1 token."),
    ],
)
def test_grouped_heads_are_told(draw: Any, parameters: dict[str, Any], says: str) -> None:
    assert draw("head_split", **parameters)["attend"].sentence.endswith(says)


def test_k_is_shown_with_its_own_heads_and_which_one_a_query_head_reads(draw: Any) -> None:
    keys = draw("head_split", model="smollm2-135m")["keys"]
    assert (keys.axes, keys.shape) == (("B", "H_kv", "T", "D"), (2, 3, 4, 64))
    assert keys.table.rows[0][:4] == ("t 2, h 4, d 5", 0, 1, 2)
    assert "makes 3 heads of 64: each is read by 3 query heads" in keys.sentence
    assert "Query head 4 reads K head 1. V has the same shape." in keys.sentence


@pytest.mark.parametrize("slug", MLA)
def test_a_latent_model_shows_what_it_caches_and_what_it_unpacks(draw: Any, slug: str) -> None:
    config = next(config for config in all_models() if config.slug == slug)
    told = facts(make_spec("head_split", {"model": slug}))
    frames = draw("head_split", model=slug)
    assert list(frames) == [*STEPS[:4], *LATENT, *STEPS[4:]]
    assert (told["attention"], told["kv_rank"], told["num_kv_heads"]) == ("MLA", config.kv_rank, 0)
    assert frames["latent"].shape == (2, 4, config.kv_rank)
    assert f"{config.kv_elements:,} numbers a token" in frames["latent"].sentence
    assert frames["rope_key"].shape == (2, 4, 64)
    assert frames["keys"].shape == (2, config.num_heads, 4, config.d_head)
    assert frames["attend"].shape[-1] == config.d_head_v
    assert "The table gives no rank for q" in frames["project"].sentence


def test_the_turned_key_is_the_same_in_every_head(draw: Any) -> None:
    keys = draw("head_split", model="deepseek-v3-r1-671b")["keys"].table.rows
    last = {row[0]: row[-1] for row in keys if str(row[0]).endswith("d 191")}
    assert last["t 0, h 0, d 191"] == last["t 0, h 127, d 191"]


def test_a_latent_model_asked_for_kv_heads_shows_what_plain_heads_would_be(draw: Any) -> None:
    frames = draw("head_split", model="deepseek-v3-r1-671b", num_kv_heads=128)
    assert list(frames) == [*STEPS[:4], "values", *STEPS[4:]]
    assert frames["values"].shape == (2, 128, 4, 128)


@pytest.mark.parametrize(
    ("model", "says"),
    [
        ("bert-base", "softmax(q k / sqrt(64))"),
        ("gemma-3-27b", "softmax(q k / sqrt(168))"),
        ("t5-small", "softmax(q k), undivided,"),
        ("deepseek-v3-r1-671b", "softmax(q k × 1.3689^2 / sqrt(192))"),
    ],
)
def test_scores_are_scaled_as_the_model_scales_them(draw: Any, model: str, says: str) -> None:
    assert says in draw("head_split", model=model)["attend"].sentence


def test_undivided_scores_are_told_to_be_sharper_than_the_models_own(draw: Any) -> None:
    said = draw("head_split", model="t5-small")["attend"].sentence
    assert "The model starts its W_Q smaller by sqrt(64) for that; this layer does not" in said
    assert "smaller" not in draw("head_split", model="bert-base")["attend"].sentence


def test_widths_that_nobody_verified_are_marked(draw: Any) -> None:
    assert (
        "The table marks Kimi K2 as partly verified" in draw("head_split", model="kimi-k2")["input"].sentence
    )
    assert "marks" not in draw("head_split", model="bert-base")["input"].sentence


@pytest.mark.parametrize("slug", [config.slug for config in all_models()])
def test_every_published_model_is_drawn_to_its_last_step_with_its_numbers(slug: str) -> None:
    spec = make_spec("head_split", {"model": slug})
    told = facts(spec)
    assert admit(spec).carries_values
    frames = list(render(spec))
    assert [frame.step for frame in frames] == [step["step"] for step in told["steps"]]
    assert all(frame.tensors and frame.sentence and not frame.error for frame in frames)
    assert wire_bytes(told, frames) <= WIRE


def wire_bytes(told: dict[str, Any], frames: list[Frame]) -> int:
    """Facts, frames and tensors as a client loads them, packed: a tensor that two frames name goes once."""
    text = b"\n".join([json.dumps(told).encode(), *(frame.as_bytes() for frame in frames)])
    pairs = (pair for frame in frames for pair in zip(frame.tensors, frame.blobs, strict=True))
    blobs = {tensor.sha256: body for tensor, body in pairs}
    return len(gzip.compress(text)) + sum(len(gzip.compress(body)) for body in blobs.values())


@pytest.mark.parametrize(
    "parameters",
    [
        {"d_model": 48, "num_heads": 3, "d_head": 32},
        {"d_model": 1024, "num_heads": 256, "batch": 1, "tokens": 64},
        {"model": "smollm2-135m", "tokens": 100, "d_head_v": 32},
        {"model": "glm-5", "tokens": 64, "batch": 4},
    ],
    ids=str,
)
def test_a_picture_of_any_size_is_small_on_the_wire(parameters: dict[str, Any]) -> None:
    spec = make_spec("head_split", parameters)
    assert admit(spec).carries_values
    assert wire_bytes(facts(spec), list(render(spec))) <= WIRE


@pytest.mark.parametrize("weights", ["law", "pinned"])
def test_the_same_seed_draws_the_same_bytes_and_another_seed_others(draw: Any, weights: str) -> None:
    first, again, other = (
        draw("head_split", seed, d_model=48, num_heads=3, weights=weights)["output"].blobs
        for seed in (1, 1, 2)
    )
    assert first == again != other


def test_weights_are_by_law_unless_they_are_pinned() -> None:
    law, auto, pinned = (make_spec("head_split", {"weights": name}) for name in ("law", "auto", "pinned"))
    assert auto.digest() == law.digest() != pinned.digest()


def test_a_pinned_head_is_that_of_the_same_seed_drawn_alone(draw: Any) -> None:
    import torch

    from attention_engine.device import Chance
    from attention_engine.trained.seeded import Widths, pinned

    numbers = {"d_model": 48, "num_heads": 6, "num_kv_heads": 2, "batch": 1, "weights": "pinned"}
    frames = draw("head_split", 7, **numbers)
    x = Chance(7, torch.device("cpu")).normal((1, 4, 48))[0]
    alone = pinned(x, 7, Widths(48, 6, 8, num_kv_heads=2), heads=[3])
    assert values(frames["transpose"])[:, 3] == pytest.approx(alone.q[0].numpy(), abs=1e-5)
    assert values(frames["keys"])[:, 1] == pytest.approx(alone.k[0].numpy(), abs=1e-5)


def test_cross_attention_weighs_the_pairs_of_two_texts(draw: Any) -> None:
    numbers = {"d_model": 256, "num_heads": 8, "d_head": 32, "tokens": 3}
    crossed = draw("head_split", **numbers, key_tokens=9)
    assert "its own 3 × 9 pairs" in crossed["attend"].sentence
    assert crossed["attend"].shape == (2, 8, 3, 32)
    alone = draw("head_split", **numbers)
    assert alone["transpose"].blobs == crossed["transpose"].blobs
    assert alone["attend"].blobs != crossed["attend"].blobs


def test_keys_of_a_shorter_text_are_followed_to_its_last_token(draw: Any) -> None:
    keys = draw("head_split", num_kv_heads=3, key_tokens=1)["keys"]
    assert (keys.axes, keys.shape) == (("B", "H_kv", "T_k", "D"), (2, 3, 1, 64))
    assert keys.table.rows[0][:5] == ("t 0, h 6, d 5", 0, 1, 0, 5)


def test_as_many_key_tokens_as_tokens_is_self_attention() -> None:
    assert make_spec("head_split", {"key_tokens": 4}).digest() == make_spec("head_split", {}).digest()


@pytest.mark.parametrize("numbers", [{}, {"num_heads": 1}, {"num_heads": 768}, {"tokens": 1}, {"d_head": 3}])
def test_the_first_row_of_every_table_is_the_element_that_the_facts_name(draw: Any, numbers: Any) -> None:
    traced = facts(make_spec("head_split", numbers))["traced"]
    words = "t {t}, h {h}, d {d}".format_map(traced)
    frames = draw("head_split", **numbers)
    assert all(frame.table.rows[0][0] == words for frame in frames.values())
    assert words in frames["view"].sentence


def test_kv_heads_that_leave_query_heads_over_are_refused_with_those_that_do_not() -> None:
    with pytest.raises(InvalidSpec, match=r"12 = 5\*2 \+ 2\); nearest that divide: 4, 6") as refused:
        make_spec("head_split", {"num_kv_heads": 5})
    assert refused.value.field == "num_kv_heads"


def test_the_law_is_admitted_by_the_numbers_it_is_drawn_with() -> None:
    assert (projection.SUMMED_AT_ONCE, projection.NUMBERS_AT_ONCE) == (
        gaussian.SUMMED_AT_ONCE,
        gaussian.NUMBERS_AT_ONCE,
    )
