"""Tensors on the CPU over addresses that no memory is behind: their sizes are checked, nothing is read."""

import mmap
import sys

import torch

NO_RESERVE = 0x4000 if sys.platform == "linux" else 0
"""Linux' MAP_NORESERVE, which Python names from 3.12 on: addresses beyond the machine's memory are given."""


def untouched(tensor: torch.Tensor) -> torch.Tensor | None:
    """The meta tensor's twin on the CPU, or None where the system gives no addresses for it.

    A page that is never read or written takes no memory, so that torch's words cost as little as on meta."""
    size = tensor.untyped_storage().nbytes()
    try:
        pages = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NO_RESERVE)
    except (OSError, OverflowError, ValueError):
        return None
    flat = torch.frombuffer(pages, dtype=tensor.dtype, count=size // tensor.itemsize)
    return flat.as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())
