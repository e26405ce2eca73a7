"""Answers: stored once, graded once. Touches the database only."""

from datetime import datetime
from typing import Any

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from studyhub.api.reading.bodies import AttemptBody
from studyhub.api.reading.requests import current_learner, valid_body
from studyhub.api.schema import examples
from studyhub.api.schema.operations import answered, operation, sent
from studyhub.api.schema.shapes import AttemptShape
from studyhub.study.asked import asked_version
from studyhub.study.models import Attempt, Learner
from studyhub.study.queue import intervals_of
from studyhub.study.reviews import AttemptSubmission, record_attempt, suggestion_of


class Attempts(APIView):
    """POST an answer."""

    throttle_scope = "attempts"

    @operation(
        "post_attempt",
        {201: AttemptShape, 200: AttemptShape},
        body=AttemptBody,
        problems=[429],
        examples=[
            sent("A number", examples.ATTEMPT_SENT),
            answered("Wrong", examples.ATTEMPT, 201),
            answered("The same id again", examples.ATTEMPT, 200),
        ],
    )
    def post(self, request: Request) -> Response:
        """Grades and stores an answer; the same id again answers 200 with what was stored.

        An answer that cannot be read is 422 unreadable-answer and leaves nothing behind.
        """
        body, learner, now = valid_body(AttemptBody, request), current_learner(request), timezone.now()
        attempt, created = record_attempt(learner, _submission(learner, body), now=now)
        return Response(_outcome(attempt, now), status=201 if created else 200)


def _submission(learner: Learner, body: dict[str, Any]) -> AttemptSubmission:
    """The body as the study room takes it."""
    return AttemptSubmission(
        client_id=body["id"],
        version=asked_version(learner, body["card"], number=body["card_version"]),
        variant_seed=body["variant_seed"],
        response=dict(body["response"]),
        elapsed_ms=body["elapsed_ms"],
        assisted=body["assisted"],
        time_zone=body["time_zone"],
    )


def _outcome(attempt: Attempt, now: datetime) -> dict[str, Any]:
    """The stored grade, what rating suggests itself and why, and what each button would give."""
    suggestion = suggestion_of(attempt)
    return {
        "id": attempt.client_id,
        "grade": attempt.grade,
        "suggested_rating": suggestion.name,
        "reason": suggestion.reason,
        "intervals": intervals_of(attempt.learner, attempt.card_version.card, now),
    }
