"""A tensor's bytes back to numbers, as a client does it (the page's own decoder is in TypeScript)."""

from typing import Any

import numpy as np

from attention_engine.encoding import Floats
from attention_engine.frames import TensorRef


def decode(reference: TensorRef, body: bytes) -> Floats:
    """The numbers of a tensor in its own shape; what a triangle leaves out is 0 for weights, else NaN."""
    kinds: dict[str, Any] = {"u8sqrt": "u1", "u8": "u1", "f16": "<f2", "f32": "<f4"}
    flat: Floats = np.frombuffer(body, dtype=kinds[reference.encoding]).astype(np.float32)
    if reference.encoding == "u8sqrt":
        flat = np.square(flat / np.float32(255))
    if reference.encoding == "u8":
        span = np.float32(reference.maximum - reference.minimum)
        flat = np.float32(reference.minimum) + flat / np.float32(255) * span
    if reference.packed == "none":
        return flat.reshape(reference.shape)
    return _unpacked(flat, reference.shape, left_out=0.0 if reference.encoding == "u8sqrt" else np.nan)


def _unpacked(flat: Floats, shape: tuple[int, ...], *, left_out: float) -> Floats:
    rows, columns = np.tril_indices(shape[-1])
    full = np.full(shape, left_out, dtype=np.float32)
    full[..., rows, columns] = flat.reshape(*shape[:-2], len(rows))
    return full
