"""Frame, one step of a picture as it goes over the wire. Knows neither torch nor how it will be drawn."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

Cell = str | int | float
MAX_FRAMES = 64
MAX_FRAME_BYTES = 16 * 1024
MAX_INLINE_NUMBERS = 512
MAX_TENSOR_BYTES = 2 * 1024 * 1024


class TooBig(ValueError):
    """A frame or tensor beyond what the wire admits: a fault of the picture, not of who asks for it."""


@dataclass(frozen=True)
class TensorRef:
    """Where the numbers of a frame are: raw little-endian bytes in C order, addressed by their SHA-256."""

    role: str
    axes: tuple[str, ...]
    shape: tuple[int, ...]
    encoding: str
    minimum: float
    maximum: float
    sha256: str
    bytes: int
    packed: str = "none"

    def as_json(self) -> dict[str, Any]:
        """The TENSOR of the wire contract."""
        return {
            "role": self.role,
            "axes": list(self.axes),
            "shape": list(self.shape),
            "encoding": self.encoding,
            "minimum": self.minimum,
            "maximum": self.maximum,
            "packed": self.packed,
            "sha256": self.sha256,
            "bytes": self.bytes,
        }


@dataclass(frozen=True)
class Table:
    """The numbers of a frame for reading: column heads and rows of cells."""

    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()

    def as_json(self) -> dict[str, Any]:
        """{"columns": [...], "rows": [[...], ...]}."""
        return {"columns": list(self.columns), "rows": [list(row) for row in self.rows]}


@dataclass(frozen=True)
class Frame:
    """One step: named axes, the shape it has, its numbers or where they are, and the same said in words.

    `blobs` travel beside the JSON: blobs[i] are the bytes of tensors[i]."""

    step: str
    layout: str
    title: str
    sentence: str
    n: int = 0
    axes: tuple[str, ...] = ()
    shape: tuple[int, ...] = ()
    strides: tuple[int, ...] = ()
    contiguous: bool = True
    dtype: str = ""
    values: tuple[float, ...] = ()
    table: Table = field(default_factory=Table)
    error: str = ""
    tensors: tuple[TensorRef, ...] = ()
    stamp: Mapping[str, str | float] = field(default_factory=dict)
    verdict: Mapping[str, str | int] = field(default_factory=dict)
    """What a comparison decided, for who asked that; in the JSON only where there is one."""
    blobs: tuple[bytes, ...] = field(default=(), repr=False)

    def as_json(self) -> dict[str, Any]:
        """The frame of the wire contract, without the blobs."""
        told: dict[str, Any] = {
            "n": self.n,
            "step": self.step,
            "layout": self.layout,
            "title": self.title,
            "sentence": self.sentence,
            "axes": list(self.axes),
            "shape": list(self.shape),
            "strides": list(self.strides),
            "contiguous": self.contiguous,
            "dtype": self.dtype,
            "values": list(self.values),
            "table": self.table.as_json(),
            "error": self.error,
            "tensors": [tensor.as_json() for tensor in self.tensors],
            "stamp": dict(self.stamp),
        }
        return told | {"verdict": dict(self.verdict)} if self.verdict else told

    def as_bytes(self) -> bytes:
        """The JSON as UTF-8 without blanks: what the limit on a frame counts, and what is stored."""
        return self._written

    @cached_property
    def _written(self) -> bytes:
        text = json.dumps(self.as_json(), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        return text.encode()


def within_limits(frame: Frame) -> Frame:
    """The same frame. Raises TooBig with the number that is beyond its limit."""
    tensor = max((reference.bytes for reference in frame.tensors), default=0)
    measured = (
        ("frames", frame.n + 1, MAX_FRAMES),
        ("bytes of JSON", len(frame.as_bytes()), MAX_FRAME_BYTES),
        ("inline numbers", len(frame.values), MAX_INLINE_NUMBERS),
        ("bytes of a tensor", tensor, MAX_TENSOR_BYTES),
    )
    for name, number, most in measured:
        if number > most:
            raise TooBig(f"frame {frame.n} ({frame.step}): {number} {name}, above {most}")
    return frame
