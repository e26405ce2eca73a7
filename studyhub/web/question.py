"""What a question page shows of a card: never its key. Takes any version, so a draft can be shown too."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from django.http import QueryDict

from cards.answering import accepted_names
from cards.generators import concrete
from cards.grading import Unreadable
from cards.markdown import render_inline
from studyhub.web.forms import places, prefixed
from studyhub.web.inputs import CELL, LETTERS, Given, cell_labels, fields_of, focused
from studyhub.web.marked import marked
from studyhub.web.words import title_html

__all__ = ["LETTERS", "Given", "given_of", "hints", "question_view"]

TYPE_TITLES = {
    "numeric": "Number",
    "formula": "Formula",
    "matrix_formula": "Matrix formula",
    "shape": "Shape",
    "program": "Program",
    "einsum": "Einsum",
    "choice": "Choice",
    "multi_choice": "Several choices",
    "ordering": "Order",
    "table": "Table",
    "cloze": "Gaps",
    "words": "Words",
    "rubric": "In your own words",
    "reveal": "Say it aloud",
}
INPUTS = {
    "formula": "formula",
    "matrix_formula": "formula",
    "program": "program",
    "choice": "choice",
    "multi_choice": "choice",
    "ordering": "ordering",
    "table": "table",
    "cloze": "cloze",
    "rubric": "rubric",
    "reveal": "reveal",
}
"""The template that asks for an answer of a type; all others are one line of text."""
PRICE = "Rating at most Hard"
MOST_HINTS = 3


def given_of(data: QueryDict, *, hints: int = 0, error: Unreadable | None = None) -> Given:
    """What a form held, to be put back."""
    return Given(
        text=data.get("text", "")[:4096].replace("\r\n", "\n"),
        choices=data.getlist("choices"),
        places=places(data),
        order=data.getlist("order"),
        cells={name: text[:4096] for name, text in prefixed(data, "cell-").items()},
        hints=hints,
        error=error,
    )


def question_view(
    version: Any,
    *,
    variant_seed: int = 0,
    given: Given | None = None,
    client_id: uuid.UUID | None = None,
    shown_at: int = 0,
    action: str = "",
) -> dict[str, Any]:
    """Everything `web/_card.html` needs. `version` is a CardVersion, saved or not."""
    version, given = concrete(version, variant_seed), given or Given()
    fields = fields_of(version, variant_seed, given)
    kind = version.answer_type
    return {
        "card": version.card.slug,
        "uuid": version.card.uuid,
        "version": version.number,
        "variant_seed": variant_seed,
        "answer_type": kind,
        "type_title": TYPE_TITLES.get(kind, kind.replace("_", " ")),
        "input_template": f"web/inputs/{INPUTS.get(kind, 'text')}.html",
        "read_here": read_here(version.answer),
        "many_lines": INPUTS.get(kind) in ("program", "rubric"),
        "topic_slug": version.card.topic.slug,
        "topic_html": title_html(version.card.topic.title),
        "prompt_html": version.prompt_html,
        "client_id": client_id or uuid.uuid4(),
        "shown_at": shown_at,
        "action": action,
        "text": given.text,
        "error": _error(given, cell_labels(fields)),
        "hints": hints(version.hints, taken=given.hints),
        "hints_taken": given.hints,
        "fields": fields,
        "focused": focused(fields),
        "names": " ".join(accepted_names(version, variant_seed)),
    }


def hints(texts: Sequence[Any], *, taken: int) -> list[dict[str, Any]]:
    """At most three hints: those taken are open, the next can be bought, the others wait."""
    return [
        {
            "number": number,
            "html": render_inline(str(text)) if number <= taken else "",
            "price": PRICE,
            "taken": number <= taken,
            "next": number == taken + 1,
        }
        for number, text in enumerate(texts[:MOST_HINTS], 1)
    ]


def read_here(answer: Mapping[str, Any]) -> str:
    """The type of an answer whose reading the browser works out itself; "" where it asks for it."""
    key = answer.get("key")
    plain_number = answer.get("locale", "en") == "en" and not (isinstance(key, Mapping) and "range" in key)
    plain = {"numeric": plain_number, "shape": "axes" not in answer}
    kind = str(answer.get("type", ""))
    return kind if plain.get(kind) else ""


def _error(given: Given, labels: Mapping[str, str]) -> dict[str, Any] | None:
    """The sentence beside a field that could not be read, the place in its text, and whose field it is."""
    error = given.error
    if error is None:
        return None
    cell = error.field.removeprefix(CELL) if error.field.startswith(CELL) else ""
    text = given.cells.get(cell, "") if cell else given.text if error.field == "text" else ""
    known = 0 < error.offset <= len(text) and bool(text.strip())
    return {
        "message": error.message,
        "html": render_inline(error.message),
        "offset": error.offset,
        "field": error.field,
        "label": labels.get(cell, ""),
        "cell": cell,
        "pieces": marked(f"{text} ", error.offset, error.offset + 1) if known else [],
    }
