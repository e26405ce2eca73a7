"""Embeddings of answers against sentence-transformers, transformers and onnxruntime: E1 to E3.

Knows no goal's number."""

import os
import random
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from attention_engine.kinds.reading import Reading
from attention_engine.kinds.trained import trained
from attention_engine.trained import embedding, loading, models
from benchmarks.compared import OURS, compared
from benchmarks.harness import Timing, Variant, calls_for, interleaved, ratio
from benchmarks.peers import embedders as peers
from benchmarks.peers.minilm import missing, quiet
from benchmarks.rows import Row

ROOT = Path(__file__).resolve().parent.parent
NEAR = 1e-4
"""1 - cosine beyond which a peer computes something else, and is told and not compared."""
ANSWER = (
    "The scores are divided by the square root of the head width, because the variance of a dot product "
    "grows with it and softmax would saturate otherwise."
)
WORDS = ANSWER.replace(".", "").replace(",", "").split()
ANSWERS = 64


def rows(rounds: int, *, quick: bool) -> Iterator[Row]:
    """E1 with E3's cached text, then E2."""
    os.environ.setdefault("STUDYHUB_VAR", str(ROOT / "var"))
    if why := models.why_missing("minilm"):
        yield Row("embed/MiniLM", 0.0, skipped=f"{why}: make models fetches it")
        return
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made, lacking = _peers(Path(folder))
        yield _row("embed/one answer", [ANSWER], made, rounds=rounds, lacking=lacking)
        few = 3 if quick else max(3, rounds // 3)
        yield _row("embed/64 answers", answers(ANSWERS), made, rounds=few, lacking=lacking)


def answers(count: int) -> list[str]:
    """Answers of 4 to 55 words, by chance and always the same."""
    chance = random.Random(0)
    return [" ".join(chance.choices(WORDS, k=chance.randint(4, 55))) for _ in range(count)]


def _peers(into: Path) -> tuple[dict[str, peers.Embed], tuple[str, ...]]:
    """Those that are installed by name, and the names of those that are not."""
    folder = loading.folder_of("minilm")
    assert folder is not None
    makers: dict[str, Callable[[], peers.Embed]] = {
        peers.SENTENCE: lambda: peers.sentence_transformers(folder),
        peers.POOLED: lambda: peers.pooled(folder),
        peers.ONNX: lambda: peers.onnxruntime(folder, into),
        peers.ONNX8: lambda: peers.onnxruntime(folder, into, int8=True),
    }
    lacking = tuple(name for name in makers if missing(*peers.NEEDS[name]))
    if peers.POOLED not in lacking:
        quiet()
    return {name: make() for name, make in makers.items() if name not in lacking}, lacking


def _row(
    name: str, texts: Sequence[str], made: dict[str, peers.Embed], *, rounds: int, lacking: tuple[str, ...]
) -> Row:
    own = embedding.embedder()
    vectors = own.embed(texts)
    far = {called: float(1 - (vectors * run(texts)).sum(axis=1).min()) for called, run in made.items()}
    exact = {called: made[called] for called in made if far[called] <= NEAR}
    if made and not exact:
        return Row(name, 0.0, wrong=f"no peer's vectors are ours: {far}")
    runs = {called: _bound(run, texts) for called, run in made.items()}
    flops = sum(Reading(len(own._ids(text)), trained("minilm")).flops for text in texts)
    values = {"distance": max((far[called] for called in exact), default=0.0)}
    row, timings = compared(
        name, lambda: own._computed(texts), runs, flops=flops, rounds=rounds, held_to=_held_to(exact),
        values=values, missing=lacking,
    )  # fmt: skip
    return replace(row, values={**values, **_told(row, timings, texts, flops)}, notes=_notes(timings, far))


def _held_to(exact: dict[str, peers.Embed]) -> list[str]:
    """sentence-transformers, which the goals name; the best of the others where it is not installed."""
    return [peers.SENTENCE] if peers.SENTENCE in exact else list(exact)


def _bound(run: peers.Embed, texts: Sequence[str]) -> Callable[[], Any]:
    return lambda: run(texts)


def _told(row: Row, timings: dict[str, Timing], texts: Sequence[str], flops: float) -> dict[str, float]:
    values = {"ms": row.ours_ms, "texts_a_second": 1000 * len(texts) / row.ours_ms}
    if peers.ONNX in timings:
        values["of_onnxruntime"] = ratio(timings[OURS], timings[peers.ONNX]).median
    if len(texts) == 1:
        return values | {"us_cached": _cached_us(texts)}
    return values | {"of_bf16_floor": row.ours_ms / _bf16_floor_ms(flops)}


def _cached_us(texts: Sequence[str]) -> float:
    """Microseconds of a text embedded before, the least of many."""
    embedding.embed(texts)
    times = []
    for _ in range(200):
        started = time.perf_counter()
        embedding.embed(texts)
        times.append(time.perf_counter() - started)
    return 1e6 * min(times)


def _bf16_floor_ms(flops: float) -> float:
    """What so many operations take at the rate of a bfloat16 product of 1024^3, as torch computes it."""
    x = torch.ones(1024, 1024, dtype=torch.bfloat16)
    timing = interleaved({"bf16": Variant(lambda: x @ x, calls_for(lambda: x @ x))}, 5)["bf16"]
    return timing.ms * flops / (2 * 1024**3)


def _notes(timings: dict[str, Timing], far: dict[str, float]) -> tuple[str, ...]:
    """Every peer's time, and which of them is too far from float32 to count."""
    checked = {name: "" if off <= NEAR else f", cosine {1 - off:.3f}: too far" for name, off in far.items()}
    told = [f"{name} {timings[name].ms:.3g} ms{checked[name]}" for name in far]
    return (f"in {embedding.embedder().encoder.precision}", *told)
