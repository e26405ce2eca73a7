"""Whether two formulas of matrices give the same, and how what they give differs. Interprets nothing."""

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from cards.expressions.maths.nodes import Node, Operation, fold, same, with_children
from cards.expressions.matrices import Misfit, close, entries, shape
from cards.expressions.matrix_formulas import Result

FEWEST = 2
"""Trials that two formulas must have values in to be called equal."""


def equal(one: Sequence[Result], other: Sequence[Result]) -> bool | None:
    """Whether two formulas give the same wherever both have a value; None where those trials are too few."""
    pairs = list(zip(one, other, strict=True))
    if any(isinstance(a, Misfit) or isinstance(b, Misfit) for a, b in pairs):
        return False
    both = [(a, b) for a, b in pairs if a is not None and b is not None]
    if not all(close(a, b) for a, b in both):  # type: ignore[arg-type]
        return False
    return True if len(both) >= FEWEST else None


def alike(one: Result, other: Result, trees: tuple[Node, Node]) -> bool:
    """Whether two formulas give the same in one trial, or are written alike where shapes do not fit."""
    if isinstance(one, Misfit) and isinstance(other, Misfit):
        return same(*map(plain_products, trees))
    if one is None or other is None or isinstance(one, Misfit) or isinstance(other, Misfit):
        return False
    return close(one, other)


def plain_products(tree: Node) -> Node:
    """The tree with one sign for a product."""

    def combine(node: Node, parts: tuple[Node, ...]) -> Node:
        new = with_children(node, parts)
        return replace(new, sign="*") if isinstance(new, Operation) and new.sign == "@" else new

    return fold(tree, combine)


def factor(one: Sequence[Result], other: Sequence[Result]) -> Fraction | None:
    """The one number that every entry of `other` is multiplied by to give `one`, if it is a short one."""
    pairs = [(a, b) for a, b in zip(one, other, strict=True) if isinstance(a, tuple) and isinstance(b, tuple)]
    ratios = [
        x / y if y else math.nan
        for a, b in pairs
        if shape(a) == shape(b)
        for x, y in zip(entries(a), entries(b), strict=True)
    ]
    if not ratios or not all(math.isclose(ratio, ratios[0], rel_tol=1e-9) for ratio in ratios):
        return None
    short = Fraction(ratios[0]).limit_denominator(64)
    return short if short not in (0, 1) and math.isclose(short, ratios[0], rel_tol=1e-9) else None
