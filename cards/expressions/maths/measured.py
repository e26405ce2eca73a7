"""Arithmetic on real numbers that each carry a bound of their rounding error. Knows no tree and no symbol.

A step raises Unusable where its result is undefined, not real, or too large or small for a float; a float is
never rounded to nought and never to infinity, so that two results are not equal for being out of range.
"""

import math
import random
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

UNIT = 2.0**-52
WHOLE = 2.0**53
SMALLEST, LARGEST = 1e-290, 1e290
_LARGEST_FACTORIAL = 160.0
_WAVES = 3
Measured: TypeAlias = tuple[float, float]
"""A value, and how far rounding may have moved it."""


class Unusable(ArithmeticError):
    """Undefined, overflowing, underflowing or drowned in rounding at this point."""


def usable(measured: Measured) -> Measured:
    """The value. Raises Unusable if it is no number or its error is beyond what can be compared."""
    value, error = measured
    size = abs(value)
    if not (size < LARGEST and error < LARGEST) or (error > 1e-6 * size and error > 1e-10):
        raise Unusable
    return measured


def negative(part: Measured) -> Measured:
    """-x"""
    return -part[0], part[1]


def absolute(part: Measured) -> Measured:
    """|x|"""
    return abs(part[0]), part[1]


def hundredth(part: Measured) -> Measured:
    """x / 100"""
    return part[0] / 100, part[1] / 100 + UNIT * abs(part[0]) / 100


def _rounded(value: float, error: float) -> float:
    """The error of a result: none for whole numbers that a float holds exactly."""
    exact = not error and value.is_integer() and abs(value) <= WHOLE
    return 0.0 if exact else error + UNIT * abs(value)


def plus(left: Measured, right: Measured) -> Measured:
    """x + y; without an error where whole numbers are added."""
    value, error = left[0] + right[0], left[1] + right[1]
    return value, _rounded(value, error)


def minus(left: Measured, right: Measured) -> Measured:
    """x - y; without an error where whole numbers are subtracted."""
    value, error = left[0] - right[0], left[1] + right[1]
    return value, _rounded(value, error)


def times(left: Measured, right: Measured) -> Measured:
    """x · y; without an error where whole numbers are multiplied."""
    value = left[0] * right[0]
    if left[0] and right[0] and not SMALLEST < abs(value) < LARGEST:
        raise Unusable
    error = abs(left[0]) * right[1] + abs(right[0]) * left[1]
    return value, _rounded(value, error)


def over(left: Measured, right: Measured) -> Measured:
    """x / y, where y is surely not 0."""
    below = abs(right[0])
    if below <= 4 * right[1]:
        raise Unusable
    value = left[0] / right[0]
    if left[0] and not SMALLEST < abs(value) < LARGEST:
        raise Unusable
    return value, (left[1] + abs(value) * right[1]) / (below - right[1]) + UNIT * abs(value)


def power(left: Measured, right: Measured) -> Measured:
    """x ^ y, where it is real."""
    base, exponent = left[0], right[0]
    if base == 0 and not left[1] and exponent > 0:
        return 0.0, 0.0
    if abs(base) <= 4 * left[1] or (base < 0 and (right[1] or not exponent.is_integer())):
        raise Unusable
    value: float = base**exponent
    size = abs(value)
    if not SMALLEST < size < LARGEST:
        raise Unusable
    relative = abs(exponent) * left[1] / abs(base) + abs(math.log(abs(base))) * right[1]
    return value, size * (relative + 4 * UNIT * (1 + abs(exponent)))


def factorial(part: Measured) -> Measured:
    """x! for real x above -1, by the gamma function."""
    value = part[0]
    if not -1 < value <= _LARGEST_FACTORIAL:
        raise Unusable
    result = math.gamma(value + 1)
    return result, result * (math.log(value + 2) * part[1] + 64 * UNIT)


def exp(part: Measured) -> Measured:
    """e ^ x"""
    value = math.exp(part[0])
    if value < SMALLEST:
        raise Unusable
    return value, value * (part[1] + 2 * UNIT)


