"""What a card leaves to be drawn: named values, their bounds, and what must hold between them. Knows no card.

    variants:
      model: [bert-base, gpt-2]                  one of these: numbers or texts
      tokens: {from: 8, to: 64, step: 8}         a whole number of a range, both ends included
      num_heads: {divisors_of: $d_model, from: 2, to: 32}
      width: $num_heads * $d_head                worked out of others; also {compute: NAME, n: $tokens}
    where:
      - {divides: [$num_heads, $d_model]}
A name may be used by the others, a text that is a model's slug also by its fields: `$model.d_model`.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import islice
from typing import Any

from attention_engine.arithmetic import divisors
from cards.draw_values import NAME, DrawProblem, Values, names_in, resolved, worked_out

MOST_DRAWN, MOST_WORKED_OUT = 6, 16  # names
MOST_LISTED, MOST_IN_RANGE = 64, 4096  # values of one name
MOST_TRIED = 5000  # ways to pick that are gone through in search of variants that `where` lets be
MOST_DIVIDED = 2**24
LARGEST = 2**31
ATTEMPTS = 256
"""Draws tried until `where` holds; lint refuses a card of which fewer than one in twenty does."""
RESERVED = frozenset({"answer"})
RANGE, DIVISORS = frozenset({"from", "to", "step"}), frozenset({"divisors_of", "from", "to"})
FORMS = (
    "give a list of values, {from: 1, to: 8, step: 1}, {divisors_of: $name, from: 2, to: 32}, "
    "{compute: NAME, ...} or arithmetic with a $name"
)
RULES: Mapping[str, Callable[..., bool]] = {
    "divides": lambda part, whole: part > 0 and whole % part == 0,
    "below": lambda low, high: low < high,
    "at_most": lambda low, high: low <= high,
    "differ": lambda *values: len(set(map(str, values))) == len(values),
}


@dataclass(frozen=True)
class Condition:
    """One rule of `where`, checked as soon as the last of its names has a value."""

    last: str
    rule: str
    arguments: tuple[Any, ...]

    def holds(self, values: Values) -> bool:
        """Whether the rule does. Raises DrawProblem."""
        given = [resolved(one, values) for one in self.arguments]
        if self.rule != "differ" and not all(isinstance(one, int | float) for one in given):
            raise DrawProblem(f"where: {self.rule} takes numbers, not {given}")
        return RULES[self.rule](*given)


@dataclass(frozen=True, eq=False)
class Draws:
    """Variants as a card states them, checked for their form. Made by `draws_of`, once for the same text.

    `rules` are in an order in which each name stands behind those it uses, else alphabetical: a database
    does not keep the order in which they were written."""

    rules: tuple[tuple[str, Any], ...]
    where: tuple[Condition, ...] = ()

    @property
    def drawn(self) -> tuple[str, ...]:
        """The names that chance decides; the others follow from them."""
        return tuple(name for name, rule in self.rules if not is_worked_out(rule))

    def pick(self, choose: Callable[[str, list[Any]], Any]) -> Values | None:
        """All values, `choose(name, listed)` picking each that is drawn; None where `where` excludes them.

        Nothing is worked out of what is excluded. Raises DrawProblem."""
        values: Values = {}
        for name, rule in self.rules:
            if is_worked_out(rule):
                values[name] = worked_out(name, rule, values)
            else:
                values[name] = choose(name, _listed(name, rule, values))
            if not all(one.holds(values) for one in self.where if one.last == name):
                return None
        return values

    def listed(self, most: int) -> tuple[tuple[Values, ...], bool]:
        """The first `most` variants in the order of the lists, and whether there are no others."""
        found: list[Values] = []
        for tried, values in enumerate(self.products()):
            if (values is not None and len(found) == most) or tried == MOST_TRIED:
                return tuple(found), False
            if values is not None:
                found.append(values)
        return tuple(found), True

    def products(self) -> Iterator[Values | None]:
        """Every way to pick, None where one is excluded: the last name turns fastest."""
        places = [0] * len(self.drawn)
        while True:
            sizes: list[int] = []

            yield self.pick(partial(_at, places, sizes))
            turned = next((at for at in reversed(range(len(sizes))) if places[at] + 1 < sizes[at]), None)
            if turned is None:
                return
            places = [*places[:turned], places[turned] + 1, *[0] * (len(places) - turned - 1)]


def _at(places: list[int], sizes: list[int], _name: str, listed: list[Any]) -> Any:
    """The value at the next place; how many there were is noted in `sizes`."""
    sizes.append(len(listed))
    return listed[places[len(sizes) - 1]]


def draw(draws: Draws, seed: int) -> Values:
    """The values of a seed, the same on every machine; seed 0 is the first variant. Raises DrawProblem.

    Each name is picked by SHA-256 of seed, attempt and name, anew until `where` holds."""
    for attempt in range(ATTEMPTS if seed else 0):
        values = draws.pick(chooser(seed, attempt))
        if values is not None:
            return values
    return first(draws)


def chooser(seed: int, attempt: int = 0) -> Callable[[str, list[Any]], Any]:
    """How a seed picks one of a list for a name."""
    return lambda name, listed: listed[number_of(seed, attempt, name) % len(listed)]


def first(draws: Draws) -> Values:
    """The first variant in the order of the lists. Raises DrawProblem where none fits `where`."""
    found = next((one for one in islice(draws.products(), MOST_IN_RANGE) if one is not None), None)
    if found is None:
        raise DrawProblem(f"where: none of the first {MOST_IN_RANGE:,} variants fits; widen the lists")
    return found


def number_of(*about: object) -> int:
    """A number that follows from what it is about, spread over 0..2^63-1."""
    text = json.dumps(about, separators=(",", ":"))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]) >> 1


def is_worked_out(rule: Any) -> bool:
    """Whether a name follows from others instead of being drawn."""
    return isinstance(rule, str) or (isinstance(rule, Mapping) and "compute" in rule)


def draws_of(variants: object, where: object = ()) -> Draws:
    """Variants read from front matter. Raises DrawProblem."""
    try:
        return _read(json.dumps([variants, where]))
    except (TypeError, ValueError) as error:
        raise error if isinstance(error, DrawProblem) else DrawProblem(f"variants: {error}") from error


@lru_cache(maxsize=512)
def _read(text: str) -> Draws:
    variants, where = json.loads(text)
    if not isinstance(variants, Mapping) or not variants:
        raise DrawProblem("variants are `name: values` lines, such as tokens: [8, 16, 32]")
    for name, rule in variants.items():
        _refuse(name, rule)
    rules = tuple(_in_order(variants))
    worked_out = sum(is_worked_out(rule) for _, rule in rules)
    if not 0 < len(rules) - worked_out <= MOST_DRAWN or worked_out > MOST_WORKED_OUT:
        raise DrawProblem(
            f"{len(rules) - worked_out} names are drawn and {worked_out} worked out; "
            f"1 to {MOST_DRAWN} may be drawn and at most {MOST_WORKED_OUT} worked out"
        )
    return Draws(rules, tuple(_condition(row, [name for name, _ in rules]) for row in where or ()))


def _in_order(variants: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The rules, each behind those it uses. Raises DrawProblem for a name that is not there, or a circle."""
    done: list[str] = []
    while len(done) < len(variants):
        ready = (name for name in sorted(variants) if name not in done)
        name = next((one for one in ready if set(names_in(variants[one])) <= set(done)), None)
        if name is None:
            left = next(name for name in sorted(variants) if name not in done)
            _refuse_unknown(left, variants[left], variants)
            raise DrawProblem(f"{left} is worked out of itself, by {', '.join(names_in(variants[left]))}")
        done.append(name)
        yield name, variants[name]


