"""Admission tells the truth about memory: what a picture really holds at once, and at most twice that."""

import subprocess
import sys
from functools import cache
from typing import Any

import pytest

from attention_engine.admission import MIB, PEAK_BYTES, admit
from attention_engine.engine import render
from attention_engine.spec import make_spec
from tests.attention_engine.memory import measured

WORDS = " ".join(chr(0x4E00 + n) for n in range(512))
SMALL = 4 * MIB


def head_split(**parameters: Any) -> tuple[str, dict[str, Any]]:
    return "head_split", parameters


def pattern(**parameters: Any) -> tuple[str, dict[str, Any]]:
    return "attention_pattern", {"model": "random", "sentence": WORDS, **parameters}


def decoding(**parameters: Any) -> tuple[str, dict[str, Any]]:
    return "decode_cache", parameters


def executed(**parameters: Any) -> tuple[str, dict[str, Any]]:
    return "answer_executed", parameters


WIDE = {"d_model": 1024, "num_heads": 16, "batch": 4, "tokens": 512, "answer_shape": [4, 512, 1024]}
LARGEST = [
    head_split(d_model=480, num_heads=60, tokens=512, batch=2),  # maps, and copies of q and k
    head_split(d_model=512, num_heads=1, tokens=512, batch=4),  # rows
    head_split(d_model=16, num_heads=256, d_head=16, tokens=256, batch=1),  # inner width
    head_split(d_model=2048, num_heads=1, d_head=4, tokens=128, batch=4),  # d_model
    pattern(),  # maps of one head
    pattern(causal=1),  # and a mask
    pattern(mask="padding"),  # and the steps of a map that holds minus infinity
    pattern(model="deepseek-v2-lite-16b", sentence=WORDS[:200]),  # a latent unpacked into 16 heads
    pattern(sentence="a b", d_model=2**20, num_heads=1, d_head=50),  # none, by their law
    executed(d_model=253952, num_heads=10),
    executed(step="transpose", **WIDE),
    executed(step="attend", **WIDE),
    executed(step="project", **WIDE | {"answer_shape": [4, 512, 16, 64]}),  # what its axes would hold
    executed(
        step="scores", d_model=64, num_heads=8, tokens=256, key_tokens=500, answer_shape=[2, 8, 500, 256]
    ),
    head_split(d_model=512, num_heads=8, tokens=8, key_tokens=512, batch=4),  # another text
    decoding(model="deepseek-v3-r1-671b", prompt="word " * 300, new_tokens=1),  # storage of a cache
]
# Each takes seconds: with `make thorough`.
SLOW = [
    head_split(d_model=864, num_heads=108, tokens=512, batch=1),  # maps
    head_split(d_model=7600, num_heads=76, tokens=30, batch=4),  # the law of 120 rows
    head_split(d_model=4096, num_heads=8, tokens=4, batch=1, weights="pinned"),  # weights of one head
    head_split(model="gpt-3-175b", tokens=100, batch=4),  # a law of many rows
    head_split(model="deepseek-v3-r1-671b", tokens=64, batch=1),  # heads unpacked from a latent
    head_split(model="mistral-7b-v0.1", tokens=64, batch=4),  # heads of K and V shared
    pattern(sentence="a b", d_model=2**20, num_heads=1, d_head=50, weights="pinned"),  # weights
    pattern(d_model=8, num_heads=80, d_head=512),  # q, k, v
    pattern(d_model=20000, num_heads=1, d_head=64),  # rows of x
]


@cache
def warmed(kind: str) -> None:
    """What a kind's first picture under a meter imports is no part of it."""
    with measured():
        list(render(make_spec(kind, {})))


def held_at_once(kind: str, parameters: dict[str, Any]) -> int:
    """Bytes at the peak of drawing it a second time: what is loaded once and kept counts, imports do not."""
    spec = make_spec(kind, parameters)
    from attention_engine.trained import models
    from attention_engine.trained.kept import Kept

    list(render(make_spec(kind, {})))
    warmed(kind)
    models._kept = Kept()  # what was read just now is read again
    with measured() as meter:
        for _ in range(2):
            for _frame in render(spec):
                pass
    return meter.peak


