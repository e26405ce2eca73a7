"""Django's entry for this room."""

from django.apps import AppConfig


class WebConfig(AppConfig):
    """The app `studyhub.web`."""

    name = "studyhub.web"
