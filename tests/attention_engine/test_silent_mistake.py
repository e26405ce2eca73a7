"""Four frames of a line that runs and is wrong; what a sentence loses is computed again here, in numpy."""

import gzip
import math
import time
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
from tests.attention_engine.test_peak import assert_told_truly

KIND = "silent_mistake"
STEPS = ["right", "wrong", "count", "meaning"]
LONG = "The animal didn't cross the street because it was too tired, and nobody saw how it slept there. " * 6


def numbers(frame: Frame, role: str) -> np.ndarray:
    at = [tensor.role for tensor in frame.tensors].index(role)
    return decode(frame.tensors[at], frame.blobs[at])


def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


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


@pytest.mark.usefixtures("no_minilm")
class TestWithoutMiniLM:
    """A random layer of MiniLM's size, which says so."""

    @pytest.mark.parametrize("mistake", MISTAKES)
    def test_the_random_layer_says_so(self, draw: Any, mistake: str) -> None:
        frame = draw(KIND, 5, mistake=mistake)["meaning"]
        assert frame.sentence.startswith(
            "The same line in a random layer, head 1 (12 heads of 32, 14 tokens)"
        )
        assert frame.sentence.endswith("Random layer, seed 5: MiniLM is not installed yet.")
        assert frame.stamp["weights"] == "random layer, seed 5: MiniLM is not installed yet"

    @pytest.mark.parametrize("mistake", [VIEW, MERGE, SOFTMAX])
    def test_one_word_loses_nothing(self, draw: Any, mistake: str) -> None:
        frame = draw(KIND, mistake=mistake, sentence="it")["meaning"]
        assert frame.blobs[0] == frame.blobs[1]
        assert "0 of 1 have another strongest key" in frame.sentence

    def test_the_same_seed_draws_the_same_bytes_and_another_seed_others(self, draw: Any) -> None:
        one, again, other = (draw(KIND, seed)["meaning"].blobs for seed in (1, 1, 2))
        assert one == again != other


