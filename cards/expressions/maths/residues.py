"""Formulas evaluated exactly in a finite field, so that equal ones are told from others without rounding.

Two rational formulas that agree at a few random residues modulo a prime of 127 bits are the same (Schwartz
1980, Zippel 1979). What is not rational (sqrt, exp, 2^n, unknown functions ...) becomes a number drawn from
the residues of its arguments: then disagreement proves nothing.
"""

import hashlib
import random
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import accumulate

from cards.expressions.maths.exact import Exact, combined
from cards.expressions.maths.nodes import (
    Call,
    Name,
    Negative,
    Node,
    Number,
    Operation,
    Postfix,
    children,
    postorder,
)

PRIME = (1 << 127) - 1
LARGEST_FACTORIAL = 2500
LARGEST_POWER = Fraction(2**60)
LARGEST_DEGREE = 2.0**40
"""Beyond it x^(p-1), which is 1 in the field, could be written: nothing would be proved."""


class Undefined(ArithmeticError):
    """A division by zero in the field, or a constant that the field cannot tell from zero."""


@dataclass(frozen=True)
class Residue:
    """A value modulo PRIME; `opaque` where something in it is not rational; `exact` for short constants."""

    value: int
    opaque: bool
    exact: Exact = None


def field_point(names: frozenset[str], number: int, seed: str = "") -> dict[str, int]:
    """A residue for each name: the same for the same name, number of the point and seed, never 0."""
    return {
        name: random.Random(f"{number} {name} {seed}").randrange(1, PRIME)  # noqa: S311
        for name in names
    }


@dataclass(frozen=True)
class Prepared:
    """A tree from the leaves up, each node with its exact value where it is a short constant.

    `degree` bounds that of the polynomials above and below the line.
    """

    steps: tuple[tuple[Node, Exact], ...]
    degree: float

    def at(self, values: Mapping[str, int], salt: int = 0) -> Residue:
        """The value at a point of the field. `salt` picks the unknown functions. Raises Undefined."""
        results: list[Residue] = []
        for node, exact in self.steps:
            count = len(results) - len(children(node))
            found = _combined(node, results[count:], values, salt)
            del results[count:]
            if exact is not None and found.opaque:
                found = Residue(_of_fraction(exact), opaque=False)
            if exact and not found.value:
                raise Undefined
            results.append(Residue(found.value, found.opaque, exact))
        return results[0]


def prepared(node: Node) -> Prepared:
    """A tree made ready to be evaluated at several points of the field."""
    steps: list[tuple[Node, Exact]] = []
    stack: list[tuple[Exact, float]] = []
    for one in postorder(node):
        count = len(stack) - len(children(one))
        exacts, degrees = [part for part, _ in stack[count:]], [degree for _, degree in stack[count:]]
        exact = combined(one, tuple(exacts))
        stack[count:] = [(exact, _degree(one, exacts, degrees))]
        steps.append((one, exact))
    return Prepared(tuple(steps), stack[0][1])


def _degree(node: Node, exacts: list[Exact], degrees: list[float]) -> float:
    """A bound of a node's degree from those of its parts."""
    if isinstance(node, Name):
        return 1.0
    if isinstance(node, Operation) and node.sign == "^" and exacts[1] is not None:
        return degrees[0] * float(min(max(abs(exacts[1]), Fraction(1)), LARGEST_POWER))
    return sum(degrees)


def _combined(node: Node, parts: list[Residue], values: Mapping[str, int], salt: int) -> Residue:
    """The residue of a node from those of its parts."""
    opaque = any(part.opaque for part in parts)
    match node:
        case Number():
            found = Residue(_of_fraction(node.value), opaque=False)
        case Name():
            known = values.get(node.name)
            found = _drawn(node.name, (), 0) if known is None else Residue(known, opaque=False)
        case Negative():
            found = Residue(-parts[0].value % PRIME, opaque)
        case Postfix(sign="%"):
            found = Residue(_divided(parts[0].value, 100), opaque)
        case Postfix(sign="!"):
            found = _factorial(parts[0])
        case Operation(sign="^"):
            found = _power(parts[0], parts[1])
        case Operation(sign="+" | "-" | "*" | "/"):
            found = Residue(_operated(node.sign, parts[0].value, parts[1].value), opaque)
        case Call(function="sqrt"):
            found = _power(parts[0], Residue(0, opaque=False, exact=Fraction(1, 2)))
        case Call():
            found = _drawn(node.function, tuple(part.value for part in parts), salt)
        case _:
            found = _drawn(type(node).__name__, tuple(part.value for part in parts), 0)
    return found


def _of_fraction(value: Fraction) -> int:
    return _divided(value.numerator % PRIME, value.denominator % PRIME)


def _divided(above: int, below: int) -> int:
    if not below:
        raise Undefined
    return above if below == 1 else above * pow(below, -1, PRIME) % PRIME


def _operated(sign: str, left: int, right: int) -> int:
    """+ - * / in the field."""
    if sign == "/":
        return _divided(left, right)
    if sign == "*":
        return left * right % PRIME
    return (left + right if sign == "+" else left - right) % PRIME


def _power(base: Residue, exponent: Residue) -> Residue:
    """A power with a constant exponent; x^(a/b) is the a-th power of a drawn b-th root."""
    number = exponent.exact
    if number is None:
        return _drawn("^", (base.value, exponent.value), 0)
    if number.denominator != 1:
        base = _drawn("root", (base.value, number.denominator), 0)
    if not base.value and number <= 0:
        raise Undefined
    return Residue(pow(base.value, number.numerator % (PRIME - 1), PRIME), base.opaque)


def _factorial(part: Residue) -> Residue:
    """n! of a constant, multiplied out in the field; of anything else drawn."""
    number = part.exact
    if number is None or number.denominator != 1 or not 0 <= number <= LARGEST_FACTORIAL:
        return _drawn("!", (part.value,), 0)
    return Residue(_factorials()[int(number)], opaque=False)


@cache
def _factorials() -> tuple[int, ...]:
    """0!, 1!, 2! ... in the field."""
    return tuple(accumulate(range(1, LARGEST_FACTORIAL + 1), lambda one, n: one * n % PRIME, initial=1))


def _drawn(function: str, values: tuple[int, ...], salt: int) -> Residue:
    """A number that depends on the function and its arguments, and on nothing that could be written."""
    text = f"{function} {salt} {values}".encode()
    return Residue(int.from_bytes(hashlib.sha256(text).digest()[:16], "big") % PRIME, opaque=True)
