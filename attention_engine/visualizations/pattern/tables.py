"""The tables beside the maps of attention_pattern. Knows no model."""

import math
from collections.abc import Sequence

import torch

from attention_engine.attention import Stages
from attention_engine.frames import Cell, Table
from attention_engine.visualizations._names import labels

FULL_MAP = 24
"""Up to this many tokens a table holds every cell, beyond it the strongest key of each row."""


def _cell(value: float, digits: int = 3) -> float | str:
    return round(value, digits) + 0.0 if math.isfinite(value) else "hidden"  # + 0.0: no minus before a 0


def map_table(tokens: Sequence[str], values: torch.Tensor) -> Table:
    """(T, T) as a table: all cells of a short sentence, else position and value of each row's largest key."""
    names = labels(tokens)
    if len(names) <= FULL_MAP:
        rows = [
            (name, *(_cell(value) for value in row)) for name, row in zip(names, values.tolist(), strict=True)
        ]
        return Table(("query", *names), tuple(rows))
    best, some = values.max(dim=-1), (values.isfinite() & values.ne(0)).any(dim=-1)
    told = zip(names, best.indices.tolist(), best.values.tolist(), some.tolist(), strict=True)
    return Table(
        ("query", "strongest key, by position", "value"),
        tuple((name, key if any_key else "none", _cell(value, 2)) for name, key, value, any_key in told),
    )


def parts_of(stages: Stages, v: torch.Tensor) -> torch.Tensor:
    """(T, T): the part of output row i that comes from key j, w_ij v_j . o_i / |o_i|^2; rows sum to 1.

    A part may be negative: that value points away from the sum. A row whose output is 0 has parts 0."""
    along = stages.output @ v.transpose(-2, -1)
    sizes = stages.output.square().sum(dim=-1, keepdim=True)
    return along.mul_(stages.weights).div_(sizes.masked_fill(sizes == 0, 1.0))


def output_table(tokens: Sequence[str], stages: Stages, parts: torch.Tensor) -> Table:
    """Of each token: whose value makes most of its output, how much, and the length of what results."""
    best = parts.max(dim=-1)
    sizes = (stages.output.norm(dim=-1) / math.sqrt(stages.output.shape[-1])).tolist()
    told = zip(labels(tokens), best.indices.tolist(), best.values.tolist(), sizes, strict=True)
    rows: list[tuple[Cell, ...]] = [
        (name, key if size else "none", round(100 * part), round(size, 2)) for name, key, part, size in told
    ]
    return Table(
        ("query", "largest part from key, by position", "part in %", "root mean square"), tuple(rows)
    )
