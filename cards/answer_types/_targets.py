"""The right numbers of a numeric question, each with its tolerance. Knows no learner's text."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from cards.expressions.units import fit
from cards.grading import Question
from cards.keys import AnyOf, KeyProblem, compute, is_key

SETTINGS = {"locale": ("en", "de", "any"), "form": ("any", "simplified")}


@dataclass(frozen=True)
class Target:
    """A right number in the card's unit, and how far from it is still right; the bound itself is."""

    value: Fraction
    slack: Fraction = Fraction(0)

    def met_by(self, answer: Fraction) -> bool:
        """Whether a number is right; one more or one less than a whole key never is."""
        apart = abs(answer - self.value)
        return apart <= self.slack and not (apart == 1 and self.value.denominator == 1)


def targets_of(question: Question) -> tuple[Target, ...]:
    """The key, and what the card accepts beside it with a tolerance of its own. Raises KeyProblem."""
    found = list(_targets(question, question.answer.get("key"), question.answer.get("tolerance", "exact")))
    for other in question.answer.get("accepts") or ():
        if not isinstance(other, Mapping) or "key" not in other:
            raise KeyProblem(f"accepts is a list of {{key: KEY, tolerance: ...}}, not {other!r}")
        found += _targets(
            question, other["key"], other.get("tolerance", question.answer.get("tolerance", "exact"))
        )
    return tuple(found)


def ends_of(question: Question, key: Mapping[str, Any]) -> tuple[Target, Target]:
    """The two ends of a {range: [KEY, KEY]}. Raises KeyProblem."""
    ends = key.get("range")
    if not isinstance(ends, list | tuple) or len(ends) != 2:
        raise KeyProblem(f"a range has two keys, [KEY, KEY], not {ends!r}")
    tolerance = question.answer.get("tolerance", "exact")
    low, high = (next(iter(_targets(question, end, tolerance))) for end in ends)
    if low.value >= high.value:
        raise KeyProblem(
            f"a range goes from the lower end to the higher, not from {low.value} to {high.value}"
        )
    return low, high


def is_range(question: Question) -> bool:
    """Whether both ends of a range are asked."""
    key = question.answer.get("key")
    return isinstance(key, Mapping) and "range" in key


def raw_values(key: object) -> tuple[Any, ...]:
    """What a key computes to: one value, or each of any_of."""
    value = compute(key)
    return value.values if isinstance(value, AnyOf) else (value,)


def mistaken(question: Question, mistake: Mapping[str, Any]) -> tuple[Fraction, ...]:
    """The numbers a mistake of the card leads to, in the card's unit."""
    key = mistake.get("key")
    if is_key(key):
        return tuple(exact(value) * scale_of(question) for value in raw_values(key))
    return tuple(map(exact, key if isinstance(key, list | tuple) else (key,)))


def exact(value: Any) -> Fraction:
    """A computed value as an exact number; a float is taken as it is written."""
    if isinstance(value, bool) or not isinstance(value, int | float | str | Fraction):
        raise KeyProblem(f"a numeric key must be one number (or any_of a list), not {value!r}")
    try:
        return Fraction(str(value))
    except (ValueError, ZeroDivisionError) as error:
        raise KeyProblem(f"{value!r} is not a number") from error


def scale_of(question: Question) -> Fraction:
    """What one of `key_unit`, the unit the key counts in, is in the card's unit: bytes in GiB."""
    counted = question.answer.get("key_unit")
    if not counted:
        return Fraction(1)
    found = fit(str(counted), unit_of(question))
    if found is None or found.factor is None:
        raise KeyProblem(f"key_unit {counted!r} is no unit that becomes {unit_of(question)!r}")
    return found.factor


def unit_of(question: Question) -> str:
    """The card's unit, as it is written beside the field."""
    return str(question.answer.get("unit", ""))


def setting(question: Question, name: str) -> str:
    """`locale` or `form`. Raises KeyProblem for one there is not."""
    value = question.answer.get(name, SETTINGS[name][0])
    if value not in SETTINGS[name]:
        raise KeyProblem(f"{name} is one of {', '.join(SETTINGS[name])}, not {value!r}")
    return str(value)


def slack(tolerance: object, key: Fraction) -> Fraction:
    """How far from the key is still right."""
    if tolerance == "exact":
        return Fraction(0)
    if not isinstance(tolerance, Mapping) or set(tolerance) - {"relative", "absolute"} or len(tolerance) != 1:
        raise KeyProblem(f"tolerance is exact, {{relative: r}} or {{absolute: a}}, not {tolerance!r}")
    ((kind, size),) = tolerance.items()
    return exact(size) * (abs(key) if kind == "relative" else 1)


def _targets(question: Question, key: object, tolerance: object) -> Iterator[Target]:
    for value in raw_values(key):
        number = exact(value) * scale_of(question)
        yield Target(number, slack(tolerance, number))
