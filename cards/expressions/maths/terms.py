"""Sums and products taken apart, so that what two of them share drowns nothing else. Evaluates no point."""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

from cards.expressions.maths.nodes import Negative, Node, Number, Operation
from cards.expressions.maths.residues import Undefined, field_point, prepared

SUM, PRODUCT = ("+", "-"), ("*", "/")
_NEUTRAL = {"+": Number(Fraction(0)), "*": Number(Fraction(1))}


def rests(
    one: Node, other: Node, names: frozenset[str], *, products: bool = True
) -> Iterator[tuple[Node, Node]]:
    """Both less the terms they share, then (with `products`) less the factors they share, if they share any.

    Parts are told apart by their residues. sqrt(x) + 1e-20 and sqrt(x) leave 1e-20 and 0.
    """
    for signs in (SUM, PRODUCT) if products else (SUM,):
        if any(isinstance(node, Operation) and node.sign in signs for node in (one, other)):
            rest = _without_shared(one, other, names, signs)
            if rest is not None:
                yield rest


def _without_shared(
    one: Node, other: Node, names: frozenset[str], signs: tuple[str, str]
) -> tuple[Node, Node] | None:
    mine, yours = _parts(one, signs), _parts(other, signs)
    values = field_point(names, 0)
    try:
        keys = [[prepared(part).at(values, 0).value for part in parts] for parts in (mine, yours)]
    except Undefined:
        return None
    shared = Counter(keys[0]) & Counter(keys[1])
    if not shared:
        return None
    return _rest(mine, keys[0], shared, signs[0]), _rest(yours, keys[1], shared, signs[0])


def _parts(node: Node, signs: tuple[str, str]) -> list[Node]:
    """The terms or factors of a tree, those that are subtracted or divided by as negatives or inverses."""
    found: list[Node] = []
    stack = [(node, False)]
    while stack:
        top, turned = stack.pop()
        if isinstance(top, Operation) and top.sign in signs:
            stack += [(top.right, turned != (top.sign == signs[1])), (top.left, turned)]
        elif not turned:
            found.append(top)
        else:
            found.append(Negative(top) if signs == SUM else Operation("/", _NEUTRAL["*"], top))
    return found


def _rest(parts: list[Node], keys: list[int], shared: Counter[int], sign: str) -> Node:
    """The parts that are left when each shared one is taken away once."""
    left_over = Counter(shared)
    kept: Node = _NEUTRAL[sign]
    for part, key in zip(parts, keys, strict=True):
        if left_over[key]:
            left_over[key] -= 1
        else:
            kept = Operation(sign, kept, part)
    return kept
