"""A folder of safetensors that people bring is read as transformers reads it, or refused by the field."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from attention_engine.attention import attention_weights
from attention_engine.engine import render
from attention_engine.kinds.trained import trained
from attention_engine.masks import causal
from attention_engine.spec import InvalidSpec, make_spec, spec_from_json
from attention_engine.trained import models
from tests.attention_engine.tiny_models import write_bert, write_llama

pytestmark = pytest.mark.plain
CPU = torch.device("cpu")
SENTENCE = "the animal did not cross the street"
Bring = Callable[[Path], None]


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """A folder with one file of weights, and transformers' model of it."""
    pytest.importorskip("transformers")
    folder = tmp_path_factory.mktemp("models") / "tiny-bert"
    return folder, write_bert(folder)


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """A folder whose weights lie in several files, and transformers' model of it."""
    pytest.importorskip("transformers")
    folder = tmp_path_factory.mktemp("models") / "tiny-llama"
    return folder, write_llama(folder, shard_bytes="20KB")


@pytest.fixture
def bring(monkeypatch: pytest.MonkeyPatch) -> Bring:
    """Names a folder as STUDYHUB_MODEL_DIR."""
    return lambda folder: monkeypatch.setenv("STUDYHUB_MODEL_DIR", str(folder))


@pytest.fixture
def copied(tmp_path: Path, bring: Bring) -> Callable[[Path], Path]:
    """A copy of a folder, brought, to be changed."""

    def copy(folder: Path) -> Path:
        bring(tmp_path / folder.name)
        return Path(shutil.copytree(folder, tmp_path / folder.name))

    return copy


def change(folder: Path, **fields: Any) -> None:
    """Writes other fields into the config."""
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))


def refusal(folder: Path) -> str:
    """What a spec of the local model is refused with; the same keeps the worker from reading it."""
    with pytest.raises(InvalidSpec, match=folder.name) as caught:
        make_spec("attention_pattern", {"model": "local"})
    assert caught.value.field == "model"
    assert models.why_missing("local") == str(caught.value)
    return str(caught.value)


def ids_of(model: Any) -> torch.Tensor:
    from attention_engine.trained.loading import loaded

    assert model is not None
    return torch.tensor(loaded("local", CPU).tokenizer.encode(SENTENCE).ids)


def test_a_bert_folder_gives_the_maps_of_transformers(bert: tuple[Path, Any], bring: Bring) -> None:
    folder, peer = bert
    bring(folder)
    reading, tokens = models.read("local", SENTENCE, CPU), ids_of(peer)
    assert reading.tokens == ("[CLS]", *SENTENCE.split(), "[SEP]")
    with torch.no_grad():
        wanted = peer(tokens[None], output_attentions=True).attentions
    assert len(wanted) == len(reading.layers) == 3
    for heads, theirs in zip(reading.layers, wanted, strict=True):
        assert (attention_weights(heads.q, heads.k) - theirs[0]).abs().max() <= 5e-6


def test_a_sharded_llama_folder_with_shared_heads_gives_the_maps_of_transformers(
    llama: tuple[Path, Any], bring: Bring
) -> None:
    folder, peer = llama
    assert len(list(folder.glob("*.safetensors"))) > 1
    bring(folder)
    reading, tokens = models.read("local", SENTENCE, CPU), ids_of(peer)
    with torch.no_grad():
        wanted = peer(tokens[None], output_attentions=True)
    seen = causal(len(tokens), len(tokens))
    for heads, theirs in zip(reading.layers, wanted.attentions, strict=True):
        assert (heads.q.shape[0], heads.k.shape[0], heads.q.shape[2]) == (4, 2, 10)
        assert (attention_weights(heads.q, heads.k, mask=seen) - theirs[0]).abs().max() <= 5e-6
    decoder, _ = models.decoder("local", CPU)
    assert (decoder.logits(decoder.run(tokens)) - wanted.logits[0]).abs().max() <= 1e-4


@pytest.mark.parametrize("prefix", ["bert.", "model.bert."])
def test_tensors_are_found_under_a_checkpoints_own_prefix_alone(
    bert: tuple[Path, Any], copied: Callable[[Path], Path], prefix: str
) -> None:
    from safetensors.torch import load_file, save_file

    folder = copied(bert[0])
    weights = load_file(folder / "model.safetensors")
    save_file({f"{prefix}{name}": values for name, values in weights.items()}, folder / "model.safetensors")
    assert ("embeddings.word_embeddings.weight is missing" in models.why_missing("local")) == (
        prefix != "bert."
    )


@pytest.mark.parametrize("field", ["head_dim", "num_key_value_heads", "rope_parameters"])
def test_what_an_older_llama_config_leaves_out_is_its_usual_value(
    llama: tuple[Path, Any], copied: Callable[[Path], Path], field: str
) -> None:
    folder = copied(llama[0])
    path = folder / "config.json"
    config = json.loads(path.read_text())
    del config[field]
    path.write_text(json.dumps(config))
    own = trained("local")
    assert {
        "head_dim": own.d_head == 6,
        "num_key_value_heads": own.num_kv_heads == 4,
        "rope_parameters": own.rope_base == 10000.0,
    }[field]


