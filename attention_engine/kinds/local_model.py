"""The folder that STUDYHUB_MODEL_DIR names, by its config.json: sizes, and what is not read. No tensor."""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from attention_engine.parameters import LARGEST_AXIS, InvalidSpec

VARIABLE = "STUDYHUB_MODEL_DIR"
FAMILIES = ("bert", "llama")
WHOLE, INDEX = "model.safetensors", "model.safetensors.index.json"
SAMPLE = 65536
"""Bytes at the start, the middle and the end of a file of weights that tell one training from another."""
FIXED: Mapping[str, Mapping[str, tuple[Any, ...]]] = {
    "bert": {
        "hidden_act": ("gelu",),
        "position_embedding_type": ("absolute",),
        "is_decoder": (False,),
        "quantization_config": (None,),
    },
    "llama": {
        "hidden_act": ("silu", "swish"),
        "rope_scaling": (None,),
        "sliding_window": (None,),
        "partial_rotary_factor": (1, 1.0),
        "quantization_config": (None,),
    },
}
"""What a field may say where it says anything, by family."""
DEFAULTS: Mapping[str, Mapping[str, int | float]] = {
    "bert": {"layer_norm_eps": 1e-12, "type_vocab_size": 2, "max_position_embeddings": 512},
    "llama": {"rms_norm_eps": 1e-6, "rope_theta": 10000.0, "max_position_embeddings": 2048},
}
"""transformers' own, for a field that is left out."""


@dataclass(frozen=True)
class LocalConfig:
    """The numbers of a folder's config.json that decide how its weights are read."""

    folder: Path
    family: str
    numbers: Mapping[str, Any]
    fingerprint: str
    """8 hex digits that change with the config, the tokenizer or the weights."""

    def number(self, field: str) -> Any:
        """As the config says, else the family's default. Raises InvalidSpec for what is no such number."""
        default = DEFAULTS[self.family].get(field)
        value = self.numbers.get(field, default)
        if isinstance(default, float):
            if not isinstance(value, int | float) or isinstance(value, bool) or not value > 0:
                raise self.refused(f"{field} is {json.dumps(value)}: a number above 0 is needed")
        elif type(value) is not int or not 1 <= value <= LARGEST_AXIS:
            raise self.refused(f"{field} is {json.dumps(value)}: a whole number from 1 is needed")
        return value

    def refused(self, why: str) -> InvalidSpec:
        """The sentence for a folder that is not read."""
        return _refused(self.folder, why)


def local_config() -> LocalConfig:
    """Of that folder. Raises InvalidSpec (field `model`) naming what is not supported, or the file."""
    named = os.environ.get(VARIABLE, "")
    if not named:
        raise InvalidSpec(
            f"model local is the folder that {VARIABLE} names, and it is not set", field="model"
        )
    folder = Path(named)
    files = _files(folder)
    return _read(folder, tuple((path, path.stat().st_mtime_ns, path.stat().st_size) for path in files))


def _files(folder: Path) -> list[Path]:
    """config.json, tokenizer.json and the files of weights. Raises InvalidSpec for one that is missing."""
    for name in ("config.json", "tokenizer.json"):
        if not (folder / name).is_file():
            raise _refused(folder, f"{name} is missing")
    if not (folder / WHOLE).is_file() and not (folder / INDEX).is_file():
        raise _refused(
            folder, f"{WHOLE} is missing, and {INDEX} too: weights are read from safetensors alone"
        )
    return [folder / "config.json", folder / "tokenizer.json", *sorted(folder.glob("*.safetensors*"))]


@lru_cache(maxsize=4)
def _read(folder: Path, files: tuple[tuple[Path, int, int], ...]) -> LocalConfig:
    """Read again as soon as a file changes."""
    try:
        numbers = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except ValueError as error:
        raise _refused(folder, f"config.json is no JSON: {error}") from error
    if not isinstance(numbers, dict):
        raise _refused(folder, "config.json is no object")
    family = numbers.get("model_type")
    if family not in FAMILIES:
        raise _refused(folder, f"model_type is {json.dumps(family)}: {' and '.join(FAMILIES)} are read")
    _check(folder, family, numbers)
    return LocalConfig(folder, family, numbers | _rotary(folder, numbers), _fingerprint(files))


def _check(folder: Path, family: str, numbers: Mapping[str, Any]) -> None:
    for field, known in FIXED[family].items():
        if field in numbers and numbers[field] not in known:
            wanted = " or ".join(json.dumps(value) for value in known)
            raise _refused(folder, f"{field} is {json.dumps(numbers[field])[:200]}: only {wanted} is read")


def _rotary(folder: Path, numbers: Mapping[str, Any]) -> dict[str, Any]:
    """rope_theta where older configs have it, or inside rope_parameters as transformers 5 writes it."""
    told = numbers.get("rope_parameters") or {}
    kind = told.get("rope_type", "default")
    if kind != "default":
        raise _refused(folder, f"rope_parameters says rope_type {json.dumps(kind)}: only default is read")
    return {"rope_theta": told.get("rope_theta", numbers.get("rope_theta", 10000.0))}


def _fingerprint(files: tuple[tuple[Path, int, int], ...]) -> str:
    told = hashlib.sha256()
    for path, _, size in files:
        told.update(f"{path.name} {size}\n".encode())
        with path.open("rb") as file:
            for place in (0, size // 2, max(0, size - SAMPLE)):
                file.seek(place)
                told.update(file.read(SAMPLE))
    return told.hexdigest()[:8]


def _refused(folder: Path, why: str) -> InvalidSpec:
    return InvalidSpec(
        f"{folder.name}, the folder that {VARIABLE} names, cannot be read: {why}", field="model"
    )
