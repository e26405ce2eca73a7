"""What a device does at best: the rate of a product, of a copy. Knows no attention and no frame."""

from dataclasses import dataclass

import torch

from attention_engine import kernels
from attention_engine.boundaries import boundary
from attention_engine.device import Chance
from attention_engine.kinds import roofline as kind
from attention_engine.visualizations.roof.clock import Clock, Run, Samples

DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
HALF_SIDE = 192
"""Side of the product that compares float16 with float32 on a CPU: small, as float16 may be very slow."""
CUDA_SIDES = {torch.float32: 4096, torch.bfloat16: 8192, torch.float16: 8192}
CUDA_COPIED = 256 * 2**20


@dataclass(frozen=True)
class Floor:
    """What the device does at best: a rate, by what, and how it was found."""

    rate: float
    """FLOP/s of a product, bytes/s of a copy."""
    by: str
    size: int
    """Side of the product, or bytes of the copy."""
    samples: Samples


def peak(dtype: torch.dtype, device: torch.device, *, clock: Clock, repeats: int, only: str = "") -> Floor:
    """The fastest square product of this dtype: on a CPU by every path that stays exact, else torch's own."""
    side = CUDA_SIDES[dtype] if device.type == "cuda" else kind.SIDE
    products = _products(side, dtype, device)
    chosen = {name: run for name, run in products.items() if not only or name == only}
    taken = {name: sampled(run, clock=clock, repeats=repeats) for name, run in chosen.items()}
    by = min(taken, key=lambda name: taken[name].best)
    return Floor(rate=2 * side**3 / taken[by].best, by=by, size=side, samples=taken[by])


def bytes_on_gpu(dtype: torch.dtype) -> int:
    """What the floors hold at once on a GPU: three matrices, drawn as float32, or both ends of the copy."""
    return max(CUDA_SIDES[dtype] ** 2 * (4 + 3 * dtype.itemsize), 2 * CUDA_COPIED)


def _products(side: int, dtype: torch.dtype, device: torch.device) -> dict[str, Run]:
    chance = Chance(0, device)
    x, weight = (chance.normal((side, side)).to(dtype) for _ in range(2))
    if device.type == "cuda" or dtype != torch.float32:
        out = torch.empty_like(x)
        return {"torch": lambda: torch.mm(x, weight, out=out)}
    bias = torch.zeros(side)
    names = [path.name for path in kernels.best_linear().paths if path.exact]
    linears = {name: kernels.Linear(weight, bias, rows=side, path=name) for name in names}
    return {name: _product(linear, x) for name, linear in linears.items()}


def _product(linear: kernels.Linear, x: torch.Tensor) -> Run:
    return lambda: linear(x)


def copy(device: torch.device, *, clock: Clock, repeats: int) -> Floor:
    """A copy far larger than a cache: each byte is read once and written once."""
    size = CUDA_COPIED if device.type == "cuda" else kind.COPIED
    source = torch.ones(size // 4, device=device)
    target = torch.zeros_like(source)
    samples = sampled(lambda: target.copy_(source), clock=clock, repeats=repeats)
    return Floor(rate=2 * size / samples.best, by="copy", size=size, samples=samples)


def halves_against_singles(*, clock: Clock, repeats: int) -> tuple[float, float]:
    """(float16, float32) GFLOP/s of a small product on the CPU, both by torch."""
    x = Chance(0, kernels.CPU).normal((HALF_SIDE, HALF_SIDE))
    rates = []
    for held in (x.half(), x):
        best = sampled(lambda held=held: held @ held, clock=clock, repeats=repeats).best  # type: ignore[misc]
        rates.append(2 * HALF_SIDE**3 / best / 1e9)
    return rates[0], rates[1]


def sampled(run: Run, *, clock: Clock, repeats: int) -> Samples:
    """So many samples after a pass that only warms."""
    calls = clock.calls_for(run)
    taken = []
    for _ in range(repeats):
        boundary()
        taken.append(clock.sample(run, calls))
    return Samples(*(tuple(times) for times in zip(*taken, strict=True)))
