"""Mistakes known by a property of the answer instead of its value. Knows no card.

A card names one with `when`, and gives its arguments beside it (numbers, or {compute: ...}):

    {name: heads_that_do_not_divide, when: does_not_divide, d_model: 768, says: "..."}

Each predicate gives facts, which `says` and `title` may use as {placeholders}, and a title of its own.

    does_not_divide      d_model or n     {n} {quotient} {remainder} {nearest} {below} {above}
    a_larger_divisor     n, above         divides n and is above `above`, but is not the smallest that does
    not_above            bound            {bound}; at or under the bound where more was asked
    not_below            bound            {bound}; at or over the bound where less was asked
    not_whole                             has a fractional part
    odd                                   a whole, odd number
    not_a_power_of_two                    {below} {above}
    off_by_one                            one more or one less than the key
    off_by_factor        factor           {factor}; the key times or divided by it
    off_by_power_of_ten                   the key with the decimal point moved
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from attention_engine.arithmetic import nearest_divisors
from cards.expressions.echo import format_number
from cards.keys import KeyProblem, compute, is_key

NOT_ARGUMENTS = frozenset({"name", "when", "says", "title", "key", "waiver", "values"})
Facts = dict[str, Any]


@dataclass(frozen=True)
class Predicate:
    """`test(answer, key, **arguments)` gives the facts of the mistake, or None where it was not made."""

    test: Callable[..., Facts | None]
    title: str


def found(
    mistake: Mapping[str, Any], answer: Fraction, keys: Sequence[Fraction]
) -> tuple[Predicate, Facts] | None:
    """The predicate of a mistake and its facts, if the answer has it. Raises KeyProblem."""
    name = mistake.get("when")
    if not isinstance(name, str) or name not in PREDICATES:
        raise KeyProblem(f"no predicate {name!r}; there are: {', '.join(sorted(PREDICATES))}")
    predicate, arguments = PREDICATES[name], arguments_of(mistake)
    try:
        facts = predicate.test(answer, keys[0], **arguments)
    except TypeError as error:
        raise KeyProblem(f"when: {name} cannot take {', '.join(arguments) or 'nothing'}: {error}") from error
    return None if facts is None else (predicate, {**_shown(arguments), **facts})


def arguments_of(mistake: Mapping[str, Any]) -> Facts:
    """What stands beside `when`, computed where it has to be."""
    given = {k: v for k, v in mistake.items() if k not in NOT_ARGUMENTS}
    arguments = {k: compute(v) if is_key(v) else v for k, v in given.items()}
    for name, value in arguments.items():
        if not isinstance(value, int | float | Fraction):
            raise KeyProblem(f"{name} is a number, not {ascii(value)[:40]}")
    return arguments


def _shown(arguments: Facts) -> Facts:
    """Arguments as text: whole numbers grouped."""
    return {k: format_number(v) if isinstance(v, int) else str(v) for k, v in arguments.items()}


def _whole(answer: Fraction) -> int | None:
    """A whole number of 1 or more and of a size to reason about, else None."""
    return int(answer) if answer.denominator == 1 and 1 <= answer <= 2**40 else None


def _does_not_divide(answer: Fraction, _key: Fraction, *, d_model: int = 0, n: int = 0) -> Facts | None:
    whole, heads = n or d_model, _whole(answer)
    if heads is None or whole % heads == 0:
        return None
    near = nearest_divisors(n=whole, near=heads)
    return {
        "n": format_number(whole),
        "quotient": format_number(whole // heads),
        "remainder": format_number(whole % heads),
        "nearest": " and ".join(map(format_number, near)),
        "below": format_number(near[0]),
        "above": format_number(near[-1]),
    }


def _a_larger_divisor(answer: Fraction, key: Fraction, *, n: int, above: int) -> Facts | None:
    heads = _whole(answer)
    return {} if heads and n % heads == 0 and heads > above and heads > key else None


def _not_above(answer: Fraction, _key: Fraction, *, bound: int) -> Facts | None:
    return {} if answer <= bound else None


def _not_below(answer: Fraction, _key: Fraction, *, bound: int) -> Facts | None:
    return {} if answer >= bound else None


def _not_whole(answer: Fraction, _key: Fraction) -> Facts | None:
    return {} if answer.denominator != 1 else None


def _odd(answer: Fraction, _key: Fraction) -> Facts | None:
    return {} if answer.denominator == 1 and answer.numerator % 2 else None


def _not_a_power_of_two(answer: Fraction, _key: Fraction) -> Facts | None:
    whole = _whole(answer)
    if whole is None or whole & (whole - 1) == 0:
        return None
    below = 1 << (whole.bit_length() - 1)
    return {"below": format_number(below), "above": format_number(below * 2)}


def _off_by_one(answer: Fraction, key: Fraction) -> Facts | None:
    return {} if abs(answer - key) == 1 else None


def _off_by_factor(answer: Fraction, key: Fraction, *, factor: int) -> Facts | None:
    return {} if answer in (key * factor, key / factor) else None


def _off_by_power_of_ten(answer: Fraction, key: Fraction) -> Facts | None:
    shifts = (Fraction(10) ** n for n in range(-9, 10) if n)
    return {} if key and answer in [key * shift for shift in shifts] else None


PREDICATES: dict[str, Predicate] = {
    "does_not_divide": Predicate(_does_not_divide, "{answer} does not divide {n}"),
    "a_larger_divisor": Predicate(
        _a_larger_divisor, "{answer} divides {n}, but is not the first above {above}"
    ),
    "not_above": Predicate(_not_above, "{answer} is not above {bound}"),
    "not_below": Predicate(_not_below, "{answer} is not below {bound}"),
    "not_whole": Predicate(_not_whole, "{answer} is not a whole number"),
    "odd": Predicate(_odd, "{answer} is odd"),
    "not_a_power_of_two": Predicate(_not_a_power_of_two, "{answer} is not a power of two"),
    "off_by_one": Predicate(_off_by_one, "{answer} is one off"),
    "off_by_factor": Predicate(_off_by_factor, "{answer} is off by a factor of {factor}"),
    "off_by_power_of_ten": Predicate(_off_by_power_of_ten, "{answer} is off by a power of ten"),
}


def example_of(mistake: Mapping[str, Any], keys: Sequence[Fraction]) -> Fraction | None:
    """The wrong answer nearest to the key that has this property, for proving that it is caught."""
    key = keys[0]
    near = sorted((Fraction(n) for n in range(1, 400)), key=lambda n: (abs(n - key), n))
    around = [key + step for step in (1, -1, 2, -2, 3, -3, 4, -4, 6, -6, Fraction(1, 2))]
    arguments = [Fraction(v) for v in arguments_of(mistake).values() if isinstance(v, int)]
    factors = [Fraction(f) for f in (2, 3, 4, 10, 0.5, "0.1")]
    scaled = [key * factor for factor in [*factors, *arguments]]
    candidates = [*around, *near, *scaled, *(a + d for a in arguments for d in (-1, 0, 1))]
    return next(
        (c for c in candidates if c > 0 and c not in keys and found(mistake, c, keys) is not None), None
    )
