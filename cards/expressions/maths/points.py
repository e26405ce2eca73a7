"""Formulas evaluated at seeded points of their symbols' domains. Compares nothing.

Work is bounded by the number of nodes: powers and factorials are floats and overflow, no tower is built.
"""

import math
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, TypeAlias

from cards.expressions.maths.measured import (
    FUNCTIONS,
    OPERATIONS,
    SMALLEST,
    UNIT,
    Measured,
    Unusable,
    absolute,
    call,
    factorial,
    hundredth,
    minus,
    negative,
    usable,
)
from cards.expressions.maths.nodes import (
    Absolute,
    Call,
    Name,
    Negative,
    Node,
    Number,
    Operation,
    Postfix,
    postorder,
)

POINTS = 24
FEWEST = 8
TRIED = 64
"""Points that are tried until POINTS of them are usable."""
HOPELESS = 32
"""Points after which no more are tried if none of them was usable."""
FAR = 40
"""Points that are tried for what is seen nowhere near 1."""
MOST_MARKED = 32
DOMAINS = ("positive", "real", "integer")
Point: TypeAlias = Mapping[str, float]
Step: TypeAlias = tuple[Any, int, Any]
"""A function of measured values, how many it takes (a negative count: a call by name), and a constant."""
_CONSTANTS = {"pi": math.pi, "e": math.e}


@dataclass(frozen=True)
class Compiled:
    """A tree as steps of a stack machine, so that many points are cheap."""

    steps: tuple[Step, ...]

    def at(self, point: Point, seed: int = 0) -> Measured:
        """The value at a point and its error. Raises Unusable, also where the error drowns the value."""
        return usable(self.raw(point, seed))

    def raw(self, point: Point, seed: int = 0) -> Measured:
        """The value at a point and its error, however large that is. `seed` picks the unknown functions.

        Raises Unusable.
        """
        try:
            return self._run(point, seed)
        except (ArithmeticError, ValueError) as error:
            raise Unusable(str(error)) from error

    def _run(self, point: Point, seed: int) -> Measured:
        stack: list[Measured] = []
        for step, count, constant in self.steps:
            if count == 2:
                right = stack.pop()
                stack[-1] = step(stack[-1], right)
            elif count == 1:
                stack[-1] = step(stack[-1])
            elif count == 0:
                stack.append(_leaf(constant, point))
            else:
                parts = stack[count:]
                del stack[count:]
                stack.append(step(constant, parts, seed))
        return stack[0]


def compiled(node: Node) -> Compiled:
    """The steps that evaluate a tree (of a relation: left side less right side)."""
    return Compiled(tuple(_step(one) for one in postorder(node)))


def _leaf(constant: Measured | str | None, point: Point) -> Measured:
    """A numeral, a symbol's coordinate, or pi and e where these are not symbols."""
    if isinstance(constant, tuple):
        return constant
    if constant is None:
        raise Unusable
    value = point.get(constant)
    if value is not None:
        return value, 0.0
    if constant not in _CONSTANTS:
        raise Unusable(constant)
    return _CONSTANTS[constant], UNIT * _CONSTANTS[constant]


def _step(node: Node) -> Step:
    match node:
        case Number():
            step: Step = None, 0, _as_float(node)
        case Name():
            step = None, 0, node.name
        case Negative():
            step = negative, 1, None
        case Absolute():
            step = absolute, 1, None
        case Postfix():
            step = {"!": factorial, "%": hundredth}.get(node.sign, _undefined), 1, None
        case Operation():
            step = OPERATIONS.get(node.sign, _undefined), 2, None
        case Call() if node.function in FUNCTIONS and len(node.arguments) == 1:
            step = FUNCTIONS[node.function], 1, None
        case Call():
            step = call, -len(node.arguments), node.function
        case _:
            step = minus, 2, None
    return step


def _undefined(*_: Measured) -> Measured:
    """Matrix signs have no value as numbers."""
    raise Unusable


def _as_float(node: Number) -> Measured | None:
    """A numeral as a float with its error; None where it is too large or too small for one."""
    above, below = node.value.numerator, node.value.denominator
    try:
        value = above / below
    except OverflowError:
        return None
    if above and abs(value) < SMALLEST:
        return None
    exact = below & (below - 1) == 0 and abs(above) < 2**53
    return value, 0.0 if exact else abs(value) * UNIT


@lru_cache(maxsize=64)
def points(names: tuple[str, ...], domains: tuple[str, ...]) -> tuple[Point, ...]:
    """The points that serve every comparison of these names: for what a learner cannot gain by."""
    return tuple(drawn_points(names, domains, ""))


def drawn_points(names: tuple[str, ...], domains: tuple[str, ...], seed: str) -> Iterator[Point]:
    """At most TRIED different points for names of some domains, the same ones for the same seed."""
    chance = random.Random(f"{names} {domains} {seed}")  # noqa: S311 - repeatable, not secret
    before: set[tuple[float, ...]] = set()
    for number in range(TRIED):
        drawn = tuple(_drawn(chance, domain, number) for domain in domains)
        if drawn not in before or not names:
            before.add(drawn)
            yield dict(zip(names, drawn, strict=True))


def _drawn(chance: random.Random, domain: str, number: int) -> float:
    """One coordinate: near 1 at even points, further out at odd ones."""
    if domain == "integer":
        return float(chance.randint(1, 40 if number % 2 else 8))
    size = chance.uniform(0.2, 2.0) if number % 2 == 0 else chance.uniform(0.3, 30.0)
    return -size if domain == "real" and chance.random() < 0.5 else size


def far_points(
    names: tuple[str, ...], domains: tuple[str, ...], seed: str, marks: tuple[float, ...] = ()
) -> Iterator[Point]:
    """Points of very small and very large coordinates; before them some at the `marks` and around."""
    chance = random.Random(f"far {names} {domains} {seed}")  # noqa: S311 - repeatable, not secret
    outside = (2 * marks[-1], marks[0] / 2) if marks else ()
    special = [*outside, *((low + high) / 2 for low, high in pairwise(marks)), *marks][:MOST_MARKED]
    for number in range(len(special)):
        sizes = [special[(number + place) % len(special)] for place in range(len(names))]
        for below in (0.0, 0.5) if "real" in domains else (0.0,):
            drawn = (_signed(chance, *one, below=below) for one in zip(domains, sizes, strict=True))
            yield dict(zip(names, drawn, strict=True))
    for number in range(FAR):
        yield {name: _far(chance, domain, number) for name, domain in zip(names, domains, strict=True)}


def _far(chance: random.Random, domain: str, number: int) -> float:
    """One coordinate; of several some stay near, where more has a value."""
    if chance.random() < 0.4:
        return _drawn(chance, domain, number)
    return _signed(chance, domain, 10 ** chance.uniform(-4, 6))


def _signed(chance: random.Random, domain: str, size: float, *, below: float = 0.5) -> float:
    """A coordinate of about this size in its domain, below nought in `below` of the cases where it may be."""
    if domain == "integer":
        return float(max(1, round(abs(size))))
    return -abs(size) if domain == "real" and chance.random() < below else abs(size)
