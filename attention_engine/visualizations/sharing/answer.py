"""A learner's number of K/V heads, run on small real tensors: the pair each query reads, or torch's words."""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch.nn import functional

from attention_engine.frames import Cell, Frame, Table
from attention_engine.kinds.head_sharing import answer
from attention_engine.kinds.operations import many

SDPA = "F.scaled_dot_product_attention(q, k, v, enable_gqa=True)"
TOKENS, WIDTH = 2, 4


def answer_frame(parameters: Mapping[str, Any]) -> Frame:
    """Two lines of code that share heads, run: V of pair n holds n, so an output names the pair it read."""
    heads, given = parameters["num_heads"], parameters["answer_kv_heads"]
    told = answer(parameters)
    read, error = tried(lambda: read_by_sdpa(heads, given))
    repeated, other = tried(lambda: read_by_repeat(heads, given))
    lines = _lines(heads, given, (read, error), (repeated, other))
    works = told["works"]
    return Frame(
        step="answer",
        layout="text",
        title=f"{given:,} K/V heads for {heads:,} query heads",
        sentence=f"{told['sentence']} {_ran(given, works)}",
        axes=("H",) if read else (),
        shape=(heads,) if read else (),
        strides=(1,) if read else (),
        dtype="float32" if read else "",
        values=tuple(map(float, read)),
        table=_pairs(read) if read else Table(("line", "what came of it"), lines),
        error=error,
        verdict={"works": int(works), "left_over": told["left_over"]},
    )


def _ran(given: int, works: bool) -> str:
    if works:
        return f"{SDPA} ran with {many(given, 'K/V head')}; the table says which one each query head read."
    return f"{SDPA} refused, in torch's own words."


def tried(run: Callable[[], list[int]]) -> tuple[list[int], str]:
    """What came out, or torch's own words."""
    try:
        return run(), ""
    except RuntimeError as refused:
        return [], f"RuntimeError: {refused}"


def _tensors(heads: int, given: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """q (1, H, T, D), k and v (1, H_kv, T, D); v of head n holds n. k and v take the memory of one width."""
    q, k = torch.zeros(1, heads, TOKENS, WIDTH), torch.zeros(1, 1, TOKENS, WIDTH)
    v = torch.arange(given, dtype=torch.float32).view(1, given, 1, 1)
    return q, k.expand(1, given, TOKENS, WIDTH), v.expand(1, given, TOKENS, WIDTH)


def read_by_sdpa(heads: int, given: int) -> list[int]:
    """The pair that each query head reads where torch shares heads itself. Raises RuntimeError."""
    q, k, v = _tensors(heads, given)
    mixed = functional.scaled_dot_product_attention(q, k, v, enable_gqa=True)
    return [int(pair) for pair in mixed[0, :, 0, 0]]


def read_by_repeat(heads: int, given: int) -> list[int]:
    """The same where K and V are repeated by hand, H // H_kv times each. Raises RuntimeError."""
    q, k, v = _tensors(heads, given)
    k, v = (one.repeat_interleave(heads // given, dim=1) for one in (k, v))
    mixed = (q @ k.mT).softmax(dim=-1) @ v
    return [int(pair) for pair in mixed[0, :, 0, 0]]


def _lines(
    heads: int, given: int, sdpa: tuple[list[int], str], repeat: tuple[list[int], str]
) -> tuple[tuple[Cell, ...], ...]:
    times = heads // given
    return (
        (SDPA, sdpa[1] or "ran"),
        (f"k.repeat_interleave({times}, dim=1)", f"(1, {given * times}, {TOKENS}, {WIDTH})"),
        (f"q @ k.repeat_interleave({times}, dim=1).mT", repeat[1] or "ran"),
    )


def _pairs(read: list[int]) -> Table:
    return Table(("query head", "K/V head it read"), tuple(enumerate(read)))
