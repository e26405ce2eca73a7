"""What a sentence loses to a line that runs and is wrong; each map is computed again here, in numpy."""

import gzip
import math
import time
from typing import Any

import numpy as np
import pytest
import torch

from attention_engine.frames import Frame
from attention_engine.kinds.misplaced import MERGE, MISTAKES, SOFTMAX, VIEW, WIDTH
from attention_engine.spec import make_spec
from attention_engine.trained import minilm as model
from tests.attention_engine.decoding import decode
from tests.attention_engine.test_peak import assert_told_truly

KIND = "silent_mistake"
LONG = "The animal didn't cross the street because it was too tired, and nobody saw how it slept there. " * 6


def numbers(frame: Frame, role: str) -> np.ndarray:
    at = [tensor.role for tensor in frame.tensors].index(role)
    return decode(frame.tensors[at], frame.blobs[at])


def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


@pytest.mark.usefixtures("no_minilm")
class TestWithoutMiniLM:
    """A random layer of MiniLM's size, which says so."""

    @pytest.mark.parametrize("mistake", MISTAKES)
    def test_the_random_layer_says_so(self, draw: Any, mistake: str) -> None:
        frame = draw(KIND, 5, mistake=mistake)["meaning"]
        assert frame.sentence.startswith(
            "The same line in a random layer, head 1 (12 heads of 32, 14 tokens)"
        )
        seed = 5 if mistake == SOFTMAX else 0
        assert frame.sentence.endswith(f"Random layer, seed {seed}: MiniLM is not installed yet.")
        assert frame.stamp["weights"] == f"random layer, seed {seed}: MiniLM is not installed yet"

    @pytest.mark.parametrize("mistake", [VIEW, MERGE, SOFTMAX])
    def test_one_word_loses_nothing(self, draw: Any, mistake: str) -> None:
        frame = draw(KIND, mistake=mistake, sentence="it")["meaning"]
        assert frame.blobs[0] == frame.blobs[1]
        assert "0 of 1 have another strongest key" in frame.sentence

    def test_the_same_seed_draws_the_same_bytes_and_another_seed_others(self, draw: Any) -> None:
        one, again, other = (draw(KIND, seed, mistake=SOFTMAX)["meaning"].blobs for seed in (1, 1, 2))
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

    def test_words_that_stand_twice_are_told_with_their_places(self, draw: Any) -> None:
        frame = draw(KIND, mistake=SOFTMAX, sentence="It rained, it rained.")["meaning"]
        assert "“it” 4 looked at “rained” 2 with 0.40, now most at “rained” 5 with 0.35" in frame.sentence

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
    return model.read(make_spec(KIND, {}).parameters["sentence"], torch.device("cpu")).layers[number]


def output_weights(number: int) -> tuple[np.ndarray, np.ndarray]:
    w_o, bias = model.output_weights(number, torch.device("cpu"))
    return w_o.numpy(), bias.numpy()


def rows(heads: Any) -> np.ndarray:
    """(H, T, D) -> (T, H*D): what was projected."""
    return np.stack([np.concatenate([heads[h, t] for h in range(12)]) for t in range(heads.shape[1])])


def heads_mixed(layer: Any) -> np.ndarray:
    """(H, T, D): each head's weights times its values."""
    q, k, v = (part.numpy() for part in (layer.q, layer.k, layer.v))
    return np.stack([softmax(q[h] @ k[h].T / math.sqrt(32)) @ v[h] for h in range(12)])
