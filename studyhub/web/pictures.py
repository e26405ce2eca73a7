"""A picture as the page asks for it: the element's attributes and, inside it, the facts as a table.

The table needs no worker and no script; a script replaces it by the drawing.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from attention_engine import spec
from attention_engine.configs import UnknownModel
from cards.placing import picture_facts
from studyhub.web.drawings import axis_class, longest_shape, pieces
from studyhub.web.plain.finding import edits_of, plain_of, title_of

STEP_TITLES = {"input": "x", "output": "W_O"}


def picture_view(picture: Mapping[str, Any], *, heading: bool = True, edit: bool = True) -> dict[str, Any]:
    """Attributes and fallback of `<study-picture>` for one {role, kind, parameters, seed}."""
    kind, parameters = str(picture["kind"]), dict(picture["parameters"])
    facts = picture_facts(picture) or {}
    names = _editable(kind, parameters) if edit and heading else ""
    return {
        "role": picture.get("role", ""),
        "kind": kind,
        "parameters": json.dumps(parameters, separators=(",", ":"), sort_keys=True),
        "seed": int(picture.get("seed", 0)),
        "title": title_of(kind, facts, role=str(picture.get("role", ""))),
        "heading": heading,
        "edit": names,
        "values": _values(picture, names.split()),
        "steps": steps_view(facts.get("steps", ())) if kind == "head_split" else [],
        "plain": None if kind == "head_split" else plain_of(kind, facts),
    }


def _editable(kind: str, parameters: Mapping[str, Any]) -> str:
    """Names of what may be changed, blanks between them; of a program that was run, the program."""
    if parameters.get("program"):
        return "program"
    if parameters.get("shape"):  # a tensor of its own has no heads to change
        return edits_of(kind).removeprefix("num_heads ")
    return edits_of(kind)


def _values(picture: Mapping[str, Any], names: Sequence[str]) -> str:
    """What the named parameters are in the picture asked for, left out or not, as JSON; "" for none."""
    try:
        made = spec.make_spec(str(picture["kind"]), picture["parameters"], int(picture.get("seed", 0)))
    except (spec.InvalidSpec, UnknownModel):
        return ""
    values = {name: made.parameters[name] for name in names if name in made.parameters}
    return json.dumps(values, separators=(",", ":"), sort_keys=True) if values else ""


def steps_view(steps: Sequence[Any]) -> list[dict[str, Any]]:
    """Rows of the pipeline table: name, shape by axis, bar, strides and what happens to memory."""
    rows = [row if isinstance(row, Mapping) else vars(row) for row in steps]
    longest = longest_shape([row["shape"] for row in rows])
    return [_step_row(index, row, longest) for index, row in enumerate(rows)]


def _step_row(index: int, row: Mapping[str, Any], longest: float) -> dict[str, Any]:
    name = str(row.get("step") or row.get("name"))
    numbered = name not in STEP_TITLES
    return {
        "index": str(index) if numbered else "",
        "title": STEP_TITLES.get(name, name),
        "sizes": [
            {"axis": axis_class(axis), "name": axis, "size": size}
            for axis, size in zip(row["axes"], row["shape"], strict=True)
        ],
        "bar": pieces(axes=row["axes"], shape=row["shape"], longest=longest),
        "strides": ", ".join(str(stride) for stride in row["strides"]),
        "note": str(row["note"]).partition(":")[0].rpartition(", ")[2] if name != "input" else "input",
    }
