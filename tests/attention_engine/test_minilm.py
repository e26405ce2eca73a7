"""MiniLM: where it is looked for, and every map of it beside transformers' own."""

import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import torch

from attention_engine.attention import attention_weights
from attention_engine.trained import loading, models

CPU = torch.device("cpu")
SENTENCES = [
    "The animal didn't cross the street because it was too tired.",
    "Ein naïves Café — 12 km, 한국어!",
    "It.",
    "The keys to the cabinet are on the table. " * 60,
]


@cache
def peer() -> Any:
    """transformers' BERT on the same folder."""
    transformers = pytest.importorskip("transformers")
    folder = loading.folder_of("minilm")
    return transformers.BertModel.from_pretrained(folder, attn_implementation="eager").eval()


def test_packages_fetched_beside_the_weights_can_be_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "only_beside_the_weights.py").write_text("here = True\n")
    monkeypatch.setenv("STUDYHUB_VAR", str(tmp_path))
    monkeypatch.setattr(sys, "path", [*sys.path])
    models.why_missing("minilm")
    assert find_spec("only_beside_the_weights") is not None


@pytest.mark.usefixtures("minilm")
@pytest.mark.parametrize("sentence", SENTENCES, ids=lambda sentence: f"{len(sentence)} letters")
def test_all_72_maps_are_those_of_transformers(sentence: str) -> None:
    reading, tokenizer = models.read("minilm", sentence, CPU), loading.loaded("minilm", CPU).tokenizer
    ids = tokenizer.encode(sentence).ids
    ids = ids if len(ids) <= 512 else [*ids[:511], ids[-1]]
    assert reading.cut == (len(ids) == 512 == len(reading.tokens))
    with torch.no_grad():
        wanted = peer()(torch.tensor([ids]), output_attentions=True).attentions
    assert len(wanted) == len(reading.layers) == 6
    for heads, theirs in zip(reading.layers, wanted, strict=True):
        assert theirs.shape[1] == 12
        assert (attention_weights(heads.q, heads.k) - theirs[0]).abs().max() <= 5e-6


@pytest.mark.usefixtures("minilm")
def test_threads_that_ask_at_once_share_one_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "_kept", {})
    got: list[loading.Loaded] = []
    asking = [Thread(target=lambda: got.append(loading.loaded("minilm", CPU))) for _ in range(6)]
    for one in asking:
        one.start()
    for one in asking:
        one.join()
    assert len(got) == 6
    assert len({id(one.model) for one in got}) == 1


@pytest.mark.usefixtures("no_minilm")
@pytest.mark.parametrize(("name", "title"), [("minilm", "MiniLM"), ("smollm2", "SmolLM2")])
def test_a_model_that_is_not_installed_is_a_sentence_with_the_way_to_it(name: str, title: str) -> None:
    assert models.why_missing(name) == f"{title} is not installed yet"
    with pytest.raises(models.CannotRead, match=f"{title} is not installed yet; make models fetches"):
        models.read(name, "It.", CPU)
