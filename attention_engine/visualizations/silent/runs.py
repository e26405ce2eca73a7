"""A right and a wrong line for one step, run on numbers that say where they belong. Knows no sentence."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch

from attention_engine.device import META
from attention_engine.heads import merge_heads, split_heads
from attention_engine.kinds import misplaced
from attention_engine.kinds.misplaced import MERGE, SOFTMAX, VIEW, WIDTH, Held
from attention_engine.kinds.silent_mistake import runs
from attention_engine.outcomes import numbered

Numbers = Mapping[str, Any]
Line = Callable[[torch.Tensor, int], torch.Tensor]


@dataclass(frozen=True)
class Pair:
    """Two lines for one step: each takes a tensor and num_heads, and both give one shape."""

    right: Line
    wrong: Line


def view_as_heads(q: torch.Tensor, num_heads: int) -> torch.Tensor:
    """(B, T, H*D) -> (B, H, T, D), cut in order as if heads came before tokens."""
    batch, tokens, inner = q.shape
    return q.view(batch, num_heads, tokens, inner // num_heads)


def width_before_heads(q: torch.Tensor, num_heads: int) -> torch.Tensor:
    """(B, T, H*D) -> (B, H, T, D), every H-th feature to one head."""
    batch, tokens, inner = q.shape
    return q.view(batch, tokens, inner // num_heads, num_heads).permute(0, 3, 1, 2)


def merge_without_transpose(mixed: torch.Tensor, num_heads: int) -> torch.Tensor:
    """(B, H, T, D) -> (B, T, H*D), read in order as if tokens came before heads."""
    batch, _, tokens, width = mixed.shape
    return mixed.reshape(batch, tokens, num_heads * width)


PAIRS: Mapping[str, Pair] = {
    VIEW: Pair(split_heads, view_as_heads),
    WIDTH: Pair(split_heads, width_before_heads),
    MERGE: Pair(lambda mixed, _: merge_heads(mixed), merge_without_transpose),
    SOFTMAX: Pair(lambda scores, _: scores.softmax(dim=-1), lambda scores, _: scores.softmax(dim=-2)),
}
"""A split takes q and gives heads, a merge takes heads and gives rows, a softmax takes scores."""


@dataclass(frozen=True)
class Result:
    """What one line gives: the tensor, its cells (B, H, T, D), and what the shown ones hold."""

    tensor: torch.Tensor
    cells: torch.Tensor
    held: tuple[tuple[Held, ...], ...]
    """By head, then by token."""


def run(numbers: Numbers, pair: Pair) -> tuple[Result, Result]:
    """The right and the wrong line on q, or on what attention gives, each number being its place in q.

    On the meta device where they are many; there the cells are those of arithmetic."""
    batch, tokens, heads, width = misplaced.sizes(numbers)
    shape = (batch, tokens, heads * width)
    given = numbered(shape) if runs(numbers) else torch.empty(shape, device=META)
    if numbers["mistake"] == MERGE:
        given = split_heads(given, heads).contiguous()
    right = _result(pair.right(given, heads), numbers, known=lambda h, t: Held(token=t, head=h))
    wrong = _result(pair.wrong(given, heads), numbers, known=lambda h, t: misplaced.held(numbers, h, t))
    return right, wrong


def _result(tensor: torch.Tensor, numbers: Numbers, *, known: Callable[[int, int], Held]) -> Result:
    cells = split_heads(tensor, numbers["num_heads"]) if tensor.dim() == 3 else tensor
    down, across = misplaced.window(numbers)
    if tensor.is_meta:
        held = tuple(tuple(known(head, token) for token in range(across)) for head in range(down))
        return Result(tensor, cells, held=held)
    return Result(tensor, cells, held=_held(cells[0, :down, :across], numbers))


def _held(shown: torch.Tensor, numbers: Numbers) -> tuple[tuple[Held, ...], ...]:
    """(H', T', D) of places t * H * D + h * D + d -> what each cell holds."""
    heads = numbers["num_heads"]
    pieces = shown.div(numbers["d_head"], rounding_mode="floor")
    parts = (pieces.amin(dim=-1) != pieces.amax(dim=-1)).int() + 1
    if bool((parts > 1).any()):
        parts = pieces.sort(dim=-1).values.diff(dim=-1).ne(0).sum(dim=-1) + 1
    rows = zip(pieces[..., 0].tolist(), parts.tolist(), strict=True)
    return tuple(
        tuple(Held(piece // heads, piece % heads, mixed) for piece, mixed in zip(*row, strict=True))
        for row in rows
    )
