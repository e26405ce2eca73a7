"""After a break: what waits, and what a cap a day would do about it."""

from dataclasses import asdict

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from studyhub.api.reading.requests import current_learner
from studyhub.api.schema import session_examples as examples
from studyhub.api.schema.operations import answered, operation
from studyhub.api.schema.session_shapes import CatchUpShape
from studyhub.study.asking.catching_up import catch_up_preview


class CatchUpPreview(APIView):
    """GET the preview; a cap is accepted by PATCH study/settings {reviews_per_day}."""

    @operation(
        "get_catch_up",
        {200: CatchUpShape},
        examples=[answered("After three weeks", examples.CATCH_UP)],
    )
    def get(self, request: Request) -> Response:
        """The backlog beside a usual day, and how long it lasts under a cap or another."""
        return Response(asdict(catch_up_preview(current_learner(request), timezone.now())))
