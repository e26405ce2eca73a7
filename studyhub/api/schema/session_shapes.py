"""What is answered about settings and catching up, as shapes for the schema. Fills in nothing."""

from rest_framework import serializers

from studyhub.api.schema.shapes import Shape


class ScheduleShape(Shape):
    """The rules of the schedule in force."""

    version = serializers.IntegerField(help_text="0 = built in; a change makes a new one.")
    learning_steps = serializers.ListField(child=serializers.IntegerField(), help_text="Seconds.")
    relearning_steps = serializers.ListField(child=serializers.IntegerField(), help_text="Seconds.")
    maximum_interval = serializers.IntegerField(help_text="Days.")
    leech_after = serializers.IntegerField(help_text="Lapses; 0 = never.")
    leech_suspends = serializers.BooleanField()


class SettingsShape(Shape):
    """Everything a learner sets."""

    desired_retention = serializers.FloatField()
    deck_retention = serializers.DictField(
        child=serializers.FloatField(), help_text="By slug, of decks that aim at another recall."
    )
    new_per_day = serializers.IntegerField()
    reviews_per_day = serializers.IntegerField(help_text="The cap of catching up; 0 = none.")
    rollover_hour = serializers.IntegerField()
    time_zone = serializers.CharField()
    easy_days = serializers.ListField(
        child=serializers.CharField(), help_text="normal, reduced or minimum, for Monday to Sunday."
    )
    spread_load = serializers.BooleanField()
    schedule = ScheduleShape()


class CapShape(Shape):
    """What a cap of reviews a day does."""

    per_day = serializers.IntegerField()
    days = serializers.IntegerField(help_text="Until nothing is left over at the end of a day.")
    last_day = serializers.DateField()
    forgotten_meanwhile = serializers.FloatField(
        help_text="Of the cards due now: how many more are forgotten by their turn than would be today."
    )


class CatchUpShape(Shape):
    """What waits after a break."""

    backlog = serializers.IntegerField(help_text="Reviews due now.")
    usual = serializers.IntegerField(
        help_text="Of a usual day: the median of the last 30 with any, 20 while fewer than five are known."
    )
    is_backlog = serializers.BooleanField(help_text="At least 30, and more than twice the usual.")
    cap = serializers.IntegerField(help_text="The cap now set; 0 = none.")
    options = CapShape(many=True)