REFUSED = [
    ("llama", {"rope_scaling": {"rope_type": "yarn", "factor": 4.0}}, "rope_scaling is"),
    ("llama", {"rope_parameters": {"rope_type": "llama3", "factor": 8.0}}, 'rope_type "llama3"'),
    ("llama", {"sliding_window": 4096}, "sliding_window is 4096"),
    ("llama", {"hidden_act": "gelu"}, 'hidden_act is "gelu"'),
    ("llama", {"model_type": "qwen3"}, 'model_type is "qwen3": bert and llama are read'),
    ("llama", {"num_key_value_heads": 3}, "num_key_value_heads 3 does not divide 4"),
    ("llama", {"head_dim": 5}, "head_dim is 5"),
    ("llama", {"num_hidden_layers": "many"}, "num_hidden_layers is"),
    ("llama", {"rms_norm_eps": None}, "rms_norm_eps is null"),
    ("llama", {"quantization_config": {"bits": 4}}, "quantization_config is"),
    ("bert", {"position_embedding_type": "relative_key"}, "position_embedding_type is"),
    ("bert", {"is_decoder": True}, "is_decoder is true"),
    ("bert", {"hidden_size": 26}, "26"),
]


@pytest.mark.parametrize(("family", "fields", "told"), REFUSED, ids=str)
def test_a_config_that_is_not_read_is_refused_by_its_field(
    family: str, fields: dict[str, Any], told: str, request: pytest.FixtureRequest, copied: Any
) -> None:
    folder = copied(request.getfixturevalue(family)[0])
    change(folder, **fields)
    assert told in refusal(folder)


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
def test_a_folder_without_one_of_its_files_is_refused_by_the_files_name(
    bert: tuple[Path, Any], copied: Callable[[Path], Path], name: str
) -> None:
    folder = copied(bert[0])
    (folder / name).unlink()
    assert f"{name} is missing" in refusal(folder)


def test_a_folder_of_pickled_weights_is_not_opened(
    bert: tuple[Path, Any], copied: Callable[[Path], Path]
) -> None:
    folder = copied(bert[0])
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    assert "safetensors alone" in refusal(folder)


def test_no_folder_named_is_a_sentence_that_names_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STUDYHUB_MODEL_DIR", raising=False)
    with pytest.raises(InvalidSpec, match="STUDYHUB_MODEL_DIR names, and it is not set"):
        make_spec("attention_pattern", {"model": "local"})


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        (
            {"vocab_size": 300},
            "embeddings.word_embeddings.weight is (19, 24); config.json asks for (300, 24)",
        ),
        ({"num_hidden_layers": 4}, "encoder.layer.3.attention.self.query.weight is missing"),
    ],
)
def test_weights_that_do_not_fit_the_config_leave_a_random_layer_that_says_which(
    bert: tuple[Path, Any], copied: Callable[[Path], Path], fields: dict[str, Any], told: str
) -> None:
    change(copied(bert[0]), **fields)
    assert told in models.why_missing("local")
    *_, last = render(make_spec("attention_pattern", {"model": "local", "sentence": SENTENCE}))
    assert told in last.sentence
    assert "Random layer, seed 0" in last.sentence


def test_a_shard_outside_the_folder_is_not_opened(
    llama: tuple[Path, Any], copied: Callable[[Path], Path]
) -> None:
    folder = copied(llama[0])
    index = folder / "model.safetensors.index.json"
    data = json.loads(index.read_text())
    data["weight_map"] = dict.fromkeys(data["weight_map"], "../elsewhere.safetensors")
    index.write_text(json.dumps(data))
    assert "not a file of its folder" in models.why_missing("local")


def test_another_folder_gives_another_digest_and_the_worker_refuses_the_old_one(
    bert: tuple[Path, Any], copied: Callable[[Path], Path]
) -> None:
    from safetensors.torch import load_file, save_file

    folder = copied(bert[0])
    spec = make_spec("attention_pattern", {"model": "local"})
    before, asked = spec.digest(), spec.as_json()
    weights = load_file(folder / "model.safetensors")
    trained_on = {name: values + 0.01 for name, values in weights.items()}  # as large, and the same config
    save_file(trained_on, folder / "model.safetensors", metadata={"format": "pt"})
    assert spec.digest() != before
    with pytest.raises(InvalidSpec, match="another one by now"):
        spec_from_json(asked)
    assert spec_from_json(spec.as_json()).digest() == spec.digest()


def test_a_local_decoder_is_drawn_causal_with_its_own_words(llama: tuple[Path, Any], bring: Bring) -> None:
    bring(llama[0])
    frames = {
        frame.step: frame
        for frame in render(
            make_spec("attention_pattern", {"model": "local", "sentence": SENTENCE, "layer": 2})
        )
    }
    assert "GQA: 2 K/V heads serve 4 query heads" in frames["scores"].sentence
    assert "tiny-llama was trained so, base 500" in frames["scores"].sentence
    assert "Causal" in frames["masked"].sentence
    assert frames["weights"].stamp["weights"].startswith("tiny-llama, ")
