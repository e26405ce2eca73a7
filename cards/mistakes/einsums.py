"""What people mix up in an einsum equation, seen by comparing two of them. Knows no card and no learner."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import permutations

from cards.expressions.einsum_axes import Einsum, Numbered, Rows, Term, in_order, rows, structure
from cards.grading import Place

MOST_PERMUTED = 4
Spots = frozenset[tuple[int, int]]
"""Axes that share a name: (operand, axis) of each."""


@dataclass(frozen=True)
class Found:
    """A mistake by name, a title, a sentence, and where it stands."""

    name: str
    title: str
    says: str = ""
    place: Place | None = None


@dataclass(frozen=True)
class _Case:
    """Two equations with their axes laid out: the learner's, and the right one."""

    given: Einsum
    key: Einsum
    operands: tuple[str, ...]
    names: Rows
    mine: Numbered
    right: Numbered
    as_written: Numbered
    """The learner's without regard to the names of operands."""


def same(given: Einsum, key: Einsum, operands: Sequence[str]) -> bool:
    """Whether two equations are equal but for the names of axes and the order of named operands."""
    if given.operands and sorted(given.operands) != sorted(operands):
        return False
    return len(given.inputs) == len(key.inputs) and _numbered(in_order(given, operands), key) == _numbered(
        key, key
    )


def diagnose(given: Einsum, key: Einsum, operands: Sequence[str]) -> Found:
    """What is wrong about an equation that is not the key: the first of the kinds below that fits."""
    if len(given.inputs) != len(key.inputs):
        count, wanted = len(given.inputs), len(key.inputs)
        there = (
            f"{count} operand{'' if count == 1 else 's'} where {wanted} belong{'s' if wanted == 1 else ''}"
        )
        return Found("wrong_operands", there, f"The operands are {' and '.join(operands)}.")
    if given.operands and (left := [name for name in operands if name not in given.operands]):
        twice = next(name for name in given.operands if given.operands.count(name) > 1)
        return Found("wrong_operands", f"{left[0]} is not used", f"{twice} stands twice.")
    ordered = in_order(given, operands)
    ranks = [len(term.axes) for term in key.inputs]
    case = _Case(
        given=ordered,
        key=key,
        operands=tuple(operands),
        names=rows(ordered, ranks),
        mine=structure(ordered, ranks),
        right=structure(key, ranks),
        as_written=structure(given, ranks),
    )
    tries = (_repeated_output, _wrong_rank, _swapped, _output_order, _contraction, _not_aligned)
    found = (found for one in tries if (found := one(case)))
    return next(found, Found("", f"the result is {_shape(case.names[-1])}"))


def _repeated_output(case: _Case) -> Found | None:
    names = case.names[-1]
    twice = next((name for name in names if names.count(name) > 1), "")
    if not twice:
        return None
    says = f"Each axis of the output has a name of its own; {twice} stands there twice, and torch refuses it."
    return Found("repeated_output_axis", f"{twice} is twice in the output", says, _place(case.given.output))


def _wrong_rank(case: _Case) -> Found | None:
    for name, term, mine, right in zip(
        case.operands, case.given.inputs, case.mine, case.key.inputs, strict=False
    ):
        if len(mine) != len(right.axes):
            wanted, given = _axes(len(right.axes)), len(mine)
            return Found("wrong_rank", f"{name} has {wanted}, yours names {given}", "", _place(term))
    return None


def _swapped(case: _Case) -> Found | None:
    """In another order the terms would be the key: by their letters, or where nothing else explains it."""
    if len(case.operands) > MOST_PERMUTED:
        return None
    orders = [order for order in permutations(range(len(case.operands))) if order != tuple(sorted(order))]
    turned = [replace(case.given, inputs=tuple(case.given.inputs[i] for i in order)) for order in orders]
    hits = [one for one in turned if _numbered(one, case.key) == case.right]
    lettered = any([t.names for t in one.inputs] == [t.names for t in case.key.inputs] for one in hits)
    if not hits or not (lettered or case.as_written == case.right or _output_order(case) is None):
        return None
    says = f"The terms stand for {' and '.join(case.operands)} in this order; yours fits another order."
    return Found("operands_swapped", "the operands are swapped", says, _place(case.given.inputs[0]))


