"""Whether two equations or two inequalities have the same solutions: True, False or None. Knows no card.

The differences of their sides are compared: where one is the other times a constant, or times a product of
powers of positive symbols, they say the same (an inequality flips with a negative constant). Else a point is
looked for that solves one and not the other.
"""

import math
from collections.abc import Iterator
from itertools import islice, pairwise

from cards.expressions.maths.comparing import (
    SLACK,
    Rules,
    both_at_points,
    equal_expressions,
    has_cases,
    has_unknown,
    marks_in,
    pairs_at,
    seed_of,
    symbols_of,
)
from cards.expressions.maths.measured import Measured, Unusable
from cards.expressions.maths.nodes import Node, Operation, Relation, Span, postorder
from cards.expressions.maths.points import FEWEST, Compiled, Point, compiled, drawn_points, far_points, points
from cards.expressions.maths.residues import (
    LARGEST_DEGREE,
    PRIME,
    Prepared,
    Undefined,
    field_point,
    prepared,
)

_TURNED = {">": "<", ">=": "<="}
ROOTS = 6
"""Solutions of either equation that have to solve the other."""
_ATTEMPTS = 12
_NARROWINGS = 60
MOST_FAR = 24
MOST_NODES = 120
"""Parts of two relations together that are looked into further than the field."""
CLOSE, BELIED = 1e-9, 1e-2
"""How far a factor seen at points may change: where it is all there is, and where it was proved before."""
EXACT, VERY_EXACT = 1e4, 1e11
"""How many times its rounding error a difference must be, near 1 and far out."""
_STEPS = (0.03, 0.11, 0.37, 1.1, 3.7, 13.0, 47.0)


def equal_relations(one: Relation, other: Relation, rules: Rules) -> bool | None:
    """Whether two relations say the same."""
    one, other = _turned(one), _turned(other)
    if one.sign != other.sign:
        return False
    first, second = _difference(one), _difference(other)
    empty = _vanishes(one, rules), _vanishes(other, rules)
    if None in empty or any(empty):
        return None if None in empty else all(empty)
    if rules.floats_close is not None and _sides_agree(one, other, rules):
        return True
    factor, equation = _factor(first, second, rules), one.sign in ("=", "!=")
    if factor > 0 or (factor and equation):
        return True
    if len(postorder(first)) + len(postorder(second)) > MOST_NODES:
        return None
    return _same_roots(first, second, rules) if equation else _same_truth(first, second, rules)


def _turned(relation: Relation) -> Relation:
    """a > b as b < a."""
    if relation.sign not in _TURNED:
        return relation
    return Relation(_TURNED[relation.sign], relation.right, relation.left, relation.span)


def _difference(relation: Relation) -> Node:
    span: Span = relation.span
    return Operation("-", relation.left, relation.right, span)


def _vanishes(relation: Relation, rules: Rules) -> bool | None:
    """Whether both sides are the same everywhere; None where there are too few points to tell."""
    exact = Rules(rules.domain, None, rules.functions)
    return equal_expressions(relation.left, relation.right, exact)


def _sides_agree(one: Relation, other: Relation, rules: Rules) -> bool:
    """Whether left is close to left and right to right, or crosswise for an equation."""
    pairs = [(one.left, other.left), (one.right, other.right)]
    crossed = [(one.left, other.right), (one.right, other.left)]
    ways = [pairs, crossed] if one.sign in ("=", "!=") else [pairs]
    return any(all(equal_expressions(a, b, rules) for a, b in way) for way in ways)


def _factor(first: Node, second: Node, rules: Rules) -> int:
    """The sign of the factor between two differences that has no zero in the domain; 0 where none is seen."""
    proved = _factor_in_field(first, second, rules)
    seen = _factor_at_points(first, second, rules, BELIED if proved else CLOSE)
    if seen is False or not (proved or seen):
        return 0
    names = symbols_of(rules, first, second)
    for left, right in both_at_points(compiled(first), compiled(second), names, rules):
        if left[0] and right[0]:
            return 1 if (left[0] > 0) == (right[0] > 0) else -1
    return 0


