"""Reads the forms of a study page: hidden ids, the answer in its flat shape. Knows no grading."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.http import QueryDict

from cards.grading import Unreadable
from studyhub.study.asking.sessions import KINDS, MOST_DAYS_AHEAD, MOST_MINUTES
from studyhub.study.preferences import MOST_PER_DAY
from studyhub.study.reviews import EVENTS
from studyhub.study.submissions import CONFIDENCES

LONGEST_THINKING_MS = 3_600_000
OUT = "out"
"""The place of a row that is not part of an ordering."""


class PlanForm(forms.Form):
    """What is being studied, as addresses and forms carry it; everything left out is a session of all due."""

    kind = forms.ChoiceField(choices=[(kind, kind) for kind in KINDS], required=False)
    topic = forms.SlugField(max_length=80, required=False, strip=False)
    deck = forms.SlugField(max_length=80, required=False, strip=False)
    minutes = forms.IntegerField(min_value=0, max_value=MOST_MINUTES, required=False)
    days = forms.IntegerField(min_value=1, max_value=MOST_DAYS_AHEAD, required=False)


class AnswerForm(PlanForm):
    """The hidden part of an answer; what was answered comes from `response_of`."""

    client_id = forms.UUIDField()
    card = forms.CharField(max_length=120)
    version = forms.IntegerField(min_value=1, max_value=2**31 - 1)
    variant_seed = forms.IntegerField(min_value=0, max_value=2**63 - 1)
    hints = forms.IntegerField(min_value=0, max_value=3, required=False)
    shown_at = forms.IntegerField(min_value=0, max_value=2**53, required=False)
    single = forms.BooleanField(required=False)
    away = forms.BooleanField(required=False)
    confidence = forms.TypedChoiceField(
        choices=[(said, said) for said in CONFIDENCES], coerce=int, empty_value="0", required=False
    )


class RatingForm(forms.Form):
    """Which attempt is rated and how; the id of the review was made with the page."""

    client_id = forms.UUIDField()
    attempt = forms.UUIDField()
    rating = forms.IntegerField(min_value=1, max_value=4)
    draw = forms.FloatField(min_value=0, max_value=1 - 2**-53, required=False)  # of the offer


class CardForm(forms.Form):
    """What is to be done with which card; the id was made with the page. `back`: the list it stands in."""

    client_id = forms.UUIDField()
    card = forms.SlugField(max_length=120)
    kind = forms.ChoiceField(choices=[(kind, kind) for kind in EVENTS])
    day = forms.CharField(max_length=20, required=False)
    back = forms.ChoiceField(choices=[("suspended", "suspended")], required=False)


class CapForm(forms.Form):
    """How many reviews a day at most; 0 lifts the cap."""

    per_day = forms.IntegerField(min_value=0, max_value=MOST_PER_DAY)


class TicksForm(forms.Form):
    """Whose points were ticked; which ones comes from `response_of`."""

    attempt = forms.UUIDField()


class UndoForm(forms.Form):
    """Which line is taken back; the id of the void was made with the page. `back`: the list it stands in."""

    client_id = forms.UUIDField()
    review = forms.UUIDField()
    back = forms.ChoiceField(choices=[("recent", "recent"), ("suspended", "suspended")], required=False)


def response_of(data: QueryDict) -> dict[str, Any]:
    """The answer as grading reads it. Raises Unreadable where rows of an ordering share a place."""
    return {
        "text": data.get("text", "").replace("\r\n", "\n"),
        "choices": data.getlist("choices") or (["none"] if "tick" in data else []),
        "order": data.getlist("order") or order_of(places(data)),
        "cells": prefixed(data, "cell-"),
        "revealed": "reveal" in data,
    }


def whole(text: str, most: int = 999) -> int:
    """A whole number from 1 to `most` in plain digits; 0 for anything else."""
    plain = text.isascii() and text.isdecimal() and len(text) <= len(str(most))
    return int(text) if plain and int(text) <= most else 0


def prefixed(data: QueryDict, prefix: str) -> dict[str, str]:
    """{"cell-a": "64"} -> {"a": "64"}."""
    return {name.removeprefix(prefix): str(value) for name, value in data.items() if name.startswith(prefix)}


def places(data: QueryDict) -> dict[str, str]:
    """The place chosen for each row of an ordering, as sent."""
    return prefixed(data, "place-")


def order_of(chosen: Mapping[str, str]) -> list[str]:
    """Rows in the order of their places, those left out without. Raises Unreadable for a row without a place,
    a place taken twice or none at all."""
    if not any(chosen.values()):
        return []
    if empty := sum(not place for place in chosen.values()):
        raise Unreadable(f"{len(chosen) - empty} of {len(chosen)} rows have a place.", field="order")
    kept = {row: place for row, place in chosen.items() if place != OUT}
    if not all(whole(place, len(chosen)) for place in kept.values()):
        raise Unreadable(f"A place is a whole number from 1 to {len(chosen)}.", field="order")
    doubled = sorted({place for place in kept.values() if list(kept.values()).count(place) > 1})
    if doubled:
        raise Unreadable(f"Place {doubled[0]} is taken twice.", field="order")
    return sorted(kept, key=lambda row: whole(kept[row]))


def thinking_ms(shown_at: int | None, *, now_ms: int, away: bool = False) -> int:
    """Milliseconds between showing and answering, within an hour; 0 where it is not known.

    `away`: the page was out of sight in between, so the time says nothing of the thinking."""
    return min(max(now_ms - shown_at, 0), LONGEST_THINKING_MS) if shown_at and not away else 0


def first_error(form: forms.Form) -> str:
    """The first thing a form could not read, for a 400."""
    name, errors = next(iter(form.errors.items()))
    return f"{name}: {errors[0]}"
