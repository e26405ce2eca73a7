"""The benchmark of latency runs from its command line and says what it has measured, and whether in time."""

import subprocess
import sys
from pathlib import Path

import pytest

from attention_engine.spec import KINDS
from benchmarks.latency import p95

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def done() -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "benchmarks", "latency", "--only", "sqlite", "--jobs", "2"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False)


def test_every_kind_has_a_line_of_four_times(done: subprocess.CompletedProcess[str]) -> None:
    rows = [line.split() for line in done.stdout.splitlines() if line.startswith("SQLite ")]
    assert [row[1] for row in rows] == list(KINDS), done.stderr
    for row in rows:
        to_task, _, to_end, _ = map(float, row[2:])
        assert 0 < to_task <= to_end


def test_torchs_words_have_a_line_that_decides(done: subprocess.CompletedProcess[str]) -> None:
    (line,) = [line for line in done.stdout.splitlines() if "request to torch's words" in line]
    late = float(line.partition("p95 ")[2].partition(" ms")[0])
    assert 0 < late < 1500
    assert line.endswith("PASS" if late <= 150 else "FAIL")
    assert done.returncode == int(late > 150)


@pytest.mark.parametrize(("count", "rank"), [(1, 1), (2, 2), (20, 19), (100, 95)])
def test_p95_is_the_time_that_95_of_100_do_not_exceed(count: int, rank: int) -> None:
    assert p95([float(n) for n in range(count, 0, -1)]) == rank
