"""A worker from its start to the first frame of each trained model, and the memory that it then has."""

import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.latency import ROOT, set_up_django
from benchmarks.rows import Row, judge

PICTURES: Mapping[str, Mapping[str, Any]] = {
    "MiniLM": {"model": "minilm", "layer": 3, "head": 1},
    "SmolLM2": {"model": "smollm2", "layer": 12, "head": 4},
}
PATIENCE, SETTLED = 120.0, 20.0
"""Seconds: for all pictures, and at most until the warm-up behind them is over."""
MB = 1_000_000


def main(*, rounds: int) -> int:
    """Prints a line for each model and for memory; 1 where a goal is missed."""
    with tempfile.TemporaryDirectory() as folder:
        set_up_django(Path(folder))
        if missing := _missing(Path(folder)):
            print(f"cold: SKIPPED, {missing}: make models fetches them")
            return 0
        found = [judge(row, lead=1.0, quick=False) for row in _rows(rounds)]
    for one in found:
        print(one.line, flush=True)
    return int(any(one.verdict == "FAIL" for one in found))


def _missing(var: Path) -> str:
    from studyhub.operations.weights import missing

    return " and ".join(model.title for model in missing(var / "models"))


def _rows(rounds: int) -> Iterator[Row]:
    """Of each model the median over workers in which its picture is the first, then memory after both."""
    rss, pss = [], []
    for first in PICTURES:
        seconds, ready, busy = [], [], []
        for number in range(len(rss), len(rss) + rounds):  # seeds that no other worker has drawn
            times, cpu, memory = _one_worker(first, seed=number)
            seconds.append(times[first])
            busy.append(cpu[first])
            ready.append(max(times.values()))
            rss.append(memory["Rss"] / MB)
            pss.append(memory["Pss"] / MB)
        values = {
            "seconds": statistics.median(seconds),
            "cpu_seconds": statistics.median(busy),
            "seconds_both": statistics.median(ready),
        }
        yield Row(f"cold/first frame {first}", 0.0, values=values)
    yield Row("cold/memory with both", 0.0, values={"rss_MB": max(rss), "pss_MB": max(pss)})


def _one_worker(first: str, *, seed: int) -> tuple[dict[str, float], dict[str, float], dict[str, int]]:
    """Seconds from the start of a worker to the first frame of either picture, asked for before that, and
    those of its processors; then its memory once nothing is drawn any more."""
    asked = dict(sorted(PICTURES.items(), key=lambda item: item[0] != first))
    digests = {name: _asked(parameters, seed) for name, parameters in asked.items()}
    with _worker() as (process, started):
        seen = _first_frames(digests, process.pid)
        _rest(process.pid)
        times = {name: at - started for name, (at, _) in seen.items()}
        return times, {name: busy for name, (_, busy) in seen.items()}, _memory(process.pid)


def _asked(parameters: Mapping[str, Any], seed: int) -> str:
    from attention_engine.spec import make_spec
    from studyhub.delivery import request_visualization

    return request_visualization(make_spec("attention_pattern", parameters, seed), "benchmark").digest


@contextmanager
def _worker() -> Iterator[tuple[subprocess.Popen[bytes], float]]:
    """As `manage.py up` starts it, with the second at which it was started."""
    from studyhub.operations.management.commands.up import worker

    child, started = worker(), time.perf_counter()
    process = subprocess.Popen(
        child.command,
        cwd=ROOT,
        env=os.environ | child.env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield process, started
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def _first_frames(digests: Mapping[str, str], pid: int) -> dict[str, tuple[float, float]]:
    """When the first frame of each picture was there, and the worker's processor seconds by then.

    Returns once the last frame of all is there."""
    from studyhub.delivery import read_frames

    seen: dict[str, tuple[float, float]] = {}
    ended: set[str] = set()
    deadline = time.perf_counter() + PATIENCE
    while len(ended) < len(digests):
        for name in digests.keys() - ended:
            reading = read_frames(digests[name])
            if reading.frames:
                seen.setdefault(name, (time.perf_counter(), _cpu_seconds(pid)))
            if reading.ended:
                ended.add(name)
                if reading.state != "done":
                    sys.exit(f"{name} failed: {reading.sentence}")
        if time.perf_counter() > deadline:
            sys.exit(f"no picture of {', '.join(digests.keys() - ended)} after {PATIENCE:g} s")
        time.sleep(0.01)
    return seen


def _rest(pid: int) -> None:
    """Waits until the process has used less than a tenth of a core over half a second."""
    deadline = time.perf_counter() + SETTLED
    before = _cpu_seconds(pid)
    while time.perf_counter() < deadline:
        time.sleep(0.5)
        now = _cpu_seconds(pid)
        if now - before < 0.05:
            return
        before = now


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _memory(pid: int) -> dict[str, int]:
    """Bytes by name: Rss (pages in memory, mapped files too) and Pss (those shared counted in part)."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
    return {name: int(rest.split()[0]) * 1024 for name, _, rest in (line.partition(":") for line in lines)}
