"""Django's entry for this room."""

from django.apps import AppConfig


class OperationsConfig(AppConfig):
    """The app `studyhub.operations`."""

    name = "studyhub.operations"
