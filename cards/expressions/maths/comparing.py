"""Whether two expressions are the same: True, False, or None if it cannot be settled. Knows no relation.

First exactly, in a finite field (`residues`), then at seeded points with bounds of rounding (`points`).
Nothing here depends on a clock or on chance: the same two formulas always get the same verdict. The seed is
made of both, so that neither can be written to fit its own points.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice

from cards.expressions.maths.measured import Measured, Unusable
from cards.expressions.maths.nodes import Absolute, Call, Node, Number, label, names_in, postorder
from cards.expressions.maths.points import (
    FEWEST,
    HOPELESS,
    POINTS,
    TRIED,
    Compiled,
    Point,
    compiled,
    drawn_points,
    far_points,
    points,
)
from cards.expressions.maths.residues import LARGEST_DEGREE, Undefined, field_point, prepared
from cards.expressions.maths.terms import rests

SLACK = 16
"""How many times the bound of the rounding error two equal values may differ."""
FIELD_POINTS = 2
LONG = 10**9
PIECEWISE = frozenset({"min", "max", "floor", "ceil"})
CONSTANTS = frozenset({"pi", "e"})


@dataclass(frozen=True)
class Rules:
    """What a card says about its symbols: where they live, and whether a rounded number is near enough.

    `domain` is positive (where nothing is said), real or integer (whole and positive) for each symbol, and
    makes pi and e symbols where it names them;
    `floats_close` is a relative distance, None where 0.333 is not 1/3; `functions` are the unknown ones.
    """

    domain: Mapping[str, str] = field(default_factory=dict)
    floats_close: Fraction | None = None
    functions: tuple[str, ...] = ()

    def of(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """The domain of each name."""
        return tuple(self.domain.get(name, "positive") for name in names)


def equal_expressions(one: Node, other: Node, rules: Rules) -> bool | None:
    """Whether two expressions are the same; None where fewer than 8 points are usable.

    A proof in the field must not be belied at a point: 2^127 is 1 there.
    """
    proof = by_residues(one, other, rules)
    if proof:
        return by_points(one, other, rules, wanted=FEWEST) is not False
    if proof is False and rules.floats_close is None:
        return False
    verdict = by_points(one, other, rules)
    if verdict and rules.floats_close is None and _differs_below_rounding(one, other, rules):
        return False
    return verdict


def _differs_below_rounding(one: Node, other: Node, rules: Rules) -> bool:
    """Whether what agrees at points differs by less than they show: in a long decimal or a small term."""
    if _long_decimals(one) != _long_decimals(other):
        return True
    names = frozenset(symbols_of(rules, one, other))
    return any(
        by_residues(mine, yours, rules) is False or by_points(mine, yours, rules) is False
        for mine, yours in rests(one, other, names, products=not _is_nought(one, rules))
    )


def _is_nought(node: Node, rules: Rules) -> bool:
    """Whether a formula is nothing but rounding, so that its factors make no difference."""
    steps, names = compiled(node), symbols_of(rules, node)
    return all(
        abs(value) <= SLACK * error for (value, error), _ in both_at_points(steps, steps, names, rules)
    )


def _long_decimals(node: Node) -> frozenset[Fraction]:
    """Numerals of more digits than rounding leaves in doubt: 3.14159265358979 is not pi; 1e-12 is short."""
    numerals = (part.value for part in postorder(node) if isinstance(part, Number))
    return frozenset(value for value in numerals if min(abs(value.numerator), value.denominator) > LONG)


def seed_of(one: Node, other: Node) -> str:
    """A text that two trees have in either order, and that nobody can put into one of them."""
    told = sorted(repr([label(part) for part in postorder(node)]) for node in (one, other))
    return hashlib.sha256(" and ".join(told).encode()).hexdigest()


def by_residues(one: Node, other: Node, rules: Rules) -> bool | None:
    """Equality of rational formulas in the field; None where it settles nothing.

    What is not rational may agree there and have no value anywhere, as log(-x) - log(-x).
    """
    names, first, second = symbols_of(rules, one, other), prepared(one), prepared(other)
    if max(first.degree, second.degree) > LARGEST_DEGREE:
        return None
    seed = seed_of(one, other)
    try:
        for number in range(FIELD_POINTS):
            values = field_point(frozenset(names), number, seed)
            left, right = first.at(values, number), second.at(values, number)
            if left.opaque or right.opaque:
                return None
            if left.value != right.value:
                return False
    except Undefined:
        return None
    return True


def by_points(one: Node, other: Node, rules: Rules, *, wanted: int = 0) -> bool | None:
    """Equality at usable points: one that differs says no, `wanted` that agree (0 = all of them) say yes."""
    names = symbols_of(rules, one, other)
    if not names and not has_unknown(one, other, rules):
        return _at_one_point(one, other, rules)
    first, second, seed = compiled(one), compiled(other), seed_of(one, other)
    cases = has_cases(one) or has_cases(other)
    usable, wanted = 0, wanted or (TRIED if cases else POINTS)
    for left, right in both_at_points(first, second, names, rules, seed):
        if not agree(left, right, rules):
            return False
        usable += 1
        if usable == wanted:
            break
    marks = marks_in(one, other) if cases else ()
    far = far_points(names, rules.of(names), seed, marks)
    further = pairs_at(islice(far, FEWEST) if wanted == FEWEST else far, first, second)
    agreed = usable >= FEWEST and all(agree(left, right, rules) for left, right in further)
    return agreed if usable >= FEWEST else None


def has_cases(node: Node) -> bool:
    """Whether a formula is made of pieces, each of which needs points of its own."""
    return any(
        isinstance(part, Absolute) or (isinstance(part, Call) and part.function in PIECEWISE)
        for part in postorder(node)
    )


def marks_in(*nodes: Node) -> tuple[float, ...]:
    """Constants in the formulas, where pieces may begin and end."""
    values = {exact for node in nodes for _, exact in prepared(node).steps if exact}
    return tuple(sorted(float(value) for value in values if 1e-12 < abs(value) < 10**12))


def _at_one_point(one: Node, other: Node, rules: Rules) -> bool | None:
    """Equality of constants, which are the same everywhere."""
    try:
        return agree(compiled(one).at({}), compiled(other).at({}), rules)
    except Unusable:
        return None


def both_at_points(
    one: Compiled, other: Compiled, names: tuple[str, ...], rules: Rules, seed: str = ""
) -> Iterator[tuple[Measured, Measured]]:
    """The two values at each seeded point where both have one."""
    tried = drawn_points(names, rules.of(names), seed) if seed else points(names, rules.of(names))
    return pairs_at(tried, one, other)


def pairs_at(tried: Iterable[Point], one: Compiled, other: Compiled) -> Iterator[tuple[Measured, Measured]]:
    """The two values at each point where both have one; none where none of the first HOPELESS is usable."""
    found = 0
    for number, point in enumerate(tried):
        if number == HOPELESS and not found:
            return
        try:
            pair = one.at(point, number), other.at(point, number)
        except Unusable:
            continue
        found += 1
        yield pair


def agree(left: Measured, right: Measured, rules: Rules) -> bool:
    """Whether two values are the same but for rounding, or for the closeness that the card allows."""
    distance = abs(left[0] - right[0])
    if distance <= SLACK * (left[1] + right[1]):
        return True
    if rules.floats_close is None:
        return False
    return distance <= float(rules.floats_close) * max(abs(left[0]), abs(right[0])) * (1 + 1e-9)


def symbols_of(rules: Rules, *nodes: Node) -> tuple[str, ...]:
    """The symbols of some trees in alphabetical order; pi and e only where they are declared."""
    found = frozenset[str]().union(*(names_in(node) for node in nodes))
    return tuple(sorted(found - (CONSTANTS - set(rules.domain))))


def has_unknown(one: Node, other: Node, rules: Rules) -> bool:
    """Whether an unknown function occurs."""
    return any(
        isinstance(part, Call) and part.function in rules.functions
        for node in (one, other)
        for part in postorder(node)
    )


def value_at(node: Node, point: Point) -> float | None:
    """The real value at a point, None where there is none."""
    try:
        return compiled(node).at(point)[0]
    except Unusable:
        return None


def ratio(one: Node, other: Node, rules: Rules) -> Fraction | None:
    """The constant that `one` is of `other`, where it is a short fraction and not 1; None otherwise."""
    names = symbols_of(rules, one, other)
    found: Fraction | None = None
    usable = 0
    for left, right in both_at_points(compiled(one), compiled(other), names, rules):
        if not right[0]:
            return None
        quotient = left[0] / right[0]
        near = Fraction(quotient).limit_denominator(1024) if abs(quotient) < 2**40 else Fraction(0)
        if not near or abs(quotient - near) > 1e-9 * abs(quotient) or found not in (None, near):
            return None
        found = near
        usable += 1
        if usable == FEWEST:
            break
    settled = usable == FEWEST or (not names and usable > 0)
    return found if settled and found != 1 else None
