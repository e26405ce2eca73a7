"""Trained models against transformers and bertviz: M1 maps, M2 cold start, M3 payload, and tokens a second.

Knows no goal's number."""

import os
import resource
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from attention_engine.attention import attention_weights
from attention_engine.kinds.reading import Reading
from attention_engine.kinds.trained import trained
from attention_engine.trained import loading, models
from benchmarks import decoding, payload
from benchmarks.compared import OURS, compared
from benchmarks.harness import Ratio
from benchmarks.peers import minilm as peers
from benchmarks.rows import Row

CPU = torch.device("cpu")
ROOT = Path(__file__).resolve().parent.parent
TOKENS, CONTINUED = 32, 24
SAME = 5e-6
PROMPT = "Count with me: one, two, three, four, five,"
IMPORTS = "import torch, safetensors.torch, tokenizers"
OURS_COLD = """
from attention_engine import threads; threads.prepare()
import torch, safetensors.torch, tokenizers
from attention_engine.attention import attention_weights
from attention_engine.trained import models
heads = models.read("minilm", SENTENCE, torch.device("cpu")).layers[0]
assert attention_weights(heads.q, heads.k).shape[0] == 12
"""
THEIRS_COLD = """
import torch; torch.set_num_threads(1)
from transformers import AutoModel, AutoTokenizer
model = AutoModel.from_pretrained(FOLDER, attn_implementation="eager").eval()
batch = AutoTokenizer.from_pretrained(FOLDER)(SENTENCE, return_tensors="pt")
with torch.no_grad():
    assert model(**batch, output_attentions=True).attentions[0].shape[1] == 12
"""


def rows(rounds: int, *, quick: bool) -> Iterator[Row]:
    """M1 to M3, then what a token of SmolLM2 costs."""
    os.environ.setdefault("STUDYHUB_VAR", str(ROOT / "var"))
    if missing := models.why_missing("minilm"):
        yield Row("model/MiniLM", 0.0, skipped=f"{missing}: make models fetches it")
        return
    yield maps(rounds)
    yield cold(1 if quick else 5)
    yield sent()
    yield decoded(3 if quick else 5)
    yield decoding.steps(1 if quick else 3)


def _ids(tokens: int) -> torch.Tensor:
    """The first tokens of a text, its last one [SEP]."""
    encoded = loading.loaded("minilm", CPU).tokenizer.encode(payload.WORDS * 4).ids
    return torch.tensor([*encoded[: tokens - 1], encoded[-1]])


def maps(rounds: int) -> Row:
    """M1: all 72 maps of a sentence, as the bytes that frames carry, against transformers' with its maps."""
    name, ids, model = f"model/MiniLM all maps T={TOKENS}", _ids(TOKENS), loading.loaded("minilm", CPU).model
    assert isinstance(model, models.Encoder)
    lacking = peers.missing("transformers")
    whole = Reading(TOKENS, trained("minilm"))
    flops = whole.flops - 2 * TOKENS * whole.matrices[1]  # maps need no more of the last layer than its heads
    theirs: dict[str, Callable[[], Any]] = {}
    values: dict[str, float] = {}
    if not lacking:
        run = peers.maps(_folder("minilm"), ids.tolist())
        exact = [attention_weights(heads.q, heads.k) for heads in model.heads(ids)]
        pairs = zip(exact, run(), strict=True)
        values["error"] = max(float((mine - other).abs().max()) for mine, other in pairs)
        if values["error"] > SAME:
            return Row(name, 0.0, wrong=f"maps differ by {values['error']:.1e}")
        theirs[peers.TRANSFORMERS] = run
    row, _ = compared(
        name,
        lambda: list(model.maps(ids)),
        theirs,
        flops=flops,
        rounds=rounds,
        values=values,
        missing=lacking,
    )
    return row


def _folder(name: str) -> Path:
    folder = loading.folder_of(name)
    assert folder is not None
    return folder


