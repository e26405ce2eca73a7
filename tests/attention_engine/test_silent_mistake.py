"""Four frames of a line that runs and is wrong: what they say of which cells, for every model and size."""

from typing import Any

import numpy as np
import pytest

from attention_engine.admission import admit
from attention_engine.configs import all_models
from attention_engine.engine import render
from attention_engine.frames import Frame
from attention_engine.kinds.misplaced import MERGE, MISTAKES, SOFTMAX, VIEW, WIDTH
from attention_engine.spec import InvalidSpec, facts, make_spec
from tests.attention_engine.decoding import decode

KIND = "silent_mistake"
STEPS = ["right", "wrong", "count", "meaning"]


def numbers(frame: Frame, role: str) -> np.ndarray:
    at = [tensor.role for tensor in frame.tensors].index(role)
    return decode(frame.tensors[at], frame.blobs[at])


def test_the_facts_carry_codes_strides_and_the_share_at_once() -> None:
    told = facts(make_spec(KIND, {"model": "bert-base"}))
    assert (told["code_right"], told["code_wrong"]) == (
        "q.view(2, 4, 12, 64).transpose(1, 2)",
        "q.view(2, 12, 4, 64)",
    )
    assert (told["strides_right"], told["strides_wrong"]) == ([3072, 64, 768, 1], [3072, 256, 64, 1])
    assert (told["cells"], told["wrong_cells"], told["share"]) == (6144, 5888, "95.8 %")
    assert told["sentence"].endswith("5,888 of 6,144 numbers (95.8 %) stand in another place.")
    assert [step["step"] for step in told["steps"]] == STEPS


@pytest.mark.parametrize(
    ("mistake", "right", "wrong"),
    [
        (MERGE, "out.transpose(1, 2).reshape(2, 4, 768)", "out.reshape(2, 4, 768)"),
        (WIDTH, "q.view(2, 4, 12, 64).transpose(1, 2)", "q.view(2, 4, 64, 12).permute(0, 3, 1, 2)"),
        (SOFTMAX, "scores.softmax(dim=-1)", "scores.softmax(dim=-2)"),
    ],
)
def test_the_two_lines_are_the_titles_of_their_frames(
    draw: Any, mistake: str, right: str, wrong: str
) -> None:
    frames = draw(KIND, mistake=mistake)
    assert list(frames) == STEPS
    assert (frames["right"].title, frames["wrong"].title) == (right, wrong)


def test_head_0_of_a_view_without_transpose_holds_four_heads_of_token_0(draw: Any) -> None:
    frames = draw(KIND)
    right, wrong = frames["right"], frames["wrong"]
    assert numbers(right, "token")[0].tolist() == [0, 1, 2, 3]
    assert numbers(right, "head")[5].tolist() == [5, 5, 5, 5]
    assert (numbers(wrong, "token")[0].tolist(), numbers(wrong, "head")[0].tolist()) == (
        [0] * 4,
        [0, 1, 2, 3],
    )
    assert wrong.table.rows[0] == ("head 0", "t 0, h 0", "t 0, h 1 ✗", "t 0, h 2 ✗", "t 0, h 3 ✗")
    assert "it holds 4 heads of token 0 alone" in wrong.sentence
    assert "only the strides are (3072, 256, 64, 1) instead of (3072, 64, 768, 1)" in wrong.sentence


@pytest.mark.parametrize("mistake", [VIEW, MERGE, WIDTH])
def test_a_grid_and_its_table_tell_the_same_and_mark_what_is_wrong(draw: Any, mistake: str) -> None:
    frame = draw(KIND, mistake=mistake, d_model=40, num_heads=5, tokens=7)["wrong"]
    held = [numbers(frame, role) for role in ("token", "head", "parts")]
    assert (frame.axes, frame.shape) == (("H", "T"), (5, 7))
    for h, row in enumerate(frame.table.rows):
        for t, cell in enumerate(row[1:]):
            token, head, parts = (int(values[h, t]) for values in held)
            what = f"h {head}" if parts == 1 else f"{parts} heads"
            right = (token, head, parts) == (t, h, 1)
            assert cell == f"t {token}, {what}" + ("" if right else " ✗")


@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_counter_tells_what_the_facts_tell(draw: Any, mistake: str) -> None:
    frame, told = (
        draw(KIND, mistake=mistake, batch=3)["count"],
        facts(make_spec(KIND, {"mistake": mistake, "batch": 3})),
    )
    assert frame.values == (told["wrong_cells"], told["cells"])
    assert dict(frame.table.rows)["share wrong"] == told["share"]
    assert told["share"] in frame.title
    step = told["steps"][2]
    assert (list(frame.axes), list(frame.shape), list(frame.strides)) == (
        step["axes"],
        step["shape"],
        step["strides"],
    )


def test_a_merge_cannot_be_told_by_its_strides(draw: Any) -> None:
    wrong = draw(KIND, mistake=MERGE)["wrong"]
    assert "so are the strides (3072, 768, 1)" in wrong.sentence
    assert "it is made of 4 tokens" in wrong.sentence
    assert [row[1] for row in wrong.table.rows[:5]] == [
        "t 0, h 0", "t 1, h 0 ✗", "t 2, h 0 ✗", "t 3, h 0 ✗", "t 0, h 1 ✗",
    ]  # fmt: skip


