"""What the pages of the lab say of a kind of picture: question, numbers, fields. Knows no learner."""

from collections.abc import Iterator, Mapping
from typing import Any

from attention_engine.spec import KINDS, SEED, Kind, Parameter, VisualizationSpec, facts, make_spec
from studyhub.web.lab_models import model_groups, named
from studyhub.web.lab_state import Asked, address_query
from studyhub.web.pictures import picture_view
from studyhub.web.plain.finding import edits_of, plain_of, question_of, start_of

AXES = (
    ("num_heads", "H", "axis-H"),
    ("num_kv_heads", "H_kv", ""),
    ("d_head", "D", "axis-D"),
    ("d_model", "d_model", "axis-d_model"),
    ("batch", "B", "axis-B"),
    ("tokens", "T", "axis-T"),
)
"""Numbers of a picture that are said at its head, with the letter and the colour of their axis."""


def index_rows() -> list[dict[str, Any]]:
    """Every kind in the order of KINDS: its question, its title, its numbers, and what they say."""
    return [_index_row(kind) for kind in KINDS.values()]


def _index_row(kind: Kind) -> dict[str, Any]:
    start = start_of(kind.name)
    spec = make_spec(kind.name, start)
    return {
        "name": kind.name,
        "query": address_query(start),
        "question": question_of(kind.name),
        "title": kind.title,
        "line": line(spec),
        "sentence": plain_of(kind.name, facts(spec)).sentence,
    }


def picture_page(asked: Asked) -> dict[str, Any]:
    """One picture with everything that may be changed, or why there is none; the form as typed."""
    context = {
        "kind": asked.kind,
        "question": question_of(asked.kind),
        "subtitle": KINDS[asked.kind].title,
        "refusal": asked.refusal,
        "refused_field": asked.refused,
        "models": model_groups(asked.kind),
        "model": _model(asked),
        "fields": list(_fields(asked)),
    }
    return context if asked.spec is None else context | _drawn(asked, asked.spec)


def _model(asked: Asked) -> str:
    """The model of the picture, or the one that was typed where there is no picture."""
    return str(asked.spec.parameters.get("model", "") if asked.spec else asked.typed.get("model", ""))


def _drawn(asked: Asked, spec: VisualizationSpec) -> dict[str, Any]:
    role = {"role": "", "kind": asked.kind, "parameters": asked.given, "seed": asked.seed}
    return {
        "line": line(spec),
        "picture": picture_view(role, edit=False) | {"edit": _open(asked), "lab": True},
        "query": address_query(asked.given, asked.seed),
    }


def _open(asked: Asked) -> str:
    """Names of what may be changed here: everything with a field, the model, and chance."""
    kind = KINDS[asked.kind]
    known = {parameter.name for parameter in kind.parameters}
    ran = asked.given.get("program")
    names = ["program"] if ran else edits_of(kind.name).split()
    names = ["model", *names] if "model" in known else names
    return " ".join([*names, SEED.name] if _chance(kind, asked) else names)


def _chance(kind: Kind, asked: Asked) -> bool:
    return asked.spec is not None and kind.by_chance(asked.spec.parameters)


def line(spec: VisualizationSpec) -> dict[str, Any]:
    """ "Llama-3-70B: 80 layers, H = 64, D = 128": whose numbers these are, and each with its axis."""
    numbers = {**spec.parameters, **_whole_facts(spec)}
    if numbers.get("shape"):  # a tensor of its own belongs to no layer
        return {}
    model = named(str(numbers.get("model") or ""))
    layers = int(numbers.get("layers") or (model.layers if model else 0))
    return {
        "name": model.name if model else "",
        "layers": f"{layers} layer{'' if layers == 1 else 's'}" if layers else "",
        "axes": [
            {"name": letter, "look": look, "size": size}
            for name, letter, look in AXES
            if isinstance(size := numbers.get(name), int) and size > 0
            if name != "num_kv_heads" or size != numbers.get("num_heads")
        ],
    }


def _whole_facts(spec: VisualizationSpec) -> dict[str, Any]:
    return {name: value for name, value in facts(spec).items() if type(value) is int}


def _fields(asked: Asked) -> Iterator[dict[str, Any]]:
    """Every parameter as a field of a form that works without a script: what it takes, what it holds."""
    kind = KINDS[asked.kind]
    complete: Mapping[str, Any] = asked.spec.parameters if asked.spec else {}
    for parameter in (*kind.parameters, SEED):
        if parameter.name != "model" or not model_groups(asked.kind):
            yield _field(parameter, asked, complete)


def _field(parameter: Parameter, asked: Asked, complete: Mapping[str, Any]) -> dict[str, Any]:
    default = "" if parameter.default in ("", [], 0) else parameter.default
    now = complete.get(parameter.name, default)
    return {
        "name": parameter.name,
        "help": parameter.help,
        "takes": parameter.takes,
        "choices": parameter.choices,
        "value": asked.typed.get(parameter.name, ""),
        "otherwise": ", ".join(map(str, now)) if isinstance(now, list | tuple) else now,
        "refused": parameter.name == asked.refused,
    }
