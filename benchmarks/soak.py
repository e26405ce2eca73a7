"""Whether memory grows with the pictures drawn, thousands of every kind in one process. Knows no store."""

import argparse
import ctypes
import gc
import os
import time
from collections import Counter
from collections.abc import Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING

from attention_engine import threads

if TYPE_CHECKING:
    from attention_engine.spec import VisualizationSpec

EVERY = 50
"""Pictures between two readings of memory."""
BOUND = 1.0
"""MB that memory may grow with 1,000 pictures."""
MB = 1_000_000
LINE = "{:>8} pictures  {:>7.1f} MB  {:>6.1f} a second"


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints memory as it goes and its slope after the first pictures; 1 where that is above the bound."""
    parser = argparse.ArgumentParser(prog="benchmarks.soak", description=__doc__)
    parser.add_argument("--renders", type=int, default=10_000, help="pictures (default: 10000)")
    parser.add_argument("--warm", type=int, default=1000, help="first ones not judged (default: 1000)")
    parser.add_argument("--bound", type=float, default=BOUND, help="MB per 1,000 pictures (default: 1)")
    parser.add_argument("--seed", type=int, default=0, help="chance (default: 0)")
    parser.add_argument("--distinct", type=int, default=0, help="draw so many again and again")
    parsed = parser.parse_args(arguments)
    threads.prepare()
    print(f"{parsed.renders:,} pictures of every kind, drawn from seed {parsed.seed}", flush=True)
    judged = _soaked(parsed.renders, parsed.seed, distinct=parsed.distinct)
    grown = slope([reading for reading in judged if reading[0] >= parsed.warm])
    print(
        f"slope {grown:+.3f} MB per 1,000 pictures after the first {parsed.warm:,} (at most {parsed.bound:g})"
    )
    return 0 if grown <= parsed.bound else 1


def _soaked(renders: int, seed: int, *, distinct: int) -> list[tuple[int, int]]:
    """(pictures, bytes held) every so often while they are drawn; a leak shows best where all are alike."""
    from benchmarks.drawn_specs import drawn_specs

    readings, frames, kinds = [(0, rss())], 0, Counter[str]()
    started = time.perf_counter()
    specs = drawn_specs(seed)
    specs = cycle(islice(specs, distinct)) if distinct else specs
    for count, spec in enumerate(islice(specs, renders), 1):
        frames += _frames_of(spec)
        kinds[spec.kind] += 1
        if count % EVERY == 0:
            readings.append((count, rss()))
        if count % max(renders // 10, EVERY) == 0:
            rate = count / (time.perf_counter() - started)
            print(LINE.format(count, readings[-1][1] / MB, rate), flush=True)
    print(", ".join(f"{kind} {count:,}" for kind, count in kinds.items()) + f"; {frames:,} frames")
    return readings


def _frames_of(spec: "VisualizationSpec") -> int:
    """Draws it as a worker does. A picture that breaks is named, so that it can be drawn alone."""
    from attention_engine.engine import render

    try:
        return sum(1 for frame in render(spec) if frame.as_bytes())
    except Exception:
        print(f"broke: {spec.canonical().decode()}", flush=True)
        raise


def slope(readings: Sequence[tuple[int, int]]) -> float:
    """MB per 1,000 pictures, by least squares over (pictures, bytes)."""
    count = len(readings)
    x_mean = sum(pictures for pictures, _ in readings) / count
    y_mean = sum(held for _, held in readings) / count
    spread = sum((pictures - x_mean) ** 2 for pictures, _ in readings)
    together = sum((pictures - x_mean) * (held - y_mean) for pictures, held in readings)
    return 1000 * together / spread / MB


def rss() -> int:
    """Bytes of this process in memory, after what was freed is given back. On Linux alone."""
    gc.collect()
    if trim := getattr(ctypes.CDLL(None), "malloc_trim", None):  # glibc keeps freed memory, others do not say
        trim(0)
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    raise SystemExit(main())