def assert_told_truly(kind: str, parameters: dict[str, Any]) -> None:
    told, held = admit(make_spec(kind, parameters)).peak_bytes, held_at_once(kind, parameters)
    assert held <= told <= PEAK_BYTES, f"{held / MIB:.1f} MiB held, {told / MIB:.1f} told"
    assert told <= 2 * held + SMALL, f"{held / MIB:.1f} MiB held, {told / MIB:.1f} told"


@pytest.mark.parametrize(
    ("kind", "parameters"), [*LARGEST, *(pytest.param(*one, marks=pytest.mark.thorough) for one in SLOW)]
)
def test_a_picture_holds_what_was_admitted(kind: str, parameters: dict[str, Any], no_minilm: None) -> None:
    assert_told_truly(kind, parameters)


@pytest.mark.parametrize("kind", ["answer_executed", "head_split"])
def test_a_small_picture_holds_little(kind: str) -> None:
    assert_told_truly(kind, {})


@pytest.mark.parametrize("sentence", ["The cat sat.", pytest.param(WORDS, marks=pytest.mark.thorough)])
def test_minilm_holds_what_was_admitted(sentence: str, minilm: None) -> None:
    assert_told_truly("attention_pattern", {"sentence": sentence})


@pytest.mark.parametrize(
    "parameters",
    [
        {"d_head": 1000, "keys": 512},
        pytest.param({"sentence": WORDS, "keys": 512}, marks=pytest.mark.thorough),
    ],
    ids=str,
)
def test_scores_that_grow_and_minilm_hold_what_was_admitted(parameters: dict[str, Any], minilm: None) -> None:
    assert_told_truly("saturation", parameters | {"divisor": "64"})


def test_scores_of_the_widest_heads_alone_hold_little(no_minilm: None) -> None:
    assert held_at_once("saturation", {"d_head": 1000, "keys": 512, "divisor": "64"}) < 12 * MIB


def test_the_meter_sees_a_tensor_while_it_lives_and_numpy_beside_it() -> None:
    import torch

    with measured() as meter:
        kept = torch.zeros(MIB)
        torch.ones(2 * MIB).sum()
        (kept + 1).numpy().copy()
    assert 12 * MIB <= meter.peak < 13 * MIB


def test_korean_syllables_are_admitted_as_the_tokens_they_become(minilm: None) -> None:
    import torch

    from attention_engine.trained import minilm as model

    sentence = "한국어를배우는사람들 " * 10
    tokens = len(model.read(sentence, torch.device("cpu")).tokens)
    spec = make_spec("attention_pattern", {"sentence": sentence})
    assert len(sentence) < tokens
    assert admit(spec).flops >= 6 * (24 * 384**2 * tokens + 4 * tokens**2 * 384)


GROWTH = """
import sys
from attention_engine.engine import render
from attention_engine.spec import make_spec

def kept(name):
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))

list(render(make_spec(sys.argv[1], {})))
spec = make_spec(sys.argv[1], {"model": "llama-3.1-405b", "sentence": "a " * 999})
open("/proc/self/clear_refs", "w").write("5")
whole, mapped = kept("VmRSS"), kept("RssFile")
list(render(spec))
print(kept("VmHWM") - whole - (kept("RssFile") - mapped))
"""


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_what_is_kept_between_large_maps_does_not_scatter_the_heap() -> None:
    """128 maps of 500 x 500, one at a time: a small map kept after each once held their places, 340 MB."""
    done = subprocess.run(
        [sys.executable, "-c", GROWTH, "attention_pattern"], capture_output=True, check=True
    )
    spec = make_spec("attention_pattern", {"model": "llama-3.1-405b", "sentence": "a " * 999})
    assert int(done.stdout) <= admit(spec).peak_bytes
