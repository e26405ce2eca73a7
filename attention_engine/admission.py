"""Whether a picture may be drawn, and in which queue, before anything is allocated. Allocates nothing."""

import math
from dataclasses import dataclass
from typing import Literal

from attention_engine.frames import MAX_TENSOR_BYTES
from attention_engine.kinds.work import FLOAT32, Work
from attention_engine.spec import KINDS, VisualizationSpec

MIB = 1024 * 1024
LARGEST = {"batch": 4, "tokens": 512, "num_heads": 256, "d_head": 512, "d_head_v": 512}
PEAK_BYTES = 256 * MIB
MOST_FLOPS = 120_000_000_000
FAST_FLOPS = 2_000_000_000
ADDRESSABLE_BYTES = 2**63 - 1


class TooLarge(ValueError):
    """A picture that may not be drawn at this size; the message gives the numbers and the way out."""


@dataclass(frozen=True)
class Cost:
    """What was admitted: where it is drawn, what it takes, and whether it carries values or shapes alone."""

    queue: Literal["renders.fast", "renders.heavy"]
    flops: int
    peak_bytes: int
    carries_values: bool


def _over(work: Work) -> str:
    """Why values of this size are not carried, or ""."""
    for name, most in LARGEST.items():
        if work.sizes.get(name, 0) > most:
            return f"{name} {work.sizes[name]:,} is above {most}"
    if work.peak_bytes > PEAK_BYTES:
        return f"it would hold {math.ceil(work.peak_bytes / MIB):,} MiB at once, above {PEAK_BYTES // MIB}"
    if work.flops > MOST_FLOPS:
        return f"it would take {work.flops:.3g} FLOPs, above {MOST_FLOPS:.3g}"
    if work.wire_bytes > MAX_TENSOR_BYTES:
        most = MAX_TENSOR_BYTES // MIB
        return f"its largest tensor would be {work.wire_bytes / MIB:,.1f} MiB, above {most}"
    return ""


def admit(spec: VisualizationSpec) -> Cost:
    """The cost of a spec. Raises TooLarge; allocates nothing."""
    work = KINDS[spec.kind].cost(spec.parameters)
    if work.largest * FLOAT32 > ADDRESSABLE_BYTES:
        raise TooLarge(
            f"a tensor of {work.largest:,} numbers is {work.largest * FLOAT32:,} bytes, above 2^63 - 1: "
            "no tensor has such a shape; take a smaller axis"
        )
    over = _over(work) if work.values != "never" else ""
    if over and work.values == "required":
        raise TooLarge(
            f"{spec.kind} with values: {over}; take less, or head_split, which shows shapes at any size"
        )
    carries = work.values != "never" and not over
    flops, peak = (0, 0) if work.values == "optional" and over else (work.flops, work.peak_bytes)
    return Cost(
        queue="renders.fast" if flops <= FAST_FLOPS else "renders.heavy",
        flops=flops,
        peak_bytes=peak,
        carries_values=carries,
    )


def why_no_values(spec: VisualizationSpec) -> str:
    """Why an optional picture shows shapes alone, for its sentence; "" where it carries values."""
    return _over(KINDS[spec.kind].cost(spec.parameters))
