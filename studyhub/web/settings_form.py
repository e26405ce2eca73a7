"""The form of the settings: a learner's rules as text and ticks, and back as the study room takes them.

Percent for retention, steps as "1m 10m". Which values will do is known in the study room; what it refuses is
put beside the field it is about.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms

from cards.models import Deck
from studyhub.study.preferences import EASE, MOST_PER_DAY, RETENTION
from studyhub.study.schedules import LONGEST_INTERVAL, MOST_LAPSES
from studyhub.study.schedules import NAMES as SCHEDULE
from studyhub.web.steps_text import read_steps, steps_text

WEEK = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
DECK, DAY = "deck-", "day-"
LEAST, MOST = (round(100 * one) for one in RETENTION)
AIM = f"Give a percentage from {LEAST} to {MOST}; 90 is usual."


class StepsField(forms.CharField):
    """Waits such as "1m 10m", as seconds."""

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=120, required=False, **options)

    def clean(self, value: Any) -> list[int]:
        """Seconds. Raises ValidationError with the step that cannot be."""
        try:
            return read_steps(super().clean(value))
        except ValueError as error:
            raise forms.ValidationError(str(error)) from error


class SettingsForm(forms.Form):
    """All settings of a learner. `decks` each have an aim of their own or none."""

    desired_retention = forms.FloatField(min_value=LEAST, max_value=MOST)
    new_per_day = forms.IntegerField(min_value=0, max_value=MOST_PER_DAY)
    reviews_per_day = forms.IntegerField(min_value=0, max_value=MOST_PER_DAY)
    rollover_hour = forms.TypedChoiceField(
        coerce=int, choices=[(hour, f"{hour:02}:00") for hour in range(24)]
    )
    spread_load = forms.BooleanField(required=False)
    learning_steps = StepsField()
    relearning_steps = StepsField()
    maximum_interval = forms.IntegerField(min_value=1, max_value=LONGEST_INTERVAL)
    leech_after = forms.IntegerField(min_value=0, max_value=MOST_LAPSES)
    leech_suspends = forms.BooleanField(required=False)

    def __init__(self, *args: Any, decks: Sequence[Deck] = (), **options: Any) -> None:
        options.setdefault("label_suffix", "")
        super().__init__(*args, **options)
        for deck in decks:
            self.fields[DECK + deck.slug] = forms.FloatField(
                min_value=LEAST, max_value=MOST, required=False, label=deck.title
            )
        for number, day in enumerate(WEEK):
            choices = [(one, one.capitalize()) for one in EASE]
            self.fields[f"{DAY}{number}"] = forms.ChoiceField(choices=choices, label=day)
        self._word()

    @property
    def deck_fields(self) -> list[forms.BoundField]:
        """One for each deck."""
        return [self[name] for name in self.fields if name.startswith(DECK)]

    @property
    def day_fields(self) -> list[forms.BoundField]:
        """Monday to Sunday."""
        return [self[f"{DAY}{number}"] for number in range(7)]

    @property
    def wrong(self) -> list[forms.BoundField]:
        """The fields that cannot be saved, in the order of the page."""
        return [self[name] for name in self.fields if name in self.errors]

    def changes(self, present: Mapping[str, Any]) -> dict[str, Any]:
        """What differs from the settings of now, as `change_preferences` takes it."""
        wanted = self._read()
        differs = {name: value for name, value in wanted.items() if value != present[name]}
        for name in ("deck_retention", "schedule"):
            if name in differs:
                old = present[name]
                differs[name] = {key: value for key, value in wanted[name].items() if value != old.get(key)}
                differs[name] or differs.pop(name)
        return differs

    def refuse(self, field: str, message: str) -> None:
        """Puts what the study room refuses beside its field."""
        name = field.removeprefix("schedule.").split(".")[0]
        name = DECK + field.split(".", 1)[1] if name == "deck_retention" and "." in field else name
        name = f"{DAY}0" if name == "easy_days" else name
        self.add_error(name if name in self.fields else None, message)

    def _read(self) -> dict[str, Any]:
        given = self.cleaned_data
        decks = {name.removeprefix(DECK): given[name] for name in self.fields if name.startswith(DECK)}
        plain = ("new_per_day", "reviews_per_day", "rollover_hour", "spread_load")
        return {name: given[name] for name in plain} | {
            "desired_retention": share(given["desired_retention"]),
            "deck_retention": {slug: share(one) for slug, one in decks.items()},
            "easy_days": [given[f"{DAY}{number}"] for number in range(7)],
            "schedule": {name: given[name] for name in SCHEDULE},
        }

    def _word(self) -> None:
        """Every number says its bounds when it is out of them."""
        for field in self.fields.values():
            if isinstance(field, forms.FloatField):
                said = AIM
            elif isinstance(field, forms.IntegerField):
                said = f"Give a whole number from {field.min_value} to {field.max_value:,}."
            else:
                continue
            kinds = ("required", "invalid", "min_value", "max_value")
            field.error_messages |= dict.fromkeys(kinds, said)
            field.widget.attrs |= {"inputmode": "decimal", "autocomplete": "off"}


def initial_of(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings as the form shows them."""
    schedule = settings["schedule"]
    plain = ("new_per_day", "reviews_per_day", "rollover_hour", "spread_load")
    return {
        **{name: settings[name] for name in plain},
        **{name: schedule[name] for name in ("maximum_interval", "leech_after", "leech_suspends")},
        **{name: steps_text(schedule[name]) for name in ("learning_steps", "relearning_steps")},
        **{DECK + slug: percent(one) for slug, one in settings["deck_retention"].items()},
        **{f"{DAY}{number}": ease for number, ease in enumerate(settings["easy_days"])},
        "desired_retention": percent(settings["desired_retention"]),
    }


def share(percentage: float | None) -> float | None:
    """90 -> 0.9."""
    return None if percentage is None else round(percentage / 100, 6)


def percent(part: float) -> str:
    """0.9 -> "90"; 0.905 -> "90.5"."""
    return f"{round(100 * part, 4):g}"
