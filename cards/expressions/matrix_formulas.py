"""Matrix formulas interpreted on trials. Compares nothing, knows no card and no mistake."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import add, mul, neg, sub, truediv
from typing import TypeAlias

from cards.expressions.maths.nodes import (
    Absolute,
    Call,
    Name,
    Negative,
    Node,
    Number,
    Operation,
    Postfix,
    fold,
)
from cards.expressions.matrices import (
    Matrix,
    Misfit,
    Undefined,
    Value,
    beside,
    by,
    entries,
    entrywise,
    finite,
    mapped,
    product,
    shape,
    softmax,
    transposed,
)
from cards.expressions.matrix_trials import Trial

MOST_WORK = 20_000
"""Multiplications of one formula in one trial."""
LARGEST_POWER = 4
Result: TypeAlias = Value | Misfit | None
"""What a formula gives in one trial: a value, shapes that do not fit, or None where it has no value."""
_CONSTANTS = {"pi": math.pi, "e": math.e}
_ENTRYWISE: Mapping[str, Callable[[float], float]] = {
    "exp": math.exp, "sqrt": math.sqrt, "log": math.log, "log2": math.log2, "log10": math.log10,
    "sin": math.sin, "cos": math.cos, "tan": math.tan, "tanh": math.tanh,
    "floor": lambda x: float(math.floor(x)), "ceil": lambda x: float(math.ceil(x)),
}  # fmt: skip
_SIGNS: Mapping[str, tuple[Callable[[float, float], float], str]] = {
    "+": (add, "plus"), "-": (sub, "minus"), "⊙": (mul, "⊙"), "*": (mul, "times"), "@": (mul, "times"),
    "/": (truediv, "over"),
}  # fmt: skip


@dataclass
class _Work:
    """Multiplications done so far."""

    done: int = 0

    def add(self, count: int) -> None:
        """More of it. Raises Undefined where that is too much."""
        self.done += count
        if self.done > MOST_WORK:
            raise Undefined("too large to be tried")


def results(tree: Node, on: Sequence[Trial]) -> tuple[Result, ...]:
    """What a formula gives in each trial."""
    return tuple(_result(tree, trial) for trial in on)


def _result(tree: Node, trial: Trial) -> Result:
    work = _Work()
    try:
        value = fold(tree, lambda node, parts: _checked(node, parts, trial, work))
    except Misfit as misfit:
        return misfit.with_traceback(None)
    except (Undefined, ArithmeticError, ValueError):
        return None
    return value if finite(value) else None


def _checked(node: Node, parts: tuple[Value, ...], trial: Trial, work: _Work) -> Value:
    """The value of one node; a misfit learns where it stands."""
    try:
        return _value(node, parts, trial, work)
    except Misfit as misfit:
        misfit.span = node.span
        raise


def _value(node: Node, parts: tuple[Value, ...], trial: Trial, work: _Work) -> Value:
    match node:
        case Number() | Name():
            return _leaf(node, trial)
        case Negative():
            return mapped(neg, parts[0])
        case Absolute():
            return mapped(abs, parts[0])
        case Operation():
            return _operation(node.sign, parts, work)
        case Postfix():
            return _behind(node.sign, parts[0])
        case Call():
            return _called(node, parts)
    raise Misfit("an equation has no value")


def _leaf(node: Number | Name, trial: Trial) -> Value:
    if isinstance(node, Number):
        return float(node.value)
    return trial.values[node.name] if node.name in trial.values else _CONSTANTS[node.name]


def _operation(sign: str, parts: tuple[Value, ...], work: _Work) -> Value:
    left, right = parts
    if isinstance(left, tuple) and isinstance(right, tuple) and sign in "*@":
        work.add(len(left) * len(left[0]) * len(right[0]))
        return product(left, right)
    if sign == "^":
        return _power(left, right, work)
    if sign == "/" and isinstance(right, tuple):
        raise Misfit(f"nothing is divided by a matrix ({by(shape(right))})", shape(right))
    work.add(max(len(entries(left)), len(entries(right))))
    combine, word = _SIGNS[sign]
    return entrywise(combine, left, right, word)


def _power(left: Value, right: Value, work: _Work) -> Value:
    """A number to a power; a square matrix times itself."""
    if not isinstance(left, tuple):
        return entrywise(_raised, left, right, "^")
    whole = isinstance(right, float) and right in range(2, LARGEST_POWER + 1)
    if not whole or len(left) != len(left[0]):
        raise Misfit(f"a matrix of {by(shape(left))} has no such power", shape(left))
    result: Matrix = left
    for _ in range(int(right) - 1):  # type: ignore[arg-type]
        work.add(len(left) ** 3)
        result = product(result, left)
    return result


def _raised(base: float, exponent: float) -> float:
    if base < 0 and not exponent.is_integer():
        raise Undefined("a root of a negative number")
    if base == 0 and exponent <= 0:
        raise Undefined("0^0")
    return math.pow(base, exponent)


def _behind(sign: str, operand: Value) -> Value:
    """The transpose of a matrix, % and ! of a number."""
    if sign == "T":
        return transposed(_matrix(operand, "transposed"))
    if isinstance(operand, tuple):
        raise Misfit(f"{sign} stands behind numbers only")
    if sign == "%":
        return operand / 100
    if operand < 0 or operand > 150 or not operand.is_integer():
        raise Undefined("no factorial")
    return float(math.factorial(int(operand)))


def _called(node: Call, parts: tuple[Value, ...]) -> Value:
    axis = dict(node.options).get("axis")
    if node.function == "softmax":
        return softmax(_matrix(parts[0], "given to softmax"), over_columns=_first_axis(axis))
    if node.function == "concat":
        several = [_matrix(part, "put side by side") for part in parts]
        if axis is None or not _first_axis(axis):
            return beside(several)
        return transposed(beside(map(transposed, several)))
    if node.function in _ENTRYWISE and len(parts) == 1:
        return mapped(_ENTRYWISE[node.function], parts[0])
    numbers = [part for part in parts if isinstance(part, float)]
    if len(numbers) < len(parts):
        raise Misfit(f"{node.function} takes numbers, not matrices")
    return _of_numbers(node.function, numbers)


def _of_numbers(function: str, numbers: Sequence[float]) -> float:
    match function:
        case "min":
            return min(numbers)
        case "max":
            return max(numbers)
        case "root":
            return _raised(numbers[0], 1 / numbers[1])
        case "log":
            return math.log(*numbers)
    raise Misfit(f"{function} has no value here")


def _first_axis(axis: Fraction | None) -> bool:
    """Whether an axis is the one that goes down the rows; the last one is what nothing said means."""
    return axis in (0, -2)


def _matrix(value: Value, done: str) -> Matrix:
    if not isinstance(value, tuple):
        raise Misfit(f"a number cannot be {done}")
    return value
