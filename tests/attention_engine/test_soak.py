"""Memory does not grow with the pictures drawn: the short form of `make soak`, bounded ten times looser."""

import re
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest

from attention_engine.admission import admit
from attention_engine.spec import KINDS
from benchmarks.drawn_specs import drawn_specs
from benchmarks.soak import MB, slope

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_300_pictures_of_every_kind_leave_no_more_than_10_mb_per_1000() -> None:
    asked = ["--renders", "300", "--distinct", "60", "--warm", "120", "--bound", "10"]
    command = [sys.executable, "-m", "benchmarks.soak", *asked]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^slope [+-]\d+\.\d{3} MB per 1,000 pictures after the first 120", done.stdout, re.M)
    assert all(f"{kind} " in done.stdout for kind in KINDS)


def test_a_leak_of_4_kb_a_picture_is_a_slope_of_4_mb() -> None:
    readings = [(count, 400 * MB + 4096 * count + (count % 3) * 1000) for count in range(0, 3000, 50)]
    assert slope(readings) == pytest.approx(4.096, abs=0.01)


def test_drawn_pictures_are_varied_admitted_and_the_same_for_a_seed() -> None:
    count = 20 * len(KINDS)
    specs = list(islice(drawn_specs(1), count))
    assert [spec.kind for spec in specs[: len(KINDS)]] == list(KINDS)
    digests = [spec.digest() for spec in specs]
    assert len(set(digests)) > 0.9 * count
    assert digests == [spec.digest() for spec in islice(drawn_specs(1), count)]
    assert all(admit(spec) for spec in specs)
