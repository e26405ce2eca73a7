"""A layer on this machine's GPU against its own floors, and the sweep over head widths. Knows no queue.

Without a GPU it says SKIP, and writes the sweep of the CPU alone. A row that could not be measured has its
reason in place of figures."""

import json
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch

from attention_engine.attention import attend
from attention_engine.device import Chance, chosen_device, device_name, processor_name, settle
from attention_engine.engine import render
from attention_engine.kernels import Linear
from attention_engine.memory import is_out_of_memory, release
from attention_engine.spec import make_spec
from attention_engine.visualizations.roof import floors
from attention_engine.visualizations.roof.clock import Clock, Run, clock_for, clock_name

RESULTS = Path(__file__).with_name("results")
ROUNDS = 9
BYTES_GOAL, PEAK_GOAL = 1.3, 0.5
"""All stages take at most so many times their bytes floor; projections reach at least so much of the peak."""


@dataclass(frozen=True)
class Layer:
    """Sizes of one attention layer: (1, T, d_model), H heads of d_model / H."""

    tokens: int
    d_model: int
    num_heads: int
    dtype: str

    def __str__(self) -> str:
        return f"T={self.tokens} d_model={self.d_model} H={self.num_heads} {self.dtype}"


@dataclass(frozen=True)
class Found:
    """One row: milliseconds and what they are held to; `skipped` says why there are none."""

    name: str
    ms: float = 0.0
    floor_ms: float = 0.0
    share: float = 0.0
    """Of the measured peak, where arithmetic is the limit."""
    verdict: str = ""
    skipped: str = ""
    notes: Sequence[str] = field(default_factory=tuple)

    @property
    def line(self) -> str:
        """As it is printed and written."""
        if self.skipped:
            return f"{self.name} | SKIP: {self.skipped}"
        held = f"x{self.ms / self.floor_ms:.2f} of its floor {self.floor_ms:.4g} ms" if self.floor_ms else ""
        peak = f"{100 * self.share:.0f}% of the matmul peak" if self.share else ""
        parts = [self.name, f"{self.ms:.4g} ms", held, peak, *self.notes, self.verdict]
        return " | ".join(part for part in parts if part)


LAYERS = (
    Layer(128, 768, 12, "float32"),
    Layer(512, 768, 12, "float32"),
    Layer(2048, 768, 12, "float32"),
    Layer(2048, 4096, 32, "bfloat16"),
    Layer(4096, 4096, 32, "bfloat16"),
)
SWEEPS: tuple[dict[str, Any], ...] = (
    {"dtype": "float32"},
    {"dtype": "bfloat16"},
    {"dtype": "bfloat16", "tokens": 2048, "d_model": 2048, "d_heads": [64, 80, 128], "repeats": 1},
)


def main(*, results: Path = RESULTS, rounds: int = 0) -> int:
    """Prints and writes results/<card>.md and .json; 1 where a goal is missed on a GPU, else 0."""
    device = chosen_device()
    settle(device)
    name = device_name(device) if device.type == "cuda" else f"{processor_name()} CPU"
    print(_machine_line(name, device), flush=True)
    found = []
    for row in rows(device, rounds or ROUNDS):
        found.append(row)
        print(row.line, flush=True)
    tables = list(sweeps(SWEEPS if device.type == "cuda" else SWEEPS[:2]))
    _write(results, name, device, found, tables)
    return int(any(row.verdict == "FAIL" for row in found))


def rows(device: torch.device, rounds: int, *, layers: Sequence[Layer] = LAYERS) -> Iterator[Found]:
    """Both floors, then every layer; without a GPU one row that says so."""
    if device.type != "cuda":
        yield Found("gpu", skipped=why_no_gpu())
        return
    yield from measured(device, rounds, layers)


def why_no_gpu() -> str:
    """What torch says of GPUs here."""
    built = torch.version.cuda or torch.version.hip
    return (
        f"torch {torch.__version__} is built without CUDA"
        if not built
        else f"torch {torch.__version__} (CUDA {built}) finds no device"
    )


def measured(device: torch.device, rounds: int, layers: Sequence[Layer]) -> Iterator[Found]:
    """On any device, so that what is done on a GPU is tried on a CPU too."""
    clock = clock_for(device)
    peaks = {
        dtype: floors.peak(floors.DTYPES[dtype], device, clock=clock, repeats=rounds)
        for dtype in sorted({layer.dtype for layer in layers})
    }
    copied = floors.copy(device, clock=clock, repeats=rounds)
    for dtype, peak in peaks.items():
        note = f"{peak.rate / 1e12:.4g} TFLOP/s"
        yield Found(f"floor/{dtype} product {peak.size}^3", 1000 * peak.samples.best, notes=(note,))
    note = f"{copied.rate / 1e9:.4g} GB/s"
    yield Found(f"floor/copy of {copied.size // 2**20} MiB", 1000 * copied.samples.best, notes=(note,))
    for layer in layers:
        for measure in (stages, projections):
            held = {"peak": peaks[layer.dtype].rate, "bandwidth": copied.rate}
            yield _or_skipped(measure, layer, device, clock=clock, rounds=rounds, **held)


