"""The form for a session of one's own: which cards, of what, and for how long. Counts nothing."""

from collections.abc import Sequence
from typing import Any

from django import forms

from cards.models import Deck, Topic
from studyhub.study.asking.sessions import (
    AHEAD,
    CRAM,
    DUE,
    FAILED_TODAY,
    MOST_DAYS_AHEAD,
    MOST_MINUTES,
    Session,
)
from studyhub.web import words

KINDS = ((DUE, "What is due"), (AHEAD, "Ahead of time"), (FAILED_TODAY, "Failed today"), (CRAM, "Cram"))
DECK, TOPIC = "deck:", "topic:"


def _whole(least: int, most: int, otherwise: str) -> forms.IntegerField:
    said = f"Give a whole number from {least} to {most}{otherwise}."
    kinds = dict.fromkeys(("invalid", "min_value", "max_value"), said)
    field = forms.IntegerField(min_value=least, max_value=most, required=False, error_messages=kinds)
    field.widget.attrs |= {"inputmode": "numeric", "autocomplete": "off"}
    return field


class CustomForm(forms.Form):
    """What to study. `subject`: "" = anything, else a deck or a topic."""

    kind = forms.ChoiceField(choices=KINDS, initial=DUE)
    subject = forms.ChoiceField(required=False)
    days = _whole(1, MOST_DAYS_AHEAD, "")
    minutes = _whole(1, MOST_MINUTES, ", or leave it empty")

    def __init__(
        self, *args: Any, shelf: Sequence[tuple[Deck, Sequence[Topic]]] = (), **options: Any
    ) -> None:
        super().__init__(*args, **options)
        self.fields["kind"].error_messages |= {"required": "Choose what to study."}
        self.fields["days"].initial = 1
        subject = self.fields["subject"]
        assert isinstance(subject, forms.ChoiceField)
        subject.choices = [("", "Everything"), *(_deck(deck, topics) for deck, topics in shelf)]

    def plan(self) -> Session:
        """The session asked for. Raises InvalidSession."""
        given = self.cleaned_data
        subject, kind = given["subject"], given["kind"]
        return Session(
            kind=kind,
            topic=subject.removeprefix(TOPIC) if subject.startswith(TOPIC) else "",
            deck=subject.removeprefix(DECK) if subject.startswith(DECK) else "",
            minutes=given["minutes"] or 0,
            days=(given["days"] or 1) if kind == AHEAD else 1,
        )

    def refuse(self, field: str, message: str) -> None:
        """Puts beside its field what makes no session."""
        cram = field == "kind" and not self.cleaned_data["subject"]
        self.add_error("subject" if cram else field, "Choose a deck or a topic to cram." if cram else message)


def _deck(deck: Deck, topics: Sequence[Topic]) -> tuple[str, list[tuple[str, str]]]:
    rows = [(TOPIC + topic.slug, words.plain(topic.title)) for topic in topics]
    return deck.title, [(DECK + deck.slug, f"All of {deck.title}"), *rows]
