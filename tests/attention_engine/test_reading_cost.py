"""What a reading is said to take before it is read: never less than it takes, and 512 tokens are admitted."""

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from attention_engine.admission import FAST_FLOPS, MOST_FLOPS, PEAK_BYTES, TooLarge, admit
from attention_engine.kinds.reading import reading
from attention_engine.spec import make_spec
from attention_engine.trained import models
from tests.attention_engine.test_peak import MIB, held_at_once

CPU = torch.device("cpu")
SENTENCE = "The animal didn't cross the street because it was too tired."
LONG = "x" * 600


@pytest.mark.usefixtures("smollm2")
def test_a_decoders_flops_are_those_that_torch_counts() -> None:
    ids = torch.tensor(models.decoder("smollm2", CPU)[1].encode(SENTENCE).ids)
    told = reading("x" * len(ids), name="smollm2")
    assert told.tokens == len(ids)
    with FlopCounterMode(display=False) as counted:
        list(models.decoder("smollm2", CPU)[0].heads(ids))
    assert counted.get_total_flops() == told.flops


@pytest.mark.parametrize("text", [SENTENCE, "한국어를배우는", "  12 km², ½ — 🦊"])
@pytest.mark.parametrize("name", ["minilm", "smollm2"])
def test_no_sentence_has_more_tokens_than_are_told(name: str, text: str, minilm: None, smollm2: None) -> None:
    assert len(models.read(name, text, CPU).tokens) <= reading(text, name=name).tokens


def test_smollm2_is_admitted_at_512_tokens_in_the_heavy_queue() -> None:
    cost = admit(make_spec("attention_pattern", {"model": "smollm2", "sentence": LONG}))
    assert cost.queue == "renders.heavy"
    assert 1.1e11 < cost.flops <= MOST_FLOPS
    assert 60e6 < cost.peak_bytes <= PEAK_BYTES
    assert reading("The", name="smollm2").flops <= FAST_FLOPS < reading(SENTENCE, name="smollm2").flops


@pytest.mark.thorough
@pytest.mark.usefixtures("smollm2")
@pytest.mark.parametrize("words", [6, 300])
def test_a_reading_by_smollm2_holds_what_was_admitted_beside_the_file_it_is_mapped_from(words: int) -> None:
    mapped = models.decoder("smollm2", CPU)[0]._weights
    unread = ("norm.", *(f"layers.29.{part}" for part in ("self_attn.o", "mlp", "post_attention")))
    used = sum(tensor.nbytes for name, tensor in mapped.items() if not name.startswith(unread))
    parameters = {"model": "smollm2", "sentence": "word " * words}
    held = held_at_once("attention_pattern", parameters) - used
    told = admit(make_spec("attention_pattern", parameters)).peak_bytes
    assert 0 < held <= told <= PEAK_BYTES, f"{held / MIB:.1f} MiB held, {told / MIB:.1f} told"
    assert told <= 3 * held + 4 * MIB


def test_a_larger_model_of_ones_own_is_refused_with_the_numbers(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("transformers")
    from tests.attention_engine.tiny_models import write_llama

    folder = tmp_path_factory.mktemp("models") / "large"
    write_llama(folder, hidden_size=4096, num_hidden_layers=32, intermediate_size=14336, head_dim=128)
    monkeypatch.setenv("STUDYHUB_MODEL_DIR", str(folder))
    spec = make_spec("attention_pattern", {"model": "local", "sentence": LONG})
    with pytest.raises(TooLarge, match=r"it would take .*e\+11 FLOPs, above 1.2e\+11"):
        admit(spec)
