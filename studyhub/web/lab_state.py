"""The picture that an address of the lab asks for, and back. Knows no page and no kind by name."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from attention_engine.configs import UnknownModel
from attention_engine.spec import KINDS, SEED, InvalidSpec, Parameter, VisualizationSpec, make_spec

OURS = ("picture", "nth", "show", "seed", "at")
"""What an address says besides parameters, which therefore none of them may be called."""
MOST_DIGITS = 12
_WHOLE = re.compile(rf"-?[0-9]{{1,{MOST_DIGITS}}}", re.ASCII)


@dataclass(frozen=True)
class Asked:
    """What an address asks: the parameters it gives, and the picture, or why there is none."""

    kind: str
    given: Mapping[str, Any]
    seed: int = 0
    spec: VisualizationSpec | None = None
    refusal: str = ""
    refused: str = ""
    """The parameter that the refusal is about."""
    typed: Mapping[str, str] = field(default_factory=dict)
    """What stood in the address, as it stood there."""


def asked_in(kind: str, query: Mapping[str, str]) -> Asked:
    """The picture of a kind in KINDS as a query string asks for it; names of no parameter are passed over."""
    parameters = {one.name: one for one in (*KINDS[kind].parameters, SEED)}
    typed = {name: query[name] for name in parameters if query.get(name, "").strip()}
    try:
        given = {name: _value(parameters[name], text) for name, text in typed.items()}
        seed = SEED.read(given.pop(SEED.name, 0))
        spec = make_spec(kind, given, seed)
    except (InvalidSpec, UnknownModel) as error:
        named = getattr(error, "field", "")
        return Asked(kind, {}, refusal=str(error), refused=named, typed=typed)
    return Asked(kind, given, seed, spec, typed=typed)


def _value(parameter: Parameter, text: str) -> Any:
    """A parameter as it stands in an address; what is no number is left for the parameter to refuse."""
    if parameter.takes == "int":
        return int(text) if _WHOLE.fullmatch(text.strip()) else text
    if parameter.takes == "ints":
        parts = [part.strip() for part in text.strip("()[] ").split(",") if part.strip()]
        return [int(part) if _WHOLE.fullmatch(part) else part for part in parts]
    return text


def address_query(parameters: Mapping[str, Any], seed: int = 0) -> str:
    """ "?model=bert-base&num_heads=12" of given parameters; "" where nothing is given."""
    pairs = list(_written(parameters))
    if seed:
        pairs.append((SEED.name, str(seed)))
    return f"?{urlencode(pairs)}" if pairs else ""


def _written(parameters: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in parameters.items():
        if isinstance(value, list | tuple):
            yield name, f"[{','.join(map(str, value))}]"
        elif value != "":
            yield name, str(value)
