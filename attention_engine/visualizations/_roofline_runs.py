"""What is timed: a product, a copy, and attention in two ways. Knows no frame and no word for a learner."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import torch
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel

from attention_engine import kernels
from attention_engine.attention import attention_weights
from attention_engine.boundaries import boundary
from attention_engine.device import Chance
from attention_engine.kinds import roofline as kind
from attention_engine.kinds.roofline import WAYS, Point, Way
from attention_engine.visualizations._roofline_clock import Clock, Run, Samples

BUDGET_SECONDS = 2.0
"""A sweep begins no point after so long: what it has not measured by then is not shown."""
SPENT = f"the {BUDGET_SECONDS:g} s of a sweep were spent before it"
HALF_SIDE = 192
"""Side of the product that compares float16 with float32 on a CPU, where float16 may be a hundred times slower."""
CUDA_SIDES = {torch.float32: 4096, torch.bfloat16: 8192, torch.float16: 8192}
CUDA_COPIED = 256 * 2**20
NAMES = {
    SDPBackend.MATH: "math",
    SDPBackend.FLASH_ATTENTION: "flash",
    SDPBackend.EFFICIENT_ATTENTION: "efficient",
    SDPBackend.CUDNN_ATTENTION: "cudnn",
}
BACKENDS = {name: backend for backend, name in NAMES.items()}
LONGEST_WORDS = 400
Attend = Callable[[torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]


class NotMeasurable(ValueError):
    """Nothing of this sweep can be measured here; the message says why and what can."""


@dataclass(frozen=True)
class Floor:
    """What the device does at best: a rate, by what, and how it was found."""

    rate: float
    """FLOP/s of a product, bytes/s of a copy."""
    by: str
    size: int
    """Side of the product, or bytes of the copy."""
    samples: Samples


@dataclass(frozen=True)
class Measured:
    """One width in one way. Without samples it was not measured, and `why` says the reason."""

    point: Point
    way: Way
    samples: Samples | None = None
    kernel: str = ""
    why: str = ""
    error: str = ""
    """torch's own words where it refused."""
    map_bytes: int = 0
    """Bytes of the maps as allocated; 0 where this way keeps none, or none was made."""

    @property
    def ms(self) -> float:
        """Latency of the fastest pass. Only of what was measured."""
        assert self.samples is not None
        return self.samples.best * 1000

    @property
    def gflops(self) -> float:
        """Throughput of the fastest pass, GFLOP/s."""
        return self.point.flops / self.ms / 1e6


# ---- the floors


def peak(dtype: torch.dtype, device: torch.device, *, clock: Clock, repeats: int, only: str = "") -> Floor:
    """The fastest square product of this dtype: on a CPU by every path that stays exact, else torch's own."""
    side = CUDA_SIDES[dtype] if device.type == "cuda" else kind.SIDE
    products = _products(side, dtype, device)
    chosen = {name: run for name, run in products.items() if not only or name == only}
    taken = {name: sampled(run, clock=clock, repeats=repeats) for name, run in chosen.items()}
    by = min(taken, key=lambda name: taken[name].best)
    return Floor(rate=2 * side**3 / taken[by].best, by=by, size=side, samples=taken[by])


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


# ---- attention


