"""The answer part of an author's form, by answer type. A type without an editor here is written as YAML."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django import forms

from cards.authoring import mistakes_help
from cards.authoring.answer_editor import Editor, Fields, Stored, Values
from cards.authoring.choosing import CHOICE, MULTI_CHOICE, ORDERING
from cards.authoring.fields import LinesField, YamlField, explained
from cards.authoring.writing import CLOZE, REVEAL, TABLE, WORDS
from cards.keys import computable_names


def editor(answer_type: str, stored: Stored | None = None) -> Editor:
    """The editor of a type; the one for any type where it has none, or where it would lose what is stored."""
    one = EDITORS.get(answer_type, YAML)
    return replace(YAML, mistakes=one.mistakes) if stored and not one.keeps(stored) else one


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
            label="Key: computed from",
            help_text=explained("One a line: `model: bert-base` or `n: 768`."),
        ),
        "any_of": forms.BooleanField(required=False, label="any value of the list is right"),
    }


def _key_initial(answer: Stored) -> Values:
    key: Stored = answer.get("key") or {}
    inner: Stored = key.get("any_of", key)
    arguments = {name: value for name, value in inner.items() if name != "compute"}
    return {"compute": inner.get("compute", ""), "arguments": arguments, "any_of": "any_of" in key}


def _key_answer(values: Values) -> Values:
    key = {"compute": values["compute"], **(values.get("arguments") or {})}
    return {"key": {"any_of": key} if values["any_of"] else key}


def _numeric_fields(_stored: Stored) -> Fields:
    return {
        **_key_fields(),
        "tolerance": forms.RegexField(
            r"^(exact|(relative|absolute) [0-9./]+)$",
            initial="exact",
            help_text=explained("`exact`, `relative 0.01` or `absolute 1/2`"),
            error_messages={"invalid": "Write `exact`, `relative 0.01` or `absolute 1/2`."},
        ),
        "unit": forms.CharField(required=False, max_length=30, help_text="shown in the field, such as heads"),
        "names": LinesField(
            required=False,
            rows=2,
            label="Names",
            help_text=explained("What a learner may write before the number, one a line: `d_head = 64`."),
        ),
    }


def _numeric_initial(answer: Stored) -> Values:
    rest = {"unit": answer.get("unit", ""), "names": list(answer.get("names", ()))}
    return {**_key_initial(answer), "tolerance": _tolerance_text(answer), **rest}


def _tolerance_text(answer: Stored) -> str:
    tolerance = answer.get("tolerance", "exact")
    return " ".join(map(str, *tolerance.items())) if isinstance(tolerance, Mapping) else str(tolerance)


def _numeric_answer(values: Values, stored: Stored) -> Values:
    kind, _, size = values["tolerance"].partition(" ")
    same = values["tolerance"] == _tolerance_text(stored) and "tolerance" in stored
    tolerance: Any = stored["tolerance"] if same else {kind: size} if size else "exact"
    rest = {name: values[name] for name in ("unit", "names") if values[name]}
    return {**_key_answer(values), "tolerance": tolerance, **rest}


def _shape_fields(_stored: Stored) -> Fields:
    sizes = YamlField(
        of=dict,
        required=False,
        rows=3,
        help_text=explained("Axis names a learner may write, where the key does not give them: `B: 2`."),
    )
    return {**_key_fields(), "sizes": sizes}


def _shape_answer(values: Values, _stored: Stored) -> Values:
    return {**_key_answer(values), **({"sizes": values["sizes"]} if values["sizes"] else {})}


def _yaml_fields(_stored: Stored) -> Fields:
    told = explained("As in a content file, without `type`.")
    return {"answer": YamlField(of=dict, rows=8, help_text=told)}


YAML = Editor(
    _yaml_fields,
    lambda answer: {"answer": dict(answer)},
    lambda values, _stored: dict(values["answer"]),
    "answer",
)
EDITORS: dict[str, Editor] = {
    "numeric": Editor(_numeric_fields, _numeric_initial, _numeric_answer, "compute", mistakes_help.NUMERIC),
    "shape": Editor(
        _shape_fields,
        lambda answer: {**_key_initial(answer), "sizes": answer.get("sizes", {})},
        _shape_answer,
        "compute",
        mistakes_help.SHAPE,
    ),
    "choice": CHOICE,
    "multi_choice": MULTI_CHOICE,
    "ordering": ORDERING,
    "words": WORDS,
    "cloze": CLOZE,
    "table": TABLE,
    "reveal": REVEAL,
    "formula": replace(YAML, mistakes=mistakes_help.FORMULA),
    "matrix_formula": replace(YAML, mistakes=mistakes_help.FORMULA),
    "einsum": replace(YAML, mistakes=mistakes_help.EINSUM),
    "program": replace(YAML, mistakes=mistakes_help.PROGRAM),
    "rubric": replace(YAML, mistakes=mistakes_help.RUBRIC),
}