def _or_skipped(measure: Any, layer: Layer, device: torch.device, **given: Any) -> Found:
    try:
        found: Found = measure(layer, device, **given)
    except RuntimeError as error:
        if not is_out_of_memory(error):
            raise
        found = Found(f"{measure.__name__} {layer}", skipped=str(error).partition("\n")[0])
    release(device)
    return found


def stages(
    layer: Layer, device: torch.device, *, clock: Clock, rounds: int, peak: float, bandwidth: float
) -> Found:
    """Scores, scale, softmax and mixing of all heads, each kept, against their bytes and their FLOPs."""
    chance, dtype = Chance(0, device), floors.DTYPES[layer.dtype]
    shape = (1, layer.num_heads, layer.tokens, layer.d_model // layer.num_heads)
    q, k, v = (chance.normal(shape).to(dtype) for _ in "qkv")
    best = _best(lambda: attend(q, k, v), clock, rounds)
    flops = 4 * layer.tokens**2 * layer.d_model
    floor = stage_bytes(layer, dtype.itemsize) / bandwidth
    by_memory = floor >= flops / peak
    limit = max(floor, flops / peak)
    kept = "PASS" if best <= BYTES_GOAL * limit else "FAIL"
    return Found(
        f"stages {layer}",
        1000 * best,
        1000 * limit,
        verdict=f"goal {BYTES_GOAL} {kept}" if by_memory and device.type == "cuda" else "",
        notes=("limited by memory" if by_memory else "limited by arithmetic",),
    )


def stage_bytes(layer: Layer, itemsize: int) -> int:
    """q, k, v, scores, weights and the output, each moved once: showing them can take no fewer."""
    return itemsize * (4 * layer.tokens * layer.d_model + 2 * layer.num_heads * layer.tokens**2)


def projections(
    layer: Layer, device: torch.device, *, clock: Clock, rounds: int, peak: float, **_: float
) -> Found:
    """Q, K and V in one product of (T, d_model) by (d_model, 3 d_model), as a share of the measured peak."""
    chance, dtype = Chance(0, device), floors.DTYPES[layer.dtype]
    weight = chance.normal((3 * layer.d_model, layer.d_model)).to(dtype)
    linear = Linear(weight, torch.zeros(3 * layer.d_model, dtype=dtype, device=device), rows=layer.tokens)
    x = chance.normal((layer.tokens, layer.d_model)).to(dtype)
    best = _best(lambda: linear(x), clock, rounds)
    share = 6 * layer.tokens * layer.d_model**2 / best / peak
    held = device.type == "cuda" and layer.dtype == "bfloat16"
    verdict = f"goal {PEAK_GOAL:.0%} {'PASS' if share >= PEAK_GOAL else 'FAIL'}" if held else ""
    return Found(f"projections {layer}", 1000 * best, share=share, verdict=verdict)


def _best(run: Run, clock: Clock, rounds: int) -> float:
    return floors.sampled(run, clock=clock, repeats=rounds).best


def sweeps(asked: Sequence[dict[str, Any]]) -> Iterator[tuple[str, list[list[Any]], str]]:
    """(title, table with its heads, sentence) of each sweep, as the picture has them."""
    for parameters in asked:
        for frame in render(make_spec("roofline", parameters)):
            if frame.step in {"sweep", "roofline"}:
                table: list[list[Any]] = [list(frame.table.columns)]
                table += [list(row) for row in frame.table.rows]
                yield f"{frame.step}: {frame.title}", table, frame.sentence


def _machine_line(name: str, device: torch.device) -> str:
    built = f", CUDA {torch.version.cuda}" if torch.version.cuda else ""
    return f"{name}, torch {torch.__version__}{built}, timed by {clock_name(device)}"


def _write(
    folder: Path, name: str, device: torch.device, found: Sequence[Found], tables: Sequence[Any]
) -> None:
    folder.mkdir(exist_ok=True)
    at = time.strftime("%Y-%m-%d", time.gmtime())
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower().replace("(r)", "")).strip("-")
    text = [f"# {name}", "", f"{_machine_line(name, device)}; {at}; `python -m benchmarks gpu`", ""]
    text += [f"- {row.line}" for row in found]
    for title, table, sentence in tables:
        text += ["", f"## {title}", "", sentence, "", *_markdown(table)]
    (folder / f"{slug}.md").write_text("\n".join(text) + "\n")
    told = {"machine": name, "torch": torch.__version__, "at": at, "rows": [asdict(row) for row in found]}
    told["sweeps"] = [{"title": title, "table": table} for title, table, _ in tables]
    (folder / f"{slug}.json").write_text(json.dumps(told, indent=1) + "\n")
    print(f"written: {folder.name}/{slug}.md and .json")


def _markdown(table: Sequence[Sequence[Any]]) -> list[str]:
    head, *body = [[str(cell) for cell in row] for row in table]
    lines = [head, ["---"] * len(head), *body]
    return [f"| {' | '.join(row)} |" for row in lines]
