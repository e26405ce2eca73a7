"""The answer part of an author's form, by answer type. A type without an editor here is written as YAML."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django import forms

from cards.authoring.fields import LinesField, YamlField
from cards.keys import computable_names

ROWS = 5
Fields = dict[str, forms.Field]
Values = dict[str, Any]


@dataclass(frozen=True)
class Editor:
    """Form fields, their values from a stored answer, and the answer from what was typed."""

    fields: Callable[[], Fields]
    initial: Callable[[Mapping[str, Any]], Values]
    answer: Callable[[Values], Values]


def editor(answer_type: str) -> Editor:
    """The editor of a type, else the one for any type."""
    return EDITORS.get(answer_type, YAML)


def _key_fields() -> Fields:
    names = [("", "choose a computation")] + [(name, name) for name in computable_names()]
    return {
        "compute": forms.ChoiceField(
            choices=names,
            label="Key: computed by",
            help_text="A key is never typed; it is recomputed at each check.",
        ),
        "arguments": YamlField(
            of=dict,
            required=False,
            rows=4,
            label="with",
            help_text="One a line: `model: bert-base` or `n: 768`.",
        ),
    }


def _key_initial(answer: Mapping[str, Any]) -> Values:
    key = answer.get("key") or {}
    key = key.get("any_of", key)
    return {"compute": key.get("compute", ""), "arguments": {k: v for k, v in key.items() if k != "compute"}}


def _key_answer(values: Values) -> Values:
    return {"compute": values["compute"], **(values.get("arguments") or {})}


def _numeric_fields() -> Fields:
    return {
        **_key_fields(),
        "any_of": forms.BooleanField(required=False, label="any value of that list is right"),
        "tolerance": forms.RegexField(
            r"^(exact|(relative|absolute) [0-9./]+)$",
            help_text="`exact`, `relative 0.01` or `absolute 1/2`",
            error_messages={"invalid": "Write `exact`, `relative 0.01` or `absolute 1/2`."},
        ),
        "unit": forms.CharField(required=False, max_length=30, help_text="shown in the field, such as heads"),
    }


def _numeric_initial(answer: Mapping[str, Any]) -> Values:
    tolerance = answer.get("tolerance", "exact")
    shown = " ".join(map(str, *tolerance.items())) if isinstance(tolerance, Mapping) else tolerance
    several = "any_of" in (answer.get("key") or {})
    return {**_key_initial(answer), "any_of": several, "tolerance": shown, "unit": answer.get("unit", "")}


def _numeric_answer(values: Values) -> Values:
    key = _key_answer(values)
    kind, _, size = values["tolerance"].partition(" ")
    unit = {"unit": values["unit"]} if values["unit"] else {}
    tolerance: Any = {kind: size} if size else "exact"
    return {"key": {"any_of": key} if values["any_of"] else key, "tolerance": tolerance, **unit}


def _choice_fields() -> Fields:
    rows: Fields = {
        "right": forms.ChoiceField(
            choices=[(str(n), f"option {n}") for n in range(1, ROWS + 1)], label="Right option"
        )
    }
    for n in range(1, ROWS + 1):
        rows[f"option_{n}"] = forms.CharField(required=n <= 2, max_length=400, label=f"Option {n}")
        rows[f"mistake_{n}"] = forms.CharField(
            required=False,
            max_length=60,
            label=f"Option {n} is the mistake",
            help_text="a name listed under Mistakes",
        )
    return rows


def _choice_initial(answer: Mapping[str, Any]) -> Values:
    values: Values = {"right": "1"}
    for n, option in enumerate(answer.get("options", [])[:ROWS], 1):
        values |= {f"option_{n}": option.get("text", ""), f"mistake_{n}": option.get("mistake", "")}
        if option.get("correct"):
            values["right"] = str(n)
    return values


def _choice_answer(values: Values) -> Values:
    written = [n for n in range(1, ROWS + 1) if values.get(f"option_{n}")]
    return {"options": [_option(n, values) for n in written]}


def _option(n: int, values: Values) -> Values:
    option: Values = {"id": f"option-{n}", "text": values[f"option_{n}"]}
    correct = values["right"] == str(n)
    return {**option, "correct": True} if correct else {**option, "mistake": values.get(f"mistake_{n}", "")}


def _ordering_fields() -> Fields:
    return {
        "items": LinesField(
            rows=7, help_text="One a line, in the right order: `id: text`, the id in lower case."
        )
    }


def _ordering_initial(answer: Mapping[str, Any]) -> Values:
    items = answer.get("items", [])
    return {"items": [f"{i['id']}: {i['text']}" if isinstance(i, Mapping) else str(i) for i in items]}


def _ordering_answer(values: Values) -> Values:
    pairs = [line.partition(": ") for line in values["items"]]
    return {"items": [{"id": a, "text": b} if b else a for a, _, b in pairs]}


EDITORS: dict[str, Editor] = {
    "numeric": Editor(_numeric_fields, _numeric_initial, _numeric_answer),
    "shape": Editor(_key_fields, _key_initial, lambda values: {"key": _key_answer(values)}),
    "choice": Editor(_choice_fields, _choice_initial, _choice_answer),
    "ordering": Editor(_ordering_fields, _ordering_initial, _ordering_answer),
    "reveal": Editor(
        lambda: {"rubric": LinesField(rows=7, help_text="One point a line: what a good answer names.")},
        lambda answer: {"rubric": list(answer.get("rubric", []))},
        lambda values: {"rubric": values["rubric"]},
    ),
}
YAML = Editor(
    lambda: {"answer": YamlField(of=dict, rows=8, help_text="As in a content file, without `type`.")},
    lambda answer: {"answer": dict(answer)},
    lambda values: dict(values["answer"]),
)