@pytest.mark.usefixtures("minilm")
class TestMiniLM:
    """Real weights; skipped where the package is not installed."""

    @pytest.mark.parametrize("mistake", [VIEW, WIDTH, SOFTMAX, MERGE])
    def test_the_right_map_is_the_head_of_attention_pattern(self, draw: Any, mistake: str) -> None:
        right = numbers(draw(KIND, mistake=mistake, layer=2, head=7)["meaning"], "right")
        own = numbers(draw("attention_pattern", layer=2, head=7)["weights"], "weights")
        assert np.abs(right - own).max() < 0.005

    @pytest.mark.parametrize("mistake", [VIEW, WIDTH])
    def test_the_wrong_map_is_that_of_the_pieces_really_held(self, draw: Any, mistake: str) -> None:
        """One feature at a time, by where the arithmetic says that the wrong line finds it."""
        layer = read_layer(3)
        tokens, head, q, k = layer.q.shape[1], 1, rows(layer.q), rows(layer.k)
        at = {
            VIEW: lambda t, d: divmod((head * tokens + t) * 32 + d, 384),
            WIDTH: lambda t, d: (t, d * 12 + head),
        }[mistake]
        found = [np.array([[part[at(t, d)] for d in range(32)] for t in range(tokens)]) for part in (q, k)]
        expected = softmax(found[0] @ found[1].T / math.sqrt(32))
        frame = draw(KIND, mistake=mistake)["meaning"]
        assert np.abs(numbers(frame, "wrong") - expected).max() < 0.005
        apart = np.abs(numbers(frame, "right") - expected).sum(axis=-1) / 2
        assert np.abs(apart - frame.values).max() < 0.02
        assert f"differ by {np.mean(frame.values):.2f} of at most 1" in frame.sentence

    def test_a_wrong_merge_leaves_little_of_what_w_o_makes(self, draw: Any) -> None:
        layer, (w_o, bias) = read_layer(3), output_weights(3)
        tokens, mixed = layer.q.shape[1], heads_mixed(layer)
        right = np.stack([np.concatenate([mixed[h, t] for h in range(12)]) for t in range(tokens)])
        wrong = mixed.ravel().reshape(tokens, 384)
        outputs = [merged @ w_o.T + bias for merged in (right, wrong)]
        lengths = [np.linalg.norm(output, axis=-1) for output in outputs]
        cosines = (outputs[0] * outputs[1]).sum(axis=-1) / (lengths[0] * lengths[1])
        frame = draw(KIND, mistake=MERGE)["meaning"]
        assert np.abs(cosines - frame.values).max() < 1e-3
        assert f"a cosine of {np.mean(frame.values):.2f} to the right output on average" in frame.sentence
        holder, place = divmod(10 * 12 + 1, tokens)
        own = numbers(draw(KIND, mistake=MERGE, head=holder)["meaning"], "right")[place]
        assert np.abs(numbers(frame, "wrong")[10] - own).max() < 1e-6

    def test_the_rows_of_a_softmax_over_queries_are_told_not_to_sum_to_one(self, draw: Any) -> None:
        frame = draw(KIND, mistake=SOFTMAX)["meaning"]
        wrong = numbers(frame, "wrong")
        assert np.abs(wrong.sum(axis=0) - 1).max() < 0.03
        assert np.abs(wrong.sum(axis=1) - frame.values).max() < 0.05
        told = f"the rows sum to {min(frame.values):.2f} to {max(frame.values):.2f} instead of 1"
        assert told in frame.sentence

    @pytest.mark.parametrize("mistake", MISTAKES)
    def test_the_sentence_counts_the_rows_of_its_table(self, draw: Any, mistake: str) -> None:
        frame = draw(KIND, mistake=mistake)["meaning"]
        right, wrong = numbers(frame, "right"), numbers(frame, "wrong")
        changed = sum(row[1] != row[3] for row in frame.table.rows)
        assert changed == int((right.argmax(axis=-1) != wrong.argmax(axis=-1)).sum()) > 5
        assert f"{changed} of 16 have another strongest key" in frame.sentence
        assert "“it” looked at “animal” with 0.68, now" in frame.sentence

    def test_the_row_of_it_is_really_another_words(self, draw: Any) -> None:
        frame = draw(KIND)["meaning"]
        rows_of = {row[0]: row[-1] for row in frame.table.rows}
        assert rows_of["it"] == "animal, head 2"
        assert frame.sentence.endswith("its row is that of “animal” in head 2.")

    @pytest.mark.parametrize("mistake", MISTAKES)
    def test_the_largest_picture_takes_at_most_20_kilobytes(self, draw: Any, mistake: str) -> None:
        frames = draw(KIND, mistake=mistake, sentence=LONG, num_heads=16, d_model=1024, tokens=32).values()
        assert "cut to 64 tokens" in list(frames)[-1].sentence
        packed = [gzip.compress(frame.as_bytes()) for frame in frames]
        packed += [gzip.compress(blob) for frame in frames for blob in frame.blobs]
        assert sum(map(len, packed)) <= 20_000

    def test_it_is_drawn_in_a_moment(self, draw: Any) -> None:
        draw(KIND)
        started = time.perf_counter()
        draw(KIND)
        assert time.perf_counter() - started < 1.5

    @pytest.mark.parametrize(
        "given",
        [
            {},
            {"sentence": LONG, "mistake": MERGE},
            {"tokens": 170},
            {"tokens": 170, "mistake": MERGE},
            {"d_model": 2**16, "num_heads": 2, "tokens": 2, "batch": 1, "mistake": WIDTH},
            {"model": "gpt-3-175b", "tokens": 2048},
        ],
        ids=str,
    )
    def test_it_holds_what_was_admitted(self, given: dict[str, Any]) -> None:
        assert_told_truly(KIND, given)


def read_layer(number: int) -> Any:
    import torch

    from attention_engine.trained import minilm

    return minilm.read(make_spec(KIND, {}).parameters["sentence"], torch.device("cpu")).layers[number]


def output_weights(number: int) -> tuple[np.ndarray, np.ndarray]:
    import torch

    from attention_engine.trained import minilm

    w_o, bias = minilm.output_weights(number, torch.device("cpu"))
    return w_o.numpy(), bias.numpy()


def rows(heads: Any) -> np.ndarray:
    """(H, T, D) -> (T, H*D): what was projected."""
    return np.stack([np.concatenate([heads[h, t] for h in range(12)]) for t in range(heads.shape[1])])


def heads_mixed(layer: Any) -> np.ndarray:
    """(H, T, D): each head's weights times its values."""
    q, k, v = (part.numpy() for part in (layer.q, layer.k, layer.v))
    return np.stack([softmax(q[h] @ k[h].T / math.sqrt(32)) @ v[h] for h in range(12)])
