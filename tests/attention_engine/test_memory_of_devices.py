"""A picture for which there is no memory ends with a sentence, and its worker draws the next one."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from attention_engine import device, engine, memory
from attention_engine.admission import admit
from attention_engine.drawing import draw
from attention_engine.frames import Frame
from attention_engine.memory import MIB, OutOfMemory, guarded, is_out_of_memory, make_room
from attention_engine.spec import make_spec
from attention_engine.store.embedded import SqliteFrameStore

ROOT = Path(__file__).parents[2]
CPU = torch.device("cpu")
SMALL = make_spec("head_split", {"d_model": 48, "num_heads": 3})
LARGE = make_spec("head_split", {"d_model": 4096, "num_heads": 32, "tokens": 64, "batch": 4})
WORKER = """
import json, resource, sys
from attention_engine import tasks
from attention_engine.drawing import draw
from attention_engine.spec import make_spec
from attention_engine.store.embedded import SqliteFrameStore

tasks.load()
store = SqliteFrameStore(sys.argv[1])
specs = [make_spec("head_split", {"d_model": 48, "num_heads": 3}),
         make_spec("head_split", {"d_model": 4096, "num_heads": 32, "tokens": 256, "batch": 2}),
         make_spec("head_split", {"d_model": 96, "num_heads": 3})]
digests = [store.claim(spec, f"learner {n}").digest for n, spec in enumerate(specs)]
draw(store, digests[0])
held = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (held + int(sys.argv[2]) * 2**20,) * 2)
for digest in digests[1:]:
    draw(store, digest)
print(json.dumps([[r.state, r.code, r.sentence] for r in map(store.read, digests)]))
"""


def raising(error: Exception) -> Iterator[int]:
    yield 1
    raise error


def test_what_allocators_say_is_told_from_other_errors() -> None:
    with pytest.raises(RuntimeError) as refused:
        torch.empty(2**60, dtype=torch.uint8)
    assert is_out_of_memory(refused.value)
    assert is_out_of_memory(MemoryError())
    assert is_out_of_memory(torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB"))
    assert not is_out_of_memory(RuntimeError("mat1 and mat2 shapes cannot be multiplied"))
    assert not is_out_of_memory(ValueError("out of memory"))


@pytest.mark.parametrize("error", [MemoryError(), torch.OutOfMemoryError("CUDA out of memory")])
def test_a_failed_allocation_ends_the_frames_with_a_sentence(error: Exception) -> None:
    made = guarded(raising(error), CPU)
    assert next(made) == 1
    with pytest.raises(OutOfMemory, match="CPU ran out of memory while this picture was drawn") as ended:
        next(made)
    assert ended.value.__context__ is None


def test_any_other_error_passes_as_it_is() -> None:
    with pytest.raises(RuntimeError, match="another"):
        list(guarded(raising(RuntimeError("another")), CPU))


def test_what_the_picture_held_is_free_when_its_end_is_told() -> None:
    import gc
    import weakref

    watched: list[weakref.ref[torch.Tensor]] = []

    def frames() -> Iterator[int]:
        held = torch.zeros(1000)
        watched.append(weakref.ref(held))
        yield 1
        torch.empty(2**60, dtype=torch.uint8)

    made = guarded(frames(), CPU)
    next(made)
    with pytest.raises(OutOfMemory):
        next(made)
    gc.collect()
    assert watched[0]() is None


def test_a_picture_larger_than_what_is_free_is_refused_with_the_numbers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(memory, "free_bytes", lambda _device: 100 * MIB)
    with pytest.raises(OutOfMemory) as refused:
        make_room(80 * MIB, CPU)
    words = "would hold 80 MiB at once, and CPU has 100 MiB free, of which 64 are kept back: take less"
    assert words in str(refused.value)
    make_room(36 * MIB, CPU)


def test_nothing_is_drawn_where_there_is_no_room_and_the_learner_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(memory, "free_bytes", lambda _device: 65 * MIB)
    store = SqliteFrameStore(str(tmp_path / "frames.sqlite3"))
    large, small = (store.claim(spec, "ben").digest for spec in (LARGE, SMALL))
    assert admit(LARGE).peak_bytes > MIB
    draw(store, large)
    monkeypatch.undo()
    monkeypatch.setenv("STUDYHUB_DEVICE", "cpu")
    draw(store, small)
    failed = store.read(large)
    assert (failed.state, failed.code) == ("failed", "out-of-memory")
    assert failed.frames == ()
    assert store.read(small).state == "done"


def test_where_nobody_says_what_is_free_pictures_are_drawn(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(memory, "MEMINFO", tmp_path / "none")
    assert memory.free_bytes(CPU) is None
    assert list(engine.render(SMALL))


def test_the_cpu_says_what_is_available() -> None:
    free = memory.free_bytes(CPU)
    assert free is not None
    assert MIB < free < 2**50


def test_a_real_worker_that_runs_out_tells_why_and_draws_the_next(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WORKER, str(tmp_path / "frames.sqlite3"), "40"],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
        cwd=ROOT,
        env={**os.environ, "STUDYHUB_DEVICE": "cpu", "MALLOC_ARENA_MAX": "1"},
    )
    first, second, third = json.loads(done.stdout.splitlines()[-1])
    assert first[0] == third[0] == "done"
    assert second[:2] == ["failed", "out-of-memory"]
    assert "CPU ran out of memory while this picture was drawn" in second[2]


def test_products_on_a_gpu_are_held_to_float32() -> None:
    torch.backends.cuda.matmul.fp32_precision = "tf32"
    device.settle(CPU)
    assert torch.backends.cuda.matmul.fp32_precision == "ieee"
    assert torch.backends.cudnn.conv.fp32_precision == "ieee"
    assert not torch.backends.cuda.matmul.allow_tf32


@pytest.mark.gpu
def test_a_gpu_that_is_full_refuses_before_it_allocates_and_draws_when_it_is_free() -> None:
    here = torch.device("cuda")
    free = memory.free_bytes(here)
    assert free is not None
    held = torch.empty(free - memory.RESERVE["cuda"], dtype=torch.uint8, device=here)
    with pytest.raises(OutOfMemory, match="are kept back"):
        engine.render(LARGE)
    del held
    assert list(engine.render(LARGE))


@pytest.mark.gpu
def test_a_gpu_that_runs_out_while_drawing_lives_and_draws_the_next() -> None:
    here = torch.device("cuda")

    def frames() -> Iterator[Frame]:
        torch.empty(2**50, dtype=torch.uint8, device=here)
        yield from ()

    before = torch.cuda.memory_allocated(here)
    with pytest.raises(OutOfMemory, match="ran out of memory"):
        list(guarded(frames(), here))
    assert torch.cuda.memory_allocated(here) == before
    assert list(engine.render(SMALL))
