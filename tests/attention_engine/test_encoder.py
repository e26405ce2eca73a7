"""The packed encoder equals the same formulas written out, and transformers' own where it is installed."""

import math

import numpy as np
import pytest
import torch
from torch.nn import functional

from attention_engine import encoding
from attention_engine.attention import attend, attention_weights
from attention_engine.device import Chance
from attention_engine.kernels import NUMPY, ONEDNN, TORCH, Linear
from attention_engine.trained import encoder, minilm
from attention_engine.trained.encoder import Encoder, Scratch, SelfAttention, Sizes, Weights
from attention_engine.trained.loading import loaded
from tests.attention_engine.memory import measured

CPU = torch.device("cpu")
SMALL = Sizes(layers=3, d_model=48, num_heads=4, d_inner=96, vocabulary=50, positions=600)
SENTENCE = "The animal didn't cross the street because it was too tired."
PATHS = [TORCH, NUMPY, *([ONEDNN] if torch.backends.mkldnn.is_available() else [])]
MIB = 1024 * 1024


@pytest.fixture(scope="module")
def weights() -> dict[str, torch.Tensor]:
    """Wider spread than at the start of training, so that maps are far from even; no bias is 0."""
    drawn = encoder.random_weights(SMALL, Chance(0, CPU))
    chance = Chance(1, CPU)
    return {
        name: value + chance.normal(value.shape, deviation=0.15) if "LayerNorm" not in name else value
        for name, value in drawn.items()
    }


def ids(tokens: int) -> torch.Tensor:
    return torch.arange(tokens) * 7 % SMALL.vocabulary


def slowly(weights: Weights, tokens: torch.Tensor) -> tuple[list[torch.Tensor], torch.Tensor]:
    """The maps of every layer and the last output, formula by formula in float64."""
    w = {name: value.double() for name, value in weights.items()}

    def dense(x: torch.Tensor, name: str) -> torch.Tensor:
        return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]

    def norm(x: torch.Tensor, name: str) -> torch.Tensor:
        even = (x - x.mean(-1, keepdim=True)) / (x.var(-1, correction=0, keepdim=True) + 1e-12).sqrt()
        return even * w[f"{name}.LayerNorm.weight"] + w[f"{name}.LayerNorm.bias"]

    x = w["embeddings.word_embeddings.weight"][tokens] + w["embeddings.token_type_embeddings.weight"][0]
    x = norm(x + w["embeddings.position_embeddings.weight"][: len(tokens)], "embeddings")
    maps = []
    for n in range(SMALL.layers):
        at = f"encoder.layer.{n}"
        q, k, v = (
            torch.stack(dense(x, f"{at}.attention.self.{part}").chunk(SMALL.num_heads, dim=1))
            for part in ("query", "key", "value")
        )
        maps.append(torch.softmax(q @ k.transpose(1, 2) / math.sqrt(q.shape[-1]), dim=-1))
        mixed = torch.cat(list(maps[-1] @ v), dim=1)
        x = norm(x + dense(mixed, f"{at}.attention.output.dense"), f"{at}.attention.output")
        x = norm(
            x + dense(functional.gelu(dense(x, f"{at}.intermediate.dense")), f"{at}.output.dense"),
            f"{at}.output",
        )
    return maps, x


@pytest.mark.parametrize("tokens", [1, 9, 300])
def test_the_encoder_equals_its_formulas_written_out(weights: Weights, tokens: int) -> None:
    maps, output = slowly(weights, ids(tokens))
    model = Encoder(weights, SMALL)
    assert torch.allclose(model.run(ids(tokens)).double(), output, atol=2e-5)
    for heads, wanted in zip(model.heads(ids(tokens)), maps, strict=True):
        assert torch.allclose(attention_weights(heads.q, heads.k).double(), wanted, atol=1e-6)


def test_the_maps_of_a_layer_are_the_bytes_a_frame_would_carry(weights: Weights) -> None:
    model = Encoder(weights, SMALL)
    for heads, sent in zip(model.heads(ids(20)), model.maps(ids(20)), strict=True):
        exact = attention_weights(heads.q, heads.k).numpy()
        _, body = encoding.encode(exact, role="weights", axes=("H", "T", "T"), encoding="u8sqrt")
        assert np.abs(np.frombuffer(body, np.uint8).astype(int) - sent.numpy().reshape(-1)).max() <= 1


