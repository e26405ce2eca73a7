"""The benchmark of a GPU: what it does where there is none, and its rows as a CPU can make them."""

import json
from pathlib import Path

import pytest
import torch

from benchmarks import gpu

CPU = torch.device("cpu")
SMALL = gpu.Layer(32, 64, 4, "float32")


@pytest.fixture(autouse=True)
def _cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDYHUB_DEVICE", "cpu")


def test_without_a_gpu_it_says_skip_writes_the_cpus_sweep_and_fails_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(gpu, "SWEEPS", ({"tokens": 16, "d_heads": [32, 64], "repeats": 1},))
    assert gpu.main(results=tmp_path) == 0
    printed = capsys.readouterr().out
    assert f"gpu | SKIP: {gpu.why_no_gpu()}" in printed
    (told,) = [json.loads(path.read_text()) for path in tmp_path.glob("*.json")]
    assert [row["name"] for row in told["rows"]] == ["gpu"]
    assert [sweep["title"].partition(":")[0] for sweep in told["sweeps"]] == ["sweep", "roofline"]
    (text,) = [path.read_text() for path in tmp_path.glob("*.md")]
    assert "| d_head | heads |" in text


def test_the_rows_of_a_layer_hold_stages_to_bytes_and_products_to_the_peak() -> None:
    rows = {row.name: row for row in gpu.measured(CPU, 1, [SMALL])}
    stages, product = rows[f"stages {SMALL}"], rows[f"projections {SMALL}"]
    assert stages.ms > 0
    assert stages.floor_ms > 0
    assert product.share > 0
    assert {stages.verdict, product.verdict} == {""}
    assert "of its floor" in stages.line
    assert "of the matmul peak" in product.line


def test_the_bytes_of_all_stages_are_those_of_the_tensors_that_are_shown() -> None:
    q = torch.zeros(1, SMALL.num_heads, SMALL.tokens, SMALL.d_model // SMALL.num_heads)
    scores = q @ q.mT
    moved = 4 * q.numel() + 2 * scores.numel()
    assert gpu.stage_bytes(SMALL, 4) == 4 * moved


def test_a_layer_without_memory_for_it_is_skipped_with_torchs_words() -> None:
    row = gpu._or_skipped(lambda *_, **__: torch.empty(2**60, dtype=torch.uint8), SMALL, CPU)
    assert row.skipped
    assert "SKIP" in row.line


@pytest.mark.gpu
def test_on_a_gpu_every_row_has_figures_or_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDYHUB_DEVICE", "cuda")
    if not torch.cuda.is_available():
        pytest.skip(f"no CUDA device: torch {torch.__version__} finds none")
    assert all(row.ms or row.skipped for row in gpu.rows(torch.device("cuda"), 3, layers=gpu.LAYERS[:2]))
