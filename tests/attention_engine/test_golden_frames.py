"""Every kind's frames are what they were under this ENGINE_VERSION.

After a change that is meant raise ENGINE_VERSION, then `python -m tests.attention_engine.test_golden_frames`.
Words, shapes and tables are compared exactly; numbers within 0.002, because processors round differently. Of
what is timed the structure is held alone (timings.py)."""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attention_engine.engine import render
from attention_engine.frames import Frame
from attention_engine.spec import ENGINE_VERSION, KINDS, make_spec
from attention_engine.trained import places
from tests.attention_engine.decoding import decode
from tests.attention_engine.timings import TIMED, untimed

GOLDEN = Path(__file__).with_name("golden_frames.json")
DRAWN: dict[str, list[dict[str, Any]]] = {
    "answer_executed": [
        {"model": "bert-base", "num_heads": 10},
        {"answer_shape": [2, 12, 4, 64]},
        {"program": "q.view(B, H, T, D)", "reference": "q.view(B, T, H, D).transpose(1, 2)"},
        {"program": "q @ k.mT / 8", "reference": "q @ k.mT / math.sqrt(D)"},
        {"program": "s = q @ k.mT\ns / 64", "reference": "q @ k.mT / 8", "mistaken": "q\n---\nq @ k.mT / D"},
    ],
    "head_split": [
        {"d_model": 48, "num_heads": 3, "d_head": 32},
        {"model": "gpt-3-175b"},
        {"d_model": 48, "num_heads": 6, "num_kv_heads": 2, "d_head_v": 4, "weights": "pinned"},
        {"model": "deepseek-v2-lite-16b"},
        {"model": "glm-5", "tokens": 513},
    ],
    "silent_mistake": [
        {"num_heads": 3, "d_model": 24},
        {"mistake": "merge_without_transpose"},
        {"mistake": "width_before_heads", "model": "gemma-7b", "tokens": 600},
        {"mistake": "softmax_over_queries"},
    ],
    "memory_tape": [
        {"ops": "view(B, T, H, D).transpose(1, 2).view(B, T, H*D)", "answer_strides": [3072, 256, 64, 1]},
        {"model": "gpt-3-175b", "tokens": 2048, "dtype": "float16", "answer_strides": [3072, 768, 768, 1]},
        {"shape": [4, 6], "ops": "T.contiguous().narrow(1, 1, 2).select(0, 2).unsqueeze(0).expand(3, -1)"},
    ],
    "saturation": [{"keys": 4, "divisor": "64"}, {"keys": 3, "model": "gemma-2-27b", "d_head": 40}],
    "attention_pattern": [
        {"model": "random", "causal": 1, "head": 2},
        {"model": "smollm2-135m", "head": 4, "mask": "padding", "rotary": "half"},
    ],
    "head_atlas": [{"sentence": "It rained, so it was wet."}, {"model": "llama-3-70b"}, {"model": "glm-5"}],
    "kv_budget": [
        {"model": "deepseek-v3-r1-671b", "answer_bytes": 4_997_120},
        {"model": "", "layers": 3, "num_heads": 6, "num_kv_heads": 2, "d_head": 5, "d_head_v": 7},
        {"model": "smollm2", "tokens": 12, "bytes_per_value": 4},
    ],
    "config_museum": [{"model": "t5-11b", "answer_d_head": 8, "d_model": 768, "num_heads": 12}],
    "roofline": [
        {"d_heads": [32, 64], "tokens": 16, "repeats": 1},
        {"d_model": 100, "d_heads": [48, 120], "tokens": 16, "repeats": 1, "backend": "cudnn"},
    ],
    "head_sharing": [
        {"model": "llama-3-8b", "head": 9, "kv_rank": 4, "answer_kv_heads": 5},
        {"model": "deepseek-v2-lite-16b", "sentence": "It is late."},
    ],
    "decode_cache": [
        {"new_tokens": 3, "keep": "sink_window", "window": 3},
        {"model": "random", "new_tokens": 2, "head": 1},
        {"model": "deepseek-v3-r1-671b", "new_tokens": 3, "keep": "window", "window": 2, "answer_bytes": 1},
    ],
}
TORCHS_WORDS = "torch's words"


def _rounded(value: Any) -> Any:
    if isinstance(value, list):
        return [_rounded(entry) for entry in value]
    if isinstance(value, str):
        return TORCHS_WORDS if "Error: " in value else value
    return round(value, 2) + 0.0 if isinstance(value, float) else value


def _words(frame: Frame) -> dict[str, Any]:
    """What must be equal to the letter: all but the wording of torch, the stamp, and late digits."""
    told = {name: _rounded(value) for name, value in frame.as_json().items() if name != "stamp"}
    told["table"] = {name: _rounded(value) for name, value in told["table"].items()}
    kept = ("role", "axes", "shape", "encoding", "packed", "bytes")
    told["tensors"] = [{name: tensor[name] for name in kept} for tensor in told["tensors"]]
    return told


def _numbers(frame: Frame) -> list[list[float]]:
    """Mean, spread, first and last number of each tensor; what a mask hides does not count."""
    decoded = [decode(tensor, body) for tensor, body in zip(frame.tensors, frame.blobs, strict=True)]
    finite = [values[np.isfinite(values)] for values in decoded]
    return [[float(x) for x in (v.mean(), v.std(), v[0], v[-1])] for v in finite]


def fingerprint(kind: str) -> dict[str, Any]:
    """The same on every machine: drawn as where MiniLM is not installed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(places, "places", lambda: iter([GOLDEN]))
        frames = [frame for parameters in DRAWN[kind] for frame in render(make_spec(kind, parameters))]
    if kind in TIMED:
        frames = [untimed(frame) for frame in frames]
    words = json.dumps([_words(frame) for frame in frames], ensure_ascii=False, sort_keys=True)
    return {
        "words": hashlib.sha256(words.encode()).hexdigest(),
        "numbers": [number for frame in frames for tensor in _numbers(frame) for number in tensor],
    }


@pytest.mark.parametrize("kind", KINDS)
def test_the_frames_of_a_kind_change_only_with_the_engine_version(kind: str) -> None:
    golden = json.loads(GOLDEN.read_text())
    assert golden["engine"] == ENGINE_VERSION, "the version was raised: write the golden file anew"
    drawn, kept = fingerprint(kind), golden["kinds"][kind]
    assert drawn["words"] == kept["words"], "frames changed: raise ENGINE_VERSION, write the golden file anew"
    assert drawn["numbers"] == pytest.approx(kept["numbers"], abs=2e-3, rel=2e-3)


if __name__ == "__main__":
    kinds = {kind: fingerprint(kind) for kind in KINDS}
    GOLDEN.write_text(json.dumps({"engine": ENGINE_VERSION, "kinds": kinds}, indent=1) + "\n")
