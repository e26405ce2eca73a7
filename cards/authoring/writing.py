"""Form fields for answers in words, texts with gaps and tables. Grades nothing."""

from typing import Any

from django import forms

from cards.authoring import mistakes_help
from cards.authoring.answer_editor import Editor, Fields, Stored, Values
from cards.authoring.fields import LinesField, YamlField, explained
from cards.expressions.words import LONGEST, MAX_TYPOS

CELL_HELP = "`numeric formula matrix_formula shape einsum words choice`"


def _words_fields(_stored: Stored) -> Fields:
    typos = [(str(n), str(n)) for n in range(MAX_TYPOS + 1)]
    return {
        "key": forms.CharField(max_length=LONGEST, help_text="The words that are right; no markup."),
        "accepts": LinesField(required=False, rows=3, help_text="Other words that are right, one a line."),
        "case": forms.ChoiceField(
            choices=[("ignore", "ignore"), ("keep", "keep")],
            help_text=explained("`keep` where `T` and `t` are two things."),
        ),
        "typos": forms.ChoiceField(
            choices=typos,
            help_text="Letters that may be wrong; never in words of five letters or fewer, nor in numbers.",
        ),
    }


def _words_initial(answer: Stored) -> Values:
    return {
        "key": answer.get("key", ""),
        "accepts": list(answer.get("accepts", [])),
        "case": answer.get("case", "ignore"),
        "typos": str(answer.get("typos", 0)),
    }


def _words_answer(values: Values, stored: Stored) -> Values:
    given: dict[str, tuple[Any, Any]] = {
        "accepts": (values["accepts"], []),
        "case": (values["case"], "ignore"),
        "typos": (int(values["typos"]), 0),
    }
    told = {name: value for name, (value, usual) in given.items() if value != usual or name in stored}
    return {"key": values["key"], **told}


def _cloze_fields(_stored: Stored) -> Fields:
    return {
        "text": forms.CharField(
            widget=forms.Textarea(attrs={"rows": 6, "cols": 90}),
            max_length=8000,
            help_text=explained(
                "Markdown with gaps: `{{id}}`, `{{id::answer}}` or `{{id::answer::hint}}`; braces may nest."
            ),
        ),
        "gaps": YamlField(
            of=dict,
            required=False,
            help_text=explained(
                "For each gap that takes no words its type and key: "
                f"`width: {{type: numeric, key: {{compute: d_head, model: bert-base}}}}`.\n"
                f"Types: {CELL_HELP}."
            ),
        ),
    }


def _cloze_answer(values: Values, stored: Stored) -> Values:
    gaps = {"gaps": values["gaps"]} if values["gaps"] or "gaps" in stored else {}
    return {"text": values["text"], **gaps}


def _table_fields(_stored: Stored) -> Fields:
    return {
        "columns": LinesField(rows=4, help_text="The titles of the columns, one a line."),
        "rows": YamlField(
            of=list,
            rows=12,
            help_text=explained(
                '`- {title: BERT-base, cells: [{given: "768"}, '
                "{id: heads, type: numeric, key: {compute: num_heads, model: bert-base}}]}`\n"
                "`{cell: heads}` in a key is the value of that cell. "
                f"Types: {CELL_HELP}."
            ),
        ),
    }


def _reveal_fields(_stored: Stored) -> Fields:
    return {"rubric": LinesField(rows=7, help_text="One point a line: what a good answer names.")}


WORDS = Editor(_words_fields, _words_initial, _words_answer, "key", mistakes_help.WORDS)
CLOZE = Editor(
    _cloze_fields,
    lambda answer: {"text": answer.get("text", ""), "gaps": dict(answer.get("gaps") or {})},
    _cloze_answer,
    "text",
    mistakes_help.CELLS,
)
TABLE = Editor(
    _table_fields,
    lambda answer: {"columns": list(answer.get("columns", [])), "rows": list(answer.get("rows", []))},
    lambda values, _stored: {"columns": values["columns"], "rows": values["rows"]},
    "rows",
    mistakes_help.CELLS,
)
REVEAL = Editor(
    _reveal_fields,
    lambda answer: {"rubric": list(answer.get("rubric", []))},
    lambda values, _stored: {"rubric": values["rubric"]},
    "rubric",
    mistakes_help.REVEAL,
)