def test_a_map_that_was_handed_out_is_not_written_over(weights: Weights) -> None:
    model = Encoder(weights, SMALL)
    kept = list(model.maps(ids(20)))
    copies = [sent.clone() for sent in model.maps(ids(20))]
    assert all(torch.equal(one, other) for one, other in zip(kept, copies, strict=True))
    heads = list(model.heads(ids(20)))
    assert not torch.equal(heads[0].q, heads[1].q)
    assert torch.equal(heads[0].q, next(model.heads(ids(20))).q)


def test_the_first_layer_is_ready_before_the_second_is_computed(
    weights: Weights, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, done = Encoder(weights, SMALL), []
    after = Encoder.after
    monkeypatch.setattr(Encoder, "after", lambda *a, **k: done.append(1) or after(*a, **k))
    next(model.maps(ids(9)))
    assert done == []


def test_all_maps_cost_their_bytes_and_one_layer_in_float32() -> None:
    sizes = Sizes(layers=4, d_model=96, num_heads=12, d_inner=384, vocabulary=20, positions=512)
    model = Encoder(encoder.random_weights(sizes, Chance(0, CPU)), sizes)
    tokens = torch.arange(512) % 20
    payload, layer = 4 * 12 * 512**2, 4 * 12 * 512**2
    model.run(tokens)
    with measured() as without:
        model.run(tokens)
    with measured() as asked:
        kept = list(model.maps(tokens))
    assert sum(sent.numel() for sent in kept) == payload
    assert asked.peak - without.peak <= payload + layer


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("tokens", [5, 70])
def test_all_stages_of_a_layer_equal_those_of_attend(path: str, tokens: int) -> None:
    chance = Chance(3, CPU)
    qkv, out = chance.normal((144, 48), deviation=0.2), chance.normal((48, 48), deviation=0.2)
    shift = chance.normal((144,))
    attention = SelfAttention(Linear(qkv, shift, path=path), Linear(out, shift[:48], path=path), num_heads=4)
    x, scratch = chance.normal((tokens, 48)), Scratch()
    for _ in range(2):
        heads, stages, joined = attention.stages(x, scratch)
    wanted = attend(heads.q, heads.k, heads.v)
    for stage in ("scores", "scaled", "masked", "weights", "output"):
        assert torch.allclose(getattr(stages, stage), getattr(wanted, stage), atol=1e-5), stage
    merged = wanted.output.transpose(0, 1).reshape(tokens, 48)
    assert torch.allclose(joined, merged @ out.T + shift[:48], atol=1e-5)


def test_bfloat16_is_a_named_mode_with_coarser_maps(weights: Weights) -> None:
    model, coarse = Encoder(weights, SMALL), Encoder(weights, SMALL, precision="bfloat16")
    assert (model.precision, coarse.precision) == ("float32", "bfloat16")
    exact, rough = (torch.stack(list(one.maps(ids(9)))).float() / 255 for one in (model, coarse))
    assert 1e-4 < float((exact**2 - rough**2).abs().max()) < 0.1


def test_an_unknown_precision_is_told(weights: Weights) -> None:
    with pytest.raises(ValueError, match="precision must be one of float32, bfloat16, not int8"):
        Encoder(weights, SMALL, precision="int8")


def test_a_text_longer_than_the_places_is_told(weights: Weights) -> None:
    with pytest.raises(ValueError, match="601 tokens, but the encoder has 600 places"):
        Encoder(weights, SMALL).run(ids(601))


@pytest.mark.usefixtures("minilm")
def test_minilm_gives_the_maps_of_transformers() -> None:
    transformers = pytest.importorskip("transformers")
    from safetensors.torch import load_file

    config = transformers.BertConfig(
        hidden_size=384, num_hidden_layers=6, num_attention_heads=12, intermediate_size=1536
    )
    config._attn_implementation = "eager"
    peer = transformers.BertModel(config).eval()
    folder = minilm.model_folder()
    assert folder is not None
    peer.load_state_dict(load_file(folder / "model.safetensors"), strict=False)
    here = loaded("minilm", CPU)
    model, tokenizer = here.model, here.tokenizer
    tokens = torch.tensor(tokenizer.encode(SENTENCE).ids)
    with torch.no_grad():
        wanted = peer(tokens[None], output_attentions=True)
    for heads, theirs in zip(minilm.read(SENTENCE, CPU).layers, wanted.attentions, strict=True):
        assert (attention_weights(heads.q, heads.k) - theirs[0]).abs().max() <= 5e-6
    assert (model.run(tokens) - wanted.last_hidden_state[0]).abs().max() <= 1e-5
