"""What a learner may set, by name and type; which values will do is known in the study room."""

from typing import Any

from rest_framework import serializers

from studyhub.api.reading.fields import (
    StrictBooleanField,
    StrictChoiceField,
    StrictIntegerField,
    StrictListField,
    StrictSerializer,
    TimeZoneField,
    kind,
)
from studyhub.study.preferences import EASE, MOST_PER_DAY, RETENTION
from studyhub.study.schedules import LONGEST_INTERVAL, LONGEST_STEP, MOST_LAPSES, MOST_STEPS

MOST_DECKS = 500


class RetentionField(serializers.FloatField):
    """A JSON number within what can be aimed at: no string, no true."""

    def __init__(self, **options: Any) -> None:
        super().__init__(min_value=RETENTION[0], max_value=RETENTION[1], **options)

    def to_internal_value(self, data: Any) -> float:
        """The number itself. Raises ValidationError."""
        if isinstance(data, bool) or not isinstance(data, int | float):
            raise serializers.ValidationError(f"must be a number, not {kind(data)}")
        if not RETENTION[0] <= data <= RETENTION[1]:
            raise serializers.ValidationError(f"must lie between {RETENTION[0]:.2f} and {RETENTION[1]:.2f}")
        return float(data)


class DeckRetentionField(serializers.DictField):
    """{slug of a deck: what recall to aim at, null = as the rest}."""

    child = RetentionField(allow_null=True)

    def to_internal_value(self, data: Any) -> Any:
        """The object as sent. Raises ValidationError."""
        if not isinstance(data, dict):
            raise serializers.ValidationError(f"must be an object, not {kind(data)}")
        if len(data) > MOST_DECKS:
            raise serializers.ValidationError(f"has {len(data)} members; at most {MOST_DECKS} are taken")
        return super().to_internal_value(data)


def _steps(what: str) -> StrictListField:
    """A list of waits in seconds."""
    return StrictListField(
        child=StrictIntegerField(min_value=1, max_value=LONGEST_STEP),
        required=False,
        max_length=MOST_STEPS,
        help_text=f"Seconds; {what}. [] = none.",
    )


class ScheduleBody(StrictSerializer):
    """Rules of the schedule. A change makes a new version; answers given before keep theirs."""

    learning_steps = _steps("the waits of a new card before it is scheduled in days")
    relearning_steps = _steps("the waits after a lapse")
    maximum_interval = StrictIntegerField(
        required=False, min_value=1, max_value=LONGEST_INTERVAL, help_text="Days."
    )
    leech_after = StrictIntegerField(
        required=False, min_value=0, max_value=MOST_LAPSES, help_text="Lapses; 0 = never."
    )
    leech_suspends = StrictBooleanField(required=False)


class SettingsBody(StrictSerializer):
    """What is to change; the rest stays."""

    desired_retention = RetentionField(required=False, help_text="The recall that intervals aim at.")
    deck_retention = DeckRetentionField(required=False, help_text="By slug; null = as the rest.")
    new_per_day = StrictIntegerField(required=False, min_value=0, max_value=MOST_PER_DAY)
    reviews_per_day = StrictIntegerField(
        required=False,
        min_value=0,
        max_value=MOST_PER_DAY,
        help_text="The cap of catching up, 0 = none. It never holds back a usual day.",
    )
    rollover_hour = StrictIntegerField(
        required=False, min_value=0, max_value=23, help_text="Local hour at which a study day begins."
    )
    time_zone = TimeZoneField(required=False, max_length=64)
    easy_days = StrictListField(
        child=StrictChoiceField(choices=EASE),
        required=False,
        min_length=7,
        max_length=7,
        help_text="How full Monday to Sunday may be.",
    )
    spread_load = StrictBooleanField(required=False, help_text="Choose the emptier day within the fuzz.")
    schedule = ScheduleBody(required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """At least one. Raises ValidationError."""
        if not attrs:
            raise serializers.ValidationError(f"names no setting; there are {', '.join(self.fields)}")
        return attrs
