"""What syncing answers, as shapes for the schema. Fills in nothing."""

from rest_framework import serializers

from studyhub.api.schema.session_shapes import SettingsShape
from studyhub.api.schema.shapes import GradeShape, IntervalsShape, ProblemShape, Shape


class LineShape(Shape):
    """A stored line of the ledger, and where it left its card."""

    review = serializers.UUIDField(help_text="The id of the line.")
    kind = serializers.CharField(help_text="suspend, unsuspend, reset, bury, set_due or void.")
    due = serializers.DateTimeField(allow_null=True)
    state = serializers.CharField()


class StoredShape(Shape):
    """What the event's own address answers: a review with grade and intervals, others with kind."""

    review = serializers.UUIDField()
    kind = serializers.CharField(required=False)
    due = serializers.DateTimeField(allow_null=True)
    state = serializers.CharField()
    grade = GradeShape(required=False)
    intervals = IntervalsShape(required=False)


class OutcomeShape(Shape):
    """What became of one event: a body if it is stored (201 now, 200 before), else a problem."""

    id = serializers.CharField(allow_blank=True, help_text="The event's, empty where it had none to read.")
    status = serializers.IntegerField()
    body = StoredShape(required=False)
    problem = ProblemShape(required=False)


class OutcomesShape(Shape):
    """One outcome for every event, in the order sent."""

    outcomes = OutcomeShape(many=True)


class ChangedShape(Shape):
    """A card's memory as it is now."""

    card = serializers.UUIDField()
    state = serializers.CharField(help_text="new, learning, review or relearning.")
    due = serializers.DateTimeField(allow_null=True)
    suspended = serializers.BooleanField()
    buried_until = serializers.DateField(allow_null=True, help_text="Not asked before this study day.")
    lapses = serializers.IntegerField()
    leech = serializers.BooleanField(help_text="Lapsed so often that it is worth another wording.")


class ChangesShape(Shape):
    """What has changed since a cursor."""

    cursor = serializers.CharField(help_text="Where to go on; opaque.")
    more = serializers.BooleanField()
    memories = ChangedShape(many=True)
    settings = SettingsShape()


class RecentShape(Shape):
    """A line of the last day, of any device, that can be undone."""

    review = serializers.UUIDField()
    kind = serializers.CharField(help_text="review, suspend, unsuspend, reset, bury or set_due.")
    card = serializers.UUIDField()
    rating = serializers.CharField(allow_blank=True, help_text="Empty but for a review.")
    answered_at = serializers.DateTimeField()
    received_at = serializers.DateTimeField()
    clock_adjusted = serializers.BooleanField(help_text="The device's clock was ahead; receipt counts.")
    device = serializers.CharField(allow_blank=True)
    undo_until = serializers.DateTimeField()
