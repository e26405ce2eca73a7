"""What clients send: names, types and lengths. Whether an answer is right is not known here."""

from typing import Any

from rest_framework import serializers

from cards.answer_types import ANSWER_TYPES
from cards.grading import LONGEST_ID, LONGEST_TABLE, LONGEST_TEXT, MOST_PARTS
from cards.inline import MOST_MISTAKES
from studyhub.api.reading.fields import (
    MAX_COUNT,
    MAX_SAFE_INTEGER,
    ConfidenceField,
    DayField,
    DrawField,
    MomentField,
    StrictBooleanField,
    StrictChoiceField,
    StrictIntegerField,
    StrictListField,
    StrictSerializer,
    StrictTextField,
    StrictUUIDField,
    TimeZoneField,
    kind,
)
from studyhub.study.putting import EVENTS
from studyhub.study.rating import RATINGS

MAX_DEVICE = 64
CARD_EVENTS = tuple(map(str, EVENTS))


class CellsField(serializers.DictField):
    """An object of at most 64 strings; how long they may be together is grading's business."""

    child = StrictTextField(max_length=LONGEST_TEXT, allow_blank=True)

    def to_internal_value(self, data: Any) -> Any:
        """The cells. Raises ValidationError."""
        if isinstance(data, dict) and len(data) > MOST_PARTS:
            raise serializers.ValidationError(f"has {len(data)} members; at most {MOST_PARTS} are taken")
        if isinstance(data, dict) and any(len(key) > LONGEST_ID for key in data):
            raise serializers.ValidationError(f"has a name longer than {LONGEST_ID} characters")
        return super().to_internal_value(data)


def _ids(what: str) -> StrictListField:
    """A list of ids of options or items."""
    return StrictListField(
        child=StrictTextField(max_length=LONGEST_ID),
        required=False,
        max_length=MOST_PARTS,
        help_text=f"Ids of `input.{what}`.",
    )


class ResponseBody(StrictSerializer):
    """A response, flat: the card's `answer_type` says which member is read."""

    text = StrictTextField(
        required=False,
        max_length=LONGEST_TEXT,
        allow_blank=True,
        help_text="What was typed.",
    )
    choices = _ids("options")
    order = _ids("items")
    cells = CellsField(required=False, help_text=f"Name to text (tables), {LONGEST_TABLE} characters in all.")
    revealed = StrictBooleanField(required=False, help_text="The answer was looked at (reveal).")


class AttemptBody(StrictSerializer):
    """An answer to one card."""

    id = StrictUUIDField(help_text="Made by the client; the same id again gives the stored outcome.")
    card = StrictUUIDField()
    card_version = StrictIntegerField(min_value=1, max_value=MAX_COUNT)
    variant_seed = StrictIntegerField(min_value=0, max_value=MAX_SAFE_INTEGER, default=0)
    response = ResponseBody()
    elapsed_ms = StrictIntegerField(
        min_value=0,
        max_value=MAX_COUNT,
        default=0,
        help_text="Of thinking; 0 where it is not known, as when the card was out of sight meanwhile.",
    )
    assisted = StrictBooleanField(default=False, help_text="A hint was taken first.")
    practice = StrictBooleanField(
        default=False, help_text="Answered without effect on the schedule: it is not rated."
    )
    confidence = ConfidenceField()
    time_zone = TimeZoneField(
        max_length=64,
        default="",
        help_text="Where the learner is, for the intervals that are offered; else the zone sent last.",
    )


