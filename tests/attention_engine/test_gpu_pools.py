"""Before a worker's pool starts: which may compute on a GPU, and that nobody touched CUDA to find out."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from attention_engine import gpus, threads

ROOT = Path(__file__).parents[2]
UNTOUCHED = """
import sys
from attention_engine import gpus, tasks
from attention_engine.admission import admit
from attention_engine.spec import KINDS, facts, make_spec
from attention_engine.store.embedded import SqliteFrameStore
for kind in KINDS:
    spec = make_spec(kind, {}); facts(spec); admit(spec)
SqliteFrameStore(sys.argv[1]).claim(spec, "ben")
gpus.seen()
gpus.settle_pool("celery.concurrency.prefork")
print("torch" in sys.modules, len(KINDS) >= 6)
"""
QUESTION = """
from attention_engine import threads
threads.prepare()
from attention_engine import device, engine, kernels
import os, torch
device.chosen_device()
print(torch.cuda.is_initialized(), torch.cuda._is_in_bad_fork())
child = os.fork()
if child == 0:
    import torch
    os._exit(int(torch.cuda._is_in_bad_fork()))
print(os.waitpid(child, 0)[1])
"""


@pytest.fixture
def gpu_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine with the device files of two GPUs and a torch that may use them."""
    for name in ("nvidia0", "nvidia1", "nvidiactl", "nvidia-uvm", "null"):
        (tmp_path / name).touch()
    monkeypatch.setattr(gpus, "DEVICES", tmp_path)
    monkeypatch.setattr(gpus, "version", lambda _package: "2.13.0+cu130")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    monkeypatch.setenv("STUDYHUB_DEVICE", "auto")
    return tmp_path


def said(program: str, *arguments: str, **environment: str) -> list[str]:
    """The words of the lines that a fresh process prints."""
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        cwd=ROOT,
        env={**os.environ, "STUDYHUB_DEVICE": "auto", **environment},
    )
    return done.stdout.split()


def test_specs_admission_store_and_the_parent_of_a_pool_leave_torch_unloaded(tmp_path: Path) -> None:
    assert said(UNTOUCHED, str(tmp_path / "frames.sqlite3")) == ["False", "True"]


def test_asking_for_the_device_starts_no_cuda_and_a_fork_after_it_is_a_good_one() -> None:
    assert said(QUESTION) == ["False", "False", "0"]


def test_the_driver_is_asked_whether_there_is_a_gpu_and_not_cuda() -> None:
    assert threads.DEFAULTS["PYTORCH_NVML_BASED_CUDA_CHECK"] == "1"


@pytest.mark.parametrize(
    ("visible", "many"), [(None, 2), ("0", 1), ("0,1", 2), ("0,1,2,3", 2), ("", 0), ("-1", 0)]
)
def test_gpus_are_counted_by_their_files_and_by_what_may_be_seen(
    gpu_files: Path, monkeypatch: pytest.MonkeyPatch, visible: str | None, many: int
) -> None:
    if visible is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    assert gpus.seen() == many


def test_a_torch_built_without_cuda_sees_none(gpu_files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpus, "version", lambda _package: "2.13.0+cpu")
    assert gpus.seen() == 0


@pytest.mark.parametrize("pool", ["celery.concurrency.prefork", "celery.concurrency.thread", "prefork"])
def test_a_pool_of_several_that_was_told_cuda_is_refused(
    gpu_files: Path, monkeypatch: pytest.MonkeyPatch, pool: str
) -> None:
    monkeypatch.setenv("STUDYHUB_DEVICE", "cuda")
    with pytest.raises(gpus.OneProcessPerGpu, match=r"-P solo, one for each GPU, .* CUDA_VISIBLE_DEVICES=0"):
        gpus.settle_pool(pool)


def test_a_pool_of_several_that_may_choose_takes_the_cpu_and_says_so_where_a_gpu_is(
    gpu_files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = gpus.settle_pool("celery.concurrency.prefork")
    assert told.startswith("this worker computes on the CPU, though a GPU is here: ")
    assert gpus.asked() == "cpu"
    monkeypatch.setenv("STUDYHUB_DEVICE", "auto")
    monkeypatch.setattr(gpus, "DEVICES", gpu_files / "none")
    assert gpus.settle_pool("celery.concurrency.prefork") == ""
    assert gpus.asked() == "cpu"


@pytest.mark.parametrize("device", ["auto", "cuda"])
def test_solo_keeps_what_was_asked(gpu_files: Path, monkeypatch: pytest.MonkeyPatch, device: str) -> None:
    monkeypatch.setenv("STUDYHUB_DEVICE", device)
    assert gpus.settle_pool("celery.concurrency.solo") == ""
    assert gpus.asked() == device


@pytest.mark.parametrize("pool", ["prefork", pytest.param("threads", marks=pytest.mark.thorough)])
def test_a_real_worker_told_cuda_ends_with_one_sentence_before_it_takes_a_picture(
    tmp_path: Path, pool: str
) -> None:
    done = subprocess.run(
        [*(sys.executable, "-m", "celery", "-q", "-A", "studyhub", "worker", "-P", pool, "-c", "2")],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        cwd=ROOT,
        env={**os.environ, "STUDYHUB_DEVICE": "cuda", "STUDYHUB_VAR": str(tmp_path), "REDIS_URL": ""},
    )
    assert done.returncode == 1
    (line,) = [line for line in done.stderr.splitlines() if "STUDYHUB_DEVICE" in line]
    assert "start this worker with -P solo, one for each GPU" in line
