"""Memory that a KV cache really takes: tensors made, their storage read, then let go. Knows no formula."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch

from attention_engine.boundaries import boundary

DTYPES = {1: torch.float8_e4m3fn, 2: torch.bfloat16, 4: torch.float32}
"""Types of one cached number by their bytes."""


@dataclass(frozen=True)
class Measured:
    """Bytes of each tensor's storage, and what a GPU's allocator counted (-1 elsewhere)."""

    storage: Mapping[str, int]
    allocator: int

    @property
    def bytes(self) -> int:
        """Of all tensors together, by their storage."""
        return sum(self.storage.values())


def allocated(
    shapes: Mapping[str, tuple[int, ...]], *, bytes_per_value: int, device: torch.device
) -> Measured:
    """Makes the tensors of these shapes, all at once, and reads how many bytes each one's storage has.

    A GPU's allocator gives memory by blocks of 512 bytes (CUDACachingAllocator), so it may count more."""
    boundary()
    before = _counted(device)
    made = {
        name: torch.empty(shape, dtype=DTYPES[bytes_per_value], device=device)
        for name, shape in shapes.items()
    }
    allocator = _counted(device) - before if device.type == "cuda" else -1
    return Measured({name: one.untyped_storage().nbytes() for name, one in made.items()}, allocator)


def _counted(device: torch.device) -> int:
    return torch.cuda.memory_allocated(device) if device.type == "cuda" else 0
