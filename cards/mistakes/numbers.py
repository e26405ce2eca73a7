"""What people mix up in a computed number, tried in turn on its key. Knows no card file and no learner.

A transform gives wrong values of a key; the first that gives the learner's number names the mistake.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from cards.mistakes.number_cases import Case, shown
from cards.mistakes.number_words import TRANSFORMS, Transform

__all__ = ["TRANSFORMS", "Found", "find", "near", "wrong_values"]

LOOSELY = Fraction(1, 200)
"""How near a number with decimals has to come to a wrong value that is not whole: people round."""


@dataclass(frozen=True)
class Found:
    """A transform that led to the learner's number, and the counts its sentence uses."""

    name: str
    title: str
    says: str
    facts: Mapping[str, str]


def find(
    case: Case, answer: Fraction, right: Callable[[Fraction], bool], *, loosely: bool = False
) -> Found | None:
    """The first transform that leads to an answer in the card's unit; None for a right answer or no such one.

    `right` says of a number whether it is right; `loosely`: the answer was rounded or converted. Where two
    transforms give the same number, both are told: a number does not say how it came about.
    """
    if right(answer):
        return None

    def leads(transform: Transform) -> bool:
        values = (value for value in _values(case, transform) if not right(value))
        exact = transform.exact
        return any(answer == one or (not exact and near(answer, one, loosely=loosely)) for one in values)

    hits = (transform for transform in TRANSFORMS if leads(transform))
    first = next(hits, None)
    other = next((one for one in hits if not one.exact), None)
    return _found(case, first, other, answer=answer) if first else None


def wrong_values(case: Case, right: Callable[[Fraction], bool]) -> Iterator[tuple[str, Fraction]]:
    """Every transform's name with each wrong value it leads to, in the card's unit."""
    for transform in TRANSFORMS:
        yield from ((transform.name, value) for value in _values(case, transform) if not right(value))


def near(answer: Fraction, value: Fraction, *, loosely: bool) -> bool:
    """Whether an answer is a wrong value, to within rounding where it is not whole."""
    slack = LOOSELY * abs(value) if loosely or value.denominator != 1 else 0
    return abs(answer - value) <= slack


def _values(case: Case, transform: Transform) -> Iterable[Fraction]:
    """The values of one transform, in the card's unit, if its sentence can be filled in."""
    if not transform.needed <= set(case.counts):
        return ()
    values = transform.wrong(case)
    return values if case.scale == 1 else (value * case.scale for value in values)


def _found(case: Case, first: Transform, other: Transform | None, *, answer: Fraction) -> Found:
    """A transform with the counts of its case, and beside it another that gives the same number."""
    title, says = first.title, first.says
    if other:
        title, says = (
            f"{title}, or {other.title}",
            f"{says} Or else {other.title}: that gives {{answer}} too.",
        )
    more = "more" if answer > case.value * case.scale else "less"
    return Found(
        first.name,
        title,
        says,
        {**shown(case.counts), "more": more, "unit": case.unit},
    )
