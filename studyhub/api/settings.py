"""A learner's settings: what is aimed at, how much a day holds, how cards are scheduled from now on."""

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from studyhub.api.reading.requests import current_learner, valid_body
from studyhub.api.reading.settings_bodies import SettingsBody
from studyhub.api.schema import session_examples as examples
from studyhub.api.schema.operations import answered, operation, sent
from studyhub.api.schema.session_shapes import SettingsShape
from studyhub.study.preferences import change_preferences, settings_of


class Settings(APIView):
    """GET and PATCH settings."""

    @operation(
        "get_settings",
        {200: SettingsShape},
        examples=[answered("Settings", examples.SETTINGS)],
    )
    def get(self, request: Request) -> Response:
        """All settings, with the rules of the schedule now in force."""
        return Response(settings_of(current_learner(request)))

    @operation(
        "patch_settings",
        {200: SettingsShape},
        body=SettingsBody,
        examples=[
            sent("A cap and an easy Sunday", examples.SETTINGS_SENT),
            answered("Set", examples.SETTINGS),
        ],
    )
    def patch(self, request: Request) -> Response:
        """Sets what is sent and leaves the rest; all of it or, with a 422, nothing.

        What was answered keeps the rules it was answered by: no due date moves.
        """
        learner = current_learner(request)
        change_preferences(learner, valid_body(SettingsBody, request), timezone.now())
        return Response(settings_of(learner))
