"""The one way in, its limits, and the walls between the two halves."""

import subprocess
import sys
import time
from dataclasses import replace
from typing import Any

import pytest
import torch

from attention_engine.engine import render
from attention_engine.frames import Frame, Table, TensorRef, TooBig, within_limits
from attention_engine.spec import ENGINE_VERSION, KINDS, make_spec

TORCH_FREE = [
    "configs",
    "parameters",
    "arithmetic",
    "shapes",
    "frames",
    "kinds",
    "spec",
    "admission",
    "encoding",
    "sqlite",
    "store",
    "store.embedded",
    "store.redis_streams",
]


def test_frames_are_numbered_and_stamped_with_engine_torch_and_device() -> None:
    frames = list(render(make_spec("head_split", {"d_model": 48, "num_heads": 3})))
    assert [frame.n for frame in frames] == list(range(7))
    for frame in frames:
        assert frame.stamp["engine"] == ENGINE_VERSION
        assert frame.stamp["torch"] == torch.__version__
        assert frame.stamp["device"] == "CPU"
        assert float(frame.stamp["ms"]) >= 0


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_draws_its_defaults_within_the_limits(kind: str) -> None:
    frames = list(render(make_spec(kind, {})))
    assert 3 <= len(frames) <= 64
    for frame in frames:
        assert len(frame.as_bytes()) <= 16 * 1024
        assert frame.sentence
        assert frame.title
        assert len(frame.tensors) == len(frame.blobs)


def test_frames_come_one_by_one_before_the_next_is_computed() -> None:
    spec = make_spec("head_split", {"model": "gpt-3-175b", "tokens": 64})
    list(render(spec))  # what a process does once is no time of a frame
    frames = render(spec)
    started = time.perf_counter()
    assert next(frames).step == "input"
    first = time.perf_counter() - started
    list(frames)
    assert first < (time.perf_counter() - started) / 3


def tensor(size: int) -> TensorRef:
    return TensorRef(
        role="values",
        axes=("n",),
        shape=(size,),
        encoding="u8",
        minimum=0.0,
        maximum=1.0,
        sha256="",
        bytes=size,
    )


def frame(**changes: Any) -> Frame:
    return replace(Frame(step="x", layout="text", title="x", sentence="x"), **changes)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"n": 64}, "65 frames, above 64"),
        ({"table": Table(("word",), (("é" * 8200,),))}, "bytes of JSON, above 16384"),
        ({"values": (0.0,) * 513}, "513 inline numbers, above 512"),
        ({"tensors": (tensor(8), tensor(2 * 2**20 + 1))}, "2097153 bytes of a tensor"),
    ],
)
def test_a_frame_beyond_a_limit_is_refused_with_the_number(changes: dict[str, Any], says: str) -> None:
    assert within_limits(frame()) == frame()
    with pytest.raises(TooBig, match=says):
        within_limits(frame(**changes))


def python(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout.strip()


def test_the_torch_free_half_imports_no_torch_and_no_django() -> None:
    imports = ", ".join(f"attention_engine.{name}" for name in TORCH_FREE)
    used = "from attention_engine.spec import make_spec, facts; facts(make_spec('head_split', {}))"
    found = "print([name for name in ('torch', 'django', 'celery') if name in sys.modules])"
    assert python(f"import sys, {imports}\n{used}\n{found}") == "[]"


def test_drawing_needs_no_django_and_no_broker() -> None:
    code = (
        "import sys\nfrom attention_engine.engine import render\n"
        "from attention_engine.spec import make_spec\n"
        "print(len(list(render(make_spec('answer_executed', {'num_heads': 10})))),"
        " [name for name in ('django', 'celery', 'kombu', 'redis') if name in sys.modules])"
    )
    assert python(code) == "3 []"
