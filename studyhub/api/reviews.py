"""Ratings of answers, and their taking back. Waits for no worker."""

from datetime import datetime
from typing import Any

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from studyhub.api.problems.problem import not_found
from studyhub.api.reading.bodies import ReviewBody, VoidBody
from studyhub.api.reading.fields import uuid_of
from studyhub.api.reading.owned import own_attempt
from studyhub.api.reading.requests import current_learner, valid_body
from studyhub.api.schema import examples
from studyhub.api.schema.operations import answered, in_path, operation, sent
from studyhub.api.schema.shapes import ReviewShape, VoidShape
from studyhub.delivery.verdicts import settled
from studyhub.study.asked import asked_version
from studyhub.study.models import Learner, Review
from studyhub.study.queue import intervals_of
from studyhub.study.rating import RATINGS
from studyhub.study.reviews import ReviewSubmission, record_review, void_review

ID = in_path("review_id", {"type": "string", "format": "uuid"}, "The id of one of your reviews.")


class Reviews(APIView):
    """POST a rating."""

    throttle_scope = "reviews"

    @operation(
        "post_review",
        {201: ReviewShape, 200: ReviewShape},
        body=ReviewBody,
        problems=[429],
        examples=[
            sent("Of an attempt", examples.REVIEW_SENT),
            sent("Offline, with its answer", examples.REVIEW_OFFLINE),
            answered("Stored", examples.REVIEW, 201),
            answered("The same id again", examples.REVIEW, 200),
        ],
    )
    def post(self, request: Request) -> Response:
        """Stores a rating and says when the card comes back; the same id again answers 200 with the same."""
        body, learner, now = valid_body(ReviewBody, request), current_learner(request), timezone.now()
        review, created = record_review(learner, _submission(learner, body, dict(request.data)), now=now)
        if created and "attempt" not in body and review.attempt:
            settled(review.attempt, now=now)  # a program that came along is asked for, not waited for
        return Response(_outcome(review), status=201 if created else 200)


class ReviewVoid(APIView):
    """POST the taking back of a review."""

    throttle_scope = "reviews"

    @operation(
        "void_review",
        {201: VoidShape, 200: VoidShape},
        body=VoidBody,
        problems=[429],
        parameters=[ID],
        examples=[sent("Undo", examples.VOID_SENT), answered("Taken back", examples.VOID, 201)],
    )
    def post(self, request: Request, review_id: str) -> Response:
        """Appends a void: the review stays in the ledger and counts no more."""
        body, learner, now = valid_body(VoidBody, request), current_learner(request), timezone.now()
        review = _own_review(learner, review_id)
        void, created = void_review(learner, review, client_id=body["id"], now=now)
        after = {**_standing(void), "intervals": intervals_of(learner, review.card, now)}
        return Response({"review": review.client_id, **after}, status=201 if created else 200)


def _submission(learner: Learner, body: dict[str, Any], sent_body: dict[str, Any]) -> ReviewSubmission:
    """The body as the study room takes it: with the attempt it names, or with the answer it carries."""
    attempt = own_attempt(learner, body["attempt"]) if "attempt" in body else None
    return ReviewSubmission(
        client_id=body["id"],
        rating=RATINGS[body["rating"]],
        answered_at=body["answered_at"],
        time_zone=body["time_zone"],
        device=body["device"],
        device_sequence=body["device_sequence"],
        elapsed_ms=body["elapsed_ms"],
        attempt=attempt,
        version=None if attempt else asked_version(learner, body["card"], number=body["card_version"]),
        variant_seed=body.get("variant_seed", 0),
        response=None if attempt else dict(body["response"]),
        body=sent_body,
    )


def _own_review(learner: Learner, review_id: str) -> Review:
    """The learner's review of the path. Raises Problem 404 for a missing or foreign one."""
    client_id = uuid_of(review_id)
    reviews = Review.objects.select_related("card").filter(learner=learner, kind=Review.Kind.REVIEW)
    found = reviews.filter(client_id=client_id).first() if client_id else None
    if found is None:
        raise not_found("no such review", "review_id")
    return found


def _outcome(review: Review) -> dict[str, Any]:
    """The stored outcome: the same however often it is asked for."""
    stored = review.outcome
    given = {"grade": stored["grade"], "intervals": stored["intervals"]}
    return {"review": review.client_id, **_standing(review), **given}


def _standing(line: Review) -> dict[str, Any]:
    """When the card comes back and its state, as of a line of the ledger."""
    due = line.outcome["due"]
    return {"due": datetime.fromisoformat(due) if due else None, "state": line.outcome["state"]}
