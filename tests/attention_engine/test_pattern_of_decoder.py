"""attention_pattern on SmolLM2: causal, shared K/V heads, and what it says is what all its maps hold."""

import re
from functools import cache

import numpy as np
import pytest
import torch

from attention_engine.attention import attention_weights
from attention_engine.masks import causal
from attention_engine.spec import InvalidSpec, facts, make_spec
from attention_engine.trained import models
from tests.attention_engine.conftest import Draw
from tests.attention_engine.decoding import decode

SENTENCE = "The animal didn't cross the street because it was too tired."
CPU = torch.device("cpu")
TRAINED = {"model": "smollm2", "sentence": SENTENCE}


@cache
def every_map() -> torch.Tensor:
    """(30, 9, T, T) of all heads."""
    reading = models.read("smollm2", SENTENCE, CPU)
    seen = causal(len(reading.tokens), len(reading.tokens))
    return torch.stack([attention_weights(heads.q, heads.k, mask=seen) for heads in reading.layers])


@pytest.mark.usefixtures("smollm2")
def test_the_map_drawn_is_that_head_and_its_thumbnails_are_those_of_its_layer(draw: Draw) -> None:
    frames = draw("attention_pattern", **TRAINED, layer=12, head=4)
    sent = {
        ref.role: decode(ref, body)
        for ref, body in zip(frames["weights"].tensors, frames["weights"].blobs, strict=True)
    }
    own = every_map()[12, 4].numpy()
    assert np.abs(np.tril(sent["weights"]) - own).max() <= 0.005
    assert sent["thumbnails"].shape[0] == 9
    assert frames["output"].shape == (13, 64)


@pytest.mark.usefixtures("smollm2")
def test_the_sentence_tells_weight_rank_and_sink_of_the_maps_themselves(draw: Draw) -> None:
    frames = draw("attention_pattern", **TRAINED, layer=12, head=4)
    told = frames["weights"].sentence
    found = re.search(r"sends ([\d.]+) of “didn” to “animal”. Of the model's 270 heads (\d+) give", told)
    assert found, told
    maps = every_map()
    assert float(found[1]) == pytest.approx(float(maps[12, 4, 2, 1]), abs=0.005)
    assert int(found[2]) == int((maps[:, :, 2, 1] > maps[12, 4, 2, 1] * (1 + 1e-6)).sum())
    sunk = re.search(r"Later tokens send ([\d.]+) to the first one, “The”, on average.*attention sink", told)
    assert sunk, told
    assert float(sunk[1]) == pytest.approx(float(maps[12, 4, 1:, 0].mean()), abs=0.005)
    assert "query head 4 reads K/V head 1, as heads 3 to 5 do" in frames["scores"].sentence
    assert "SmolLM2 was trained so, base 100,000" in frames["scores"].sentence
    assert "78 of 169 scores are set to minus infinity." in frames["masked"].sentence
    assert frames["weights"].stamp["weights"].startswith("SmolLM2-135M")


@pytest.mark.usefixtures("smollm2")
def test_a_head_without_a_sink_says_none(draw: Draw) -> None:
    assert float(every_map()[0, 0, 1:, 0].mean()) < 0.3
    assert "sink" not in draw("attention_pattern", **TRAINED)["weights"].sentence


@pytest.mark.usefixtures("smollm2")
def test_another_mask_and_scale_are_of_this_layer_alone_and_nothing_is_ranked(draw: Draw) -> None:
    frames = draw("attention_pattern", **TRAINED, mask="none", scale="none")
    assert "the ones below it hid later tokens, as in training" in frames["masked"].sentence
    assert "SmolLM2 was trained with 1/sqrt(64); only this layer is changed" in frames["scaled"].sentence
    assert "270 heads" not in frames["weights"].sentence


@pytest.mark.usefixtures("no_minilm")
def test_without_weights_a_random_layer_of_its_widths_stands_in_and_says_so(draw: Draw) -> None:
    frames = draw("attention_pattern", **TRAINED)
    assert frames["output"].sentence.endswith("Random layer, seed 0: SmolLM2 is not installed yet.")
    assert "by chance" in frames["weights"].sentence
    assert "3 K/V heads serve 9 query heads" in frames["scores"].sentence
    assert "trained so" not in frames["scores"].sentence


def test_its_own_mask_turning_and_widths_are_filled_in_and_others_refused_by_field() -> None:
    spec = make_spec("attention_pattern", {"model": "smollm2"})
    told = facts(spec)
    assert {
        "mask": "causal",
        "rotary": "half",
        "num_kv_heads": 3,
        "d_head": 64,
        "layers": 30,
    }.items() <= told.items()
    assert told["attention"] == "GQA"
    assert spec == make_spec("attention_pattern", {"model": "smollm2", "mask": "causal", "rotary": "half"})
    for field, value in (
        ("rotary", "none"),
        ("num_kv_heads", 9),
        ("layer", 30),
        ("head", 9),
        ("d_model", 64),
    ):
        with pytest.raises(InvalidSpec) as caught:
            make_spec("attention_pattern", {"model": "smollm2", field: value})
        assert caught.value.field == field
