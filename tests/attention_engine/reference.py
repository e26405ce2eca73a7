"""Slow twins of attention, masks, rotary and latent attention: plain Python floats, one number at a time.

Nothing here is shared with the engine, not even torch's products: each formula is written from its paper."""

import cmath
import math
from collections.abc import Sequence
from typing import Any

Vector = list[float]
Matrix = list[Vector]
Heads = list[list[Matrix]]
"""[batch][head][token][feature]"""
Sees = list[list[bool]]


def causal(tokens: int, keys: int, *, last_is_last: bool) -> Sees:
    """Row by row: may query t see key s?"""
    shift = keys - tokens if last_is_last else 0
    return [[s <= t + shift for s in range(keys)] for t in range(tokens)]


def sliding_window(tokens: int, keys: int, *, window: int, last_is_last: bool) -> Sees:
    """As causal, and fewer than `window` keys away."""
    shift = keys - tokens if last_is_last else 0
    return [[0 <= t + shift - s < window for s in range(keys)] for t in range(tokens)]


def dot(a: Vector, b: Vector) -> float:
    """Sum of products."""
    return math.fsum(x * y for x, y in zip(a, b, strict=True))


def softmax(scores: Vector, sees: Sequence[bool]) -> Vector:
    """Weights of one row; a row that sees nothing sends nothing."""
    seen = [score for score, may in zip(scores, sees, strict=True) if may]
    if not seen:
        return [0.0] * len(scores)
    powers = [math.exp(s - max(seen)) if may else 0.0 for s, may in zip(scores, sees, strict=True)]
    return [power / math.fsum(powers) for power in powers]


def attention(
    q: Heads, k: Heads, v: Heads, *, scale: float, mask: list[list[Sees]] | None = None
) -> dict[str, Heads]:
    """scores, scaled, weights and output, for each sequence, query head and query on its own.

    Query head h reads K/V head h // (H / H_kv); mask is [batch][head][query][key]."""
    names = ("scores", "scaled", "weights", "output")
    told: dict[str, Heads] = {name: [[] for _ in q] for name in names}
    for b, sequence in enumerate(q):
        for h, queries in enumerate(sequence):
            shared = h * len(k[b]) // len(sequence)
            sees = mask[b][h] if mask else [[True] * len(k[b][shared])] * len(queries)
            rows = [
                _row(query, k[b][shared], v[b][shared], scale=scale, sees=sees[t])
                for t, query in enumerate(queries)
            ]
            for name, column in zip(names, zip(*rows, strict=True), strict=True):
                told[name][b].append(list(column))
    return told


def _row(query: Vector, keys: Matrix, values: Matrix, *, scale: float, sees: Sequence[bool]) -> Any:
    scores = [dot(query, key) for key in keys]
    scaled = [score * scale for score in scores]
    weights = softmax(scaled, sees)
    output = [dot(weights, [value[d] for value in values]) for d in _axis(values)]
    return scores, scaled, weights, output


def _axis(rows: Matrix) -> range:
    return range(len(rows[0]))


def rotated(x: Vector, position: int, *, base: float, interleaved: bool, width: int | None = None) -> Vector:
    """One vector: each pair is a complex number, multiplied by e^(i * position * base^(-2i/width))."""
    turned = len(x) if width is None else width
    out = list(x)
    for i in range(turned // 2):
        first, second = (2 * i, 2 * i + 1) if interleaved else (i, i + turned // 2)
        angle = position * base ** (-2 * i / turned)
        number = complex(x[first], x[second]) * cmath.exp(1j * angle)
        out[first], out[second] = number.real, number.imag
    return out


def product(row: Vector, matrix: Matrix) -> Vector:
    """(m) times (m, n)."""
    return [dot(row, [line[n] for line in matrix]) for n in _axis(matrix)]


def latent(
    x: Matrix, weights: dict[str, Any], *, scale: float, sees: Sees, base: float, interleaved: bool
) -> Matrix:
    """Multi-head latent attention of one sequence, formulas (9) to (11) and (14) to (19) of DeepSeek-V2.

    weights as nested lists, w_q [m][h][d], w_k_up and w_v_up [r][h][d], w_o [h][d][m]."""
    num_heads, rope = len(weights["w_o"]), len(weights["w_k_rope"][0])
    out = []
    for t, row in enumerate(x):
        total = [0.0] * len(row)
        for h in range(num_heads):
            query = product(row, [line[h] for line in weights["w_q"]])
            query = query[:-rope] + rotated(query[-rope:], t, base=base, interleaved=interleaved)
            keys, values = [], []
            for s, seen in enumerate(x):
                c_kv = product(seen, weights["w_kv_down"])
                turned = rotated(product(seen, weights["w_k_rope"]), s, base=base, interleaved=interleaved)
                keys.append(product(c_kv, [line[h] for line in weights["w_k_up"]]) + turned)
                values.append(product(c_kv, [line[h] for line in weights["w_v_up"]]))
            mixed = _row(query, keys, values, scale=scale, sees=sees[t])[-1]
            total = [a + b for a, b in zip(total, product(mixed, weights["w_o"][h]), strict=True)]
        out.append(total)
    return out
