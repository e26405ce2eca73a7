"""Attention timed in two ways at one width, or why it was not. Knows no frame and no word for a learner."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import torch
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel

from attention_engine.attention import attention_weights
from attention_engine.boundaries import boundary
from attention_engine.device import Chance
from attention_engine.kinds import roofline as kind
from attention_engine.kinds.roofline import WAYS, Point, Way
from attention_engine.visualizations.roof.clock import Clock, Run, Samples
from attention_engine.visualizations.roof.floors import DTYPES

BUDGET_SECONDS = 2.0
"""A sweep begins no point after so long: what it has not measured by then is not shown."""
SPENT = f"the {BUDGET_SECONDS:g} s of a sweep were spent before it"
NAMES = {
    SDPBackend.MATH: "math",
    SDPBackend.FLASH_ATTENTION: "flash",
    SDPBackend.EFFICIENT_ATTENTION: "efficient",
    SDPBackend.CUDNN_ATTENTION: "cudnn",
}
BACKENDS = {name: backend for backend, name in NAMES.items()}
LONGEST_WORDS = 400
Attend = Callable[[torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]


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
        """Latency of the fastest pass, by the wall. Only of what was measured."""
        assert self.samples is not None
        return self.samples.latency * 1000

    @property
    def gflops(self) -> float:
        """Throughput of the fastest pass while it was computed, GFLOP/s. Only of what was measured."""
        assert self.samples is not None
        return self.point.flops / self.samples.best / 1e9


def written_out(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """softmax(q k^T / sqrt(D)) v with every map in memory: (1, H, T, D) of each -> the same."""
    return attention_weights(q, k) @ v


def _on_cpu(backend: str) -> Attend:
    """The CPU's own entry to a kernel: torch's switch for one would hold other threads to it too."""
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
    """The kernel that torch takes for these tensors, as torch says it; a backend asked for is that one."""
    if backend != "auto":
        return backend
    number = int(torch._fused_sdp_choice(q, k, v))
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
    backend, dtype = parameters["backend"], DTYPES[parameters["dtype"]]
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
    """What torch warns of in the block: on CUDA, where one thread draws, why it takes no kernel."""
    heard: list[str] = []
    if device.type != "cuda":
        yield heard
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield heard
        heard.extend(str(warning.message).partition(" (Triggered")[0] for warning in caught)


def words_of(error: Exception, heard: Sequence[str] = ()) -> str:
    """torch's own words, the first line of each, to the last sentence of as many as a frame may quote."""
    said = f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"
    words = " ".join([said, *heard])
    if len(words) <= LONGEST_WORDS:
        return words
    whole, stop, _ = words[:LONGEST_WORDS].rpartition(". ")
    return f"{whole}{stop}..." if whole else f"{words[:LONGEST_WORDS]}..."


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
