"""The events of a sync, read one by one: a fault of one says nothing of the others. Knows no ledger."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from rest_framework import serializers

from studyhub.api.reading.bodies import (
    CARD_EVENTS,
    MAX_DEVICE,
    CardEventBody,
    ResponseBody,
    ReviewBody,
    SaidBody,
    VoidBody,
)
from studyhub.api.reading.fields import (
    MAX_COUNT,
    MAX_SAFE_INTEGER,
    ConfidenceField,
    DayField,
    DrawField,
    MomentField,
    StrictChoiceField,
    StrictIntegerField,
    StrictListField,
    StrictSerializer,
    StrictTextField,
    StrictUUIDField,
    TimeZoneField,
    kind,
)
from studyhub.study.rating import RATINGS

MOST_EVENTS = 200
REVIEW, VOID = "review", "void"
TYPES = (REVIEW, VOID, *CARD_EVENTS)


class SyncVoidBody(VoidBody):
    """An undo, which names what it undoes."""

    review = StrictUUIDField(help_text="The id of the line that is undone.")


class SyncCardEventBody(CardEventBody):
    """An event, which names its card."""

    card = StrictUUIDField()


class SyncEventBody(StrictSerializer):
    """An event as it is sent: `type` says which members belong to it. The schema's; it reads nothing."""

    type = StrictChoiceField(choices=TYPES)
    id = StrictUUIDField(help_text="Made by the client once and for all; send the same body with it again.")
    attempt = StrictUUIDField(required=False, help_text="review: the attempt that is rated, or else a card.")
    card = StrictUUIDField(required=False, help_text="All but void.")
    card_version = StrictIntegerField(required=False, min_value=1, max_value=MAX_COUNT)
    variant_seed = StrictIntegerField(required=False, min_value=0, max_value=MAX_SAFE_INTEGER)
    response = ResponseBody(required=False)
    rating = StrictChoiceField(required=False, choices=tuple(RATINGS))
    confidence = ConfidenceField()
    draw = DrawField(required=False)
    elapsed_ms = StrictIntegerField(required=False, min_value=0, max_value=MAX_COUNT)
    review = StrictUUIDField(required=False, help_text="void: the line that is undone.")
    target_day = DayField(required=False, help_text="bury, set_due.")
    answered_at = MomentField(required=False, help_text="By the client's clock, with its zone.")
    time_zone = TimeZoneField(required=False, max_length=64)
    device = StrictTextField(required=False, max_length=MAX_DEVICE, allow_blank=True)
    device_sequence = StrictIntegerField(required=False, min_value=0, max_value=MAX_SAFE_INTEGER)


class EventsField(StrictListField):
    """At most 200 values, none of them looked into."""

    def to_internal_value(self, data: Any) -> list[Any]:
        """The values as sent. Raises ValidationError for what is no array."""
        if not isinstance(data, list):
            raise serializers.ValidationError(f"must be an array, not {kind(data)}")
        return data


class SyncBody(StrictSerializer):
    """What a device did since it last reached the service."""

    events = EventsField(
        child=SyncEventBody(), max_length=MOST_EVENTS, help_text="In any order; each stands alone."
    )


class Event(NamedTuple):
    """A valid event: its type and members, and the body as it was sent."""

    type: str
    data: dict[str, Any]
    body: Mapping[str, Any]


class EventReader:
    """Reads events with bodies that are made once."""

    def __init__(self) -> None:
        self._bodies: dict[str, SaidBody | ReviewBody] = {REVIEW: ReviewBody(), VOID: SyncVoidBody()}
        self._bodies |= dict.fromkeys(CARD_EVENTS, SyncCardEventBody())

    def read(self, event: Any) -> Event:
        """The event. Raises ValidationError."""
        if not isinstance(event, dict):
            raise serializers.ValidationError({"type": [f"an event must be an object, not {kind(event)}"]})
        named = event.get("type")
        if not isinstance(named, str) or named not in TYPES:
            raise serializers.ValidationError({"type": [f"must be one of {', '.join(TYPES)}"]})
        members = {name: value for name, value in event.items() if name != "type"}
        if "kind" in members:
            raise serializers.ValidationError({"kind": ["is not a field here; `type` says it"]})
        given = members | ({"kind": named} if named in CARD_EVENTS else {})
        return Event(named, dict(self._bodies[named].run_validation(given)), members)
