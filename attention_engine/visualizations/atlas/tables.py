"""The tables of head_atlas, each number of each head, in as many pages as fit the wire. Knows no weights."""

import json
from collections.abc import Iterator, Sequence

import torch

from attention_engine import configs
from attention_engine.frames import Cell, Table
from attention_engine.kinds.head_atlas import MEASURES, PATTERNS
from attention_engine.visualizations.atlas.words import label

PAGE_BYTES = 12_000
"""What the rows of one frame may take of its 16 KiB: sentence, title and references stand beside them."""
Row = tuple[Cell, ...]
SUMMARY = ("entropy", "sink", "locality")
"""Measures in the table beside the maps; each has a step of its own with all heads sorted by it."""
COLUMNS = {measure.name: measure.column for measure in MEASURES} | {"pair": "weight"}


def pages(columns: Sequence[str], rows: Sequence[Row]) -> Iterator[Table]:
    """The rows in tables that fit a frame each; one table where all fit."""
    page: list[Row] = []
    size = 0
    for row in rows:
        size += len(json.dumps(row, separators=(",", ":"))) + 1
        if page and size > PAGE_BYTES:
            yield Table(tuple(columns), tuple(page))
            page, size = [], 0
        page.append(row)
    yield Table(tuple(columns), tuple(page))


def by_place(measures: torch.Tensor, patterns: torch.Tensor) -> tuple[tuple[str, ...], list[Row]]:
    """(M, L, H), (L, H) -> head, pattern and three measures, in order of layers and heads."""
    chosen = [measure.name for measure in MEASURES if measure.name in SUMMARY]
    at = [[measure.name for measure in MEASURES].index(name) for name in chosen]
    numbers = measures[at].flatten(1).T.tolist()
    rows: list[Row] = [
        (label(place, patterns.shape[1]), PATTERNS[code], *(round(value, 3) + 0.0 for value in row))
        for place, (code, row) in enumerate(zip(patterns.flatten().tolist(), numbers, strict=True))
    ]
    return ("head", "pattern", *(COLUMNS[name] for name in chosen)), rows


def by_measure(name: str, values: torch.Tensor, patterns: torch.Tensor) -> tuple[tuple[str, ...], list[Row]]:
    """(L, H), (L, H) -> head, measure and pattern, the largest first; equal ones by layer and head."""
    codes = patterns.flatten().tolist()
    order = values.flatten().sort(descending=True, stable=True)
    rows: list[Row] = [
        (label(place, values.shape[1]), round(value, 4) + 0.0, PATTERNS[codes[place]])
        for place, value in zip(order.indices.tolist(), order.values.tolist(), strict=True)
    ]
    return ("head", COLUMNS[name], "pattern"), rows


def counts(config: configs.ModelConfig) -> Table:
    """What the table of models says of the heads, and where it says so from."""
    layers, heads, shared = config.layers, config.num_heads, config.num_kv_heads
    rows: list[Row] = [
        ("layers", layers),
        ("query heads a layer", heads),
        ("query heads in all", layers * heads),
        ("pairs of K and V a layer", shared or "none, a latent"),
        ("pairs of K and V in all", layers * shared if shared else "none, a latent"),
        ("width of a query head", config.d_head),
        ("attention", config.attention),
        ("source", config.source[:400]),
        ("status", config.status),
        ("as of", config.as_of),
    ]
    return Table(("what", "in the table of models"), tuple(rows))


GROUPS = ("K and V", "first query head", "last query head", "query heads")


def groups(config: configs.ModelConfig) -> Table:
    """Of each pair of K and V the query heads that read it; of a latent, one row."""
    heads, shared = config.num_heads, config.num_kv_heads
    if not shared:
        return Table(GROUPS, (("latent", 0, heads - 1, heads),))
    size = heads // shared
    return Table(GROUPS, tuple((f"pair {n}", n * size, (n + 1) * size - 1, size) for n in range(shared)))
