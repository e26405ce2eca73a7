"""Long work a learner asked for: how it stands. Knows no kind of work."""

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from studyhub.api.problems.problem import not_found
from studyhub.api.reading.fields import uuid_of
from studyhub.api.reading.requests import current_learner
from studyhub.api.schema.job_shapes import JOB, JobShape
from studyhub.api.schema.operations import answered, in_path, operation
from studyhub.operations import jobs
from studyhub.operations.models import Job

ID = in_path("job_id", {"type": "string", "format": "uuid"}, "The id of one of your jobs.")
ASK_AGAIN = "2"
"""Seconds after which it is worth asking again."""


class OneJob(APIView):
    """GET a job."""

    @operation("get_job", {200: JobShape}, parameters=[ID], examples=[answered("Done", JOB)])
    def get(self, request: Request, job_id: str) -> Response:
        """How long work stands; `state` done and failed are ends. Until then Retry-After says when to ask."""
        found = uuid_of(job_id)
        job = jobs.status(found, current_learner(request)) if found else None
        if job is None:
            raise not_found("no such job", "job_id")
        return Response(job_json(job), headers={} if job.ended else {"Retry-After": ASK_AGAIN})


def job_json(job: Job) -> dict[str, Any]:
    """A job as the API tells it."""
    return {
        "id": job.pk,
        "kind": job.kind,
        "state": job.state,
        "progress": job.progress,
        "code": job.code,
        "reason": job.reason,
        "result": job.result,
        "created_at": job.created_at,
        "started_at": job.started_at,
        "finished_at": job.finished_at,
    }
