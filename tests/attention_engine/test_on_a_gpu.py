"""Pictures on a GPU are those of the CPU: on a real one within tolerances, on a pretended one to the bit."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from attention_engine.engine import render
from attention_engine.frames import Frame, TensorRef
from attention_engine.kernels import TORCH, Linear
from attention_engine.spec import KINDS, make_spec
from tests.attention_engine.decoding import decode
from tests.attention_engine.timings import TIMED

ROOT = Path(__file__).parents[2]
QUICK: dict[str, list[dict[str, Any]]] = {
    "head_split": [{}, {"d_model": 48, "num_heads": 6, "num_kv_heads": 2, "weights": "pinned"}],
    "silent_mistake": [{"num_heads": 3, "d_model": 24}],
    "attention_pattern": [{"model": "random"}, {"model": "random", "mask": "sliding_window", "head": 2}],
}
WIDER: dict[str, list[dict[str, Any]]] = {
    "head_split": [{"model": "deepseek-v2-lite-16b"}, {"model": "gpt-3-175b"}],
    "silent_mistake": [{"mistake": "softmax_over_queries"}, {"mistake": "merge_without_transpose"}],
    "attention_pattern": [{"model": "smollm2-135m", "mask": "causal", "rotary": "half"}],
}


def pretended(kinds: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """What pretend_gpu finds, in a process of its own: it teaches torch a device for good."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.attention_engine.pretend_gpu", json.dumps(kinds)],
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
        cwd=ROOT,
        env={**os.environ, "STUDYHUB_DEVICE": "cpu", "STUDYHUB_VAR": str(ROOT / "var")},
    )
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    if "skip" in told:
        pytest.skip(told["skip"])
    return told


def test_no_operation_meets_tensors_of_two_devices() -> None:
    told = pretended(QUICK)
    assert told["found"] == []
    assert all(told["operations"][kind] > 50 for kind in QUICK)


@pytest.mark.thorough
def test_no_kind_of_picture_meets_tensors_of_two_devices() -> None:
    wanted = {kind: [{}, *WIDER.get(kind, [])] for kind in KINDS if kind not in TIMED}
    assert pretended(wanted)["found"] == []


def test_a_mixed_product_is_found_on_the_pretended_device() -> None:
    program = (
        "import torch\nfrom tests.attention_engine import pretend_gpu as p\n"
        "p.backend_registration._setup_privateuseone_for_python_backend(p.NAME)\n"
        "with p.Mode():\n"
        "    there = torch.ones(2, 2).to(torch.device(p.NAME))\n"
        "    assert torch.equal((there @ there).cpu(), 2 * torch.ones(2, 2))\n"
        "    for wrong in (lambda: there @ torch.ones(2, 2), lambda: there.numpy()):\n"
        "        try:\n            wrong()\n"
        "        except (RuntimeError, TypeError) as error:\n            print(type(error).__name__)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.split() == ["RuntimeError", "TypeError"]


# ---- a real one


def slack(reference: TensorRef, right: np.ndarray[Any, Any]) -> float:
    """How far a decoded number of a GPU may be from the CPU's.

    f32: 1e-4 of the largest, as sums run in another order. f16: its rounding and that. u8: one step of 255
    between minimum and maximum. u8sqrt: one step of the root, at most 2/255 of 1."""
    largest = float(np.abs(right[np.isfinite(right)]).max(initial=0.0))
    return {
        "f32": 1e-4 * largest + 1e-6,
        "f16": 2e-3 * largest + 1e-6,
        "u8": 1.01 * (reference.maximum - reference.minimum) / 255 + 1e-4 * largest,
        "u8sqrt": 2.02 / 255 + 1e-6,
    }[reference.encoding]


def drawn(kind: str, device: str, monkeypatch: pytest.MonkeyPatch) -> list[Frame]:
    monkeypatch.setenv("STUDYHUB_DEVICE", device)
    return list(render(make_spec(kind, {})))


@pytest.mark.gpu
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in TIMED])
@pytest.mark.usefixtures("minilm")
def test_a_gpu_draws_what_the_cpu_draws(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right, other = (drawn(kind, device, monkeypatch) for device in ("cpu", "cuda"))
    assert [frame.step for frame in other] == [frame.step for frame in right]
    for mine, theirs in zip(other, right, strict=True):
        assert (mine.axes, mine.shape, mine.strides) == (theirs.axes, theirs.shape, theirs.strides)
        assert len(mine.tensors) == len(theirs.tensors)
        bodies = zip(mine.tensors, mine.blobs, theirs.tensors, theirs.blobs, strict=True)
        for reference, body, right_reference, right_body in bodies:
            ours, wanted = decode(reference, body), decode(right_reference, right_body)
            finite = np.isfinite(wanted)
            assert (np.isfinite(ours) == finite).all()
            assert float(np.abs(ours - wanted)[finite].max(initial=0.0)) <= slack(right_reference, wanted), (
                kind
            )
        assert list(mine.values) == pytest.approx(list(theirs.values), rel=2e-3, abs=2e-3)


@pytest.mark.gpu
def test_a_linear_layer_on_a_gpu_is_torchs_own_and_full_float32() -> None:
    chance = torch.Generator().manual_seed(0)
    x, weight, bias = (torch.randn(shape, generator=chance) for shape in ((64, 768), (1536, 768), (1536,)))
    linear = Linear(weight.cuda(), bias.cuda())
    assert linear.path == TORCH
    exact = x.double() @ weight.double().T + bias.double()
    norms = x.double().norm(dim=1)[:, None] * weight.double().norm(dim=1)
    error = ((linear(x.cuda()).cpu().double() - exact).abs() / norms).max()
    assert float(error) < 1e-6, "TF32 would round to 5e-5"
