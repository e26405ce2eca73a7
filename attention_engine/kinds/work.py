"""What drawing one picture takes, before anything is allocated. Knows no limit."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

FLOAT32 = 4
BESIDE_TENSORS = 1024 * 1024
"""Bytes that frames, tables and the numbers of a row take beside the tensors of a picture."""


@dataclass(frozen=True)
class Work:
    """Sizes of a picture: peak_bytes of what it holds at once, wire_bytes of its largest tensor as sent."""

    values: Literal["never", "optional", "required"]
    """Whether the picture carries values: never (shapes alone), where admitted, or not without them."""
    largest: int
    """Numbers in the largest tensor of any step, on the meta device too."""
    flops: int = 0
    peak_bytes: int = 0
    wire_bytes: int = 0
    sizes: Mapping[str, int] = field(default_factory=dict)
