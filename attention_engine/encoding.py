"""Numbers to bytes for the wire: f16, u8, u8sqrt, thumbnails, triangles. Knows no torch."""

import hashlib
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from attention_engine.frames import TensorRef

Floats = npt.NDArray[np.float32]
THUMBNAIL = 32


def _u8sqrt(values: Floats) -> bytes:
    """v = (b/255)^2: small attention weights keep their rank, where linear steps would round them to 0."""
    steps = np.rint(np.sqrt(np.clip(values, 0.0, 1.0)) * 255)
    return bytes(steps.astype(np.uint8).tobytes())


def _u8(values: Floats) -> bytes:
    low, high = extent(values)
    span = (high - low) or 1.0
    return bytes(np.rint((values - low) / span * 255).astype(np.uint8).tobytes())


def _f16(values: Floats) -> bytes:
    """Finite numbers beyond the range of f16 end at its edge, so that only a mask is infinite."""
    edge = float(np.finfo(np.float16).max)
    clipped = np.where(np.isfinite(values), np.clip(values, -edge, edge), values)
    return clipped.astype("<f2").tobytes()


def _f32(values: Floats) -> bytes:
    return values.astype("<f4").tobytes()


ENCODERS: dict[str, Callable[[Floats], bytes]] = {"u8sqrt": _u8sqrt, "u8": _u8, "f16": _f16, "f32": _f32}


def extent(values: Floats) -> tuple[float, float]:
    """Smallest and largest finite number; (0, 0) where none is finite."""
    finite = values[np.isfinite(values)]
    return (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)


def encode(
    values: npt.ArrayLike, *, role: str, axes: Sequence[str], encoding: str, tril: bool = False
) -> tuple[TensorRef, bytes]:
    """A tensor's reference and its bytes, C order; tril packs the lower triangle of the last two axes."""
    numbers = np.ascontiguousarray(values, dtype=np.float32)
    carried = lower_triangle(numbers) if tril else numbers
    low, high = extent(carried)
    body = ENCODERS[encoding](carried)
    reference = TensorRef(
        role=role,
        axes=tuple(axes),
        shape=tuple(numbers.shape),
        encoding=encoding,
        minimum=low,
        maximum=high,
        packed="tril" if tril else "none",
        sha256=hashlib.sha256(body).hexdigest(),
        bytes=len(body),
    )
    return reference, body


def lower_triangle(values: Floats) -> Floats:
    """(..., T, T) -> (..., T*(T+1)/2): a causal map without the half that is always 0."""
    rows, columns = np.tril_indices(values.shape[-1])
    triangle: Floats = values[..., rows, columns]
    return triangle


def _bins(size: int) -> list[int]:
    """Where each of at most 32 even bins of an axis begins."""
    count = min(size, THUMBNAIL)
    return [i * size // count for i in range(count)]


def thumbnail(values: Floats) -> Floats:
    """(..., R, C) -> (..., min(R, 32), min(C, 32)) by the largest of each bin: a lone peak survives."""
    rows = np.maximum.reduceat(values, _bins(values.shape[-2]), axis=-2)
    pooled: Floats = np.maximum.reduceat(rows, _bins(values.shape[-1]), axis=-1)
    return pooled
