"""One head on a sentence: the stages follow from one another, and MiniLM's real weights where installed."""

import gzip
import math
import socket
from typing import Any

import numpy as np
import pytest
import torch

from attention_engine.admission import admit
from attention_engine.attention import attention_weights
from attention_engine.configs import all_models
from attention_engine.device import Chance
from attention_engine.frames import Frame
from attention_engine.rotary import rotate
from attention_engine.spec import InvalidSpec, facts, make_spec
from attention_engine.trained import seeded
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
        "output": [("output", "none"), ("contributions", "none")],
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
    frames = draw("attention_pattern", layer=3, head=1, causal=1, scale="none")
    assert frames["output"].shape == (14, 32)
    assert not any("trained" in frame.sentence or "below" in frame.sentence for frame in frames.values())
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


CAT = "the cat sat on the mat"
GROUPED = {"d_model": 48, "num_heads": 6, "num_kv_heads": 2, "d_head": 10, "d_head_v": 7}


def grouped_heads(seed: int = 0) -> seeded.LayerHeads:
    return seeded.read(CAT.split(), Chance(seed, torch.device("cpu")), **GROUPED)


@pytest.mark.parametrize("rotary", ["none", "half", "interleaved"])
def test_a_query_head_reads_the_keys_of_its_group_and_is_turned_as_asked(draw: Any, rotary: Any) -> None:
    drawn = grouped_heads()
    for head in range(6):
        frames = random(draw, sentence=CAT, head=head, rotary=rotary, **GROUPED)
        q, k = drawn.q[head], drawn.k[head // 3]
        if rotary != "none":
            q, k = rotate(q, pairing=rotary), rotate(k, pairing=rotary)
        assert np.allclose(numbers(frames["scores"], "scores"), (q @ k.T).numpy(), atol=0.02)
        weights = attention_weights(q, k)
        assert np.abs(numbers(frames["weights"], "weights") - weights.numpy()).max() < 0.005
        output = (weights @ drawn.v[head // 3]).numpy()
        assert np.allclose(numbers(frames["output"], "output"), output, atol=0.005)
        small = numbers(frames["weights"], "thumbnails")
        assert np.abs(small[head] - weights.numpy()).max() < 0.005


def test_grouping_is_told_with_the_heads_that_share(draw: Any) -> None:
    frames = random(draw, sentence=CAT, head=4, **GROUPED)
    assert (
        "GQA: 2 K/V heads serve 6 query heads, 3 each: query head 4 reads K/V head 1, as heads 3 to 5 do"
        in (frames["scores"].sentence)
    )
    assert (
        "Small map h reads K/V head h // 3: heads 0 to 2 the first, 3 to each" in frames["weights"].sentence
    )
    one = random(draw, sentence=CAT, num_kv_heads=1)
    assert "MQA: all 4 query heads read the one K/V head" in one["scores"].sentence
    assert "MHA: each of the 4 query heads reads a K/V head of its own" in random(draw)["scores"].sentence


def sees(mask: str, tokens: int) -> np.ndarray:
    query, key = np.mgrid[:tokens, :tokens]
    return {
        "none": key >= 0,
        "causal": key <= query,
        "sliding_window": (key <= query) & (query - key < 3),
        "padding": key < tokens - 2,
    }[mask] & np.ones((tokens, tokens), dtype=bool)


@pytest.mark.parametrize("tokens", [5, 140])
@pytest.mark.parametrize("mask", ["none", "causal", "sliding_window", "padding"])
def test_a_masked_cell_is_told_from_a_small_number(draw: Any, mask: str, tokens: int) -> None:
    frames = random(draw, sentence="so " * tokens, mask=mask, window=3, padding=2)
    seen, masked = sees(mask, tokens), numbers(frames["masked"], "scores")
    assert np.array_equal(np.isfinite(masked), seen)
    weights = numbers(frames["weights"], "weights")
    assert np.all(weights[~seen] == 0)
    assert np.abs(weights.sum(axis=-1) - 1).max() < 0.01
    scaled, step = numbers(frames["scaled"], "scores"), 0.001 if tokens < 128 else 0.04
    assert np.abs(masked - scaled)[seen].max() <= step
    hidden = int((~seen).sum())
    told = f"{hidden:,} of {tokens**2:,} scores are set to minus infinity"
    assert (told in frames["masked"].sentence) == (mask != "none")


def test_padding_of_a_decoder_hides_later_tokens_too(draw: Any) -> None:
    frames = random(draw, sentence=CAT, mask="padding", padding=2, causal=1)
    masked = numbers(frames["masked"], "scores")
    assert np.array_equal(np.isfinite(masked), sees("padding", 6) & sees("causal", 6))
    assert frames["masked"].tensors[0].packed == "tril"


@pytest.mark.parametrize("tokens", [3, 200])
def test_where_every_key_is_hidden_nothing_is_sent_and_nothing_is_nan(draw: Any, tokens: int) -> None:
    frames = random(draw, sentence="so " * tokens, mask="padding", padding=600)
    assert not np.isfinite(numbers(frames["masked"], "scores")).any()
    for step, role in (("weights", "weights"), ("weights", "thumbnails"), ("output", "output")):
        assert not numbers(frames[step], role).any()
    assert "its weights are 0 and not NaN" in frames["weights"].sentence
    assert "its output is 0" in frames["output"].sentence
    assert frames["weights"].values == (0.0,) * 4


SCALES = [
    ({"model": "random", "scale": "sqrt"}, 1 / 4, "Divided by sqrt(16) = 4.00"),
    ({"model": "random", "scale": "none"}, 1.0, "Not divided"),
    ({"model": "random", "scale": "d_head"}, 1 / 16, "Divided by 16, the width itself"),
    ({"model": "gemma-2-27b"}, 1 / 12, "Divided by sqrt(144) = 12.00, a number of the model's own"),
    ({"model": "gemma-3-27b"}, 168**-0.5, "Divided by sqrt(168) = 12.96"),
    ({"model": "gemma-3-27b", "scale": "sqrt"}, 128**-0.5, "This layer's own rule is 1/sqrt(168)"),
    ({"model": "t5-small"}, 1.0, "Not divided, for W_Q starts smaller by sqrt(64) instead"),
    ({"model": "deepseek-v3-r1-671b"}, 1.3689**2 / 192**0.5, "sqrt(192) / 1.3689^2 = 7.39"),
    ({"model": "kimi-k2"}, 192**-0.5, "Divided by sqrt(192) = 13.86"),
]


@pytest.mark.parametrize(("parameters", "scale", "says"), SCALES, ids=str)
def test_scores_are_multiplied_by_the_scale_that_is_told(
    draw: Any, parameters: dict[str, Any], scale: float, says: str
) -> None:
    frames = draw("attention_pattern", sentence=CAT, **parameters)
    scores, scaled = (numbers(frames[step], "scores") for step in ("scores", "scaled"))
    large = np.abs(scores) > 1
    assert np.allclose(scaled[large] / scores[large], scale, rtol=2e-3)
    assert says in frames["scaled"].sentence


def test_another_scale_is_compared_with_the_layers_own(draw: Any) -> None:
    own, bare = (random(draw, sentence=ANIMAL, scale=scale)["weights"] for scale in ("own", "none"))
    assert "by 1/sqrt(16) it would be" in bare.sentence
    assert f"the mean entropy {own.values[0]:.2f}" in bare.sentence
    assert "it would be" not in own.sentence


def test_an_undivided_layer_of_t5_is_no_sharper_than_a_divided_one_of_another_model(draw: Any) -> None:
    entropies = [
        np.mean(draw("attention_pattern", model=model, sentence=ANIMAL, mask="none")["weights"].values)
        for model in ("t5-base", "bert-base")
    ]
    assert entropies[0] == pytest.approx(entropies[1], abs=0.15)


def test_the_parts_of_a_row_are_its_values_by_their_weights_and_make_all_of_it(draw: Any) -> None:
    frame, drawn = random(draw, sentence=CAT, head=5, **GROUPED)["output"], grouped_heads()
    weights = attention_weights(drawn.q[5], drawn.k[1])
    output = weights @ drawn.v[1]
    parts = torch.tensor(
        [[float(w * v @ o / (o @ o)) for w, v in zip(row, drawn.v[1], strict=True)] for row, o in
         zip(weights, output, strict=True)]
    )  # fmt: skip
    for row, told in zip(parts, frame.table.rows, strict=True):
        assert float(row.sum()) == pytest.approx(1, abs=1e-5)
        assert (told[1], told[2]) == (int(row.argmax()), round(100 * float(row.max())))
    assert np.allclose(parts.numpy(), numbers(frame, "contributions"), atol=1e-3)
    query = int(weights.max(dim=-1).values.argmax())
    word = CAT.split()[query]
    place = f" {query}" if CAT.split().count(word) > 1 else ""
    part = f"{float(parts[query].max()):.0%}".replace("100%", "nearly 100%")
    assert f"What “{word}”{place} becomes is {part} from" in frame.sentence
    negative = bool((parts[query] < 0).any())
    assert ("of which some are negative" in frame.sentence) == negative


def test_of_a_long_sentence_the_parts_of_the_told_row_are_sent_with_its_number(draw: Any) -> None:
    short, long = (random(draw, sentence="so it is " * n)["output"] for n in (21, 22))
    assert [numbers(frame, "contributions").shape for frame in (short, long)] == [(63, 63), (66,)]
    (row,), brought = long.values, numbers(long, "contributions")
    told = long.table.rows[int(row)]
    assert (told[1], told[2]) == (int(brought.argmax()), round(100 * float(brought.max())))
    assert short.values == ()


def test_a_word_in_two_places_is_named_with_its_place(draw: Any) -> None:
    frames = random(draw, sentence="the the the", mask="causal")
    query, key = np.unravel_index(np.tril(numbers(frames["weights"], "weights"), -1).argmax(), (3, 3))
    assert f"of “the” {query} to “the” {key}." in frames["weights"].sentence


def test_what_a_random_head_sends_is_told_as_chance(draw: Any) -> None:
    assert "sends, by chance, " in random(draw, sentence=CAT)["weights"].sentence


@pytest.mark.parametrize("mask", ["causal", "sliding_window", "padding"])
def test_the_largest_entropy_counts_only_keys_that_are_seen(draw: Any, mask: str) -> None:
    frame = random(draw, sentence="so " * 9, mask=mask, window=3, padding=2)["weights"]
    most = np.log(sees(mask, 9).sum(axis=-1)).mean()
    assert f"of at most {most:.2f} nats" in frame.sentence
    assert frame.values[0] <= most < math.log(9)


def test_a_row_that_sees_nothing_has_no_strongest_key(draw: Any) -> None:
    frames = random(draw, sentence="so " * 30, mask="padding", padding=30)
    told = {step: {row[1] for row in frames[step].table.rows} for step in ("masked", "weights", "output")}
    assert told == {"masked": {"none"}, "weights": {"none"}, "output": {"none"}}


def test_one_token_is_told_in_the_singular(draw: Any) -> None:
    frames = random(draw, sentence="Hi", mask="sliding_window", window=1)
    assert "1 score of " in frames["scores"].sentence
    assert "Sliding window of 1 key, and no more than 1 token" in frames["masked"].sentence
    assert "mixes 1 value of width" in frames["output"].sentence


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"scale": "own"}, {"scale": "sqrt"}),
        ({"model": "t5-small"}, {"model": "t5-small", "scale": "none"}),
        ({"model": "minilm"}, {"model": "minilm", "weights": "law"}),
        ({"causal": 1}, {"mask": "causal"}),
        ({"mask": "causal"}, {"mask": "causal", "window": 7, "padding": 3}),
    ],
)
def test_two_ways_to_ask_for_one_picture_have_one_digest(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert make_spec("attention_pattern", one).digest() == make_spec("attention_pattern", other).digest()


def test_a_value_of_its_own_width_is_told_by_the_axes(draw: Any) -> None:
    axes = [random(draw, sentence=CAT, d_head_v=width)["output"].axes for width in (0, 5)]
    assert axes == [("T", "D"), ("T", "D_v")]


def test_beyond_128_tokens_maps_of_scores_are_the_same_bytes_between_other_ends(draw: Any) -> None:
    frames = random(draw, sentence="one two three four " * 40)
    sent = {step: frames[step].tensors[0] for step in ("scores", "scaled", "masked")}
    assert {tensor.encoding for tensor in sent.values()} == {"u8"}
    assert len({tensor.sha256 for tensor in sent.values()}) == 1
    scores, scaled = (numbers(frames[step], "scores") for step in ("scores", "scaled"))
    assert np.allclose(scores / 4, scaled, atol=1e-4)


def gzipped(frames: dict[str, Frame]) -> dict[str, int]:
    """Bytes on the wire by role, each tensor once; "json" is all frames."""
    sizes = {"json": sum(len(gzip.compress(frame.as_bytes(), 6)) for frame in frames.values())}
    blobs = {t.sha256: (t.role, b) for f in frames.values() for t, b in zip(f.tensors, f.blobs, strict=True)}
    for role, body in blobs.values():
        sizes[role] = sizes.get(role, 0) + len(gzip.compress(body, 6))
    return sizes


NUMBERED = " ".join(f"w{n % 97}" for n in range(512))
HEAVY = [
    {"model": "random"},
    {"model": "random", "num_heads": 256, "d_head": 4},
    {"model": "random", "causal": 1},
]


@pytest.mark.parametrize("parameters", HEAVY, ids=str)
def test_thumbnails_take_at_most_120_kb_and_the_weights_of_a_head_140(
    draw: Any, parameters: dict[str, Any]
) -> None:
    frames = draw("attention_pattern", sentence=NUMBERED, **parameters)
    sizes = gzipped(frames)
    assert frames["weights"].shape == (512, 512)
    assert sizes["thumbnails"] <= 120_000
    assert sizes["weights"] <= 140_000
    assert np.abs(numbers(frames["weights"], "weights").sum(axis=-1) - 1).max() < 0.01


@pytest.mark.parametrize("mask", ["none", "causal", "sliding_window", "padding"])
def test_a_whole_picture_of_128_tokens_takes_at_most_140_kb(draw: Any, mask: str) -> None:
    sizes = gzipped(random(draw, sentence=" ".join(NUMBERED.split()[:128]), mask=mask))
    assert sum(sizes.values()) <= 140_000


@pytest.mark.parametrize("model", [config.slug for config in all_models()])
def test_every_published_model_is_drawn_with_its_own_numbers(draw: Any, model: str) -> None:
    spec = make_spec("attention_pattern", {"model": model, "sentence": "it sees it"})
    told, frames = facts(spec), draw("attention_pattern", model=model, sentence="it sees it")
    config = next(config for config in all_models() if config.slug == model)
    assert admit(spec).carries_values
    assert frames["output"].shape[1] == told["d_head_v"] == config.d_head_v
    assert len(frames["weights"].values) == told["num_heads"] == config.num_heads
    assert told["num_kv_heads"] == config.num_kv_heads
    encoder = "encoder" in config.attention or "enc-dec" in config.attention
    assert told["causal"] == int(not encoder)
    if model != "all-minilm-l6-v2":
        assert config.name in frames["scores"].sentence


def test_a_latent_model_tells_what_it_caches_and_which_features_turn(draw: Any) -> None:
    frames = draw("attention_pattern", model="deepseek-v2-lite-16b", sentence=CAT)
    sentence = frames["scores"].sentence
    assert "K and V of all 16 heads are unpacked from 512 numbers a token" in sentence
    assert (
        "with one turned key of 64 the cache holds 576 a token, where K and V of every head would be 5,120"
        in (sentence)
    )
    assert "the last 64 of 192 features of q and k are turned by position in interleaved pairs" in sentence
    assert frames["output"].shape == (6, 128)


def test_layers_of_a_published_model_have_other_weights(draw: Any) -> None:
    for weights in ("law", "pinned"):
        first, second = (
            numbers(
                draw("attention_pattern", model="smollm2-135m", layer=layer, weights=weights)["scores"],
                "scores",
            )
            for layer in (0, 29)
        )
        assert not np.allclose(first, second, atol=0.5)


OWN_MASKS = [
    ("bert-base", "none", 0),
    ("t5-small", "none", 0),
    ("transformer-base-vaswani-2017", "none", 0),
    ("gpt-2-small", "causal", 0),
    ("gemma-3-27b", "causal", 0),
    ("mistral-7b-v0.1", "sliding_window", 4096),
]


@pytest.mark.parametrize(("model", "mask", "window"), OWN_MASKS)
def test_a_model_brings_its_own_mask_which_a_given_one_replaces(model: str, mask: str, window: int) -> None:
    own = make_spec("attention_pattern", {"model": model}).parameters
    assert (own["mask"], own["window"]) == (mask, window)
    given = make_spec("attention_pattern", {"model": model, "mask": "padding"}).parameters
    assert (given["mask"], given["window"], given["padding"]) == ("padding", 0, 2)
    assert given["causal"] == int(mask != "none")
    assert make_spec("attention_pattern", {"model": model, "causal": 0}).parameters["mask"] == "none"


@pytest.mark.parametrize(
    "model", ["minilm", "random", "gpt-3-175b", "deepseek-v3-r1-671b", "mistral-7b-v0.1"]
)
@pytest.mark.parametrize("mask", [{}, {"mask": "padding"}, {"mask": "sliding_window"}, {"causal": 1}])
def test_a_complete_spec_read_again_is_the_same(model: str, mask: dict[str, Any]) -> None:
    spec = make_spec("attention_pattern", {"model": model, **mask})
    assert make_spec("attention_pattern", spec.parameters).digest() == spec.digest()


def test_the_slug_of_minilm_is_minilm() -> None:
    slug, name = (make_spec("attention_pattern", {"model": m}) for m in ("all-minilm-l6-v2", "minilm"))
    assert slug.digest() == name.digest()


@pytest.mark.parametrize(
    ("parameters", "field", "says"),
    [
        ({"model": "gpt-5"}, "model", 'no model "gpt-5"'),
        ({"model": "random", "num_kv_heads": 3}, "num_kv_heads", "3 does not divide num_heads 4"),
        ({"num_kv_heads": 4}, "num_kv_heads", "num_kv_heads of MiniLM is 12, not 4"),
        ({"model": "random", "d_head": 45, "rotary": "half"}, "rotary", "d_head 45 is odd: take 44 or 46"),
        ({"model": "kimi-k2", "rotary": "none"}, "rotary", "knows positions by its turned key alone"),
        ({"model": "bert-base", "layer": 12}, "layer", "bert-base has layers 0 to 11"),
        ({"model": "bert-base", "head": 12}, "head", "bert-base has heads 0 to 11"),
        ({"mask": "random"}, "mask", "none, causal, sliding_window, padding"),
    ],
)
def test_what_a_layer_cannot_be_is_told_with_its_numbers(
    parameters: dict[str, Any], field: str, says: str
) -> None:
    with pytest.raises(InvalidSpec, match=says) as refused:
        make_spec("attention_pattern", parameters)
    assert refused.value.field == field


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

    def test_without_its_scale_the_same_head_looks_at_hardly_more_than_one_token(self, draw: Any) -> None:
        scaled, bare = (
            draw("attention_pattern", sentence=ANIMAL, layer=3, head=1, scale=scale)
            for scale in ("own", "none")
        )
        entropies = [frames["weights"].values[1] for frames in (scaled, bare)]
        assert entropies == pytest.approx([1.31, 0.11], abs=0.01)
        assert "MiniLM was trained with 1/sqrt(32); only this layer is changed" in bare["scaled"].sentence
        assert "Of the model's" not in bare["weights"].sentence

    def test_turned_by_position_it_says_that_it_was_not_trained_so(self, draw: Any) -> None:
        frames = draw("attention_pattern", sentence=ANIMAL, rotary="half")
        assert "feature i with i + 16. MiniLM was not trained with this" in frames["scores"].sentence

    def test_128_tokens_of_it_take_at_most_140_kb(self, draw: Any) -> None:
        sizes = gzipped(draw("attention_pattern", sentence=ANIMAL * 8, layer=2))
        assert sum(sizes.values()) <= 140_000

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
