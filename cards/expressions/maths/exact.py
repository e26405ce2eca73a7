"""Constants as exact fractions of bounded length. Knows no symbol and no float; builds no tower.

A value of more than MAX_BITS bits, an irrational one and anything with a symbol are None.
"""

import math
from collections.abc import Callable, Mapping
from fractions import Fraction

from cards.expressions.maths.nodes import (
    Absolute,
    Call,
    Negative,
    Node,
    Number,
    Operation,
    Postfix,
    fold,
)

MAX_BITS = 4096
LARGEST_FACTORIAL = 500
Exact = Fraction | None


def constant(node: Node) -> Exact:
    """The exact value of a tree without symbols, or None."""
    return fold(node, combined)


def combined(node: Node, parts: tuple[Exact, ...]) -> Exact:
    """The exact value of a node from those of its parts, or None."""
    if isinstance(node, Number):
        return bounded(node.value)
    values = [part for part in parts if part is not None]
    if not parts or len(values) < len(parts):
        return None
    result: Exact = None
    match node:
        case Negative():
            result = -values[0]
        case Absolute():
            result = abs(values[0])
        case Postfix(sign="%"):
            result = values[0] / 100
        case Postfix(sign="!"):
            result = factorial(values[0])
        case Operation():
            result = operated(node.sign, values[0], values[1])
        case Call() if node.function in _FUNCTIONS:
            result = bounded(_FUNCTIONS[node.function](*values))
    return result


def operated(sign: str, left: Fraction, right: Fraction) -> Exact:
    """The result of + - * / ^, or None where it is undefined or long."""
    if sign == "^":
        return power(left, right)
    if sign == "/":
        return bounded(left / right) if right else None
    results = {"+": left + right, "-": left - right, "*": left * right}
    return bounded(results.get(sign))


def bounded(value: Exact) -> Exact:
    """The value, if it is not too long."""
    if value is None or max(value.numerator.bit_length(), value.denominator.bit_length()) > MAX_BITS:
        return None
    return value


def power(base: Fraction, exponent: Fraction) -> Exact:
    """base ^ exponent where it is rational and short; its length is known before it is built."""
    if exponent.denominator != 1:
        root = rooted(base, exponent.denominator) if exponent.denominator <= MAX_BITS else None
        return None if root is None else power(root, Fraction(exponent.numerator))
    if base == 0:
        return None if exponent <= 0 else Fraction(0)
    if abs(base) == 1:
        return base if exponent.numerator % 2 else Fraction(1)
    bits = max(base.numerator.bit_length(), base.denominator.bit_length()) - 1
    if abs(exponent) * max(bits, 1) > MAX_BITS:
        return None
    return bounded(base ** int(exponent))


def rooted(value: Fraction, degree: int) -> Exact:
    """The exact root of a value that is not negative, or None."""
    if value < 0:
        return None
    above, below = _whole_root(value.numerator, degree), _whole_root(value.denominator, degree)
    return Fraction(above, below) if above is not None and below else None


def _whole_root(value: int, degree: int) -> int | None:
    """The whole number whose power is the value, by halving an interval of at most MAX_BITS bits."""
    if degree == 2:
        root = math.isqrt(value)
        return root if root * root == value else None
    low, high = 0, 1 << (value.bit_length() // degree + 1)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle**degree <= value else (low, middle - 1)
    return low if low**degree == value else None


def factorial(value: Fraction) -> Exact:
    """n! of a small whole number."""
    if value.denominator != 1 or not 0 <= value <= LARGEST_FACTORIAL:
        return None
    return Fraction(math.factorial(int(value)))


def _log(base: int) -> Callable[[Fraction], Exact]:
    """log of a whole power of the base."""

    def log(value: Fraction) -> Exact:
        if value <= 0:
            return None
        larger = value if value >= 1 else 1 / value
        exponent = round(math.log(larger.numerator, base)) if larger.denominator == 1 else -1
        if exponent < 0 or base**exponent != larger:
            return None
        return Fraction(exponent if value >= 1 else -exponent)

    return log


def _root(value: Fraction, degree: Fraction) -> Exact:
    return power(value, 1 / degree) if degree > 0 else None


_FUNCTIONS: Mapping[str, Callable[..., Exact]] = {
    "sqrt": lambda value: rooted(value, 2),
    "root": _root,
    "floor": lambda value: Fraction(math.floor(value)),
    "ceil": lambda value: Fraction(math.ceil(value)),
    "min": lambda *values: min(values),
    "max": lambda *values: max(values),
    "log2": _log(2),
    "log10": _log(10),
    "exp": lambda value: Fraction(1) if value == 0 else None,
    "log": lambda value, _base=None: Fraction(0) if value == 1 else None,
    "sin": lambda value: Fraction(0) if value == 0 else None,
    "tan": lambda value: Fraction(0) if value == 0 else None,
    "tanh": lambda value: Fraction(0) if value == 0 else None,
    "cos": lambda value: Fraction(1) if value == 0 else None,
}
