"""Ratings of answers, and their taking back. Waits for no worker."""

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from studyhub.api.lines_json import recent_json, review_json, said_of, standing_json, submission_of
from studyhub.api.problems.problem import not_found
from studyhub.api.reading.bodies import ReviewBody, VoidBody
from studyhub.api.reading.fields import uuid_of
from studyhub.api.reading.owned import own_attempt
from studyhub.api.reading.requests import current_learner, query_integer, valid_body
from studyhub.api.schema import examples
from studyhub.api.schema.operations import answered, in_path, operation, query, sent
from studyhub.api.schema.shapes import ReviewShape, VoidShape
from studyhub.api.schema.sync_shapes import RecentShape
from studyhub.delivery.verdicts import settled
from studyhub.study.asked import asked_version
from studyhub.study.asking.queue import intervals_of
from studyhub.study.models import Learner, Review
from studyhub.study.reviews import recent_lines, record_review, void_review

USUAL_LIMIT, MAX_LIMIT = 50, 200
LIMIT = query("limit", {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT}, "How many at most; 50.")
ID = in_path("review_id", {"type": "string", "format": "uuid"}, "The id of one of your reviews.")


class Reviews(APIView):
    """POST a rating; GET what can be undone."""

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
        attempt = own_attempt(learner, body["attempt"]) if "attempt" in body else None
        version = None if attempt else asked_version(learner, body["card"], number=body["card_version"])
        submission = submission_of(body, dict(request.data), attempt=attempt, version=version)
        review, created = record_review(learner, submission, now=now)
        if created and "attempt" not in body and review.attempt:
            settled(review.attempt, now=now)  # a program that came along is asked for, not waited for
        return Response(review_json(review), status=201 if created else 200)

    @operation(
        "list_recent",
        {200: RecentShape(many=True)},
        problems=[422],
        parameters=[LIMIT],
        examples=[answered("A rating", examples.RECENT[0])],
    )
    def get(self, request: Request) -> Response:
        """What can be undone: lines of the last 24 hours that count, of every device, received last first."""
        limit = query_integer(request, "limit", default=USUAL_LIMIT, lowest=1, highest=MAX_LIMIT)
        lines = recent_lines(current_learner(request), timezone.now(), limit)
        return Response([recent_json(line) for line in lines])


class ReviewVoid(APIView):
    """POST the taking back of a review, or of any other line but an undo."""

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
        """Appends a void: the line stays in the ledger and counts no more. Twice changes nothing.

        For 24 hours after the line was received, from any device; later it is 422 undo-refused.
        """
        body, learner, now = valid_body(VoidBody, request), current_learner(request), timezone.now()
        review = _own_review(learner, review_id)
        void, created = void_review(learner, review, client_id=body["id"], now=now, said=said_of(body))
        after = {**standing_json(void), "intervals": intervals_of(learner, review.card, now)}
        return Response({"review": review.client_id, **after}, status=201 if created else 200)


def _own_review(learner: Learner, review_id: str) -> Review:
    """The learner's line of the path. Raises Problem 404 for a missing or foreign one."""
    client_id = uuid_of(review_id)
    reviews = Review.objects.select_related("card").filter(learner=learner)
    found = reviews.filter(client_id=client_id).first() if client_id else None
    if found is None:
        raise not_found("no such review", "review_id")
    return found
