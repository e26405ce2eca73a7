"""Rounds in which ours and its peers alternate, and what their ratios are worth. Knows no goal."""

import random
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

MOVED = 0.10
"""Share by which the floor may differ between the first and the last third of the rounds."""
RESAMPLES = 500


@dataclass(frozen=True)
class Variant:
    """One way to do the job; `calls` of it make one sample, so that short ones can be told from the clock."""

    run: Callable[[], Any]
    calls: int = 1


@dataclass(frozen=True)
class Timing:
    """Seconds of one call, one entry a round: CPU of all threads, and wall."""

    cpu: tuple[float, ...]
    wall: tuple[float, ...]

    @property
    def ms(self) -> float:
        """Median CPU milliseconds."""
        return 1000 * statistics.median(self.cpu)


@dataclass(frozen=True)
class Ratio:
    """Median of the per-round ratios of CPU time, with its bootstrap interval of 90 %."""

    median: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"x{self.median:.3g} [{self.low:.3g}-{self.high:.3g}]"


def interleaved(variants: Mapping[str, Variant], rounds: int) -> dict[str, Timing]:
    """Every variant once a round after one warm-up, the order rotated by one place each round."""
    names = list(variants)
    for variant in variants.values():
        variant.run()
    samples: dict[str, list[tuple[float, float]]] = {name: [] for name in names}
    for number in range(rounds):
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            samples[name].append(_sample(variants[name]))
    return {name: Timing(*zip(*taken, strict=True)) for name, taken in samples.items()}


def _sample(variant: Variant) -> tuple[float, float]:
    cpu, wall = time.process_time(), time.perf_counter()
    for _ in range(variant.calls):
        variant.run()
    return (time.process_time() - cpu) / variant.calls, (time.perf_counter() - wall) / variant.calls


def ratio(ours: Timing, other: Timing, *, of_other: float = 1.0) -> Ratio:
    """Ours as a share of the other, round by round; `of_other` scales the other to the same job."""
    shares = [mine / (theirs * of_other) for mine, theirs in zip(ours.cpu, other.cpu, strict=True)]
    chance = random.Random(0)
    medians = sorted(statistics.median(chance.choices(shares, k=len(shares))) for _ in range(RESAMPLES))
    return Ratio(statistics.median(shares), medians[RESAMPLES // 20], medians[-RESAMPLES // 20])


def moved(floor: Timing) -> float:
    """By which share the floor changed from the first third of the rounds to the last."""
    third = max(1, len(floor.cpu) // 3)
    first, last = statistics.median(floor.cpu[:third]), statistics.median(floor.cpu[-third:])
    return abs(last / first - 1)


def calls_for(run: Callable[[], Any], seconds: float = 0.02) -> int:
    """How many calls make a sample of about so many seconds."""
    run()
    started = time.process_time()
    run()
    return max(1, min(2000, round(seconds / max(time.process_time() - started, 1e-6))))


def steady(variants: Mapping[str, Variant], rounds: int, *, floor: str) -> tuple[dict[str, Timing], bool]:
    """The timings, and False where the floor moved by more than 10 % in two tries."""
    for _ in range(2):
        timings = interleaved(variants, rounds)
        if moved(timings[floor]) <= MOVED:
            return timings, True
    return timings, False


def fastest(timings: Mapping[str, Timing], names: Sequence[str]) -> str:
    """The name with the least median CPU time; "" where there is none."""
    return min(names, key=lambda name: timings[name].ms, default="")
