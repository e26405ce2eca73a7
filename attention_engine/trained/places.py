"""Where weights lie: in `models` of STUDYHUB_VAR (or ./var), or among installed packages. Reads none."""

import os
import sys
from collections.abc import Iterator
from importlib import invalidate_caches
from importlib.util import find_spec
from pathlib import Path

READERS = ("safetensors", "tokenizers")
FILES = ("config.json", "tokenizer.json")


def models_folder() -> Path:
    """Where fetched packages and converted weights are kept."""
    return Path(os.environ.get("STUDYHUB_VAR") or "var", "models")


def places() -> Iterator[Path]:
    """Folders that may hold a package, the first that does wins."""
    yield models_folder()
    yield from (Path(place) for place in sys.path if place)


def found(inside: Path) -> Path | None:
    """The first place's folder of this name that holds a config, a tokenizer and weights; None without."""
    for place in places():
        if is_whole(folder := place / inside):
            return folder
    return None


def is_whole(folder: Path) -> bool:
    """Config, tokenizer and weights lie in the folder."""
    weights = ("model.safetensors", "model.safetensors.index.json")
    return all((folder / name).is_file() for name in FILES) and any(
        (folder / name).is_file() for name in weights
    )


def missing_readers() -> str:
    """Which package that reads weights is not installed, as part of a sentence; "" where all are."""
    _reach_packages_beside_the_weights()
    for package in READERS:
        if find_spec(package) is None:
            return f"the package {package} is not installed"
    return ""


def _reach_packages_beside_the_weights() -> None:
    """What was fetched with the weights can be imported; installed packages win, since they come first."""
    folder = str(models_folder())
    if models_folder().is_dir() and folder not in sys.path:
        sys.path.append(folder)
        invalidate_caches()
