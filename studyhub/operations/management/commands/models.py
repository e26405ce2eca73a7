"""`manage.py models`: fetches the trained models that are missing, here and now."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from studyhub.operations.weights import Fetch, missing, told


class Command(BaseCommand):
    """One line a model; status 1 where one could not be had."""

    help = "Fetches the trained models that pictures look at, into the folder of the data."
    requires_migrations_checks = False
    requires_system_checks: list[str] = []

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Converts what needs it; does nothing where all are there."""
        models = settings.VAR / "models"
        wanted = missing(models)
        self.stdout.write(told(wanted) if wanted else f"MiniLM and SmolLM2 are in {models}.")
        if not Fetch(models, say=self.stdout.write).run():
            raise CommandError("not every model could be fetched; the lines above say why")
