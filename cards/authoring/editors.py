"""The answer part of an author's form, by answer type. A type without an editor here is written as YAML."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from django import forms

from cards.authoring import mistakes_help
from cards.authoring.answer_editor import Editor, Fields, Stored, Values
from cards.authoring.choosing import CHOICE, MULTI_CHOICE, ORDERING
from cards.authoring.fields import LinesField, YamlField, explained
from cards.authoring.writing import CLOZE, REVEAL, TABLE, WORDS
from cards.keys import computable_names

NUMERIC_MORE = (
    "`unit_required: true`, `key_unit: bytes` where the unit above is another of its family, "
    "`form: simplified`, `locale: de`, `accepts: [{key: {compute: ...}}]`.\n"
    "A range has no computation above, and its ends here: `key: {range: [{compute: ...}, {compute: ...}]}`."
)
SHAPE_MORE = (
    "Asked by the names of its axes, a shape has no computation above: `axes: [B, H, T, D]`, and `sizes` for "
    "the picture."
)


def editor(answer_type: str, stored: Stored | None = None) -> Editor:
    """The editor of a type; the one for any type where it has none, or where it would lose what is stored."""
    one = EDITORS.get(answer_type, YAML)
    return replace(YAML, mistakes=one.mistakes) if stored and not one.keeps(stored) else one


def _key_fields() -> Fields:
    names = [("", "choose a computation")] + [(name, name) for name in computable_names()]
    return {
        "compute": forms.ChoiceField(
            choices=names,
            required=False,
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


def _more_field(help_text: str) -> Fields:
    """What an answer may say beyond its own fields, as in a content file."""
    field = YamlField(
        of=dict, required=False, rows=3, label="Further settings", help_text=explained(help_text)
    )
    return {"more": field}


def _key_initial(answer: Stored) -> Values:
    inner = _computed(answer) or {}
    arguments = {name: value for name, value in inner.items() if name != "compute"}
    asked = {"compute": inner.get("compute", ""), "arguments": arguments}
    return {**asked, "any_of": bool(inner) and "any_of" in answer["key"]}


def _computed(answer: Stored) -> Stored | None:
    """The computation that the fields of a key show; None where the key is made otherwise (a range, say)."""
    key = answer.get("key")
    inner = key.get("any_of", key) if isinstance(key, Mapping) else None
    return inner if isinstance(inner, Mapping) and "compute" in inner else None


def _more_initial(answer: Stored, shown: tuple[str, ...]) -> Values:
    """The settings that have no field of their own, and a key that the fields cannot show."""
    own = (*shown, "key") if _computed(answer) else shown
    return {"more": {name: value for name, value in answer.items() if name not in own}}


def _key_answer(values: Values) -> Values:
    more = values.get("more") or {}
    elsewhere = bool({"key", "axes"} & set(more))
    if not values["compute"] and not elsewhere:
        raise forms.ValidationError(
            {"compute": "Choose a computation, or give the key in the further settings."}
        )
    if not values["compute"]:
        return {}
    if elsewhere:
        raise forms.ValidationError(
            {"more": "This asks for something else than the computation chosen above."}
        )
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
        **_more_field(NUMERIC_MORE),
    }


def _numeric_initial(answer: Stored) -> Values:
    rest = {"unit": answer.get("unit", ""), "names": list(answer.get("names", ()))}
    more = _more_initial(answer, ("tolerance", "unit", "names"))
    return {**_key_initial(answer), "tolerance": _tolerance_text(answer), **rest, **more}


def _tolerance_text(answer: Stored) -> str:
    tolerance = answer.get("tolerance", "exact")
    return " ".join(map(str, *tolerance.items())) if isinstance(tolerance, Mapping) else str(tolerance)


def _numeric_answer(values: Values, stored: Stored) -> Values:
    kind, _, size = values["tolerance"].partition(" ")
    same = values["tolerance"] == _tolerance_text(stored) and "tolerance" in stored
    tolerance: Any = stored["tolerance"] if same else {kind: size} if size else "exact"
    rest = {name: values[name] for name in ("unit", "names") if values[name]}
    return {**_key_answer(values), "tolerance": tolerance, **rest, **(values.get("more") or {})}


def _shape_fields(_stored: Stored) -> Fields:
    sizes = YamlField(
        of=dict,
        required=False,
        rows=3,
        help_text=explained("Axis names a learner may write, where the key does not give them: `B: 2`."),
    )
    return {**_key_fields(), "sizes": sizes, **_more_field(SHAPE_MORE)}


def _shape_initial(answer: Stored) -> Values:
    return {**_key_initial(answer), "sizes": answer.get("sizes", {}), **_more_initial(answer, ("sizes",))}


def _shape_answer(values: Values, _stored: Stored) -> Values:
    sizes = {"sizes": values["sizes"]} if values["sizes"] else {}
    return {**_key_answer(values), **sizes, **(values.get("more") or {})}


def _yaml_fields(_stored: Stored, example: str = "") -> Fields:
    told = "As in a content file, without `type`." + (f" For example:\n{example}" if example else "")
    return {"answer": YamlField(of=dict, rows=8, help_text=explained(told))}


YAML = Editor(
    _yaml_fields,
    lambda answer: {"answer": dict(answer)},
    lambda values, _stored: dict(values["answer"]),
    "answer",
)


def _written(answer_type: str, mistakes: str) -> Editor:
    """The editor of a type that is written as YAML, with an example of it."""
    example = mistakes_help.ANSWERS[answer_type]
    return replace(YAML, fields=partial(_yaml_fields, example=example), mistakes=mistakes)


EDITORS: dict[str, Editor] = {
    "numeric": Editor(_numeric_fields, _numeric_initial, _numeric_answer, "compute", mistakes_help.NUMERIC),
    "shape": Editor(
        _shape_fields,
        _shape_initial,
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
    "formula": _written("formula", mistakes_help.FORMULA),
    "matrix_formula": _written("matrix_formula", mistakes_help.MATRIX_FORMULA),
    "einsum": _written("einsum", mistakes_help.EINSUM),
    "program": _written("program", mistakes_help.PROGRAM),
    "rubric": _written("rubric", mistakes_help.RUBRIC),
}
