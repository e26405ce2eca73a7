"""One head on a sentence: the stages follow from one another, and MiniLM's real weights where installed."""

import math
import socket
from typing import Any

import numpy as np
import pytest

from attention_engine.frames import Frame
from tests.attention_engine.decoding import decode

ANIMAL = "The animal didn't cross the street because it was too tired."
STEPS = ["scores", "scaled", "masked", "weights", "output"]


def numbers(frame: Frame, role: str) -> np.ndarray:
    at = [tensor.role for tensor in frame.tensors].index(role)
    return decode(frame.tensors[at], frame.blobs[at])


def softmax(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def random(draw: Any, seed: int = 0, **parameters: Any) -> dict[str, Frame]:
    frames: dict[str, Frame] = draw("attention_pattern", seed, model="random", **parameters)
    return frames


@pytest.mark.parametrize("causal", [0, 1])
def test_each_stage_follows_from_the_one_before(draw: Any, causal: int) -> None:
    frames = random(draw, d_model=48, num_heads=3, d_head=32, head=2, causal=causal, sentence=ANIMAL)
    assert list(frames) == STEPS
    scores, scaled = numbers(frames["scores"], "scores"), numbers(frames["scaled"], "scores")
    assert np.allclose(scores / math.sqrt(32), scaled, atol=0.02)
    masked = numbers(frames["masked"], "scores")
    assert np.isnan(masked).sum() == (14 * 13 / 2 if causal else 0)
    weights = numbers(frames["weights"], "weights")
    assert np.abs(weights - softmax(np.nan_to_num(masked, nan=-np.inf))).max() < 0.01
    assert frames["output"].shape == (14, 32)


@pytest.mark.parametrize("words", [5, 48])
def test_what_a_mask_hides_is_not_sent(draw: Any, words: int) -> None:
    frames = random(draw, causal=1, sentence="so " * words)
    packed = {
        step: [(tensor.role, tensor.packed) for tensor in frame.tensors] for step, frame in frames.items()
    }
    assert packed == {
        "scores": [("scores", "none")],
        "scaled": [("scores", "none")],
        "masked": [("scores", "tril")],
        "weights": [("weights", "tril"), ("thumbnails", "tril")],
        "output": [("output", "none")],
    }
    assert frames["masked"].tensors[0].bytes == words * (words + 1)
    small, side = numbers(frames["weights"], "thumbnails"), min(words, 32)
    assert np.array_equal(small, np.tril(small))
    assert small.shape == (4, side, side)


def test_the_table_of_a_short_sentence_holds_every_weight_under_its_tokens(draw: Any) -> None:
    frame = random(draw, sentence="it sees it")["weights"]
    assert frame.table.columns == ("query", "it", "sees", "it")
    assert [row[0] for row in frame.table.rows] == ["it", "sees", "it"]
    told = np.array([row[1:] for row in frame.table.rows], dtype=float)
    assert np.abs(told.sum(axis=-1) - 1).max() < 0.003
    assert np.abs(told - numbers(frame, "weights")).max() < 0.005


def test_the_weights_frame_carries_small_maps_and_the_entropy_of_every_head(draw: Any) -> None:
    frame = random(draw, num_heads=8, head=5, sentence="one two three four " * 12)["weights"]
    small = numbers(frame, "thumbnails")
    assert (small.shape, frame.tensors[1].axes) == ((8, 32, 32), ("H", "T", "T"))
    assert small[5].max() == pytest.approx(numbers(frame, "weights").max())
    assert len(frame.values) == 8
    assert all(0 < entropy < math.log(48) for entropy in frame.values)
    assert f"Mean entropy {frame.values[5]:.2f}" in frame.sentence


def test_a_random_layer_says_so_in_sentence_and_stamp(draw: Any) -> None:
    for frame in random(draw, seed=7).values():
        assert frame.sentence.endswith("Random layer, seed 7.")
        assert frame.stamp["weights"] == "random layer, seed 7"


@pytest.mark.usefixtures("no_minilm")
def test_without_minilm_a_random_layer_of_its_size_is_drawn_and_says_so(draw: Any) -> None:
    frames = draw("attention_pattern", layer=3, head=1)
    assert frames["output"].shape == (14, 32)
    assert len(frames["weights"].values) == 12
    for frame in frames.values():
        assert "random layer, seed 0: MiniLM is not installed yet" in frame.stamp["weights"]
        assert "MiniLM is not installed yet" in frame.sentence


SENTENCES = {
    "one word of 2,000 letters": "A" * 2000,
    "1,000 marks of four bytes": "𝄞" * 1000 + " and words" * 100,
    "quotes to be escaped": '"\\' * 1000,
    "one letter": "a",
    "only marks": "?!",
    "24 and 25 tokens": "word " * 25,
}


@pytest.mark.parametrize("sentence", SENTENCES.values(), ids=SENTENCES.keys())
def test_every_sentence_stays_within_the_limits_of_a_frame(draw: Any, sentence: str) -> None:
    frames = random(draw, sentence=sentence, causal=1)
    assert list(frames) == STEPS
    assert len(frames["weights"].table.rows) == frames["weights"].shape[0] <= 512


def test_the_same_word_differs_only_by_its_place(draw: Any) -> None:
    scores = numbers(random(draw, sentence="it it it")["scores"], "scores")
    assert not np.allclose(scores[0], scores[1])


@pytest.mark.usefixtures("minilm")
class TestMiniLM:
    """Real weights; skipped where the package is not installed."""

    def test_head_1_of_layer_3_sends_two_thirds_of_it_to_animal(self, draw: Any) -> None:
        frame = draw("attention_pattern", sentence=ANIMAL, layer=3, head=1)["weights"]
        rows = {row[0]: row[1:] for row in frame.table.rows}
        tokens = frame.table.columns[1:]
        assert tokens == (
            "[CLS]", "the", "animal", "didn", "'", "t", "cross", "the", "street", "because", "it", "was",
            "too", "tired", ".", "[SEP]",
        )  # fmt: skip
        assert rows["it"][tokens.index("animal")] == pytest.approx(0.677, abs=0.002)
        assert rows["it"][0] == pytest.approx(0.102, abs=0.002)
        assert (
            "sends 0.68 of “it” to “animal”. Of the model's 72 heads it gives this pair the most"
            in frame.sentence
        )
        assert frame.stamp["weights"] == "all-MiniLM-L6-v2"

    def test_the_mean_entropies_of_layer_3_are_those_measured_before(self, draw: Any) -> None:
        frame = draw("attention_pattern", sentence=ANIMAL, layer=3, head=1)["weights"]
        measured = [1.69, 1.31, 1.65, 1.22, 1.37, 0.90, 1.77, 1.87, 1.54, 1.94, 2.09, 2.33]
        assert frame.values == pytest.approx(measured, abs=0.006)

    def test_the_scale_is_the_root_of_32(self, draw: Any) -> None:
        frames = draw("attention_pattern", sentence=ANIMAL)
        ratio = numbers(frames["scores"], "scores") / numbers(frames["scaled"], "scores")
        assert float(np.median(ratio)) == pytest.approx(math.sqrt(32), rel=1e-3)
        assert frames["output"].shape == (16, 32)

    def test_a_mask_hides_later_tokens_in_the_shown_layer_only_and_says_so(self, draw: Any) -> None:
        frames = draw("attention_pattern", sentence=ANIMAL, layer=2, causal=1)
        weights = numbers(frames["weights"], "weights")
        assert np.array_equal(weights, np.tril(weights))
        assert "In this layer only" in frames["masked"].sentence

    def test_a_long_sentence_is_cut_to_512_tokens_and_says_so(self, draw: Any) -> None:
        frames = draw("attention_pattern", sentence='"' * 2000, layer=5)
        assert frames["weights"].shape == (512, 512)
        assert frames["weights"].table.rows[-1][0] == "[SEP]"
        assert "cut to 512 tokens" in frames["scores"].sentence

    def test_nothing_is_fetched(self, draw: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(*_: Any, **__: Any) -> None:
            raise AssertionError("a picture opened a socket")

        monkeypatch.setattr(socket, "socket", refuse)
        assert list(draw("attention_pattern", sentence="no network")) == STEPS
