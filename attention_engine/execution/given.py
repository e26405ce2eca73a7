"""What a program is given, as tensors: shapes alone on the meta device, seeded numbers on the CPU."""

import zlib
from typing import Any

import torch

from attention_engine.device import META, Chance
from attention_engine.execution.operations import Space
from attention_engine.program.inputs import ALIASES, Sizes, meant, shapes

SHAPES_ONLY = Space(META, torch.float32)
"""The meta device, in the dtype a learner's own torch would use."""
NUMBERS = Space(torch.device("cpu"), torch.float64)


def given(
    names: tuple[str, ...], sizes: Sizes, *, layout: str, space: Space, seed: int = 0
) -> dict[str, Any]:
    """Values for the names a program reads: sizes as whole numbers, tensors of the layer in this space."""
    tensors = {
        name: _tensor(meant(name), shape, space=space, seed=seed)
        for name, shape in shapes(names, sizes, layout).items()
    }
    known = sizes.products
    return {name: known[ALIASES[name]] for name in names if name in ALIASES} | tensors


def _tensor(name: str, shape: tuple[int, ...], *, space: Space, seed: int) -> torch.Tensor:
    """Normal numbers, but a real causal mask and real rotary tables: programs rely on what those are."""
    if name == "mask":
        seen = torch.ones(shape, dtype=torch.bool, device=space.device)
        return seen.tril(shape[1] - shape[0])
    if space.device.type == "meta":
        return torch.empty(shape, dtype=space.dtype, device=space.device)
    if name in {"cos", "sin"}:
        angles = _angles(shape).to(space.dtype)
        return angles.cos() if name == "cos" else angles.sin()
    return Chance(_seed(name, seed), space.device).normal(shape).to(space.dtype)


def _angles(shape: tuple[int, ...]) -> torch.Tensor:
    """(T, D) angles of the "half" pairing: position * 10000^(-2i/D), twice side by side (Su et al. 2021)."""
    tokens, width = shape
    half = (width + 1) // 2
    speeds = 10000.0 ** (-torch.arange(half, dtype=torch.float64) / max(half, 1))
    angles = torch.outer(torch.arange(tokens, dtype=torch.float64), speeds)
    return torch.cat((angles, angles), dim=-1)[:, :width]


def _seed(name: str, seed: int) -> int:
    """Each input draws from a chance of its own, so that naming one more changes no other."""
    return zlib.crc32(f"{seed} {name}".encode()) & 0x7FFFFFFF
