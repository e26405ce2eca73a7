"""A picture of a growing cache: CPU ms of a step as the picture takes it, weights watched and frame made."""

import time
from statistics import median

import torch

from attention_engine.engine import render
from attention_engine.spec import make_spec
from attention_engine.trained import models
from benchmarks.rows import Row

NEW_TOKENS = 8


def steps(rounds: int) -> Row:
    """The median step of decode_cache's default picture on one thread; viz.md V12 wants at most 150 ms."""
    name = "model/decode_cache a step"
    if missing := models.why_missing("smollm2"):
        return Row(name, 0.0, skipped=f"{missing}: make models fetches it")
    torch.set_num_threads(1)
    taken = [cpu_ms for _ in range(rounds) for cpu_ms in _steps()]
    return Row(name, median(taken), values={"largest_ms": max(taken), "steps": float(len(taken))})


def _steps() -> list[float]:
    """CPU ms from one frame to the next, of the frames that add a token."""
    taken, before = [], time.process_time()
    for frame in render(make_spec("decode_cache", {"new_tokens": NEW_TOKENS})):
        now = time.process_time()
        if frame.step.startswith("t"):
            taken.append((now - before) * 1000)
        before = now
    return taken
