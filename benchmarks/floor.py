"""What this machine can do at best: products, copies, first touch, random numbers. Knows no engine code."""

import os
from collections.abc import Iterator

import numpy as np
import torch

from attention_engine.device import Chance
from attention_engine.kernels import TORCH, Linear, Path, best_linear
from benchmarks.harness import Variant, interleaved
from benchmarks.rows import Row

CPU = torch.device("cpu")
SIDE = 1024
COPIED = 64 * 2**20
DRAWN = 4 * 16 * 12288


def product(path: str) -> Variant:
    """One product of 1024^3 in float32, by the named path."""
    chance = Chance(0, CPU)
    x, weight = chance.normal((SIDE, SIDE)), chance.normal((SIDE, SIDE))
    linear, out = Linear(weight, torch.zeros(SIDE), rows=SIDE, path=path), torch.empty(SIDE, SIDE)
    return Variant(lambda: linear(x, out))


def best_product() -> Variant:
    """The product to hold others to: of the path that won on this machine at this size."""
    paths = [path.name for path in best_linear().paths]
    timings = interleaved({name: product(name) for name in paths}, 5)
    return product(min(paths, key=lambda name: timings[name].ms))


def of_product(flops: float) -> float:
    """What share of the floor's product so many operations are."""
    return flops / (2 * SIDE**3)


def normals(out: torch.Tensor) -> Variant:
    """Fills `out` with normal numbers as fast as torch can."""
    generator = torch.Generator().manual_seed(0)
    return Variant(lambda: out.normal_(generator=generator))


def lead() -> float:
    """How many times the fastest exact path beats torch's own product, at the size of the start-up check."""
    return max(1 / path.share for path in best_linear().paths if path.exact)


def rows(rounds: int, *, quick: bool) -> Iterator[Row]:
    """A row for each limit of the machine; they have no goals, others are held to them."""
    names = [path.name for path in best_linear().paths]
    variants = {f"f32 product 1024^3 by {name}": product(name) for name in names}
    variants |= {} if quick else {"bf16 product 512^3 by torch": _halves()}
    timings = interleaved(variants, rounds)
    for name, timing in timings.items():
        flops = 2 * (SIDE if "1024" in name else 512) ** 3
        yield Row(f"floor/{name}", timing.ms, values={"GFLOP/s": flops / timing.ms / 1e6})
    moves = interleaved(_moves(), rounds)
    for name, timing in moves.items():
        yield Row(f"floor/{name}", timing.ms, values={"GB/s": 2 * COPIED / timing.ms / 1e6})
    drawn = interleaved(
        {"normals by torch": normals(torch.empty(DRAWN)), "normals by numpy": _by_numpy()}, rounds
    )
    for name, timing in drawn.items():
        yield Row(f"floor/{name}", timing.ms, values={"M/s": DRAWN / timing.ms / 1e3})
    yield _chosen(best_linear().paths)


def _chosen(paths: tuple[Path, ...]) -> Row:
    own = next(path for path in paths if path.name == TORCH)
    return Row(
        "floor/start-up check",
        0.0,
        values={"lead": lead(), "error_of_own": own.error, "load": os.getloadavg()[0]},
        notes=(f"products go by {best_linear().linear}",),
    )


def _halves() -> Variant:
    x = Chance(0, CPU).normal((512, 512)).bfloat16()
    return Variant(lambda: x @ x)


def _moves() -> dict[str, Variant]:
    source, target = np.zeros(COPIED, np.uint8), np.zeros(COPIED, np.uint8)
    return {
        "copy of 64 MiB": Variant(lambda: np.copyto(target, source)),
        "first touch and copy of 64 MiB": Variant(source.copy),
    }


def _by_numpy() -> Variant:
    out, generator = np.empty(DRAWN, np.float32), np.random.default_rng(0)
    return Variant(lambda: generator.standard_normal(out=out, dtype=np.float32))