def _output_order(case: _Case) -> Found | None:
    if case.mine[:-1] != case.right[:-1] or sorted(case.mine[-1]) != sorted(case.right[-1]):
        return None
    wanted = _shape(_named(case, case.right[-1]))
    says = f"The output is asked as {wanted}; yours is {_shape(case.names[-1])}.{_rule(case.given.output)}"
    return Found(
        "other_output_order", "the output's axes are in another order", says, _place(case.given.output)
    )


def _contraction(case: _Case) -> Found | None:
    mine, right = _summed(case.mine), _summed(case.right)
    if mine == right:
        return None
    place = _place(case.given.output)
    if case.mine[:-1] == case.right[:-1]:
        left = [n for row in case.right[:-1] for n in row if n not in case.right[-1]]
        asked = ", ".join(_named(case, tuple(dict.fromkeys(left)))) or "nothing"
        own = ", ".join(dict.fromkeys(n for row in case.names[:-1] for n in row if n not in case.names[-1]))
        title = f"summed over {own or 'nothing'} instead of {asked}"
        return Found("wrong_contraction", title, _stays(case), place)
    missed = min(right - mine, key=sorted, default=None)
    wanted = f"Summed together are {_spots(case, missed)}" if missed else "Nothing is summed here"
    extra = min(mine - right, key=sorted, default=None)
    own = f"; yours sums over {_spots(case, extra)}." if extra else "; yours does not sum there."
    return Found("wrong_contraction", "another axis is summed over", wanted + own, place)


def _stays(case: _Case) -> str:
    """What becomes of the axes whose sum is asked for."""
    asked = _shape(_named(case, case.right[-1]))
    return f"What is not in the output is summed away: asked is {asked}.{_rule(case.given.output)}"


def _rule(output: Term) -> str:
    """What torch does where no output is written."""
    if output.start < output.end or not output.axes:
        return ""
    return " Without an arrow only letters that appear once are kept, in alphabetical order."


def _not_aligned(case: _Case) -> Found | None:
    mine = {spots for spots in _groups(case.mine[:-1]).values() if len(spots) > 1}
    right = {spots for spots in _groups(case.right[:-1]).values() if len(spots) > 1}
    missed = min(right - mine, key=sorted, default=None)
    if missed is None:
        extra = min(mine - right, key=sorted, default=None)
        says = f"{_spots(case, extra)} are two axes; yours gives them one name." if extra else ""
        return Found("axes_swapped", "two axes have one name", says) if extra else None
    says = f"{_spots(case, missed)} are one axis of the equation; in yours they have different names."
    return Found("axes_swapped", "the axes of the operands do not meet", says, _place(case.given.inputs[-1]))


def _numbered(equation: Einsum, key: Einsum) -> Numbered:
    return structure(equation, [len(term.axes) for term in key.inputs])


def _groups(terms: Numbered) -> dict[int, Spots]:
    """Where each axis stands among the operands."""
    spots: dict[int, set[tuple[int, int]]] = {}
    for operand, row in enumerate(terms):
        for axis, number in enumerate(row):
            spots.setdefault(number, set()).add((operand, axis))
    return {number: frozenset(found) for number, found in spots.items()}


def _summed(numbered: Numbered) -> set[Spots]:
    """The axes that are summed over, by where they stand."""
    return {spots for number, spots in _groups(numbered[:-1]).items() if number not in numbered[-1]}


def _spots(case: _Case, spots: Spots) -> str:
    """axis 3 of Q and axis 3 of K"""
    return " and ".join(f"axis {axis} of {case.operands[operand]}" for operand, axis in sorted(spots))


def _named(case: _Case, numbers: Sequence[int]) -> tuple[str, ...]:
    """Axes of the key in the learner's letters, where both have the same operands."""
    name_of = dict(
        zip((n for row in case.mine for n in row), (n for row in case.names for n in row), strict=True)
    )
    return tuple(name_of.get(number, "?") for number in numbers)


def _shape(names: Sequence[str]) -> str:
    return f"({', '.join(names)})" if names else "one number"


def _axes(count: int) -> str:
    return f"{count} {'axis' if count == 1 else 'axes'}"


def _place(term: Term) -> Place | None:
    return Place("text", term.start, term.end) if term.end > term.start else None
