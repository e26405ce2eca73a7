"""Drawn values put where a card names them, and what follows from them worked out. Knows no list and no seed.

`$name` is a value above; of a text that is a model's slug also its fields: `$model.d_model`.
"""

import re
from collections.abc import Mapping
from dataclasses import asdict
from fractions import Fraction
from functools import lru_cache
from typing import Any

from attention_engine.configs import UnknownModel, model
from cards.expressions.numbers import read_number
from cards.grading import Unreadable
from cards.keys import AnyOf, KeyProblem, compute

Values = dict[str, Any]
NAME = r"[A-Za-z][A-Za-z0-9_]{0,39}"
PLACE = re.compile(rf"\$({NAME})(?:\.([a-z_]+))?")
LARGEST = 2**53


class DrawProblem(KeyProblem):
    """Variants that cannot be drawn; the message names the name and the way out."""


def names_in(value: Any) -> list[str]:
    """The names that stand behind a `$` in a value, however deep."""
    if isinstance(value, str):
        return [found[1] for found in PLACE.finditer(value)]
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return [name for one in inner for name in names_in(one)]


def resolved(value: Any, values: Values) -> Any:
    """A value with its `$name`s put in: alone the value itself, within a list or object each."""
    if isinstance(value, str):
        found = PLACE.fullmatch(value)
        return value_of(found[1], found[2] or "", values) if found else value
    if isinstance(value, Mapping):
        return {name: resolved(one, values) for name, one in value.items()}
    return [resolved(one, values) for one in value] if isinstance(value, list | tuple) else value


def value_of(name: str, field: str, values: Values) -> Any:
    """A drawn value, or a field of the model that it names. Raises DrawProblem."""
    if name not in values:
        raise DrawProblem(f"no name ${name}; there are: {', '.join(values)}")
    if not field:
        return values[name]
    try:
        found = _published(str(values[name])).get(field)
    except UnknownModel as error:
        raise DrawProblem(f"${name}.{field}: {error}") from error
    if found in (None, 0, ""):
        raise DrawProblem(f"${name}.{field}: the model table has no {field} for {values[name]}")
    return found


@lru_cache(maxsize=256)
def _published(slug: str) -> Values:
    """What the table says of a model, by name."""
    config = model(slug)
    return {**asdict(config), "kv_rank": config.kv_rank}


def worked_out(name: str, rule: Any, values: Values) -> Any:
    """A value that follows from others: a closed form, or arithmetic. Raises DrawProblem."""
    try:
        if not isinstance(rule, str):
            return _plain(name, compute(resolved(rule, values)))
        if PLACE.fullmatch(rule):
            return resolved(rule, values)
        return _plain(name, _value(PLACE.sub(lambda found: _number(found, values), rule)))
    except (KeyProblem, Unreadable) as error:
        raise DrawProblem(f"{name}: {rule} does not compute: {error}") from error


@lru_cache(maxsize=4096)
def _value(text: str) -> Fraction:
    """What arithmetic gives. Kept: the same few numbers meet in variant after variant."""
    return read_number(text).value


def _number(found: re.Match[str], values: Values) -> str:
    """A drawn number as arithmetic reads it."""
    value = value_of(found[1], found[2] or "", values)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise DrawProblem(f"{found[0]} is {value!r}; arithmetic takes numbers")
    return f"({Fraction(str(value))})"


def _plain(name: str, value: Any) -> Any:
    """A computed value as JSON holds it: whole numbers, else decimals, texts and lists of them."""
    if isinstance(value, AnyOf):
        raise DrawProblem(f"{name}: any_of is no value")
    if isinstance(value, list | tuple):
        return [_plain(name, one) for one in value]
    if isinstance(value, Fraction):
        value = int(value) if value.denominator == 1 else float(value)
    if isinstance(value, int | float) and not -LARGEST <= value <= LARGEST:
        raise DrawProblem(f"{name}: {value} is beyond 2^53")
    return value
