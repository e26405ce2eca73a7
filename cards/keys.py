"""Answer keys computed from what an author states. Knows no card and no learner.

    {compute: NAME, ...arguments}    NAME of `arithmetic` or `shapes`, or a field of ModelConfig with `model`
    {any_of: KEY}                    any member of the list that KEY gives
An argument may itself be a {compute: ...}.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

from attention_engine import arithmetic, shapes
from attention_engine.configs import ModelConfig, model

MAX_DEPTH = 4
TEXTS = frozenset({"model", "step", "op"})
LISTS = frozenset({"models", "shape", "axes"})
MOST_ENTRIES = 64


class KeyProblem(ValueError):
    """A key that does not compute; the message says what is missing and what there is."""


@dataclass(frozen=True)
class AnyOf:
    """Several right answers, in the order the computation gives them."""

    values: tuple[Any, ...]


@dataclass(frozen=True)
class Known:
    """A key that is known already: the value of another cell of the same table."""

    value: Any


def compute(key: object, depth: int = 0) -> Any:
    """The value of a key, or an AnyOf. Raises KeyProblem."""
    if isinstance(key, Known):
        return key.value
    if depth > MAX_DEPTH:
        raise KeyProblem(f"a key is nested at most {MAX_DEPTH} deep")
    if not isinstance(key, Mapping):
        raise KeyProblem(f"a key is {{compute: NAME, ...}} or {{any_of: KEY}}, not {key!r}")
    if "any_of" in key:
        return _any_of(key, depth)
    name = key.get("compute")
    if not isinstance(name, str):
        raise KeyProblem("a key needs `compute: NAME` or `any_of: KEY`")
    function = _function(name)
    arguments = {k: _argument(v, depth) for k, v in key.items() if k != "compute"}
    for argument, value in arguments.items():
        refuse_odd(argument, value)
    return _call(name, function, arguments)


def is_key(value: object) -> bool:
    """Whether a front matter value has to be computed."""
    return isinstance(value, Known) or (
        isinstance(value, Mapping) and ("compute" in value or "any_of" in value)
    )


def computable_names() -> tuple[str, ...]:
    """Every NAME a key may use."""
    names = {*arithmetic.COMPUTABLE, *shapes.COMPUTABLE, *(field.name for field in fields(ModelConfig))}
    return tuple(sorted(names))


def _any_of(key: Mapping[str, Any], depth: int) -> AnyOf:
    """The alternatives of an any_of."""
    if len(key) > 1:
        raise KeyProblem(
            f"any_of stands alone; found also {', '.join(sorted(k for k in key if k != 'any_of'))}"
        )
    values = compute(key["any_of"], depth + 1)
    if not isinstance(values, list | tuple) or not values:
        raise KeyProblem(f"any_of needs a list with at least one value, got {values!r}")
    return AnyOf(tuple(values))


def _argument(value: Any, depth: int) -> Any:
    """An argument as written, or computed."""
    return compute(value, depth + 1) if is_key(value) else value


def refuse_odd(name: str, value: Any) -> None:
    """Raises KeyProblem for a text or a list where a number belongs: times a number it has no bound."""
    entries = list(value) if isinstance(value, list | tuple) and name in LISTS else [value]
    texts = name in TEXTS or name == "models"
    kinds: tuple[type, ...] = (str,) if texts else (int, float, Fraction)
    if len(entries) > MOST_ENTRIES or not all(isinstance(one, kinds) for one in entries):
        a_list = f"a list of at most {MOST_ENTRIES} " if name in LISTS else "a "
        wanted = f"{a_list}{'text' if texts else 'number'}{'s' if name in LISTS else ''}"
        raise KeyProblem(f"{name} is {wanted}, not {ascii(value)[:40]}")


def _call(name: str, function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    """The computation of that name. Every error of it becomes a KeyProblem that says which key."""
    try:
        return function(**arguments)
    except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError) as error:
        given = ", ".join(f"{k}={v!r}" for k, v in arguments.items())
        raise KeyProblem(f"{name}({given}) does not compute: {error}") from error


def _function(name: str) -> Callable[..., Any]:
    """A closed form first, then a field of the model table."""
    for table in (arithmetic.COMPUTABLE, shapes.COMPUTABLE):
        if name in table:
            return table[name]
    if name in {field.name for field in fields(ModelConfig)}:
        return lambda *, model: _field(name, model)
    raise KeyProblem(f"nothing computes {name!r}; there are: {', '.join(computable_names())}")


def _field(name: str, slug: str) -> Any:
    """One number of a published model."""
    value = getattr(model(slug), name)
    if value in (0, ""):
        raise ValueError(f"the model table has no {name} for {slug}")
    return value
