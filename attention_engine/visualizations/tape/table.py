"""The tables of memory_tape: where numbers lie, and the ways round a refusal. Knows no sentence."""

import torch

from attention_engine.frames import Cell, Table
from attention_engine.op_chain import Op
from attention_engine.outcomes import Outcome, attempt, rounded
from attention_engine.strides import CACHE_LINE, Layout, index_of, offset_of, run

ROWS = 24
BEGINNING = 4


def places(layout: Layout) -> list[int]:
    """Numbers to list, by their place in order: all if few, else the first, and the ends of the first runs.

    Where no jump comes soon, the ends of the last axis stand for the ends of runs."""
    numbers, piece = layout.numbers, run(layout)
    if numbers <= ROWS or piece == 1:
        return list(range(min(numbers, ROWS)))
    if piece == numbers:
        piece = next((size for size in reversed(layout.shape) if size > 1), 1)
    ends = {at for n in range(ROWS) for at in (n * piece, (n + 1) * piece - 1)}
    return sorted(at for at in {*range(BEGINNING), *ends} if at < numbers)[:ROWS]


def table(layout: Layout, each: int, right: Layout | None = None) -> Table:
    """Index, offset, byte and cache line of the listed numbers; beside them where the right strides read."""
    beside = () if right is None else ("right offset",)
    rows = tuple(_row(layout, place, each, right) for place in places(layout))
    return Table((*layout.names, "offset", "byte", "cache line", *beside), rows)


def _row(layout: Layout, place: int, each: int, right: Layout | None) -> tuple[Cell, ...]:
    lies = offset_of(layout, place)
    beside = () if right is None else (offset_of(right, place),)
    index = index_of(place, layout.shape)
    return (*index, lies, lies * each, lies * each // CACHE_LINE, *beside)


def ways(op: Op, tensor: torch.Tensor, refused: Outcome) -> Table:
    """The refused line, and what torch does with the lines that copy instead, where one of them runs."""
    rows: list[tuple[Cell, ...]] = [(str(op), refused.said(), 0)]
    if op.name == "view":
        instead = attempt(f"reshape{str(op).removeprefix('view')}", lambda: tensor.reshape(op.arguments[0]))
        written = attempt(f"contiguous().{op}", lambda: tensor.contiguous().view(op.arguments[0]))
        rows += [
            (way.code, f"runs: shape {rounded(way.tensor.shape)}", way.tensor.numel() * tensor.itemsize)
            for way in (instead, written)
            if way.tensor is not None
        ]
    return Table(("line", "outcome", "bytes copied"), tuple(rows))