def test_a_width_before_heads_mixes_heads_and_keeps_tokens_apart_and_says_what_that_means(draw: Any) -> None:
    wrong = draw(KIND, mistake=WIDTH)["wrong"]
    assert set(numbers(wrong, "parts").ravel().tolist()) == {12}
    assert numbers(wrong, "token").tolist() == [[0, 1, 2, 3]] * 12
    assert "features 0, 12, 24, ... of a token" in wrong.sentence
    assert "a network trained with this split would learn heads of its own" in wrong.sentence


def test_a_softmax_over_queries_gives_columns_that_sum_to_one_and_tells_the_rows(draw: Any) -> None:
    frames = draw(KIND, 3, mistake=SOFTMAX, tokens=9)
    right, wrong = (numbers(frames[step], "weights") for step in ("right", "wrong"))
    assert np.abs(right.sum(axis=1) - 1).max() < 0.02
    assert np.abs(wrong.sum(axis=0) - 1).max() < 0.02
    sums = [row[-1] for row in frames["wrong"].table.rows]
    assert np.abs(wrong.sum(axis=1) - sums).max() < 0.03
    assert f"the rows to {min(sums):.2f} to {max(sums):.2f}" in frames["wrong"].sentence


@pytest.mark.parametrize(
    ("mistake", "sizes", "one"),
    [
        (VIEW, {"tokens": 1}, "1 token"),
        (MERGE, {"num_heads": 1}, "1 head"),
        (WIDTH, {"num_heads": 768}, "1 number a head"),
        (SOFTMAX, {"tokens": 1}, "1 token"),
    ],
)
def test_where_a_mistake_is_harmless_right_and_wrong_are_the_same_and_it_says_so(
    draw: Any, mistake: str, sizes: dict[str, int], one: str
) -> None:
    frames = draw(KIND, mistake=mistake, **sizes)
    assert frames["right"].blobs == frames["wrong"].blobs
    assert f"is harmless here: with {one} both lines give the same" in frames["wrong"].sentence
    assert (frames["count"].title, frames["count"].values[0]) == ("0 % wrong", 0)
    assert frames["meaning"].sentence.startswith("Elsewhere it may do harm: the same line in ")


@pytest.mark.parametrize("mistake", MISTAKES)
def test_every_published_model_shows_each_mistake(mistake: str, no_minilm: None) -> None:
    for config in all_models():
        spec = make_spec(KIND, {"model": config.slug, "mistake": mistake, "tokens": 3})
        frames = list(render(spec))
        assert [frame.step for frame in frames] == STEPS, config.slug
        assert spec.parameters["d_head"] == (config.d_head_v if mistake == MERGE else config.d_head)
        assert frames[2].values[0] == facts(spec)["wrong_cells"] > 0, config.slug


def test_beyond_what_is_moved_the_cells_follow_by_arithmetic_and_it_says_so(draw: Any) -> None:
    frames = draw(KIND, model="gpt-3-175b", tokens=2**22)
    wrong = frames["wrong"]
    assert wrong.stamp["device"] == "meta"
    assert wrong.strides == (128 * 2**22, 128)
    assert (wrong.tensors[0].encoding, wrong.tensors[0].shape) == ("f32", (16, 32))
    assert numbers(wrong, "token")[15, 31] == (15 * 2**22 + 31) // 96
    assert "by arithmetic alone" in frames["count"].sentence


@pytest.mark.parametrize("mistake", MISTAKES)
@pytest.mark.parametrize(
    "sizes",
    [
        {"tokens": 2**29, "num_heads": 1},
        {"tokens": 2**25, "num_heads": 16},
        {"tokens": 2, "num_heads": 2**20, "d_head": 1},
        {"tokens": 1, "num_heads": 2**31 - 1, "d_head": 1},
    ],
)
def test_the_largest_axes_stay_within_the_limits_of_a_frame(
    draw: Any, mistake: str, sizes: dict[str, int]
) -> None:
    assert list(draw(KIND, mistake=mistake, batch=1, **sizes)) == STEPS


@pytest.mark.parametrize(
    ("given", "field", "says"),
    [
        ({"num_heads": 10}, "num_heads", "768 = 10*76 + 8"),
        ({"mistake": "transpose"}, "mistake", "one of view_as_heads"),
        ({"layer": 6}, "layer", "MiniLM has layers 0 to 5"),
        ({"head": 12}, "head", "MiniLM has heads 0 to 11"),
        ({"sentence": "  "}, "sentence", "at least one word"),
        ({"model": "bert"}, "model", "close to it: bert-base"),
    ],
)
def test_what_cannot_be_is_refused_by_field(given: dict[str, Any], field: str, says: str) -> None:
    with pytest.raises(InvalidSpec, match=says.replace("*", r"\*").replace("+", r"\+")) as refused:
        make_spec(KIND, given)
    assert refused.value.field == field


def test_a_tensor_that_no_machine_can_address_is_refused() -> None:
    with pytest.raises(ValueError, match="take a smaller axis"):
        admit(make_spec(KIND, {"mistake": SOFTMAX, "tokens": 2**31 - 1}))
