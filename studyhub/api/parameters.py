"""Fits of the memory model, versions of the parameters, and their coming into force. Fits nothing itself."""

from dataclasses import asdict
from typing import Any

from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from studyhub.api.jobs import job_json
from studyhub.api.problems.problem import Problem, as_problem, not_found
from studyhub.api.reading.fields import (
    StrictBooleanField,
    StrictIntegerField,
    StrictSerializer,
    StrictUUIDField,
)
from studyhub.api.reading.requests import current_learner, valid_body
from studyhub.api.schema.job_shapes import JobShape
from studyhub.api.schema.operations import answered, in_path, operation, sent
from studyhub.api.schema.parameter_shapes import (
    ADOPT_SENT,
    DIFFERENCE,
    FIT_JOB,
    PARAMETERS,
    UNDO_SENT,
    AdoptionShape,
    DueDifferenceShape,
    ParametersShape,
)
from studyhub.operations import jobs
from studyhub.operations.models import Job
from studyhub.study.adopting import MOST_PER_DAY, CannotAdopt, adopt, difference, undo_adoption
from studyhub.study.models import Learner, Parameters
from studyhub.study.rules import BUILT_IN, UnknownVersion
from studyhub.study.schedules import rule_values

KINDS = {21: "fit", 34: "fit_34"}
"""The job that fits so many numbers."""
VERSION = in_path("version", {"type": "integer", "minimum": 0}, "The number of a version; 0 is built in.")


class AdoptBody(StrictSerializer):
    """The coming into force of a version."""

    id = StrictUUIDField(help_text="Made by the client; the same again moves nothing twice.")
    reschedule = StrictBooleanField(default=False, help_text="Move due days too; else none moves.")
    per_day = StrictIntegerField(
        default=0,
        min_value=0,
        max_value=MOST_PER_DAY,
        help_text="At most so many cards on a day; 0 = no limit.",
    )


class UndoBody(StrictSerializer):
    """The taking back of a version."""

    id = StrictUUIDField()
    version = StrictIntegerField(min_value=0, help_text="The version in force that is to go.")


class FitBody(StrictSerializer):
    """The asking for a fit."""

    numbers = StrictIntegerField(
        default=21,
        min_value=21,
        max_value=34,
        help_text="The model to fit, by the count of its numbers: 21 (one stability, whole days) or 34 (two "
        "stabilities, real time; offered only where it predicts better than 21 fitted to the same reviews).",
    )

    def validate_numbers(self, count: int) -> int:
        """Raises ValidationError for a count between the two."""
        if count not in KINDS:
            raise serializers.ValidationError(f"no model has {count} numbers; send 21 or 34")
        return count


class Fits(APIView):
    """POST the asking for a fit."""

    @operation(
        "post_fit",
        {202: JobShape},
        body=FitBody,
        examples=[sent("A fit", {"numbers": 21}), answered("Waiting for a worker", FIT_JOB, 202)],
    )
    def post(self, request: Request) -> Response:
        """Has the numbers fitted to your reviews; one that is under way already is answered as it is.

        The job's result says whether new numbers predict better, on how many held-out reviews, and as which
        `version` they are offered (0 = none). Nothing changes until you adopt it.
        """
        kind = KINDS[valid_body(FitBody, request)["numbers"]]
        job = jobs.enqueue(kind, current_learner(request), now=timezone.now())
        return Response(job_json(job), status=202)


class Versions(APIView):
    """GET the versions of the parameters."""

    @operation("get_parameters", {200: ParametersShape}, examples=[answered("A fit is offered", PARAMETERS)])
    def get(self, request: Request) -> Response:
        """Every version with its report, which one is in force, and what the latest fit said."""
        return Response(parameters_json(current_learner(request)))


class VersionDifference(APIView):
    """GET what rescheduling would do."""

    @operation(
        "get_parameters_difference",
        {200: DueDifferenceShape},
        parameters=[VERSION],
        examples=[answered("Some come sooner", DIFFERENCE)],
    )
    def get(self, request: Request, version: int) -> Response:
        """Cards due on each of 30 days, now and if rescheduled under this version. Changes nothing."""
        return Response(asdict(difference(current_learner(request), version, timezone.now())))


class Adoption(APIView):
    """POST the coming into force of a version."""

    @operation(
        "adopt_parameters",
        {200: AdoptionShape},
        body=AdoptBody,
        parameters=[VERSION],
        examples=[sent("And reschedule", ADOPT_SENT), answered("In force", {"version": 1, "moved": 64})],
    )
    def post(self, request: Request, version: int) -> Response:
        """Puts a version in force. What is known of each card changes at once; due days only if asked."""
        body, learner, now = valid_body(AdoptBody, request), current_learner(request), timezone.now()
        wish = {"reschedule": body["reschedule"], "per_day": body["per_day"]}
        return Response(asdict(adopt(learner, version, now=now, client_id=body["id"], **wish)))


class AdoptionUndo(APIView):
    """POST the taking back of a version."""

    @operation(
        "undo_parameters",
        {200: AdoptionShape},
        body=UndoBody,
        examples=[sent("Undo", UNDO_SENT), answered("The one before", {"version": 0, "moved": 64})],
    )
    def post(self, request: Request) -> Response:
        """Goes back to the version this one was made from; days that it moved come back.

        Where another version is in force by now nothing changes.
        """
        body, learner, now = valid_body(UndoBody, request), current_learner(request), timezone.now()
        return Response(asdict(undo_adoption(learner, body["version"], now=now, client_id=body["id"])))


def parameters_json(learner: Learner) -> dict[str, Any]:
    """The versions as the API tells them."""
    rows = Parameters.objects.filter(learner=learner).order_by("-version")
    done = Job.objects.filter(learner=learner, kind__in=jobs.FITS, state=Job.State.DONE)
    last = done.order_by("-finished_at").first()
    return {
        "current": learner.parameters_version,
        "versions": [*map(_version, rows), _built_in()],
        "last_fit": last.result if last else {},
    }


def _version(row: Parameters) -> dict[str, Any]:
    names = ("version", "origin", "based_on", "numbers", "report", "created_at")
    rules = ("learning_steps", "relearning_steps", "maximum_interval", "leech_after", "leech_suspends")
    return {name: getattr(row, name) for name in (*names, *rules)}


def _built_in() -> dict[str, Any]:
    rules = BUILT_IN[0]
    made = {"version": 0, "origin": "built_in", "based_on": 0, "report": {}, "created_at": None}
    return {**made, "numbers": list(rules.parameters), **rule_values(rules)}


@as_problem.register
def _(error: CannotAdopt) -> Problem:
    return not_found(str(error), "version")


@as_problem.register
def _(error: UnknownVersion) -> Problem:
    return not_found(str(error.args[0]), "version")