def written_out(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """softmax(q k^T / sqrt(D)) v with every map in memory: (1, H, T, D) of each -> the same."""
    return attention_weights(q, k) @ v


def _on_cpu(backend: str) -> Attend:
    """The CPU's own entry to a kernel: holding torch to one by its switch would hold other threads to it too."""
    aten: Any = torch.ops.aten
    entries: dict[str, Attend] = {
        "auto": functional.scaled_dot_product_attention,
        "flash": lambda q, k, v: aten._scaled_dot_product_flash_attention_for_cpu(q, k, v)[0],
        "math": lambda q, k, v: aten._scaled_dot_product_attention_math(q, k, v)[0],
        "efficient": lambda q, k, v: aten._scaled_dot_product_efficient_attention(q, k, v, None, False)[0],
        "cudnn": lambda q, k, v: aten._scaled_dot_product_cudnn_attention(q, k, v, None, False)[0],
    }
    return entries[backend]


def sdpa(backend: str, device: torch.device) -> Attend:
    """F.scaled_dot_product_attention by the kernel asked for; on CUDA only inside `held_to`."""
    return functional.scaled_dot_product_attention if device.type == "cuda" else _on_cpu(backend)


def held_to(backend: str, device: torch.device) -> AbstractContextManager[None]:
    """torch's switch for one kernel, on CUDA, where a worker draws one picture at a time."""
    if device.type != "cuda" or backend == "auto":
        return nullcontext()
    held: AbstractContextManager[None] = sdpa_kernel(BACKENDS[backend])
    return held


def chosen_kernel(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, *, backend: str = "auto") -> str:
    """The kernel that torch takes for these tensors, as torch itself says it; a backend asked for is that one."""
    if backend != "auto":
        return backend
    number = int(torch._fused_sdp_choice(q, k, v))  # type: ignore[attr-defined]
    return next((name for one, name in NAMES.items() if int(one.value) == number), f"backend {number}")


def attention(
    point: Point, parameters: Mapping[str, Any], device: torch.device, *, clock: Clock
) -> Iterator[Measured]:
    """Both ways at one width, a pass of each in turn, so that what slows one slows the other."""
    refused = {way: kind.why_not(point, way) for way in WAYS}
    if clock.spent() > BUDGET_SECONDS:
        refused = {way: why or SPENT for way, why in refused.items()}
    if all(refused.values()):
        yield from (Measured(point, way, why=refused[way]) for way in WAYS)
        return
    backend, dtype = parameters["backend"], getattr(torch, parameters["dtype"])
    q, k, v = _qkv(point, dtype, device)
    with held_to(backend, device):
        tried = {way: _warmed(way, (q, k, v), backend, clock=clock) for way in WAYS if not refused[way]}
        ready = {way: one for way, one in tried.items() if not isinstance(one, Refusal)}
        samples = _in_turns(ready, clock=clock, repeats=parameters["repeats"])
    for way in WAYS:
        if refused[way]:
            yield Measured(point, way, why=refused[way])
        elif isinstance(refusal := tried[way], Refusal):
            yield Measured(point, way, why=f"{refusal.kernel} refused", error=refusal.words)
        else:
            yield _found(point, way, samples[way], (q, k, v), backend)


@dataclass(frozen=True)
class Refusal:
    """torch would not compute it; its own words."""

    kernel: str
    words: str


def _qkv(point: Point, dtype: torch.dtype, device: torch.device) -> tuple[torch.Tensor, ...]:
    """q, k and v (1, H, T, D), as a layer hands them on: each head's tokens together."""
    chance = Chance(0, device)
    shape = (1, point.num_heads, point.tokens, point.d_head)
    return tuple(chance.normal(shape).to(dtype) for _ in "qkv")


def _warmed(
    way: Way, qkv: Sequence[torch.Tensor], backend: str, *, clock: Clock
) -> tuple[Run, int] | Refusal:
    """The call and how many of it make a sample, after one pass; or torch's refusal."""
    q, k, v = qkv
    attend = written_out if way == "written out" else sdpa(backend, q.device)

    def run() -> torch.Tensor:
        return attend(q, k, v)

    refused: Exception
    with _heard(q.device) as heard:
        try:
            return run, clock.calls_for(run)
        except (RuntimeError, MemoryError) as error:  # NotImplementedError is a RuntimeError
            refused = error
    return Refusal(
        "writing out" if way == "written out" else f"the kernel {backend}", words_of(refused, heard)
    )


@contextmanager
def _heard(device: torch.device) -> Iterator[list[str]]:
    """What torch warns of in the block: on CUDA, where one thread draws, it says there why it takes no kernel."""
    heard: list[str] = []
    if device.type != "cuda":
        yield heard
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield heard
        heard.extend(str(warning.message).partition(" (Triggered")[0] for warning in caught)


def words_of(error: Exception, heard: Sequence[str] = ()) -> str:
    """torch's own words, the first line of each, as long as a frame may quote them."""
    said = f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"
    return " ".join([said, *heard])[:LONGEST_WORDS]


def _in_turns(ready: Mapping[Way, tuple[Run, int]], *, clock: Clock, repeats: int) -> dict[Way, Samples]:
    """Samples of every way; no further round once the budget is spent, one there is always."""
    taken: dict[Way, list[tuple[float, float]]] = {way: [] for way in ready}
    for number in range(repeats):
        if number and clock.spent() > BUDGET_SECONDS:
            break
        for way, (run, calls) in ready.items():
            boundary()
            taken[way].append(clock.sample(run, calls))
    return {way: Samples(*(tuple(t) for t in zip(*times, strict=True))) for way, times in taken.items()}


def _found(point: Point, way: Way, samples: Samples, qkv: Sequence[torch.Tensor], backend: str) -> Measured:
    if way == "SDPA":
        q, k, v = qkv
        return Measured(point, way, samples, kernel=chosen_kernel(q, k, v, backend=backend))
    return Measured(point, way, samples, map_bytes=allocated_maps(qkv[0], qkv[1]))


def allocated_maps(q: torch.Tensor, k: torch.Tensor) -> int:
    """Bytes that the weights of all heads really take, read from their storage."""
    return int(attention_weights(q, k).untyped_storage().nbytes())
