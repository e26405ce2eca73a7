"""Serializer fields that take a value as it is or refuse it: nothing is coerced. Knows no operation."""

import re
import uuid
from datetime import UTC, date, datetime
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from studyhub.study.scheduling import zone_names
from studyhub.study.submissions import CONFIDENCES, EARLIEST

MAX_COUNT = 2**31 - 1  # what a PositiveIntegerField holds on both engines
MAX_SAFE_INTEGER = 2**53 - 1  # what a JavaScript number holds exactly
LATEST = datetime(2100, 1, 1, tzinfo=UTC)
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", re.ASCII)
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_MOMENT = re.compile(
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)", re.ASCII
)  # RFC 3339, section 5.6


class StrictSerializer(serializers.Serializer[Any]):
    """A body whose every member is known: an unknown one is refused by name."""

    def to_internal_value(self, data: Any) -> Any:
        """The validated members. Raises ValidationError for an unknown one."""
        unknown = sorted(set(data) - set(self.fields)) if isinstance(data, dict) else []
        if unknown:
            known = ", ".join(self.fields)
            raise serializers.ValidationError(
                {name[:64]: [f"is not a field here; there are {known}"] for name in unknown[:20]}
            )
        return super().to_internal_value(data)


class StrictIntegerField(serializers.IntegerField):
    """A JSON integer: no string, no 1.0, no true."""

    def to_internal_value(self, data: Any) -> int:
        """The integer itself. Raises ValidationError."""
        if type(data) is not int:
            raise serializers.ValidationError(f"must be an integer, not {kind(data)}")
        return data


class StrictTextField(serializers.CharField):
    """A JSON string, kept to the last blank."""

    def __init__(self, **options: Any) -> None:
        super().__init__(trim_whitespace=False, **options)

    def run_validation(self, data: Any = serializers.empty) -> Any:
        """Refuses what is no string before DRF makes one of it."""
        if data is not serializers.empty and data is not None and not isinstance(data, str):
            raise serializers.ValidationError(f"must be a string, not {kind(data)}")
        return super().run_validation(data)


class StrictBooleanField(serializers.BooleanField):
    """true or false: no 1, no "yes"."""

    def to_internal_value(self, data: Any) -> bool:
        """The boolean itself. Raises ValidationError."""
        if not isinstance(data, bool):
            raise serializers.ValidationError(f"must be true or false, not {kind(data)}")
        return data


class StrictListField(serializers.ListField):
    """A JSON array of at most `max_length` items, counted before any is looked at."""

    def run_validation(self, data: Any = serializers.empty) -> Any:
        """Refuses long lists at once."""
        if isinstance(data, list) and self.max_length is not None and len(data) > self.max_length:
            raise serializers.ValidationError(f"has {len(data)} items; at most {self.max_length} are taken")
        return super().run_validation(data)


class StrictChoiceField(serializers.ChoiceField):
    """One of a few strings."""

    def to_internal_value(self, data: Any) -> str:
        """The choice itself. Raises ValidationError naming the choices."""
        if not isinstance(data, str) or data not in self.choices:
            raise serializers.ValidationError(f"must be one of {', '.join(map(str, self.choices))}")
        return data


class StrictUUIDField(serializers.UUIDField):
    """A UUID as 36 characters with hyphens."""

    def to_internal_value(self, data: Any) -> uuid.UUID:
        """The UUID. Raises ValidationError."""
        found = uuid_of(data)
        if found is None:
            raise serializers.ValidationError("must be a UUID such as 0192f0c1-7b1e-7cc3-8b3a-5d0f3c9a1e42")
        return found


class MomentField(serializers.DateTimeField):
    """A moment with its zone, between 2000 and 2100."""

    def to_internal_value(self, value: Any) -> datetime:
        """The moment as sent. Raises ValidationError."""
        if not isinstance(value, str) or not _MOMENT.fullmatch(value):
            raise serializers.ValidationError(
                "must be a moment with its zone such as 2026-11-30T09:15:00+01:00"
            )
        try:
            moment = datetime.fromisoformat(value)
        except ValueError as error:
            raise serializers.ValidationError(f"is no moment of the calendar: {error}") from error
        # Years far outside are refused first: their conversion to UTC would overflow.
        if not 1999 < moment.year < 2101 or not EARLIEST <= moment < LATEST:
            raise serializers.ValidationError(
                "must lie between the years 2000 and 2100; "
                f"your clock says {value}, this service's {timezone.now():%Y-%m-%dT%H:%M:%SZ}: "
                "set the device's clock and send it again"
            )
        return moment


class DayField(serializers.DateField):
    """A day of the calendar, between 2000 and 2100."""

    def to_internal_value(self, value: Any) -> date:
        """The day. Raises ValidationError."""
        if not isinstance(value, str) or not _DAY.fullmatch(value):
            raise serializers.ValidationError("must be a day such as 2026-12-10")
        try:
            day = date.fromisoformat(value)
        except ValueError as error:
            raise serializers.ValidationError(f"is no day of the calendar: {error}") from error
        if not EARLIEST.date() <= day < LATEST.date():
            raise serializers.ValidationError("must lie between the years 2000 and 2100")
        return day


@extend_schema_field({"type": "number", "minimum": 0, "exclusiveMaximum": 1})
class DrawField(serializers.FloatField):
    """A JSON number from 0 up to, not including, 1."""

    def to_internal_value(self, data: Any) -> float:
        """The number. Raises ValidationError."""
        if type(data) not in (int, float) or not 0 <= data < 1:
            raise serializers.ValidationError("must be a number from 0 up to, not including, 1")
        return float(data)


class ConfidenceField(StrictIntegerField):
    """How sure the learner was, in per cent; 0 where nobody asked."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("help_text", "Per cent, said before the verdict: 40, 70 or 95; 0 = not said.")
        super().__init__(default=0, min_value=0, max_value=95, **options)

    def to_internal_value(self, data: Any) -> int:
        """The number. Raises ValidationError."""
        number = super().to_internal_value(data)
        if number not in CONFIDENCES:
            raise serializers.ValidationError(f"must be one of {', '.join(map(str, CONFIDENCES))}")
        return number


@extend_schema_field({"type": "string", "maxLength": 64, "examples": ["Europe/Berlin"]})
class TimeZoneField(StrictTextField):
    """An IANA time zone this server knows."""

    def to_internal_value(self, data: Any) -> str:
        """The name of the zone. Raises ValidationError."""
        if data not in zone_names():
            raise serializers.ValidationError("must be an IANA time zone such as Europe/Berlin")
        return str(data)


def uuid_of(text: Any) -> uuid.UUID | None:
    """The UUID written in the one form we take, else None."""
    return uuid.UUID(text) if isinstance(text, str) and _UUID.fullmatch(text) else None


def kind(value: Any) -> str:
    """The JSON name of a value's type."""
    names = {bool: "a boolean", int: "an integer", float: "a number", str: "a string", list: "an array"}
    return "null" if value is None else names.get(type(value), "an object")
