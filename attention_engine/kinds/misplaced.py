"""Where a line that runs and is wrong puts numbers, by arithmetic. Has no values and knows no facts.

A *piece* is one head of one token: D numbers side by side in q, H pieces a token. Each function is equal to
what torch does by test."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from attention_engine import shapes
from attention_engine.kinds.operations import written

VIEW, MERGE = "view_as_heads", "merge_without_transpose"
WIDTH, SOFTMAX = "width_before_heads", "softmax_over_queries"
MISTAKES = (VIEW, MERGE, WIDTH, SOFTMAX)
MOST_CELLS, MOST_COLUMNS = 512, 32
"""Cells that are shown, and tokens of them."""
MAP_TOKENS = math.isqrt(MOST_CELLS)
"""Tokens of a map of scores that is shown."""
Numbers = Mapping[str, Any]


@dataclass(frozen=True)
class Held:
    """What a cell (one head of one token) really holds: its first number's piece, and of how many pieces."""

    token: int
    head: int
    parts: int = 1


def sizes(numbers: Numbers) -> tuple[int, int, int, int]:
    """B, T, H, D."""
    batch, tokens, num_heads, d_head = (numbers[name] for name in ("batch", "tokens", "num_heads", "d_head"))
    return batch, tokens, num_heads, d_head


def axes(numbers: Numbers) -> tuple[str, ...]:
    """Names of the axes of what both lines give."""
    return shapes.axes_of({MERGE: "merge", SOFTMAX: "scores"}.get(numbers["mistake"], "transpose"))


def shape(numbers: Numbers) -> shapes.Shape:
    """The shape that both lines give."""
    batch, tokens, heads, width = sizes(numbers)
    given = {MERGE: (batch, tokens, heads * width), SOFTMAX: (batch, heads, tokens, tokens)}
    return given.get(numbers["mistake"], (batch, heads, tokens, width))


def strides(numbers: Numbers) -> tuple[shapes.Shape, shapes.Shape]:
    """Strides after the right line and after the wrong one, counted in numbers."""
    _, tokens, heads, width = sizes(numbers)
    row, plain = heads * width, shapes.contiguous_strides(shape(numbers))
    if numbers["mistake"] in {MERGE, SOFTMAX}:
        return plain, plain
    wrong = plain if numbers["mistake"] == VIEW else (tokens * row, 1, row, heads)
    return (tokens * row, width, row, 1), wrong


def codes(numbers: Numbers) -> tuple[str, str]:
    """The right line and the wrong one, with their numbers."""
    batch, tokens, heads, width = sizes(numbers)
    merged = written((batch, tokens, heads * width))
    split = f"q.view{written((batch, tokens, heads, width))}.transpose(1, 2)"
    told = {
        VIEW: (split, f"q.view{written((batch, heads, tokens, width))}"),
        MERGE: (f"out.transpose(1, 2).reshape{merged}", f"out.reshape{merged}"),
        WIDTH: (split, f"q.view{written((batch, tokens, width, heads))}.permute(0, 3, 1, 2)"),
        SOFTMAX: ("scores.softmax(dim=-1)", "scores.softmax(dim=-2)"),
    }
    return told[numbers["mistake"]]


def staying(numbers: Numbers) -> int:
    """Pieces of one sequence, or features of one token, that both lines put into the same place.

    Piece (h, t) stays where h (T - 1) = t (H - 1): at gcd(H - 1, T - 1) + 1 places. Feature (h, d) stays
    where h (D - 1) = d (H - 1)."""
    _, tokens, heads, width = sizes(numbers)
    other = width if numbers["mistake"] == WIDTH else tokens
    return math.gcd(heads - 1, other - 1) + 1


def cells(numbers: Numbers) -> int:
    """How many numbers a line gives."""
    return shapes.numbers_in(shape=shape(numbers))


def wrong_cells(numbers: Numbers) -> int:
    """Numbers that the wrong line puts elsewhere. Of weights all change, but those of a single token."""
    batch, tokens, _, width = sizes(numbers)
    if numbers["mistake"] == SOFTMAX:
        return 0 if tokens == 1 else cells(numbers)
    each = batch * (tokens if numbers["mistake"] == WIDTH else width)
    return cells(numbers) - each * staying(numbers)


def share(wrong: int, of: int) -> str:
    """ "95.8 %"; what is not all is never rounded to 100 %."""
    if wrong in {0, of}:
        return "0 %" if wrong == 0 else "100 %"
    tenths = (2000 * wrong + of) // (2 * of)
    return "over 99.9 %" if tenths > 999 else f"{tenths / 10} %"


def held(numbers: Numbers, head: int, token: int) -> Held:
    """What stands after the wrong line where this head of this token should be."""
    _, tokens, heads, width = sizes(numbers)
    if numbers["mistake"] == WIDTH:
        return Held(token, head // width, min(heads, width))
    if numbers["mistake"] == MERGE:
        piece = token * heads + head
        return Held(token=piece % tokens, head=piece // tokens)
    piece = head * tokens + token
    return Held(token=piece // heads, head=piece % heads)


def window(numbers: Numbers) -> tuple[int, int]:
    """Heads and tokens that are shown, from the first on: at most 512 cells."""
    _, tokens, heads, _ = sizes(numbers)
    across = min(tokens, MOST_COLUMNS)
    return min(heads, MOST_CELLS // across), across