def cold(rounds: int) -> Row:
    """M2: CPU seconds of a new process to its first map, against the imports alone and transformers."""
    given = {"SENTENCE": payload.WORDS[:120], "FOLDER": str(_folder("minilm"))}
    scripts = {"imports": IMPORTS, OURS: OURS_COLD}
    lacking = peers.missing("transformers")
    scripts |= {} if lacking else {peers.TRANSFORMERS: THEIRS_COLD}
    taken: dict[str, list[float]] = {called: [] for called in scripts}
    for _ in range(rounds):
        for called, script in scripts.items():
            taken[called].append(_cpu_seconds(script, given))
    medians = {called: statistics.median(times) for called, times in taken.items()}
    shares = [mine / bare for mine, bare in zip(taken[OURS], taken["imports"], strict=True)]
    values = {"of_imports": statistics.median(shares), "imports_s": medians["imports"]}
    row = Row("model/MiniLM cold", 1000 * medians[OURS], values=values, missing=lacking)
    return row if lacking else _against(row, taken)


def _against(row: Row, taken: Mapping[str, list[float]]) -> Row:
    times = taken[peers.TRANSFORMERS]
    shares = sorted(mine / theirs for mine, theirs in zip(taken[OURS], times, strict=True))
    found = Ratio(statistics.median(shares), shares[0], shares[-1])
    return replace(
        row, peer=peers.TRANSFORMERS, peer_ms=1000 * statistics.median(times), to_peer=found,
        notes=("of a few processes: the interval is the least and the largest",),
    )  # fmt: skip


def _cpu_seconds(script: str, given: Mapping[str, str]) -> float:
    """Of a process that runs the script, all its threads."""
    told = "".join(f"{name} = {value!r}\n" for name, value in given.items())
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    env = os.environ | {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "PYTHONWARNINGS": "ignore"}
    subprocess.run([sys.executable, "-c", told + script], cwd=ROOT, env=env, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def sent() -> Row:
    """M3: bytes of all 72 maps of a sentence as frames carry them, against bertviz' page of the same."""
    name, lacking = f"model/MiniLM payload T={TOKENS}", peers.missing("bertviz", "zstandard")
    if lacking:
        return Row(name, 0.0, skipped=f"not installed: {', '.join(lacking)}; pip install '.[bench]'")
    import zstandard

    read = models.read("minilm", payload.WORDS, CPU, most=TOKENS)
    maps = [attention_weights(heads.q, heads.k) for heads in read.layers]
    body, page = payload.as_frames(torch.cat(maps).numpy()), peers.page(maps, read.tokens)
    packer = zstandard.ZstdCompressor(level=3)
    linear, packed_page = payload.linear_bytes(torch.cat(maps).numpy()), len(packer.compress(page))
    values = {
        "smaller": len(page) / len(body),
        "smaller_zstd": packed_page / len(packer.compress(body)),
        "smaller_zstd_linear": packed_page / len(packer.compress(linear)),
        "KiB": len(body) / 1024,
        "bertviz_KiB": len(page) / 1024,
    }
    return Row(name, 0.0, values=values)


def decoded(rounds: int) -> Row:
    """CPU ms a token of SmolLM2 behind its cache, greedy, against transformers' generate in float32."""
    name = f"model/SmolLM2 a token of {CONTINUED}"
    if missing := models.why_missing("smollm2"):
        return Row(name, 0.0, skipped=f"{missing}: make models fetches it")
    decoder, tokenizer = models.decoder("smollm2", CPU)
    ids, lacking = tokenizer.encode(PROMPT).ids, peers.missing("transformers")

    def ours() -> list[int]:
        cache, made, given = decoder.cache(torch.float32), [], torch.tensor(ids)
        for _ in range(CONTINUED):
            made.append(int(decoder.logits(decoder.run(given, cache)[-1:]).argmax()))
            given = torch.tensor(made[-1:])
        return made

    theirs = {} if lacking else {peers.GENERATE: peers.generate(_folder("smollm2"), ids, CONTINUED)}
    if theirs and ours() != theirs[peers.GENERATE]():
        return Row(name, 0.0, wrong="other tokens than generate gives")
    row, _ = compared(name, ours, theirs, flops=1.0, rounds=rounds, missing=lacking)
    memory = "a token reads every weight once: it is memory that decides, so no floor of products is told"
    return replace(row, values={"ms_a_token": row.ours_ms / CONTINUED}, to_floor=None, notes=(memory,))