def _factor_in_field(first: Node, second: Node, rules: Rules) -> bool:
    """Whether first / second is a constant times powers of positive symbols, by four points of the field."""
    names, ready = frozenset(symbols_of(rules, first, second)), (prepared(first), prepared(second))
    if max(one.degree for one in ready) > LARGEST_DEGREE:
        return False
    seed = seed_of(first, second)
    real = {name for name in names if rules.domain.get(name, "positive") == "real"}
    u, v, w = (field_point(names, number, seed) for number in (11, 12, 13))
    try:
        fourth = {name: u[name] * v[name] * pow(w[name], -1, PRIME) % PRIME for name in names}
        other_reals = {name: (v if name in real else u)[name] for name in names}
        tried = enumerate((u, v, w, fourth, other_reals))
        at = [_quotient(ready, point, salt % 4) for salt, point in tried]
    except Undefined:
        return False
    return (at[0] * at[1] - at[2] * at[3]) % PRIME == 0 and at[4] == at[0]


def _quotient(ready: tuple[Prepared, Prepared], point: dict[str, int], salt: int) -> int:
    above, below = (one.at(point, salt).value for one in ready)
    if not above or not below:
        raise Undefined
    return above * pow(below, -1, PRIME) % PRIME


def _factor_at_points(first: Node, second: Node, rules: Rules, close: float) -> bool | None:
    """The same at float points, as residues of roots are drawn; None where too few are usable."""
    if len(postorder(first)) + len(postorder(second)) > MOST_NODES:
        return None
    names = symbols_of(rules, first, second)
    far, one, other = _far(first, second, rules), compiled(first), compiled(second)
    free = ("real", "integer") if far else ("real",)  # what stands between whole numbers is another piece
    fixed = [name for name in names if rules.domain.get(name, "positive") in free]
    whole = [name for name in fixed if rules.domain.get(name) == "integer"]
    near = tuple(drawn_points(names, rules.of(names), seed_of(first, second)))
    near = near[: len(near) // 3 * 3]
    tried = (*near, *far)
    usable = 0
    for seed, (u, v, w) in enumerate(zip(tried[0::3], tried[1::3], tried[2::3], strict=False)):
        fourth = {name: u[name] if name in whole else u[name] * v[name] / w[name] for name in names}
        changed = {name: (v if name in fixed else u)[name] for name in names}
        exact, close = (EXACT, close) if 3 * seed < len(near) else (VERY_EXACT, CLOSE)
        try:
            at = [
                _float_quotient(one, other, p, 5 * seed + i % 4, exact)
                for i, p in enumerate((u, v, w, fourth, changed))
            ]
        except Unusable:
            continue
        crossed = at[0] / at[2] * (at[1] / at[3])
        if not (abs(crossed - 1) <= close and abs(at[4] - at[0]) <= close * abs(at[0])):
            return False
        usable += 1
    return True if usable >= FEWEST or (not names and usable > 0) else None


def _far(first: Node, second: Node, rules: Rules) -> tuple[Point, ...]:
    """Points around the constants of what is made of pieces, and far out; none where one formula is all."""
    if not has_cases(first) and not has_cases(second):
        return ()
    names = symbols_of(rules, first, second)
    found = far_points(names, rules.of(names), seed_of(first, second), marks_in(first, second))
    return tuple(islice(found, MOST_FAR))


def _float_quotient(one: Compiled, other: Compiled, point: Point, seed: int, exact: float) -> float:
    above, below = one.at(point, seed), other.at(point, seed)
    if abs(above[0]) <= exact * above[1] or abs(below[0]) <= exact * below[1]:
        raise Unusable
    return above[0] / below[0]


def cross_ratio(relation: Relation, rules: Rules, names: tuple[str, ...]) -> float | None:
    """A number that stays the same where a relation is multiplied by a constant or by positive symbols.

    d(u) d(v) / (d(w) d(uv/w)) of the difference d of its sides; None where that cannot be computed.
    """
    difference = compiled(_difference(_turned(relation)))
    tried = points(names, rules.of(names))
    for seed, (u, v, w) in enumerate(zip(tried[0:9:3], tried[1:9:3], tried[2:9:3], strict=False)):
        fourth = {name: u[name] * v[name] / w[name] for name in names}
        try:
            at = [difference.at(point, 5 * seed + i)[0] for i, point in enumerate((u, v, w, fourth))]
            return at[0] * at[1] / (at[2] * at[3])
        except ArithmeticError:
            continue
    return None


def _same_truth(first: Node, second: Node, rules: Rules) -> bool | None:
    """False where a point fulfils one inequality and not the other; else it would need cases."""
    names = symbols_of(rules, first, second)
    steps, seed = (compiled(first), compiled(second)), seed_of(first, second)
    around = far_points(names, rules.of(names), seed, marks_in(first, second))
    for left, right in (*both_at_points(*steps, names, rules), *pairs_at(around, *steps)):
        signs = [
            math.copysign(1, value) if abs(value) > SLACK * error else 0.0 for value, error in (left, right)
        ]
        if signs[0] * signs[1] < 0:
            return False
    return None


def _same_roots(first: Node, second: Node, rules: Rules) -> bool | None:
    """Whether solutions of either equation solve the other; None where too few are found."""
    if has_unknown(first, second, rules):
        return False
    names = symbols_of(rules, first, second)
    if not names:
        return None
    one, other, far = compiled(first), compiled(second), _far(first, second, rules)
    near = points(names, rules.of(names))[:_ATTEMPTS]
    found = 0
    for mine, yours in ((one, other), (other, one)):
        solved = 0
        for root in _roots(mine, names, rules, near):
            match _solves(yours, root, names):
                case False:
                    return False
                case True:
                    solved += 1
            if solved == ROOTS:
                break
        found += solved >= ROOTS
        if any(_solves(yours, root, names) is False for root in _roots(mine, names, rules, far)):
            return False
    if any(_is_nought(left) != _is_nought(right) for left, right in pairs_at(far, one, other)):
        return False
    return True if found == 2 else None


def _is_nought(measured: Measured) -> bool:
    """Whether a difference is nothing but rounding, so that its equation holds."""
    return abs(measured[0]) <= SLACK * measured[1]


def _roots(
    equation: Compiled, names: tuple[str, ...], rules: Rules, tried: tuple[Point, ...]
) -> Iterator[tuple[Point, str]]:
    """Points that solve an equation, each with the symbol that was solved for."""
    for attempt, point in enumerate(tried):
        name = names[attempt % len(names)]
        real = rules.domain.get(name, "positive") == "real"
        each = sorted({*_STEPS, *(size * abs(value) for size in (0.9, 1.1) for value in point.values())})
        steps = (*(-step for step in reversed(each)), *each) if real else tuple(each)
        yield from _roots_along(equation, point, name, steps)


def _roots_along(
    equation: Compiled, point: Point, name: str, steps: tuple[float, ...]
) -> Iterator[tuple[Point, str]]:
    """The changes of sign along one symbol, each narrowed down to a root."""
    values = [(step, _real(equation, {**point, name: step})) for step in steps]
    known = [(step, value) for step, value in values if value is not None]
    for (low, below), (high, above) in pairwise(known):
        if below * above < 0:
            root = _narrowed(equation, point, name, (low, high, below, above))
            if root is not None:
                yield {**point, name: root}, name


def _narrowed(
    equation: Compiled, point: Point, name: str, bracket: tuple[float, float, float, float]
) -> float | None:
    """The root between two places of unlike sign by the Illinois rule; None at a pole or a jump."""
    low, high, below, above = bracket
    largest, middle, value = max(abs(below), abs(above)), low, below
    for _ in range(_NARROWINGS):
        middle = (low * above - high * below) / (above - below)
        found = _real(equation, {**point, name: middle})
        if found is None or found == 0 or middle in (low, high):
            return middle if found == 0 or (found is not None and abs(found) <= 1e-9 * largest) else None
        if (found > 0) == (above > 0):
            below = below / 2 if (value > 0) == (above > 0) else below
            high, above = middle, found
        else:
            above = above / 2 if (value > 0) == (below > 0) else above
            low, below = middle, found
        value = found
        if abs(high - low) <= 1e-14 * abs(middle):
            break
    return middle if abs(value) <= 1e-9 * largest else None


def _real(equation: Compiled, point: Point) -> float | None:
    """The real value at a point, however exact; None where there is none."""
    try:
        return equation.raw(point)[0]
    except Unusable:
        return None


def _solves(equation: Compiled, root: tuple[Point, str], names: tuple[str, ...]) -> bool | None:
    """Whether a root found to 15 digits solves another equation: its value there is nothing beside others."""
    point, name = root
    here = _near(equation, point)
    if here is None:
        return None
    around = [
        _near(equation, {**point, other: point[other] * factor})
        for other in dict.fromkeys((name, *names))
        for factor in (0.9, 1.1)
    ]
    scale = max((abs(value) for value in around if value is not None), default=0.0)
    if not scale:
        return None
    return here <= 1e-7 * scale if here < 1e-7 * scale or here > 1e-4 * scale else None


def _near(equation: Compiled, point: Point) -> float | None:
    """The size of a value near a zero, where rounding is all there is."""
    try:
        return abs(equation.raw(point)[0])
    except Unusable:
        return None