def _refuse(name: str, rule: Any) -> None:
    """Raises DrawProblem for a name or rule of another form than it must have."""
    if not re.fullmatch(NAME, name) or name in RESERVED:
        raise DrawProblem(f"{name!r} is no name for a drawn value: letters, digits and _, and not `answer`")
    if isinstance(rule, list):
        odd = [one for one in rule if isinstance(one, bool) or not isinstance(one, int | float | str)]
        if not 0 < len(rule) <= MOST_LISTED or odd or len({str(one) for one in rule}) < len(rule):
            raise DrawProblem(f"{name}: a list has 1 to {MOST_LISTED} different numbers or texts")
    elif isinstance(rule, Mapping) and "compute" not in rule:
        known = DIVISORS if "divisors_of" in rule else RANGE
        if set(rule) - known or not ({"divisors_of"} & set(rule) or {"from", "to"} <= set(rule)):
            raise DrawProblem(f"{name}: {FORMS}")
    elif not isinstance(rule, str | Mapping) or (isinstance(rule, str) and not names_in(rule)):
        raise DrawProblem(f"{name}: {FORMS}")


def _refuse_unknown(name: str, rule: Any, there: Iterable[str]) -> None:
    """Raises DrawProblem where a rule uses a name that is not there."""
    for used in names_in(rule):
        if used not in there:
            raise DrawProblem(f"{name} uses ${used}, and there is no {used} among {', '.join(there)}")


def _condition(row: Any, names: list[str]) -> Condition:
    """One entry of `where`. Raises DrawProblem."""
    rule = next(iter(row)) if isinstance(row, Mapping) and len(row) == 1 else ""
    arguments = row[rule] if rule in RULES else None
    enough = isinstance(arguments, list) and len(arguments) >= 2
    if not isinstance(arguments, list) or not enough or (rule != "differ" and len(arguments) > 2):
        raise DrawProblem(f"where: one entry is {{RULE: [$name, $name]}} with {', '.join(RULES)}; not {row}")
    _refuse_unknown("where", arguments, names)
    used = names_in(arguments)
    if not used:
        raise DrawProblem(f"where: {row} names nothing that is drawn")
    return Condition(max(used, key=names.index), rule, tuple(arguments))


def _listed(name: str, rule: Any, values: Values) -> list[Any]:
    """What a name may be, given those above it."""
    if isinstance(rule, list):
        return rule
    ends = {end: resolved(one, values) for end, one in rule.items()}
    for end, one in ends.items():
        if not isinstance(one, int) or isinstance(one, bool) or not 0 <= one <= LARGEST:
            raise DrawProblem(f"{name}: {end} is a whole number from 0 to {LARGEST:,}, not {one!r}")
    low, high = ends.get("from", 1), ends.get("to", LARGEST)
    if ends.get("divisors_of", 1) not in range(1, MOST_DIVIDED + 1):
        raise DrawProblem(f"{name}: divisors_of is a number from 1 to {MOST_DIVIDED:,}")
    if "divisors_of" in rule:
        found = [one for one in divisors(n=ends["divisors_of"]) if low <= one <= high]
    else:
        found = list(range(low, high + 1, max(ends.get("step", 1), 1))[: MOST_IN_RANGE + 1])
    if not 0 < len(found) <= MOST_IN_RANGE:
        raise DrawProblem(f"{name}: {len(found)} values; a range has 1 to {MOST_IN_RANGE:,}")
    return found
