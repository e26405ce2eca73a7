"""Django's entry for this room."""

from django.apps import AppConfig


class StudyConfig(AppConfig):
    """The app `studyhub.study`."""

    name = "studyhub.study"
