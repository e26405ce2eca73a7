"""Matrices of plain floats: product, transpose, softmax and the rest. Knows no formula and no learner."""

import math
from collections.abc import Callable, Iterable
from operator import mul
from typing import TypeAlias

Matrix: TypeAlias = tuple[tuple[float, ...], ...]
"""Rows of entries; a vector is a matrix with one row."""
Value: TypeAlias = float | Matrix
CLOSE = 1e-12
"""Two results are equal where they differ by less than this share of their largest entry."""


class Misfit(ValueError):
    """Two shapes that do not go together; `shapes` are those, and the message says how they were to.

    `span` is where in the learner's text it happens, once that is known.
    """

    span: tuple[int, int] = (0, 0)

    def __init__(self, message: str, *shapes: tuple[int, int]) -> None:
        super().__init__(message)
        self.message = message
        self.shapes = shapes


class Undefined(ArithmeticError):
    """A value that does not exist at these numbers: a root of a negative, a division by zero, an overflow."""


def shape(value: Value) -> tuple[int, int]:
    """(rows, columns); (0, 0) for a number."""
    return (len(value), len(value[0])) if isinstance(value, tuple) else (0, 0)


def by(size: tuple[int, int]) -> str:
    """5×3"""
    return f"{size[0]}×{size[1]}"


def product(left: Matrix, right: Matrix) -> Matrix:
    """(a, b) times (b, c) -> (a, c). Raises Misfit."""
    if len(left[0]) != len(right):
        sizes = shape(left), shape(right)
        raise Misfit(f"{by(sizes[0])} times {by(sizes[1])} does not fit", *sizes)
    columns = list(zip(*right, strict=True))
    return tuple(tuple(sum(map(mul, row, column)) for column in columns) for row in left)


def transposed(one: Matrix) -> Matrix:
    """(a, b) -> (b, a)."""
    return tuple(zip(*one, strict=True))


def softmax(one: Matrix, *, over_columns: bool = False) -> Matrix:
    """Each row as weights that add up to 1; `over_columns`: each column instead."""
    if over_columns:
        return transposed(softmax(transposed(one)))
    return tuple(_weights(row) for row in one)


def _weights(row: tuple[float, ...]) -> tuple[float, ...]:
    largest = max(row)
    parts = [math.exp(entry - largest) for entry in row]
    total = math.fsum(parts)
    return tuple(part / total for part in parts)


def beside(several: Iterable[Matrix]) -> Matrix:
    """Matrices of as many rows, side by side. Raises Misfit."""
    parts = list(several)
    if len({len(part) for part in parts}) > 1:
        raise Misfit(
            f"{' and '.join(by(shape(p)) for p in parts)} do not fit side by side", *map(shape, parts)
        )
    return tuple(tuple(entry for row in rows for entry in row) for rows in zip(*parts, strict=True))


def entrywise(combine: Callable[[float, float], float], left: Value, right: Value, word: str) -> Value:
    """Two values entry by entry; a number, a row or a column is repeated. Raises Misfit."""
    if not isinstance(left, tuple) and not isinstance(right, tuple):
        return combine(left, right)
    rows, columns = _common(left, right, word)
    one, other = _repeated(left, rows, columns), _repeated(right, rows, columns)
    return tuple(tuple(map(combine, a, b)) for a, b in zip(one, other, strict=True))


def mapped(function: Callable[[float], float], value: Value) -> Value:
    """A function of every entry."""
    return tuple(tuple(map(function, row)) for row in value) if isinstance(value, tuple) else function(value)


def _common(left: Value, right: Value, word: str) -> tuple[int, int]:
    """The shape that both are repeated to."""
    sizes = [shape(value) for value in (left, right) if isinstance(value, tuple)]
    rows, columns = (sorted({size[i] for size in sizes} - {1}) or [1] for i in (0, 1))
    if len(rows) > 1 or len(columns) > 1:
        raise Misfit(f"{by(sizes[0])} {word} {by(sizes[1])} does not fit", *sizes)
    return rows[0], columns[0]


def _repeated(value: Value, rows: int, columns: int) -> Matrix:
    """(rows, columns) from a number, a row, a column, or what has the shape already."""
    if not isinstance(value, tuple):
        return ((value,) * columns,) * rows
    wide = tuple(row * columns if len(row) < columns else row for row in value)
    return wide * rows if len(wide) < rows else wide


def finite(value: Value) -> bool:
    """Whether every entry is a number."""
    if isinstance(value, tuple):
        return all(map(math.isfinite, (entry for row in value for entry in row)))
    return math.isfinite(value)


def close(one: Value, other: Value) -> bool:
    """Whether two values have one shape and the same entries, but for rounding."""
    if shape(one) != shape(other):
        return False
    pairs = list(zip(entries(one), entries(other), strict=True))
    largest = max(max(abs(a), abs(b)) for a, b in pairs)
    return all(abs(a - b) <= CLOSE * largest for a, b in pairs)


def entries(value: Value) -> list[float]:
    """All numbers of a value, row by row."""
    return [entry for row in value for entry in row] if isinstance(value, tuple) else [value]
