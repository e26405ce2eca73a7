"""The interview a learner prepares for and its plan. Plans nothing itself: that is a worker's job."""

from typing import Any

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from studyhub.api.jobs import job_json
from studyhub.api.problems.problem import Problem, as_problem, invalid, not_found
from studyhub.api.reading.fields import (
    DayField,
    StrictBooleanField,
    StrictIntegerField,
    StrictListField,
    StrictSerializer,
    StrictTextField,
)
from studyhub.api.reading.requests import current_learner, valid_body
from studyhub.api.schema.job_shapes import (
    INTERVIEW,
    INTERVIEW_QUEUED,
    INTERVIEW_SENT,
    InterviewShape,
)
from studyhub.api.schema.operations import answered, operation, sent
from studyhub.operations import jobs
from studyhub.operations.models import Job
from studyhub.study.interviews import (
    MOST_DAYS,
    MOST_MINUTES,
    InvalidInterview,
    NoPlan,
    chosen_by,
    clear_interview,
    interview_of,
    planned_by,
    set_interview,
    undo_plan,
    use_plan,
)
from studyhub.study.models import Interview, Learner

MOST_TOPICS = 200
KEPT_APART = ("previous",)
"""Members of a stored plan that are told as `can_undo`."""


class InterviewBody(StrictSerializer):
    """A day to prepare for."""

    day = DayField(help_text=f"By the learner's calendar: from tomorrow to {MOST_DAYS} days ahead.")
    minutes_per_day = StrictIntegerField(min_value=1, max_value=MOST_MINUTES)
    topics = StrictListField(
        child=StrictTextField(max_length=80),
        default=list,
        max_length=MOST_TOPICS,
        help_text="Slugs of the topics it is about; none = all.",
    )


class UseBody(StrictSerializer):
    """The putting to use of a plan, or its taking back."""

    undo = StrictBooleanField(help_text="true: put back what was before the plan came to use.")


class TheInterview(APIView):
    """The one interview of a learner."""

    throttle_scope = "jobs"

    def get_throttles(self) -> list[Any]:
        """Only what has a plan made is counted."""
        return super().get_throttles() if self.request.method == "PUT" else []

    @operation("get_interview", {200: InterviewShape}, examples=[answered("With its plan", INTERVIEW)])
    def get(self, request: Request) -> Response:
        """The interview with the plan last made for it; `day` is null where none is set."""
        return Response(interview_json(current_learner(request)))

    @operation(
        "put_interview",
        {202: InterviewShape, 200: InterviewShape},
        body=InterviewBody,
        problems=[429],
        examples=[
            sent("In a month", INTERVIEW_SENT),
            answered("The plan is being made", INTERVIEW_QUEUED, 202),
            answered("The same again", INTERVIEW, 200),
        ],
    )
    def put(self, request: Request) -> Response:
        """Sets the interview and has a plan made for it: 202 until there is one.

        The same again changes nothing. Another day, time or topics drop the plan there was.
        """
        body, learner, now = valid_body(InterviewBody, request), current_learner(request), timezone.now()
        interview = set_interview(learner, **body, now=now)
        if interview.planned_at is None:
            jobs.enqueue("plan", learner, now=now)
        status = 202 if interview.planned_at is None else 200
        return Response(interview_json(learner), status=status)

    @operation("delete_interview", {200: InterviewShape}, problems=[403])
    def delete(self, request: Request) -> Response:
        """Forgets the interview and its plan; settings stay as they are. Again, it changes nothing."""
        learner = current_learner(request)
        clear_interview(learner)
        return Response(interview_json(learner))


class InterviewUse(APIView):
    """POST the putting to use of the plan."""

    @operation(
        "use_interview_plan",
        {200: InterviewShape},
        body=UseBody,
        examples=[sent("Use it", {"undo": False}), answered("In use", INTERVIEW | {"in_use": True})],
    )
    def post(self, request: Request) -> Response:
        """Sets desired retention and new cards a day as planned, or (`undo`) as they were before.

        No due date moves. Where there is nothing to use or take back it is 404 not-found.
        """
        body, learner = valid_body(UseBody, request), current_learner(request)
        (undo_plan if body["undo"] else use_plan)(learner, timezone.now())
        return Response(interview_json(learner))


def interview_json(learner: Learner) -> dict[str, Any]:
    """The interview as the API tells it; all empty where there is none."""
    interview = interview_of(learner)
    if interview is None:
        nothing: dict[str, Any] = {"day": None, "minutes_per_day": 0, "topics": [], "planned_at": None}
        return {**nothing, "in_use": False, "can_undo": False}
    return {
        "day": interview.day,
        "minutes_per_day": interview.minutes_per_day,
        "topics": interview.topics,
        "planned_at": interview.planned_at,
        "can_undo": "previous" in interview.plan,
        **_plan(learner, interview),
        **_job(learner, interview),
    }


def _plan(learner: Learner, interview: Interview) -> dict[str, Any]:
    """The plan, where one is made, and whether it is what the learner has."""
    if interview.planned_at is None:
        return {"in_use": False}
    in_use = chosen_by(learner) == planned_by(interview)
    plan = {name: value for name, value in interview.plan.items() if name not in KEPT_APART}
    return {"in_use": in_use, "plan": plan}


def _job(learner: Learner, interview: Interview) -> dict[str, Any]:
    """The latest making of a plan, while it is under way, or where it left none."""
    job = Job.objects.filter(learner=learner, kind="plan").order_by("-created_at").first()
    failed = job is not None and job.state == Job.State.FAILED and interview.planned_at is None
    return {"job": job_json(job)} if job and (failed or not job.ended) else {}


@as_problem.register
def _(error: InvalidInterview) -> Problem:
    return invalid(error.field, str(error))


@as_problem.register
def _(error: NoPlan) -> Problem:
    return not_found(str(error))
