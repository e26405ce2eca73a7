"""The API as a Django app: registers its problems and its place in the schema."""

from django.apps import AppConfig


class ApiConfig(AppConfig):
    """No tables."""

    name = "studyhub.api"
    label = "api"

    def ready(self) -> None:
        """Importing registers."""
        from studyhub.api.problems import domain  # noqa: F401
        from studyhub.api.schema import operations  # noqa: F401
