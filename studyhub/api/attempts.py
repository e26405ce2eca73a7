"""Answers: stored once, graded once; a program waits a little for the worker that runs it."""

from datetime import datetime
from typing import Any

from django.urls import reverse
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from studyhub.api.reading.bodies import AttemptBody
from studyhub.api.reading.owned import attempt_in_path
from studyhub.api.reading.requests import current_learner, valid_body
from studyhub.api.schema import examples
from studyhub.api.schema.operations import answered, in_path, operation, sent
from studyhub.api.schema.shapes import AttemptShape
from studyhub.delivery.verdicts import LONGEST_WAIT, Settled, settled, shown
from studyhub.study.asked import asked_version
from studyhub.study.asking.offering import offer_of
from studyhub.study.models import Attempt, Learner
from studyhub.study.reviews import AttemptSubmission, record_attempt, suggestion_of

PRACTICE = "Practice: it is not rated, and no due date moves"
ID = in_path("attempt_id", {"type": "string", "format": "uuid"}, "The id of one of your attempts.")


class Attempts(APIView):
    """POST an answer."""

    throttle_scope = "attempts"

    @operation(
        "post_attempt",
        {201: AttemptShape, 202: AttemptShape, 200: AttemptShape},
        body=AttemptBody,
        problems=[429],
        examples=[
            sent("A number", examples.ATTEMPT_SENT),
            answered("Wrong", examples.ATTEMPT, 201),
            answered("A program that is still to be run", examples.ATTEMPT_PENDING, 202),
            answered("The same id again", examples.ATTEMPT, 200),
        ],
    )
    def post(self, request: Request) -> Response:
        """Grades and stores an answer; the same id again answers 200 with what was stored.

        A program is run by a worker, for which up to 2 s are waited; after that it is 202, stored, and
        `Location` says where its verdict can be asked for. An answer that cannot be read is 422
        unreadable-answer and leaves nothing behind.
        """
        body, learner, now = valid_body(AttemptBody, request), current_learner(request), timezone.now()
        attempt, created = record_attempt(learner, _submission(learner, body), now=now)
        found = settled(attempt, now=now, wait=LONGEST_WAIT if created else 0.0)
        return _answer(found, now, status=201 if created else 200)


class OneAttempt(APIView):
    """GET an answer with its grade."""

    @operation(
        "get_attempt",
        {200: AttemptShape},
        parameters=[ID],
        examples=[answered("Graded", examples.ATTEMPT)],
    )
    def get(self, request: Request, attempt_id: str) -> Response:
        """The stored answer's grade; a program's verdict where a worker has it by now.

        While `grade.pending` is worker, `grade.title` says why and Retry-After when to ask again.
        """
        now = timezone.now()
        found = settled(attempt_in_path(current_learner(request), attempt_id), now=now)
        return _answer(found, now, status=200, pending=200)


def _answer(found: Settled, now: datetime, *, status: int, pending: int = 202) -> Response:
    """The attempt; while a worker has still to run it, with the place to follow."""
    told = attempt_json(found.attempt, now)
    if not found.pending:
        return Response(told, status=status)
    where = reverse("api:attempt", args=[found.attempt.client_id])
    headers = {"Location": where, "Retry-After": str(found.retry_after)}
    return Response(told | {"grade": shown(found, told["grade"])}, status=pending, headers=headers)


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
        practice=body["practice"],
        confidence=body["confidence"],
    )


def attempt_json(attempt: Attempt, now: datetime) -> dict[str, Any]:
    """The stored grade, what rating suggests itself and why, and what each button would give.

    Practice is not rated, so there are no buttons.
    """
    told: dict[str, Any] = {"id": attempt.client_id, "grade": attempt.grade}
    if attempt.practice:
        return told | {"suggested_rating": "", "reason": PRACTICE}
    suggestion = suggestion_of(attempt)
    offered = offer_of(attempt.learner, attempt.card_version.card, now)
    return told | {
        "suggested_rating": suggestion.name,
        "reason": suggestion.reason,
        "draw": offered.draw,
        "intervals": offered.intervals,
    }
