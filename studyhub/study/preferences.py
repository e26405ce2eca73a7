"""What a learner sets: how well cards are to be remembered, how much a day holds, when a day begins.

A change is checked whole before anything is written, and holds for lines to come: no line and no due date
that is there already moves. Knows no request.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from math import isfinite
from typing import Any

from django.db import transaction

from cards.models import Deck
from studyhub.study.models import DeckRules, Learner
from studyhub.study.schedules import change_schedule, schedule_of
from studyhub.study.scheduling import zone_names
from studyhub.study.scheduling.spread import MINIMUM, NORMAL, REDUCED

RETENTION = (0.70, 0.99)
MOST_PER_DAY = 9_999
EASE = (NORMAL, REDUCED, MINIMUM)
NAMES = (
    "desired_retention",
    "deck_retention",
    "new_per_day",
    "reviews_per_day",
    "rollover_hour",
    "time_zone",
    "easy_days",
    "spread_load",
    "schedule",
)


class InvalidPreference(ValueError):
    """A setting that cannot be. `field` names it."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


def settings_of(learner: Learner) -> dict[str, Any]:
    """All settings as JSON holds them; `schedule` is the version now in force. Two reads at most."""
    decks = DeckRules.objects.filter(learner=learner).order_by("deck__slug")
    return {
        "desired_retention": learner.desired_retention,
        "deck_retention": dict(decks.values_list("deck__slug", "desired_retention")),
        "new_per_day": learner.new_per_day,
        "reviews_per_day": learner.reviews_per_day,
        "rollover_hour": learner.rollover_hour,
        "time_zone": learner.time_zone,
        "easy_days": learner.easy_days or [NORMAL] * 7,
        "spread_load": learner.spread_load,
        "schedule": schedule_of(learner),
    }


def change_preferences(learner: Learner, changes: Mapping[str, Any], now: datetime) -> None:
    """Sets what is named in `changes` (keys of NAMES) and leaves the rest; all or nothing.

    `deck_retention`: {slug: 0.70..0.99, or None for the learner's own again}. `reviews_per_day` 0 = no cap.
    `schedule`: as `schedules.change_schedule` takes it.
    Raises InvalidPreference or InvalidSchedule, with the numbers and what would do.
    """
    read = {name: _checked(name, value) for name, value in changes.items()}
    decks, schedule = read.pop("deck_retention", {}), read.pop("schedule", {})
    with transaction.atomic():
        owner = Learner.objects.select_for_update().get(pk=learner.pk)
        if read:
            Learner.objects.filter(pk=owner.pk).update(**read)
        for deck, retention in decks.items():
            _set_deck(owner, deck, retention)
        change_schedule(owner, schedule, now)
    learner.refresh_from_db()


def _checked(name: str, value: Any) -> Any:
    if name not in _CHECKS:
        raise InvalidPreference(str(name), f"{name} is no setting; there are {', '.join(NAMES)}")
    return _CHECKS[name](name, value)


def _retention(name: str, value: Any) -> float:
    least, most = RETENTION
    number = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
    if not number or not least <= value <= most:
        raise InvalidPreference(name, f"{value} is not between {least:.2f} and {most:.2f}; 0.90 is usual")
    return float(value)


def whole(name: str, value: Any, least: int, most: int) -> int:
    """A whole number within bounds. Raises InvalidPreference."""
    if type(value) is not int or not least <= value <= most:
        raise InvalidPreference(name, f"{value} is no whole number from {least} to {most:,}")
    return value


def _decks(name: str, value: Any) -> dict[Deck, float | None]:
    if not isinstance(value, Mapping):
        raise InvalidPreference(
            name, f"{value!r} is no object of deck slugs, such as {{'transformers': 0.95}}"
        )
    decks = {deck.slug: deck for deck in Deck.objects.filter(slug__in=value)}
    if unknown := sorted(map(str, set(value) - set(decks))):
        raise InvalidPreference(f"{name}.{unknown[0]}", f"there is no deck {unknown[0]}")
    return {
        decks[slug]: None if given is None else _retention(f"{name}.{slug}", given)
        for slug, given in value.items()
    }


def _zone(name: str, value: Any) -> str:
    if value not in zone_names():
        raise InvalidPreference(name, f"{value!r} is no time zone; send an IANA name such as Europe/Berlin")
    return str(value)


def _easy_days(name: str, value: Any) -> list[str]:
    if not isinstance(value, list) or len(value) != 7 or not all(day in EASE for day in value):
        raise InvalidPreference(
            name, f"{value!r} are not seven of {', '.join(EASE)}, for Monday to Sunday in this order"
        )
    if NORMAL not in value and len(set(value)) > 1:
        raise InvalidPreference(name, "no day is normal; leave at least one, or make all seven alike")
    return list(value)


def _schedule(name: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise InvalidPreference(name, f"{value!r} is no object of rules, such as {{'leech_after': 6}}")
    return value


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise InvalidPreference(name, f"{value!r} is neither true nor false")
    return value


def _set_deck(learner: Learner, deck: Deck, retention: float | None) -> None:
    if retention is None:
        DeckRules.objects.filter(learner=learner, deck=deck).delete()
    else:
        wanted = {"desired_retention": retention}
        DeckRules.objects.update_or_create(learner=learner, deck=deck, defaults=wanted)


_CHECKS: dict[str, Callable[[str, Any], Any]] = {
    "desired_retention": _retention,
    "deck_retention": _decks,
    "new_per_day": lambda name, value: whole(name, value, 0, MOST_PER_DAY),
    "reviews_per_day": lambda name, value: whole(name, value, 0, MOST_PER_DAY),
    "rollover_hour": lambda name, value: whole(name, value, 0, 23),
    "time_zone": _zone,
    "easy_days": _easy_days,
    "spread_load": _flag,
    "schedule": _schedule,
}