def log(part: Measured) -> Measured:
    """The natural logarithm."""
    if part[0] <= 4 * part[1]:
        raise Unusable
    value = math.log(part[0])
    return value, part[1] / part[0] * 1.5 + 2 * UNIT * (abs(value) + UNIT)


def log_to(base: float) -> Callable[[Measured], Measured]:
    """The logarithm to a base."""
    scale = math.log(base), UNIT * math.log(base)
    return lambda part: over(log(part), scale)


def sqrt(part: Measured) -> Measured:
    """The square root of what is surely not negative."""
    value, error = part
    if abs(value) <= 4 * error:
        return 0.0, math.sqrt(abs(value) + error)
    result = math.sqrt(value)
    return result, (error / result if result else 0.0) + 2 * UNIT * result


def sin(part: Measured) -> Measured:
    """sin x"""
    value = math.sin(part[0])
    return value, part[1] + 2 * UNIT * abs(value)


def cos(part: Measured) -> Measured:
    """cos x"""
    value = math.cos(part[0])
    return value, part[1] + 2 * UNIT * abs(value)


def tan(part: Measured) -> Measured:
    """tan x"""
    return over(sin(part), cos(part))


def tanh(part: Measured) -> Measured:
    """tanh x, where it is not 1 to the last digit."""
    value = math.tanh(part[0])
    if abs(value) == 1:
        raise Unusable
    return value, part[1] + 4 * UNIT * abs(value)


def rounded(whole: Callable[[float], int]) -> Callable[[Measured], Measured]:
    """floor and ceil; what rounding has moved off a whole number counts as that number."""

    def result(part: Measured) -> Measured:
        value, error = part
        if abs(value) >= 2**52:
            raise Unusable
        near = round(value)
        return float(near if abs(value - near) <= 4 * error else whole(value)), 0.0

    return result


def call(name: str, parts: Sequence[Measured], seed: int) -> Measured:
    """A function of several arguments; one that nobody knows is another one for each name and seed."""
    if name in ("min", "max"):
        pick = min if name == "min" else max
        return pick(value for value, _ in parts), max(error for _, error in parts)
    if name == "log":
        return over(log(parts[0]), log(parts[1]))
    if name == "root":
        return power(parts[0], over((1.0, 0.0), parts[1]))
    return unknown(name, parts, seed)


def unknown(name: str, parts: Sequence[Measured], seed: int) -> Measured:
    """A sum of waves over the arguments: smooth, so that rounding stays small; unlike at any two places."""
    total, slope = 0.0, 0.0
    for size, phase, *turns in _waves(name, len(parts), seed):
        angle = phase + sum(turn * value for turn, (value, _) in zip(turns, parts, strict=True))
        total += size * math.sin(angle)
        slope += size * max(turns, default=0.0)
    error = slope * sum(error for _, error in parts)
    return total, error + 64 * UNIT * (1 + slope * sum(abs(value) for value, _ in parts))


@lru_cache(maxsize=4096)
def _waves(name: str, count: int, seed: int) -> tuple[tuple[float, ...], ...]:
    """Height, phase and turns of each wave."""
    chance = random.Random(f"{name} {count} {seed}")  # noqa: S311 - repeatable, not secret
    return tuple(
        (chance.uniform(0.5, 2), chance.uniform(0, 6), *(chance.uniform(0.3, 3) for _ in range(count)))
        for _ in range(_WAVES)
    )


OPERATIONS: Mapping[str, Callable[[Measured, Measured], Measured]] = {
    "+": plus,
    "-": minus,
    "*": times,
    "/": over,
    "^": power,
}
FUNCTIONS: Mapping[str, Callable[[Measured], Measured]] = {
    "exp": exp,
    "log": log,
    "log2": log_to(2.0),
    "log10": log_to(10.0),
    "sqrt": sqrt,
    "sin": sin,
    "cos": cos,
    "tan": tan,
    "tanh": tanh,
    "floor": rounded(math.floor),
    "ceil": rounded(math.ceil),
}
