"""SmolLM2 as converted: transformers' logits and maps, text that goes on, a cache that changes nothing."""

import json
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import torch

from attention_engine.attention import attention_weights
from attention_engine.kinds.trained import trained
from attention_engine.masks import causal, sliding_window
from attention_engine.trained import converting, loading, models
from attention_engine.trained.decoder import Decoder, KVCache

pytestmark = [pytest.mark.plain, pytest.mark.usefixtures("smollm2")]
CPU = torch.device("cpu")
SENTENCE = "The animal didn't cross the street because it was too tired."
TEXTS = (
    SENTENCE,
    "1, 2, 3, 4, 5,",
    " 12 km² — naïve café,\n\n  def f(x):\treturn x['é']  # 3.14",
    "Привет, мир! 한국어 🦊 ½ don't I'LL we've",
    "<|im_start|>user\nHi<|im_end|>",
)


def folder() -> Path:
    found = loading.folder_of("smollm2")
    assert found is not None
    return found


def encoded(text: str) -> torch.Tensor:
    return torch.tensor(models.decoder("smollm2", CPU)[1].encode(text).ids)


@cache
def peer() -> Any:
    """transformers' Llama on the same folder, in float32."""
    transformers = pytest.importorskip("transformers")
    model = transformers.LlamaForCausalLM.from_pretrained(
        folder(), dtype=torch.float32, attn_implementation="eager"
    )
    return model.eval()


@cache
def theirs(text: str) -> Any:
    with torch.no_grad():
        return peer()(encoded(text)[None], output_attentions=True)


def test_every_map_and_every_logit_is_transformers_own() -> None:
    wanted, ids = theirs(SENTENCE), encoded(SENTENCE)
    reading, (decoder, _) = models.read("smollm2", SENTENCE, CPU), models.decoder("smollm2", CPU)
    seen = causal(len(ids), len(ids))
    maps = [attention_weights(heads.q, heads.k, mask=seen) for heads in reading.layers]
    assert torch.stack(maps).shape == (30, 9, 13, 13)
    for ours, other in zip(maps, wanted.attentions, strict=True):
        assert (ours - other[0]).abs().max() <= 5e-6
    assert (decoder.logits(decoder.run(ids)) - wanted.logits[0]).abs().max() <= 1e-4


def test_bfloat16_products_move_no_map_by_more_than_a_twentieth() -> None:
    decoder, ids = models.decoder("smollm2", CPU)[0], encoded(SENTENCE)
    fast = Decoder(decoder._weights, decoder.sizes, precision="bfloat16")
    exact, rounded = ([heads.q for heads in one.heads(ids)] for one in (decoder, fast))
    assert not torch.equal(exact[-1], rounded[-1])
    wanted = theirs(SENTENCE).attentions
    seen, errors = causal(len(ids), len(ids)), []
    for heads, other in zip(fast.heads(ids), wanted, strict=True):
        errors.append(float((attention_weights(heads.q, heads.k, mask=seen) - other[0]).abs().max()))
    assert max(errors) <= 0.05


def test_a_text_of_many_tokens_reads_by_the_fused_kernel_as_by_maps_written_out() -> None:
    decoder, ids = models.decoder("smollm2", CPU)[0], encoded(" ".join([SENTENCE] * 20))[:264]
    shorter = Decoder(decoder._weights, _first_layers(decoder, 3))
    whole, step = shorter.run(ids), KVCache(3, torch.float32)
    pieces = torch.cat([shorter.run(ids[:200], step), shorter.run(ids[200:], step)])
    assert (whole - pieces).abs().max() <= 2e-3 * whole.abs().max()
    assert (whole - pieces).norm() <= 1e-5 * whole.norm()


def _first_layers(decoder: Decoder, layers: int) -> Any:
    from dataclasses import replace

    return replace(decoder.sizes, layers=layers)


def continued(text: str, tokens: int, dtype: torch.dtype | None = None) -> tuple[str, KVCache]:
    """The likeliest text, token by token behind a cache."""
    decoder, tokenizer = models.decoder("smollm2", CPU)
    kept, made = decoder.cache(dtype), list[int]()
    hidden = decoder.run(encoded(text), kept)
    for _ in range(tokens):
        made.append(int(decoder.logits(hidden[-1]).argmax()))
        hidden = decoder.run(torch.tensor(made[-1:]), kept)
    return str(tokenizer.decode(made)), kept


def test_it_goes_on_counting() -> None:
    assert continued("1, 2, 3, 4, 5,", 8)[0] == " 6, 7, 8"


def test_the_cache_holds_what_the_table_of_models_says_and_not_a_byte_more() -> None:
    _, kept = continued("1, 2, 3,", 2)
    assert kept.k[0].dtype == torch.bfloat16
    assert kept.positions.tolist() == list(range(len(kept)))
    assert kept.nbytes == len(kept) * 2 * 30 * 3 * 64 * 2
    kept.keep([0, len(kept) - 1])
    assert (len(kept), kept.nbytes) == (2, 2 * 23040)
    with pytest.raises(ValueError, match=r"cannot keep \[2\]: the cache has indices 0 to 1"):
        kept.keep([2])


