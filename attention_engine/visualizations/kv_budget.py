"""Bytes of a KV cache by formula, beside the memory its tensors really take. Knows no learner."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import torch

from attention_engine.device import chosen_device
from attention_engine.frames import Cell, Frame, Table
from attention_engine.kinds import kv_budget as kind
from attention_engine.kinds.kv.allocation import Scaled, scaled_down
from attention_engine.kinds.kv.cache_bytes import CacheSizes
from attention_engine.kinds.kv.rows import WEIGHT_BYTES, Row, rows
from attention_engine.kinds.kv.sizes import as_mha, as_mqa, sizes_of
from attention_engine.kinds.kv.words import GIB, context, memory, windowed_bytes
from attention_engine.kinds.operations import many
from attention_engine.spec import VisualizationSpec
from attention_engine.visualizations.kv import words as told
from attention_engine.visualizations.kv.measured import DTYPES, Measured, allocated
from attention_engine.visualizations.kv.run import run_frame

UNKNOWN = "not in the table"
Numbers = Mapping[str, Any]


def frames(spec: VisualizationSpec) -> Iterator[Frame]:
    """answer where bytes were answered, then models, token, allocated, and run where a decoder reads."""
    numbers, device = spec.parameters, chosen_device()
    sizes = sizes_of(numbers)
    if numbers["answer_bytes"]:
        yield _answer(numbers)
    yield _models(numbers, sizes)
    yield _token(numbers, sizes)
    yield _allocated(numbers, sizes, device)
    if kind.runs(numbers):
        yield run_frame(numbers, sizes, device)


def _answer(numbers: Numbers) -> Frame:
    """Each factor of the product, kept and answered."""
    answer = kind.answer_of(numbers)
    known = answer["works"] or answer["mistakes"]
    rows_ = [(name, right, yours if known else "not told") for name, right, yours in answer["factors"]]
    return Frame(
        step="answer",
        layout="text",
        title=f"{many(answer['bytes'], 'byte')} a token, factor by factor",
        sentence=answer["sentence"],
        table=Table(
            ("factor", "kept", "answered"), (*rows_, ("bytes a token", answer["right"], answer["bytes"]))
        ),
    )


def _models(numbers: Numbers, sizes: CacheSizes) -> Frame:
    """Every row that caches, the largest first, at the tokens and bytes asked for."""
    listed = rows()
    of_a_token = sizes.layers * sizes.numbers
    return Frame(
        step="models",
        layout="text",
        title=f"The cache of {context(numbers)}, {len(listed)} models",
        sentence=f"{kind.sentence(numbers)} {told.place(of_a_token, listed)}",
        axes=("model",),
        shape=(len(listed),),
        dtype="int64",
        values=tuple(row.numbers * numbers["bytes_per_value"] for row in listed),
        table=Table(
            (
                *("model", "K and V", "bytes a token", "GiB", "bytes a token if MHA"),
                *("attention weights GiB", "nominal weights GiB", "full attention", "status", "as of"),
            ),
            tuple(_model(row, numbers) for row in listed),
        ),
    )


def _model(row: Row, numbers: Numbers) -> tuple[Cell, ...]:
    each = numbers["bytes_per_value"]
    total = row.numbers * each * numbers["tokens"] * numbers["batch"]
    weights = (row.attention_weights, row.nominal)
    held = (gib(WEIGHT_BYTES * weight) if weight else UNKNOWN for weight in weights)
    whole = "in part" if row.partly else "yes"
    return (
        row.name,
        row.scheme,
        row.numbers * each,
        gib(total),
        row.mha * each,
        *held,
        whole,
        row.status,
        row.as_of,
    )


def gib(size: int) -> float:
    """Bytes as GiB with four figures, and no fewer than two decimals are lost of large ones."""
    value = size / GIB
    return round(value, max(0, 3 - math.floor(math.log10(value)))) if value else 0.0


def _token(numbers: Numbers, sizes: CacheSizes) -> Frame:
    """The asked model, and the same with all, one, or a window; then what stands beside it on a card."""
    windowed = windowed_bytes(sizes, numbers, kind.source(numbers))
    span = numbers["tokens"] * numbers["batch"]
    counts = {
        f"{sizes.title} ({sizes.scheme})": sizes,
        "same, if MHA": as_mha(sizes),
        "same, if MQA": as_mqa(sizes),
    }
    caches: list[tuple[Cell, ...]] = [
        (name, f"{product(one)}", one.bytes_per_token, memory(one.bytes_per_token * span))
        for name, one in counts.items()
    ]
    if windowed:
        caches.append(("with its window", "", round(windowed / span), memory(windowed)))
    return Frame(
        step="token",
        layout="text",
        title=f"One token of {sizes.title if numbers['model'] else 'your numbers'}, and {context(numbers)}",
        sentence=kind.beside_weights(numbers),
        table=Table(("cache", "product", "bytes a token", context(numbers)), tuple(caches)),
    )


def product(sizes: CacheSizes) -> str:
    """ "2 × 80 × 8 × 128 × 2"."""
    return sizes.formula


def _allocated(numbers: Numbers, sizes: CacheSizes, device: torch.device) -> Frame:
    """The tensors of the cache, made on this worker: their storage beside the formula."""
    made = scaled_down(sizes, batch=numbers["batch"], tokens=numbers["tokens"])
    each = numbers["bytes_per_value"]
    found = allocated(made.shapes, bytes_per_value=each, device=device)
    said = (
        told.scaled(made, numbers),
        f"Allocated: {told.verdict(made.bytes, found.bytes)}",
        told.allocator(found.allocator, found.bytes),
    )
    return Frame(
        step="allocated",
        layout="text",
        title=f"{memory(found.bytes)} allocated as {str(DTYPES[each]).removeprefix('torch.')}",
        sentence=" ".join(part for part in said if part),
        table=Table(
            ("tensor", "axes", "shape", "bytes by formula", "bytes in memory", "difference"),
            tuple(_tensors(made, found, each)),
        ),
        verdict={"equal": int(found.bytes == made.bytes)},
    )


def _tensors(made: Scaled, found: Measured, each: int) -> Iterator[tuple[Cell, ...]]:
    axes = "layers B T width" if made.sizes.kv_rank else "layers B H_kv T D"
    for name, shape in made.shapes.items():
        formula, held = math.prod(shape) * each, found.storage[name]
        yield name, axes, _written(shape), formula, held, held - formula
    yield "all", "", "", made.bytes, found.bytes, found.bytes - made.bytes
    tokens = made.batch * made.tokens
    of_one = made.bytes // tokens
    layers = "a token" if made.layers == made.sizes.layers else f"a token, {made.layers:,} layers"
    yield layers, "", "", of_one, found.bytes // tokens, found.bytes // tokens - of_one


def _written(shape: tuple[int, ...]) -> str:
    return f"({', '.join(map(str, shape))})"
