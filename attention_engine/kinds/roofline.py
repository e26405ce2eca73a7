"""roofline without a device: which head widths are measured, how many heads, maps and FLOPs each has.

Knows no timing: whatever a clock says comes from the worker that measures."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from attention_engine import arithmetic
from attention_engine.kinds import layer
from attention_engine.kinds.work import Work
from attention_engine.parameters import LONGEST_SHAPE, InvalidSpec, Parameter

WIDTHS = (16, 32, 64, 96, 128, 192, 256)
"""Head widths of the sweep where none are given: of these the ones that divide d_model."""
WIDEST = 512
AUTO_TOKENS = (256, 128, 64, 32, 16)
MOST_TOKENS = 2048
AUTO_FLOPS = 12_000_000_000
"""What all passes of a sweep may take where tokens are left to us: a third of a second at 40 GFLOP/s."""
WARM = 1
"""Passes of each way before the clock counts."""
SIDE = 768
"""Side of the square matrices whose product is the roof of arithmetic, on a CPU."""
COPIED = 64 * 2**20
"""Bytes of the copy that is the roof of memory, on a CPU: beyond what its caches hold."""
PATHS = 3
MOST_MAPS = 224 * 2**20
"""Bytes that attention written out may hold in maps at once."""
HEAVY_FLOPS = 2_000_000_001
"""Declared at least: what measures runs in the lane where one picture is drawn at a time."""
BYTES = {"float32": 4, "bfloat16": 2, "float16": 2}
MIB = 2**20
Way = Literal["written out", "SDPA"]
WAYS: tuple[Way, ...] = ("written out", "SDPA")

TITLE = "What head widths cost on this machine, measured now"
WARM_UP = False
"""A worker that starts does not measure: nobody asked, and two seconds of its CPU are dear then."""
PARAMETERS = (
    Parameter("model", "text", "", "a published model, by slug: its d_model and d_head", 0, 80),
    Parameter("d_model", "int", 768, "width of the residual stream, shared out among the heads", 1, 65_536),
    Parameter("tokens", "int", 0, "tokens; 0 takes the most, up to 256, that take little", 0, MOST_TOKENS),
    Parameter("d_heads", "ints", [], "widths to measure; none: usual ones that divide d_model", 1, WIDEST),
    Parameter("d_head", "int", 0, "one more width to measure; 0 takes the model's or none", 0, WIDEST),
    Parameter("dtype", "choice", "float32", "how numbers are kept", choices=tuple(BYTES)),
    Parameter(
        "backend",
        "choice",
        "auto",
        "the kernel that F.scaled_dot_product_attention is held to; auto leaves the choice to torch",
        choices=("auto", "flash", "math", "efficient", "cudnn"),
    ),
    Parameter("repeats", "int", 3, "passes of each point; the fastest counts", 1, 9),
    Parameter("device", "choice", "any", "where it must run; any: where the worker computes",
              choices=("any", "cpu", "cuda")),
    Parameter("again", "int", 0, "another number measures anew; the same reads what is kept", 0, 1_000_000),
)  # fmt: skip


@dataclass(frozen=True)
class Point:
    """One width: as many heads as fit into d_model. A remainder belongs to no head and is not computed."""

    d_head: int
    num_heads: int
    remainder: int
    tokens: int
    bytes_per_value: int

    @property
    def features(self) -> int:
        """num_heads * d_head: d_model without its remainder."""
        return self.num_heads * self.d_head

    @property
    def flops(self) -> int:
        """Of Q K^T and A V of all heads, 4 T^2 (H d_head): the same at every width that divides d_model."""
        return 4 * self.tokens**2 * self.features

    @property
    def map_bytes(self) -> int:
        """All T x T maps of the layer once: H T^2 numbers."""
        return self.num_heads * self.tokens**2 * self.bytes_per_value

    def traffic(self, way: Way) -> int:
        """Bytes that a pass moves at least, each tensor read or written once a step.

        q, k and v are read and the output written. Written out, the maps pass six times: scores are written,
        read and written by the scale, read and written by softmax, read by the product with v. A fused kernel
        keeps no map. A convention: caches may save some of it."""
        ends = 4 * self.tokens * self.features * self.bytes_per_value
        return ends + (6 * self.map_bytes if way == "written out" else 0)

    def intensity(self, way: Way) -> float:
        """FLOPs for each byte moved (Williams, Waterman and Patterson 2009): x of the roofline."""
        return self.flops / self.traffic(way)


def by_chance(_parameters: Mapping[str, Any]) -> bool:
    """Never: what is measured does not depend on which random numbers are multiplied."""
    return False


def complete(given: Mapping[str, Any]) -> dict[str, Any]:
    """Widths ascending, tokens and d_head written out. Raises InvalidSpec where no width can be measured."""
    filled = {parameter.name: parameter.default for parameter in PARAMETERS} | dict(given)
    if filled["model"]:
        config = layer.published(filled["model"])
        filled["d_model"] = given.get("d_model", config.d_model)
        filled["d_head"] = given.get("d_head", config.d_head)
    filled["d_heads"] = _widths(filled)
    if filled["d_heads"][0] > filled["d_model"]:
        raise InvalidSpec(
            f"no head of {filled['d_heads'][0]} fits into d_model {filled['d_model']}: "
            f"take a width of at most {min(filled['d_model'], WIDEST)}",
            field="d_heads",
        )
    return filled | {"tokens": filled["tokens"] or _tokens(filled)}


def _widths(filled: Mapping[str, Any]) -> list[int]:
    """The widths asked for, or the usual ones, with the one more; the narrowest usual make room for it."""
    d_model, given = filled["d_model"], set(filled["d_heads"])
    more = {filled["d_head"]} - {0}
    if len(given | more) > LONGEST_SHAPE:
        raise InvalidSpec(
            f"{len(given | more)} widths are asked for; at most {LONGEST_SHAPE} are measured: leave one out",
            field="d_heads",
        )
    if given:
        return sorted(given | more)
    usual = [width for width in WIDTHS if d_model % width == 0]
    room = LONGEST_SHAPE - len(more)
    return sorted({*(usual[-room:] or [min(d_model, WIDEST)]), *more})


def _tokens(filled: Mapping[str, Any]) -> int:
    """The most tokens at which all passes together take little; the least where none do."""
    fitting = (tokens for tokens in AUTO_TOKENS if _passes({**filled, "tokens": tokens}) <= AUTO_FLOPS)
    return next(fitting, AUTO_TOKENS[-1])


def points(parameters: Mapping[str, Any]) -> tuple[Point, ...]:
    """The widths in ascending order; one wider than d_model has no head."""
    d_model, tokens = parameters["d_model"], parameters["tokens"]
    return tuple(
        Point(width, d_model // width, d_model % width, tokens, BYTES[parameters["dtype"]])
        for width in parameters["d_heads"]
    )


def why_not(point: Point, way: Way) -> str:
    """Why a point cannot be measured whatever the device, or "": a sentence with its numbers."""
    if point.num_heads == 0:
        return f"no head of {point.d_head} fits into d_model {point.remainder}"
    held = 2 * point.map_bytes
    if way == "written out" and held > MOST_MAPS:
        return (
            f"two sets of {point.num_heads:,} maps of {point.tokens} x {point.tokens} would hold "
            f"{held / MIB:,.0f} MiB at once, above {MOST_MAPS // MIB}"
        )
    return ""


def padded(d_head: int) -> int:
    """The compiled width that FlashAttention-2 runs a head in on CUDA; 0 where it refuses."""
    return arithmetic.kernel_width(d_head=d_head) if d_head <= arithmetic.KERNEL_WIDTHS[-1] else 0


def facts(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Heads, maps and FLOPs of every width, what leaves a remainder, and the steps that will come."""
    drawn = points(parameters)
    return {
        "d_model": parameters["d_model"],
        "tokens": parameters["tokens"],
        "dtype": parameters["dtype"],
        "backend": parameters["backend"],
        "device": parameters["device"],
        "again": parameters["again"],
        "repeats": parameters["repeats"],
        "flops": 4 * parameters["tokens"] ** 2 * parameters["d_model"],
        "widths": [_width(point, parameters["d_model"]) for point in drawn],
        "steps": [{"step": step} for step in steps(parameters)],
        **({"d_head": parameters["d_head"]} if parameters["d_head"] else {}),
    }


