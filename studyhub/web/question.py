"""What a question page shows of a card: never its key. Takes any version, so a draft can be shown too."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cards.answering import accepted_names, question_input
from cards.grading import Unreadable
from cards.markdown import render_inline
from studyhub.web.forms import whole
from studyhub.web.words import title_html

TYPE_TITLES = {
    "numeric": "Whole number",
    "shape": "Shape",
    "choice": "Choice",
    "ordering": "Order",
    "reveal": "Say it aloud",
}
PRICE = "Rating at most Hard"
MOST_HINTS = 3
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True)
class Given:
    """What the learner has put in so far; kept when an answer could not be read or a hint was taken."""

    text: str = ""
    choices: Sequence[str] = ()
    places: Mapping[str, str] = field(default_factory=dict)
    order: Sequence[str] = ()
    hints: int = 0
    error: Unreadable | None = None


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
    given = given or Given()
    fields = question_input(version, variant_seed)
    return {
        "card": version.card.slug,
        "version": version.number,
        "variant_seed": variant_seed,
        "answer_type": version.answer_type,
        "type_title": TYPE_TITLES.get(version.answer_type, version.answer_type.replace("_", " ")),
        "topic_slug": version.card.topic.slug,
        "topic_html": title_html(version.card.topic.title),
        "prompt_html": version.prompt_html,
        "client_id": client_id or uuid.uuid4(),
        "shown_at": shown_at,
        "action": action,
        "text": given.text,
        "error": _error(given),
        "hints": hints(version.hints, taken=given.hints),
        "hints_taken": given.hints,
        "fields": fields,
        "names": " ".join(accepted_names(version, variant_seed)),
        "options": _options(fields, given),
        "items": _items(fields, given),
        "places": range(1, len(fields["items"]) + 1),
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


def _error(given: Given) -> dict[str, Any] | None:
    """The sentence beside a field that could not be read."""
    error = given.error
    return {"message": error.message, "offset": error.offset, "field": error.field} if error else None


def _options(fields: Mapping[str, Any], given: Given) -> list[dict[str, Any]]:
    """Options with their letters, those chosen marked."""
    return [
        {**option, "letter": LETTERS[index % 26], "chosen": option["id"] in given.choices}
        for index, option in enumerate(fields["options"])
    ]


def _items(fields: Mapping[str, Any], given: Given) -> list[dict[str, Any]]:
    """Rows of an ordering with the place each was given, in the order the learner left them."""
    rows = [{**item, "place": _place(item["id"], given)} for item in fields["items"]]
    position = {row: index for index, row in enumerate(given.order)}
    return sorted(rows, key=lambda row: position.get(row["id"], len(rows)))


def _place(row: str, given: Given) -> int:
    """1 for the first; 0 where none was chosen."""
    if row in given.order:
        return list(given.order).index(row) + 1
    return whole(given.places.get(row, ""))