def test_token_by_token_behind_a_cache_equals_the_whole_pass() -> None:
    decoder, ids = models.decoder("smollm2", CPU)[0], encoded(SENTENCE)
    told: dict[str, list[torch.Tensor]] = {"whole": [], "last": []}
    whole = decoder.run(ids, watch=lambda _, weights: told["whole"].append(weights))
    kept = KVCache(decoder.sizes.layers, torch.float32)
    steps = [decoder.run(ids[:4], kept), *(decoder.run(one[None], kept) for one in ids[4:-1])]
    steps.append(decoder.run(ids[-1:], kept, watch=lambda _, weights: told["last"].append(weights)))
    assert (torch.cat(steps) - whole).abs().max() <= 1e-4 * whole.abs().max()
    for layer, (all_rows, last) in enumerate(zip(told["whole"], told["last"], strict=True)):
        assert last.shape == (9, 1, len(ids)), layer
        assert (all_rows[:, -1:] - last).abs().max() <= 5e-6
        assert (last.sum(-1) - 1).abs().max() <= 1e-6
    assert (kept.k[7] - list(decoder.heads(ids))[7].k).abs().max() <= 1e-4


def test_a_cache_in_the_models_type_moves_a_logit_by_less_than_half() -> None:
    decoder, ids = models.decoder("smollm2", CPU)[0], encoded(SENTENCE)
    exact, rounded = decoder.run(ids), decoder.run(ids, decoder.cache())
    apart = decoder.logits(rounded) - decoder.logits(exact)
    assert 0 < apart.abs().max() < 0.5


def test_evicting_token_by_token_is_one_pass_under_a_window() -> None:
    decoder, ids = models.decoder("smollm2", CPU)[0], encoded(SENTENCE)
    few, window = Decoder(decoder._weights, _first_layers(decoder, 4)), 5
    kept, steps = KVCache(4, torch.float32), []
    for one in ids:
        steps.append(few.run(one[None], kept))
        kept.keep(range(max(0, len(kept) - window + 1), len(kept)))
    banded = few.run(ids, mask=sliding_window(len(ids), len(ids), window=window))
    assert kept.positions.tolist() == list(range(len(ids) - window + 1, len(ids)))
    assert (torch.cat(steps) - banded).abs().max() <= 1e-4 * banded.abs().max()


def test_tokens_are_those_of_byte_pair_merges_done_by_hand() -> None:
    regex = pytest.importorskip("regex")
    _, tokenizer = models.decoder("smollm2", CPU)
    written = json.loads((folder() / "tokenizer.json").read_text())["model"]
    ranks = {tuple(pair): rank for rank, pair in enumerate(written["merges"])}
    alphabet = _spelling()
    for text in TEXTS[:4]:
        words = [
            part
            for piece in regex.findall(r"\p{N}|[^\p{N}]+", text)  # digits stand alone, as llama.cpp's smollm
            for part in regex.findall(
                r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+", piece
            )
        ]
        spelled = ["".join(alphabet[byte] for byte in word.encode()) for word in words]
        assert tokenizer.encode(text).tokens == [token for word in spelled for token in _merged(word, ranks)]
        assert tokenizer.decode(tokenizer.encode(text).ids) == text


def _spelling() -> dict[int, str]:
    """The letter of each byte (Radford et al. 2019): itself where it is printed, else the next free one."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    rest = [byte for byte in range(256) if byte not in plain]
    return {byte: chr(byte) for byte in plain} | {byte: chr(256 + n) for n, byte in enumerate(rest)}


def _merged(word: str, ranks: dict[tuple[str, ...], int]) -> list[str]:
    parts = list(word)
    while pairs := [(ranks[pair], n) for n, pair in enumerate(pairwise(parts)) if pair in ranks]:
        _, at = min(pairs)
        parts[at : at + 2] = ["".join(parts[at : at + 2])]
    return parts


def test_a_control_token_is_one_token_and_stands_for_itself() -> None:
    _, tokenizer = models.decoder("smollm2", CPU)
    tokens = tokenizer.encode(TEXTS[4]).tokens
    assert (tokens[0], tokens[-1]) == ("<|im_start|>", "<|im_end|>")


def test_tokens_are_shown_as_people_read_them() -> None:
    reading = models.read("smollm2", "The animal\n\nran 12 km", CPU)
    assert reading.tokens == ("The", "animal", "⏎", "⏎", "ran", "␣", "1", "2", "km")
    assert trained("smollm2").causal


def test_the_folder_is_the_converted_package() -> None:
    names = {path.name for path in folder().iterdir()}
    assert names == {"config.json", "tokenizer.json", "model.safetensors"}
    assert folder().name == converting.FOLDER
