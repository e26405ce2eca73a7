"""Django's entry for this room."""

from django.apps import AppConfig


class OperationsConfig(AppConfig):
    """The app `studyhub.operations`."""

    name = "studyhub.operations"

    def ready(self) -> None:
        """Registers the checks."""
        from studyhub.operations import checks  # noqa: F401
