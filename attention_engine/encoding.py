"""Numbers to bytes for the wire: f16, u8, u8sqrt, thumbnails, samples, triangles. Knows no torch."""

import hashlib
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from attention_engine.frames import TensorRef

Floats = npt.NDArray[np.float32]
THUMBNAIL = 32


def _u8sqrt(values: Floats) -> bytes:
    """v = (b/255)^2: small attention weights keep their rank, where linear steps would round them to 0."""
    steps = np.clip(values, 0.0, 1.0)
    np.sqrt(steps, out=steps)
    return _rounded(np.multiply(steps, 255, out=steps))


def _rounded(steps: Floats) -> bytes:
    """Whole steps as bytes, written where they lie: fresh memory for each stage costs five times as much."""
    return np.rint(steps, out=steps).astype(np.uint8).tobytes()


def every_second_step(values: Floats) -> Floats:
    """(R, C) weights in every second step of u8sqrt, a bit less for each cell once compressed.

    What a cell loses is added to the next of its row, so that rows still sum to 1; a weight of 0 stays 0."""
    kept, owed = np.zeros_like(values), np.zeros(len(values), dtype=values.dtype)
    for column in range(values.shape[1]):
        seen = values[:, column] > 0
        wanted = values[:, column] + owed
        sent = np.square(np.rint(np.sqrt(np.maximum(wanted, 0)) * 127.5) / 127.5) * seen
        kept[:, column] = sent
        owed = np.where(seen, wanted - sent, owed)
    return kept


NARROW = 1e-36
"""255 over a smaller span is no float32 any more."""


def _u8(values: Floats) -> bytes:
    low, high = extent(values)
    span = (high - low) or 1.0
    steps = np.subtract(values, low)
    if span < NARROW:
        steps = np.divide(steps, span)
        span = 1.0
    return _rounded(np.multiply(steps, 255 / span, out=steps))


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
    if values.size and np.isfinite(low := values.min()) and np.isfinite(high := values.max()):
        return float(low), float(high)  # a number that is not finite would be one of the two
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


def _bins(size: int, most: int = THUMBNAIL) -> list[int]:
    """Where each of at most `most` even bins of an axis begins."""
    count = min(size, most)
    return [i * size // count for i in range(count)]


def sampled(values: Floats, bins: int) -> Floats:
    """(..., W) -> (..., min(W, bins)): of each even bin the number of greatest size, its sign kept."""
    starts = _bins(values.shape[-1], bins)
    high, low = (bound.reduceat(values, starts, axis=-1) for bound in (np.maximum, np.minimum))
    kept: Floats = np.where(high >= -low, high, low)
    return kept


def compact(values: npt.ArrayLike, most_bytes: int) -> tuple[Floats, str]:
    """(..., W) -> numbers and encoding of at most about `most_bytes`: every number where they fit as f32 or
    f16, or in 256 steps (u8); else a sample of each last axis, in 256 steps."""
    numbers = np.ascontiguousarray(values, dtype=np.float32)
    for encoding, width in (("f32", 4), ("f16", 2), ("u8", 1)):
        if numbers.size * width <= most_bytes:
            return numbers, encoding
    runs = numbers.size // numbers.shape[-1]
    return sampled(numbers, max(1, most_bytes // runs)), "u8"


def thumbnail(values: Floats, side: int = THUMBNAIL) -> Floats:
    """(..., R, C) -> (..., min(R, side), min(C, side)) by the largest of each bin: a lone peak survives."""
    rows = np.maximum.reduceat(values, _bins(values.shape[-2], side), axis=-2)
    pooled: Floats = np.maximum.reduceat(rows, _bins(values.shape[-1], side), axis=-1)
    return pooled
