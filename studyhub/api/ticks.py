"""A written answer beside an author's points, settled by its writer's ticks. Touches the database only."""

from collections.abc import Sequence

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from cards.grading import Unreadable
from studyhub.api.attempts import ID, attempt_json
from studyhub.api.problems.domain import unreadable
from studyhub.api.problems.problem import invalid
from studyhub.api.reading.bodies import TicksBody
from studyhub.api.reading.owned import attempt_in_path
from studyhub.api.reading.requests import current_learner, valid_body
from studyhub.api.schema import examples
from studyhub.api.schema.operations import answered, operation, sent
from studyhub.api.schema.shapes import AttemptShape
from studyhub.study.models import Attempt
from studyhub.study.settling import settle_by_ticks


class Ticks(APIView):
    """POST what a written answer says."""

    throttle_scope = "attempts"

    @operation(
        "post_ticks",
        {200: AttemptShape},
        body=TicksBody,
        problems=[429],
        parameters=[ID],
        examples=[sent("Two points", examples.TICKS_SENT), answered("Settled", examples.ATTEMPT_TICKED)],
    )
    def post(self, request: Request, attempt_id: str) -> Response:
        """Grades a written answer (`pending` is ticks) by ids of its parts, or `none`.

        The first ticks count: sent again, also others, it answers with what is stored.
        """
        body, learner, now = valid_body(TicksBody, request), current_learner(request), timezone.now()
        attempt = attempt_in_path(learner, attempt_id)
        _refuse_unknown(attempt, body["choices"])
        try:
            settled, _ = settle_by_ticks(attempt, body["choices"], now)
        except Unreadable as error:
            raise unreadable(error, field=error.field) from error
        return Response(attempt_json(settled, now))


def _refuse_unknown(attempt: Attempt, choices: Sequence[str]) -> None:
    """Raises Problem 422 at the first tick that is no part of the answer."""
    known = {part["id"] for part in attempt.grade.get("parts", ())} | {"none"}
    odd = next((place for place, one in enumerate(choices) if one not in known), None)
    if odd is not None and attempt.grade.get("pending") == "ticks":
        raise invalid(f"choices.{odd}", "is no point and no red flag of this answer")
