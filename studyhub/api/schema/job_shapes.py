"""Jobs and the interview with its plan, as shapes and examples for the schema. Fills in nothing."""

from typing import Any

from rest_framework import serializers

from studyhub.api.schema.shapes import Shape


class JobShape(Shape):
    """A piece of long work."""

    id = serializers.UUIDField()
    kind = serializers.CharField(help_text="fit, fit_34 or plan.")
    state = serializers.CharField(help_text="queued, running, done or failed.")
    progress = serializers.IntegerField(help_text="Per cent.")
    code = serializers.CharField(
        allow_blank=True, help_text="Of a failure: refused, error, worker-lost or expired."
    )
    reason = serializers.CharField(allow_blank=True, help_text="A sentence on the last trouble.")
    result = serializers.DictField(help_text="Of a job that is done; its members are its kind's.")
    created_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)


class CourseShape(Shape):
    """What a retention with a pace leads to."""

    retention = serializers.FloatField()
    new_per_day = serializers.IntegerField()
    expected = serializers.FloatField(help_text="Cards recalled on the day, on average.")
    low = serializers.IntegerField(help_text="In 9 of 10 cases it is this many or more ...")
    high = serializers.IntegerField(help_text="... and this many or fewer.")
    minutes = serializers.FloatField(help_text="A day, on average.")
    unseen = serializers.IntegerField(help_text="New cards that are not met before the day.")


class PlanShape(Shape):
    """The retention and pace that leave most in mind on the day."""

    desired_retention = serializers.FloatField()
    new_per_day = serializers.IntegerField()
    expected = serializers.FloatField(help_text="Cards recalled on the day, on average.")
    low = serializers.IntegerField()
    high = serializers.IntegerField()
    minutes = serializers.FloatField()
    cards = serializers.IntegerField()
    new_left = serializers.IntegerField(help_text="Cards never answered so far.")
    unseen = serializers.IntegerField()
    finish_day = serializers.DateField(allow_null=True, help_text="When the last new card is met, if it is.")
    curve = CourseShape(many=True, help_text="The best pace at each retention.")
    now = CourseShape(help_text="What the present settings lead to.")
    sentences = serializers.ListField(child=serializers.CharField())
    made_on = serializers.DateField(help_text="The study day it was made on; it is made again every day.")
    seed = serializers.IntegerField()


class InterviewShape(Shape):
    """The day a learner prepares for; day is null where there is none."""

    day = serializers.DateField(allow_null=True)
    minutes_per_day = serializers.IntegerField()
    topics = serializers.ListField(child=serializers.CharField(), help_text="Slugs; none = all topics.")
    plan = PlanShape(required=False, help_text="Missing until it is made.")
    planned_at = serializers.DateTimeField(allow_null=True)
    in_use = serializers.BooleanField(help_text="The plan's pair is what new answers are scheduled by.")
    can_undo = serializers.BooleanField(help_text="A plan was put to use, and what was before is kept.")
    job = JobShape(
        required=False, help_text="The making of the plan, while it is under way or where it failed."
    )


JOB: dict[str, Any] = {
    "id": "0192f0c3-2a10-7b4f-8c3d-6e5f4a3b2c1d",
    "kind": "plan",
    "state": "done",
    "progress": 100,
    "code": "",
    "reason": "",
    "result": {"desired_retention": 0.94, "new_per_day": 9, "expected": 205.9, "cards": 216},
    "created_at": "2026-11-30T08:15:00Z",
    "started_at": "2026-11-30T08:15:00Z",
    "finished_at": "2026-11-30T08:15:02Z",
}
_COURSE = {
    "retention": 0.94,
    "new_per_day": 9,
    "expected": 205.9,
    "low": 189,
    "high": 213,
    "minutes": 16.0,
    "unseen": 0,
}
INTERVIEW_SENT = {"day": "2026-12-30", "minutes_per_day": 20, "topics": ["d-head"]}
INTERVIEW: dict[str, Any] = {
    **INTERVIEW_SENT,
    "plan": {
        "desired_retention": 0.94,
        **{name: value for name, value in _COURSE.items() if name != "retention"},
        "cards": 216,
        "new_left": 216,
        "finish_day": "2026-12-23",
        "curve": [_COURSE],
        "now": _COURSE
        | {"retention": 0.9, "new_per_day": 20, "expected": 204.8, "low": 188, "minutes": 15.1},
        "sentences": [
            "216 of 216 cards are still new. At 9 a day you finish on 23 December.",
            "On 30 December expect to recall 206 of 216 cards; 9 times of 10 it is 189 to 213.",
        ],
        "made_on": "2026-11-30",
        "seed": 1,
    },
    "planned_at": "2026-11-30T08:15:02Z",
    "in_use": False,
    "can_undo": False,
}
INTERVIEW_QUEUED = {name: value for name, value in INTERVIEW.items() if name != "plan"} | {
    "planned_at": None,
    "job": JOB | {"state": "queued", "progress": 0, "result": {}, "started_at": None, "finished_at": None},
}
