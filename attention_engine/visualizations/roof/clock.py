"""How long a call took, on a CPU and on a GPU. Knows not what is called."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import torch

Run = Callable[[], Any]
SHORTEST_SECONDS = 0.001
"""Calls are repeated until a sample is this long: shorter ones are lost in the clock."""
MOST_CALLS = 50
CUDA_CALLS = 20
"""Calls between two events: one alone would measure how fast Python starts kernels."""


@dataclass(frozen=True)
class Samples:
    """Seconds of one call, a sample each: by the wall, and those in which it was really computed."""

    wall: tuple[float, ...]
    busy: tuple[float, ...]

    @property
    def best(self) -> float:
        """Seconds of work of the fastest: neighbours make a sample longer, never shorter."""
        return min(self.busy)

    @property
    def latency(self) -> float:
        """Seconds until the fastest was there, as one who waits for it finds it."""
        return min(self.wall)

    @property
    def spread(self) -> float:
        """By which share the slowest was there later than the fastest; 0 of one sample."""
        return max(self.wall) / self.latency - 1

    @property
    def waited(self) -> float:
        """Share of the fastest sample in which this thread had no processor."""
        at = self.wall.index(self.latency)
        return max(0.0, 1 - self.busy[at] / self.latency)


class Clock(Protocol):
    """One sample of a call, and what all of them have taken."""

    def sample(self, run: Run, calls: int) -> tuple[float, float]:
        """(wall, busy) seconds of one call, the mean over so many."""

    def calls_for(self, run: Run) -> int:
        """Runs it once, to warm it; how many calls a sample of it needs."""

    def spent(self) -> float:
        """Seconds since this clock was made, of the CPU where one computes."""


def _busy_seconds() -> float:
    """CPU seconds of this thread, which does all the work where torch takes one; of several, the wall's."""
    return time.thread_time() if torch.get_num_threads() == 1 else time.perf_counter()


@dataclass
class HostClock:
    """For a CPU: the wall's clock, and beside it the time of this thread, which no neighbour lengthens."""

    begun: float = field(default_factory=_busy_seconds)

    def sample(self, run: Run, calls: int) -> tuple[float, float]:
        """As Clock says."""
        wall, busy = time.perf_counter(), _busy_seconds()
        for _ in range(calls):
            run()
        busy = _busy_seconds() - busy
        return (time.perf_counter() - wall) / calls, busy / calls

    def calls_for(self, run: Run) -> int:
        """As Clock says."""
        wall, _ = self.sample(run, 1)
        return max(1, min(MOST_CALLS, round(SHORTEST_SECONDS / max(wall, 1e-9))))

    def spent(self) -> float:
        """As Clock says."""
        return _busy_seconds() - self.begun


@dataclass
class CudaClock:
    """For a GPU: events on its stream, which time the kernels and not the calls that queue them."""

    device: torch.device
    begun: float = field(default_factory=time.perf_counter)

    def sample(self, run: Run, calls: int) -> tuple[float, float]:
        """As Clock says; the CPU waits, so both numbers are the GPU's own."""
        events: Any = torch.cuda.Event
        start, end = events(enable_timing=True), events(enable_timing=True)
        with torch.cuda.device(self.device):
            start.record()
            for _ in range(calls):
                run()
            end.record()
            end.synchronize()
        seconds = float(start.elapsed_time(end)) / 1000 / calls
        return seconds, seconds

    def calls_for(self, run: Run) -> int:
        """As Clock says."""
        self.sample(run, 1)
        return CUDA_CALLS

    def spent(self) -> float:
        """As Clock says; while a GPU computes, its worker waits."""
        return time.perf_counter() - self.begun


def clock_for(device: torch.device) -> Clock:
    """The clock of a device."""
    return CudaClock(device) if device.type == "cuda" else HostClock()


def clock_name(device: torch.device) -> str:
    """What throughput is reckoned from, for the stamp."""
    if device.type == "cuda":
        return "CUDA events"
    return "CPU time of one thread" if torch.get_num_threads() == 1 else "wall clock"


def typical_spread(samples: list[Samples]) -> float:
    """The median of the spreads; 0 of none."""
    return statistics.median(one.spread for one in samples) if samples else 0.0
