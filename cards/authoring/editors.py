"""The answer part of an author's form, by answer type. A type without an editor here is written as YAML."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django import forms

from cards.authoring.fields import LinesField, RunsField, YamlField, explained
from cards.keys import computable_names
from cards.predicates import PREDICATES

ROWS = 5
RUNS_HELP = explained(
    "What `$answer` of a picture becomes: a line of code, a slug, `64` or `[2, 12, 4, 64]`."
)
Fields = dict[str, forms.Field]
Values = dict[str, Any]
Stored = Mapping[str, Any]


@dataclass(frozen=True)
class Editor:
    """Form fields for a stored answer, their values, and the answer from what was typed.

    `place` is the field where a fault of the answer is said, `mistakes` tells how its mistakes are written.
    The answer keeps what no field shows.
    """

    fields: Callable[[Stored], Fields]
    initial: Callable[[Stored], Values]
    answer: Callable[[Values, Stored], Values]
    place: str
    mistakes: str = ""


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


def _rows(stored: Stored) -> int:
    """One row more than there are options, so that another can be added."""
    return max(ROWS, len(stored.get("options", ())) + 1)


def _choice_fields(stored: Stored) -> Fields:
    numbers = range(1, _rows(stored) + 1)
    rows: Fields = {
        "right": forms.ChoiceField(choices=[(str(n), f"option {n}") for n in numbers], label="Right option")
    }
    for n in numbers:
        rows[f"option_{n}"] = forms.CharField(
            required=n <= 2, max_length=400, label=f"Option {n}", widget=forms.TextInput(attrs={"size": 80})
        )
        rows[f"mistake_{n}"] = forms.CharField(
            required=False,
            max_length=60,
            label=f"Option {n} is the mistake",
            help_text="a name listed under Mistakes; none for the right option",
        )
        rows[f"runs_{n}"] = RunsField(label=f"Option {n} runs", help_text=RUNS_HELP)
    return rows


def _choice_initial(answer: Stored) -> Values:
    values: Values = {"right": "1"}
    for n, option in enumerate(answer.get("options", ()), 1):
        values |= {f"option_{n}": option.get("text", ""), f"mistake_{n}": option.get("mistake", "")}
        values[f"runs_{n}"] = option.get("runs", "")
        if option.get("correct"):
            values["right"] = str(n)
    return values


def _choice_answer(values: Values, stored: Stored) -> Values:
    """Row n keeps the id of stored option n: attempts were given under it."""
    before = list(stored.get("options", ()))
    taken = {option["id"] for option in before}
    options = []
    for n in (n for n in range(1, _rows(stored) + 1) if values.get(f"option_{n}")):
        old = before[n - 1] if n <= len(before) else {"id": _free_id(n, taken)}
        taken.add(old["id"])
        options.append(_option(n, values, old))
    return {"options": options}


def _option(n: int, values: Values, old: Stored) -> Values:
    kept = {name: value for name, value in old.items() if name not in ("correct", "mistake", "runs")}
    runs = {} if values.get(f"runs_{n}", "") == "" else {"runs": values[f"runs_{n}"]}
    meaning = {"correct": True} if values["right"] == str(n) else {"mistake": values.get(f"mistake_{n}", "")}
    return {**kept, "text": values[f"option_{n}"], **meaning, **runs}


def _free_id(n: int, taken: set[str]) -> str:
    return next(name for m in range(n, n + len(taken) + 1) if (name := f"option-{m}") not in taken)


def _ordering_fields(_stored: Stored) -> Fields:
    told = explained("One a line, in the right order: `id: text`, the id in lower case.")
    return {"items": LinesField(rows=7, help_text=told)}


def _ordering_initial(answer: Stored) -> Values:
    items = answer.get("items", [])
    return {"items": [f"{i['id']}: {i['text']}" if isinstance(i, Mapping) else str(i) for i in items]}


def _ordering_answer(values: Values, _stored: Stored) -> Values:
    pairs = [line.partition(": ") for line in values["items"]]
    return {"items": [{"id": a, "text": b} if b else a for a, _, b in pairs]}


def _reveal_fields(_stored: Stored) -> Fields:
    return {"rubric": LinesField(rows=7, help_text="One point a line: what a good answer names.")}


def _yaml_fields(_stored: Stored) -> Fields:
    told = explained("As in a content file, without `type`.")
    return {"answer": YamlField(of=dict, rows=8, help_text=told)}


SAYS = "`says` may use `{answer}` and `{key}`."
NUMERIC_MISTAKES = (
    'One an entry: `- {name: heads_for_width, key: {compute: num_heads, model: bert-base}, says: "..."}`\n'
    'or by a property of the number: `- {name: does_not_fit, when: does_not_divide, n: 768, says: "..."}`\n'
    f"Properties: {', '.join(f'`{name}`' for name in sorted(PREDICATES))}. {SAYS}"
)
SHAPE_MISTAKES = (
    'One an entry: `- {name: not_transposed, key: [2, 4, 12, 64], says: "..."}`; a key may be computed too.\n'
    f"Swapped axes and a wrong number of axes are found without a name. {SAYS}"
)
CHOICE_MISTAKES = f'One an entry: `- {{name: raises, says: "..."}}`; a wrong option names one of them. {SAYS}'
ORDERING_MISTAKES = (
    'One an entry: `- {name: transpose_first, before: [transpose, view], says: "..."}`:\n'
    "made when the first of the two ids is put before the second."
)
REVEAL_MISTAKES = "Leave this empty: what is said aloud is compared with the points by the learner."

EDITORS: dict[str, Editor] = {
    "numeric": Editor(_numeric_fields, _numeric_initial, _numeric_answer, "compute", NUMERIC_MISTAKES),
    "shape": Editor(
        _shape_fields,
        lambda answer: {**_key_initial(answer), "sizes": answer.get("sizes", {})},
        _shape_answer,
        "compute",
        SHAPE_MISTAKES,
    ),
    "choice": Editor(_choice_fields, _choice_initial, _choice_answer, "right", CHOICE_MISTAKES),
    "ordering": Editor(_ordering_fields, _ordering_initial, _ordering_answer, "items", ORDERING_MISTAKES),
    "reveal": Editor(
        _reveal_fields,
        lambda answer: {"rubric": list(answer.get("rubric", []))},
        lambda values, _stored: {"rubric": values["rubric"]},
        "rubric",
        REVEAL_MISTAKES,
    ),
}
YAML = Editor(
    _yaml_fields,
    lambda answer: {"answer": dict(answer)},
    lambda values, _stored: dict(values["answer"]),
    "answer",
)
