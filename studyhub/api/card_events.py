"""What is done to a card beside answering it: suspend, bury, set its due day, begin anew."""

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from studyhub.api.lines_json import event_json, said_of
from studyhub.api.problems.problem import not_found
from studyhub.api.reading.bodies import CardEventBody
from studyhub.api.reading.fields import uuid_of
from studyhub.api.reading.requests import current_learner, valid_body
from studyhub.api.schema import examples
from studyhub.api.schema.operations import answered, in_path, operation, sent
from studyhub.api.schema.sync_shapes import LineShape
from studyhub.study.asked import NotAsked, asked_card
from studyhub.study.models import Review
from studyhub.study.reviews import record_event

CARD = in_path("card", {"type": "string", "format": "uuid"}, "The uuid of a card.")


class CardEvents(APIView):
    """POST an event of one card."""

    throttle_scope = "reviews"

    @operation(
        "post_card_event",
        {201: LineShape, 200: LineShape},
        body=CardEventBody,
        problems=[429],
        parameters=[CARD],
        examples=[
            sent("Due on a day", examples.EVENT_SENT),
            answered("Moved", examples.EVENT, 201),
            answered("The same id again", examples.EVENT, 200),
        ],
    )
    def post(self, request: Request, card: str) -> Response:
        """Appends the event and says where it left the card; the same id again answers 200 with the same.

        A due day moves the card and teaches nothing; a reset forgets every answer before it. All of them can
        be undone for a day like a review.
        """
        body, learner = valid_body(CardEventBody, request), current_learner(request)
        uuid = uuid_of(card)
        if uuid is None:
            raise not_found("no such card", "card")
        try:
            found = asked_card(learner, uuid)
        except NotAsked as error:
            raise not_found("no such card", "card") from error
        line, created = record_event(
            learner,
            found,
            Review.Kind(body["kind"]),
            client_id=body["id"],
            now=timezone.now(),
            target_day=body.get("target_day"),
            said=said_of(body),
        )
        return Response(event_json(line), status=201 if created else 200)