def steps(parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """machine, a step for each width, then sweep and roofline, which show all of them."""
    return ("machine", *(f"d_head {width}" for width in parameters["d_heads"]), "sweep", "roofline")


def _width(point: Point, d_model: int) -> dict[str, Any]:
    told: dict[str, Any] = {
        "d_head": point.d_head,
        "num_heads": point.num_heads,
        "map_bytes": point.map_bytes,
        "padded_on_cuda": padded(point.d_head),
    }
    if point.remainder:
        told["remainder"] = remainder(point, d_model)
    return told


def remainder(point: Point, d_model: int) -> str:
    """What happens where a width does not divide d_model; "" where it does."""
    if not point.remainder or not point.num_heads:
        return ""
    near = ", ".join(map(str, arithmetic.nearest_divisors(n=d_model, near=point.d_head)))
    return (
        f"{d_model:,} = {point.num_heads:,} x {point.d_head} + {point.remainder}: "
        f"{point.num_heads:,} heads take {point.features:,} features and "
        f"{point.remainder} belong to no head; nearest widths that divide: {near}"
    )


def _passes(parameters: Mapping[str, Any]) -> int:
    """FLOPs of all passes over all points."""
    each = sum(point.flops for point in points(parameters) for way in WAYS if not why_not(point, way))
    passes: int = WARM + parameters["repeats"]
    return each * passes


def work(parameters: Mapping[str, Any]) -> Work:
    """All passes and the floors; at once the buffers of the copy, or q, k, v, output and two sets of maps."""
    drawn = points(parameters)
    floors = 2 * SIDE**3 * (PATHS * (WARM + parameters["repeats"]) + 2)
    ends = 4 * parameters["tokens"] * parameters["d_model"] * BYTES[parameters["dtype"]]
    maps = max((2 * point.map_bytes for point in drawn if not why_not(point, "written out")), default=0)
    return Work(
        values="required",
        largest=max(COPIED // 4, *(point.map_bytes // 2 for point in drawn)),
        flops=max(HEAVY_FLOPS, floors + _passes(parameters)),
        peak_bytes=max(2 * COPIED, 2 * ends + maps),
    )
