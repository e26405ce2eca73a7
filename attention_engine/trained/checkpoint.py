"""Tensors of a folder of safetensors, one file or many, mapped and not copied. Knows no model's meaning."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import torch

WHOLE, INDEX = "model.safetensors", "model.safetensors.index.json"
Shapes = Mapping[str, tuple[int, ...]]


class CannotRead(ValueError):
    """A folder whose weights are not those its config.json tells of; the message names the tensor."""


def tensors(
    folder: Path, shapes: Shapes, *, prefixes: Sequence[str], device: torch.device
) -> dict[str, torch.Tensor]:
    """Every tensor of `shapes` under its name there, whichever of the prefixes it has in the files.

    Others are left unread. On a CPU a tensor is a view of its file. Raises CannotRead for one that is missing
    or has another shape, a file that is missing or no safetensors."""
    names = _names(folder)
    found = {name: _found(name, names, prefixes, folder) for name in shapes}
    made: dict[str, torch.Tensor] = {}
    for path in sorted({names[theirs] for theirs in found.values()}):
        here = {ours: theirs for ours, theirs in found.items() if names[theirs] == path}
        made |= _read(path, here, device)
    for name, tensor in made.items():
        _check(name, tensor, shapes[name])
    return made


def optional(folder: Path, shapes: Shapes, *, prefixes: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """Those of `shapes` that the files hold."""
    names = _names(folder)
    return {
        name: shape
        for name, shape in shapes.items()
        if any(f"{prefix}{name}" in names for prefix in ("", *prefixes))
    }


def _names(folder: Path) -> dict[str, Path]:
    """Each tensor's file."""
    if (folder / INDEX).is_file():
        index = json.loads((folder / INDEX).read_text(encoding="utf-8"))
        return {name: _inside(folder, file) for name, file in index["weight_map"].items()}
    return dict.fromkeys(_keys(folder / WHOLE), folder / WHOLE)


def _inside(folder: Path, file: str) -> Path:
    """A shard's path: an index names files of its own folder alone."""
    if Path(file).name != file:
        raise CannotRead(f"{INDEX} names {file}, which is not a file of its folder")
    return folder / file


def _keys(path: Path) -> Iterator[str]:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="pt") as file:
            yield from file.keys()
    except (OSError, SafetensorError) as error:
        raise CannotRead(f"{path.name} cannot be read: {error}") from error


def _found(name: str, names: Mapping[str, Path], prefixes: Sequence[str], folder: Path) -> str:
    for prefix in ("", *prefixes):
        if f"{prefix}{name}" in names:
            return f"{prefix}{name}"
    raise CannotRead(f"the tensor {name} is missing in {folder.name}")


def _read(path: Path, asked: Mapping[str, str], device: torch.device) -> dict[str, torch.Tensor]:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="pt", device=str(device)) as file:
            return {ours: file.get_tensor(theirs) for ours, theirs in asked.items()}
    except (OSError, SafetensorError) as error:
        raise CannotRead(f"{path.name} cannot be read: {error}") from error


def _check(name: str, tensor: torch.Tensor, shape: tuple[int, ...]) -> None:
    if tuple(tensor.shape) != shape:
        raise CannotRead(f"the tensor {name} is {tuple(tensor.shape)}; config.json asks for {shape}")
    if not tensor.is_floating_point():
        raise CannotRead(f"the tensor {name} holds {tensor.dtype}: float32, float16 and bfloat16 are read")
