"""VisualizationSpec, by which a picture is asked for, and KINDS, what can be asked. Knows no size limit."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType, ModuleType
from typing import Any

from attention_engine.kinds import (
    answer_executed,
    attention_pattern,
    config_museum,
    decode_cache,
    head_atlas,
    head_sharing,
    head_split,
    kv_budget,
    memory_tape,
    roofline,
    saturation,
    silent_mistake,
)
from attention_engine.kinds.trained import LOCAL, trained
from attention_engine.kinds.work import Work
from attention_engine.parameters import InvalidSpec, Parameter

__all__ = [
    "ENGINE_VERSION",
    "KINDS",
    "InvalidSpec",
    "Kind",
    "Parameter",
    "VisualizationSpec",
    "facts",
    "make_spec",
    "spec_from_json",
]

ENGINE_VERSION = "4"
"""Part of every digest: raise it when any picture changes."""

SEED = Parameter("seed", "int", 0, "chance: the same seed draws the same numbers", minimum=0)


@dataclass(frozen=True)
class Kind:
    """One kind of picture: its parameters and what follows from them without a tensor."""

    name: str
    title: str
    parameters: tuple[Parameter, ...]
    complete: Callable[[Mapping[str, Any]], dict[str, Any]]
    """Fills in what was left out. Raises InvalidSpec."""
    facts: Callable[[Mapping[str, Any]], dict[str, Any]]
    cost: Callable[[Mapping[str, Any]], Work]
    by_chance: Callable[[Mapping[str, Any]], bool]
    """Whether the seed changes anything: where it does not, it is 0, so that one picture has one digest."""
    warms: bool = True
    """Whether a worker that starts draws it once to nobody; what measures the machine does not."""


def _row(module: ModuleType) -> Kind:
    """A kind from its module in `kinds`, whose name it has; `by_chance` may be left out there."""
    return Kind(
        name=module.__name__.rpartition(".")[2],
        title=module.TITLE,
        parameters=module.PARAMETERS,
        complete=module.complete,
        facts=module.facts,
        cost=module.work,
        by_chance=getattr(module, "by_chance", lambda _parameters: True),
        warms=getattr(module, "WARM_UP", True),
    )


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        row.name: row
        for row in map(
            _row,
            (
                answer_executed,
                head_split,
                silent_mistake,
                memory_tape,
                saturation,
                attention_pattern,
                head_atlas,
                head_sharing,
                kv_budget,
                roofline,
                config_museum,
                decode_cache,
            ),
        )
    }
)


@dataclass(frozen=True)
class VisualizationSpec:
    """Kind, complete parameters and seed: equal specs have equal digests, and draw equal pictures."""

    kind: str
    parameters: Mapping[str, Any]
    seed: int = 0

    def as_json(self) -> dict[str, Any]:
        """{"engine", "kind", "parameters", "seed"}, ready for `spec_from_json`.

        Of a picture of the local folder "weights" too: another folder gives another digest."""
        parameters = {
            name: list(value) if isinstance(value, tuple | list) else value
            for name, value in self.parameters.items()
        }
        data = {"engine": ENGINE_VERSION, "kind": self.kind, "parameters": parameters, "seed": self.seed}
        return data | ({"weights": trained(LOCAL).fingerprint} if parameters.get("model") == LOCAL else {})

    def canonical(self) -> bytes:
        """The JSON with sorted keys and no blanks, as UTF-8: what is hashed."""
        text = json.dumps(self.as_json(), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        return text.encode()

    def digest(self) -> str:
        """SHA-256 of the canonical form, in hex: the address of the picture."""
        return hashlib.sha256(self.canonical()).hexdigest()


def _kind(name: Any) -> Kind:
    kind = KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise InvalidSpec(f"kind must be one of {', '.join(KINDS)}", field="kind")
    return kind


def make_spec(kind: str, parameters: Mapping[str, Any], seed: int = 0) -> VisualizationSpec:
    """A complete spec. Raises InvalidSpec (`.field`) for what is unknown, mistyped or out of bounds."""
    row = _kind(kind)
    if not isinstance(parameters, Mapping):
        raise InvalidSpec("parameters must be an object", field="parameters")
    known = {parameter.name: parameter for parameter in row.parameters}
    for name in parameters:
        if name not in known:
            shown = ascii(name)[:60]
            raise InvalidSpec(f"{row.name} takes {', '.join(known)}, not {shown}", field=str(name)[:60])
    read = {name: known[name].read(value) for name, value in parameters.items()}
    complete, chosen = row.complete(read), SEED.read(seed)
    _refuse_beyond(complete, known)
    return VisualizationSpec(row.name, MappingProxyType(complete), chosen if row.by_chance(complete) else 0)


def _refuse_beyond(complete: Mapping[str, Any], known: Mapping[str, Parameter]) -> None:
    """What follows from the numbers given keeps to the bounds too, or a worker could not read the spec."""
    for name, value in complete.items():
        most = known[name].maximum
        for number in value if isinstance(value, list | tuple) else [value]:
            if isinstance(number, int) and number > most:
                told = f"{name} would be {number:,}, above {most:,}: take smaller numbers"
                raise InvalidSpec(told, field=name)


def spec_from_json(data: Mapping[str, Any]) -> VisualizationSpec:
    """The spec whose `as_json` this is; another engine version is refused."""
    if data.get("engine", ENGINE_VERSION) != ENGINE_VERSION:
        raise InvalidSpec(
            f"engine {data['engine']} drew this; here is {ENGINE_VERSION}: ask again", field="engine"
        )
    spec = make_spec(data.get("kind", ""), data.get("parameters", {}), data.get("seed", 0))
    if (told := spec.as_json().get("weights")) != data.get("weights", told):
        raise InvalidSpec("the local model is another one by now: ask again", field="model")
    return spec


def facts(spec: VisualizationSpec) -> dict[str, Any]:
    """What the picture shows that needs no tensor, as JSON."""
    return KINDS[spec.kind].facts(spec.parameters)
