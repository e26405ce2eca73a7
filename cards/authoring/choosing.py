"""Form fields for what is chosen or put in order: options, items and distractors. Grades nothing."""

from collections.abc import Mapping

from django import forms

from cards.answer_types.multi_choice import CREDITS
from cards.authoring import mistakes_help
from cards.authoring.answer_editor import Editor, Fields, Stored, Values
from cards.authoring.fields import LinesField, RunsField, YamlField, explained

ROWS = 5
RUNS_HELP = explained(
    "What `$answer` of a picture becomes: a line of code, a slug, `64` or `[2, 12, 4, 64]`."
)
CREDIT_HELP = explained(
    "`net`: right picks less wrong ones; `each`: every option counts; "
    "`coverage`: right picks among the picks; `all`: everything or nothing. "
    "Choosing all or nothing earns nothing."
)


def _rows(stored: Stored) -> int:
    """One row more than there are options, so that another can be added."""
    return max(ROWS, len(stored.get("options", ())) + 1)


def _text_field(n: int) -> forms.Field:
    wide = forms.TextInput(attrs={"size": 80})
    return forms.CharField(required=n <= 2, max_length=400, label=f"Option {n}", widget=wide)


def _name_field(n: int, told: str) -> forms.Field:
    return forms.CharField(required=False, max_length=60, label=f"Option {n} is the mistake", help_text=told)


def _choice_fields(stored: Stored) -> Fields:
    numbers = range(1, _rows(stored) + 1)
    rows: Fields = {
        "right": forms.ChoiceField(choices=[(str(n), f"option {n}") for n in numbers], label="Right option")
    }
    for n in numbers:
        rows[f"option_{n}"] = _text_field(n)
        rows[f"mistake_{n}"] = _name_field(n, "a name listed under Mistakes; none for the right option")
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
    return {"options": [_option(n, values, old) for n, old in _kept(values, stored)]}


def _kept(values: Values, stored: Stored) -> list[tuple[int, Stored]]:
    """The rows with a text: row n keeps the id of stored option n, since attempts were given under it."""
    before = list(stored.get("options", ()))
    taken = {option["id"] for option in before}
    rows: list[tuple[int, Stored]] = []
    for n in (n for n in range(1, _rows(stored) + 1) if values.get(f"option_{n}")):
        old = before[n - 1] if n <= len(before) else {"id": _free_id(n, taken)}
        taken.add(old["id"])
        rows.append((n, old))
    return rows


def _option(n: int, values: Values, old: Stored) -> Values:
    kept = {name: value for name, value in old.items() if name not in ("correct", "mistake", "runs")}
    runs = {} if values.get(f"runs_{n}", "") == "" else {"runs": values[f"runs_{n}"]}
    meaning = {"correct": True} if values["right"] == str(n) else {"mistake": values.get(f"mistake_{n}", "")}
    return {**kept, "text": values[f"option_{n}"], **meaning, **runs}


def _free_id(n: int, taken: set[str]) -> str:
    return next(name for m in range(n, n + len(taken) + 1) if (name := f"option-{m}") not in taken)


def _multi_fields(stored: Stored) -> Fields:
    credits = [(name, name) for name in CREDITS]
    rows: Fields = {"credit": forms.ChoiceField(choices=credits, initial="net", help_text=CREDIT_HELP)}
    for n in range(1, _rows(stored) + 1):
        rows[f"option_{n}"] = _text_field(n)
        rows[f"right_{n}"] = forms.BooleanField(required=False, label=f"Option {n} is right")
        rows[f"mistake_{n}"] = _name_field(
            n, "a name listed under Mistakes: of choosing it, or for a right option of leaving it out"
        )
        rows[f"says_{n}"] = forms.CharField(
            required=False,
            max_length=600,
            label=f"Option {n} says",
            widget=forms.TextInput(attrs={"size": 80}),
        )
    return rows


def _multi_initial(answer: Stored) -> Values:
    values: Values = {"credit": answer.get("credit", "net")}
    for n, option in enumerate(answer.get("options", ()), 1):
        right = option.get("correct") is True
        values |= {f"option_{n}": option.get("text", ""), f"right_{n}": right}
        values |= {f"mistake_{n}": option.get("missed" if right else "mistake", "")}
        values[f"says_{n}"] = option.get("says", "")
    return values


def _multi_answer(values: Values, stored: Stored) -> Values:
    rule = values["credit"]
    credit = {"credit": rule} if rule != "net" or "credit" in stored else {}
    return {"options": [_multi_option(n, values, old) for n, old in _kept(values, stored)], **credit}


def _multi_option(n: int, values: Values, old: Stored) -> Values:
    right, name = values.get(f"right_{n}", False), values.get(f"mistake_{n}", "")
    wrong = {"mistake": name} if name or "mistake" in old else {}
    meaning = {"correct": True, **({"missed": name} if name else {})} if right else wrong
    says = {"says": values[f"says_{n}"]} if values.get(f"says_{n}") else {}
    return {"id": old["id"], "text": values[f"option_{n}"], **meaning, **says}


def _ordering_fields(_stored: Stored) -> Fields:
    told = explained("One a line, in the right order: `id: text`, the id in lower case.")
    return {
        "items": LinesField(rows=7, help_text=told),
        "before": LinesField(
            required=False,
            help_text=explained(
                "Where more than one order is right, what has to come before what, one chain a line: "
                "`keys, scores, softmax`. Empty: the order of the items is the only one."
            ),
        ),
        "distractors": YamlField(
            of=list,
            required=False,
            rows=3,
            help_text=explained(
                'Shown among the items and left out: `- {id: mean, text: "...", mistake: NAME}`.'
            ),
        ),
    }


def _ordering_initial(answer: Stored) -> Values:
    items = answer.get("items", [])
    chains = answer.get("before", [])
    return {
        "items": [f"{i['id']}: {i['text']}" if isinstance(i, Mapping) else str(i) for i in items],
        "before": [", ".join(map(str, chain)) for chain in chains],
        "distractors": list(answer.get("distractors", [])),
    }


def _ordering_answer(values: Values, stored: Stored) -> Values:
    """An item keeps what no field shows, such as its group."""
    known = {i["id"]: i for i in stored.get("items", ()) if isinstance(i, Mapping)}
    pairs = [line.partition(": ") for line in values["items"]]
    items = [{**known.get(a, {}), "id": a, "text": b} if b else a for a, _, b in pairs]
    chains = [[one.strip() for one in line.split(",")] for line in values.get("before", ())]
    rest = {"before": chains, "distractors": values.get("distractors")}
    return {"items": items, **{name: value for name, value in rest.items() if value}}


CHOICE = Editor(_choice_fields, _choice_initial, _choice_answer, "right", mistakes_help.CHOICE)
MULTI_CHOICE = Editor(_multi_fields, _multi_initial, _multi_answer, "credit", mistakes_help.MULTI_CHOICE)
ORDERING = Editor(_ordering_fields, _ordering_initial, _ordering_answer, "items", mistakes_help.ORDERING)