class ReviewBody(StrictSerializer):
    """A rating of an attempt, or of an answer given offline that is sent along."""

    id = StrictUUIDField(help_text="Made by the client; the same id again gives the stored outcome.")
    attempt = StrictUUIDField(required=False, help_text="The attempt that is rated.")
    card = StrictUUIDField(required=False, help_text="Instead of `attempt`, with version and response.")
    card_version = StrictIntegerField(required=False, min_value=1, max_value=MAX_COUNT)
    variant_seed = StrictIntegerField(required=False, min_value=0, max_value=MAX_SAFE_INTEGER)
    response = ResponseBody(required=False)
    rating = StrictChoiceField(choices=tuple(RATINGS))
    answered_at = MomentField(help_text="By the client's clock, with its zone.")
    time_zone = TimeZoneField(max_length=64, help_text="Where the learner is; kept for what comes next.")
    device = StrictTextField(max_length=MAX_DEVICE, allow_blank=True, default="")
    device_sequence = StrictIntegerField(min_value=0, max_value=MAX_SAFE_INTEGER, default=0)
    elapsed_ms = StrictIntegerField(min_value=0, max_value=MAX_COUNT, default=0)
    confidence = ConfidenceField(help_text="As with an attempt; for an answer that is sent along.")
    draw = DrawField(required=False, help_text="As it came with the intervals: then they are what is given.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Either an attempt, or card, card_version and response. Raises ValidationError."""
        offline = {"card", "card_version", "response"}
        sent = {*offline, "variant_seed"} & set(attrs)
        if "attempt" in attrs and sent:
            raise serializers.ValidationError(
                {name: ["belongs to `attempt`; send one or the other"] for name in sorted(sent)}
            )
        if "attempt" not in attrs and not offline <= set(attrs):
            missing = {name: ["is needed where there is no `attempt`"] for name in offline - set(attrs)}
            raise serializers.ValidationError(missing)
        return attrs


class SaidBody(StrictSerializer):
    """When and where something was said; left out, it is here and now."""

    answered_at = MomentField(required=False, help_text="By the client's clock, with its zone.")
    time_zone = TimeZoneField(max_length=64, default="", help_text="Where the learner is; else as last sent.")
    device = StrictTextField(max_length=MAX_DEVICE, allow_blank=True, default="")
    device_sequence = StrictIntegerField(min_value=0, max_value=MAX_SAFE_INTEGER, default=0)


class VoidBody(SaidBody):
    """The taking back of a line of the ledger."""

    id = StrictUUIDField(help_text="The id of this void, made by the client.")


class CardEventBody(SaidBody):
    """Something done to a card that is no answer."""

    id = StrictUUIDField(help_text="Made by the client; the same id again changes nothing.")
    kind = StrictChoiceField(choices=CARD_EVENTS)
    target_day = DayField(required=False, help_text="With bury: hidden until it. With set_due: due on it.")


class TicksBody(StrictSerializer):
    """What a written answer says, by its writer."""

    choices = StrictListField(
        child=StrictTextField(max_length=LONGEST_ID),
        max_length=MOST_PARTS,
        help_text="Ids of `parts`: points made and red flags raised; or `none`, alone.",
    )


class SpecificationField(serializers.DictField):
    """An object as it stands in a card's front matter; what it may hold is read by its answer type."""

    def to_internal_value(self, data: Any) -> Any:
        """The object as sent. Raises ValidationError."""
        if not isinstance(data, dict):
            raise serializers.ValidationError(f"must be an object, not {kind(data)}")
        return data


class InlineGradeBody(StrictSerializer):
    """A question written out, and an answer to it."""

    answer_type = StrictChoiceField(choices=ANSWER_TYPES)
    answer = SpecificationField(help_text="As in a card's front matter; `type` may be left out.")
    mistakes = StrictListField(
        child=SpecificationField(), default=list, max_length=MOST_MISTAKES, help_text="{name, says, ...}."
    )
    parameters = SpecificationField(default=dict)
    seed = StrictIntegerField(min_value=0, max_value=MAX_SAFE_INTEGER, default=0)
    response = ResponseBody()


class ReadingBody(StrictSerializer):
    """What stands in one field of a card's answer."""

    card = StrictUUIDField()
    card_version = StrictIntegerField(min_value=1, max_value=MAX_COUNT)
    variant_seed = StrictIntegerField(min_value=0, max_value=MAX_SAFE_INTEGER, default=0)
    field = StrictTextField(max_length=LONGEST_ID + 8, default="text", help_text="text, or cells.<id>.")
    text = StrictTextField(max_length=LONGEST_TEXT, allow_blank=True)
