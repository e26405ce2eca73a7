"""Versions of the parameters, fits and what rescheduling would do, as shapes and examples."""

from typing import Any

from rest_framework import serializers

from studyhub.api.schema.job_shapes import JOB
from studyhub.api.schema.shapes import Shape


class VersionShape(Shape):
    """A version of the parameters; it never changes."""

    version = serializers.IntegerField(help_text="0 is built in.")
    origin = serializers.CharField(help_text="built_in, fit or edit.")
    based_on = serializers.IntegerField(help_text="The version it was made from: what an undo goes back to.")
    numbers = serializers.ListField(child=serializers.FloatField())
    learning_steps = serializers.ListField(child=serializers.IntegerField(), help_text="Seconds.")
    relearning_steps = serializers.ListField(child=serializers.IntegerField(), help_text="Seconds.")
    maximum_interval = serializers.IntegerField(help_text="Days.")
    leech_after = serializers.IntegerField(help_text="Lapses; 0 = never.")
    leech_suspends = serializers.BooleanField()
    report = serializers.DictField(
        help_text="Of a fit: outcome, reason, counts, scores on held-out reviews by who foretold them "
        "(defaults, current, fitted, average, moving_average, and beside 34 numbers one_stability, the 21 "
        "fitted to the same reviews), differences with 95 % intervals; else empty."
    )
    created_at = serializers.DateTimeField(allow_null=True)


class ParametersShape(Shape):
    """All versions, newest first, the built-in one last."""

    current = serializers.IntegerField(help_text="The version in force.")
    versions = VersionShape(many=True)
    last_fit = serializers.DictField(
        help_text="The report of the latest fit that ended; empty before the first."
    )


class DayLoadShape(Shape):
    """Cards due on one day."""

    day = serializers.DateField()
    now = serializers.IntegerField()
    then = serializers.IntegerField(help_text="If rescheduled, without a limit a day.")


class DueDifferenceShape(Shape):
    """What rescheduling under a version would do."""

    version = serializers.IntegerField()
    cards = serializers.IntegerField(help_text="Cards that have an interval of days.")
    moved = serializers.IntegerField()
    sooner = serializers.IntegerField()
    later = serializers.IntegerField()
    overdue_now = serializers.IntegerField()
    overdue_then = serializers.IntegerField(help_text="Due at once, if rescheduled without a limit a day.")
    days = DayLoadShape(many=True, help_text="Today and the 29 days after it.")


class AdoptionShape(Shape):
    """What is in force now."""

    version = serializers.IntegerField()
    moved = serializers.IntegerField(help_text="Cards whose due day was moved, or moved back.")


REPORT: dict[str, Any] = {
    "outcome": "better",
    "reason": "Better: the fitted numbers predict better than the built-in ones: "
    "0.3312 against 0.3410 on 412 held-out reviews.",
    "reviews": 1204,
    "terms": 912,
}
BUILT_IN: dict[str, Any] = {
    "version": 0,
    "origin": "built_in",
    "based_on": 0,
    "numbers": [0.212, 1.2931, 2.3065, 8.2956],
    "learning_steps": [60, 600],
    "relearning_steps": [600],
    "maximum_interval": 36500,
    "leech_after": 8,
    "leech_suspends": False,
    "report": {},
    "created_at": None,
}
PARAMETERS: dict[str, Any] = {
    "current": 0,
    "versions": [
        BUILT_IN | {"version": 1, "origin": "fit", "report": REPORT, "created_at": "2026-11-30T08:15:02Z"},
        BUILT_IN,
    ],
    "last_fit": REPORT | {"version": 1},
}
DIFFERENCE: dict[str, Any] = {
    "version": 1,
    "cards": 210,
    "moved": 64,
    "sooner": 41,
    "later": 23,
    "overdue_now": 3,
    "overdue_then": 19,
    "days": [{"day": "2026-11-30", "now": 12, "then": 14}],
}
ADOPT_SENT = {"id": "0192f0c3-2a10-7b4f-8c3d-6e5f4a3b2c1e", "reschedule": True, "per_day": 60}
UNDO_SENT = {"id": "0192f0c3-2a10-7b4f-8c3d-6e5f4a3b2c1f", "version": 1}
FIT_JOB = JOB | {"kind": "fit", "state": "queued", "progress": 0, "result": {}, "started_at": None}
FIT_JOB = FIT_JOB | {"finished_at": None}
