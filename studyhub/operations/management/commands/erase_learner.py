"""`manage.py erase_learner USERNAME --yes`: a person leaves and takes all they did along."""

from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from studyhub.study.erasure import erase_learner
from studyhub.study.models import Learner, Review


class Command(BaseCommand):
    """Deletes the reviews, answers, memories and the account of one person, in one transaction."""

    help = "Erases a learner and their account for good. Cards they wrote stay, without their name."

    def add_arguments(self, parser: CommandParser) -> None:
        """Who, and that it is meant."""
        parser.add_argument("username")
        parser.add_argument("--yes", action="store_true", help="Erase; without it only says what would go.")

    def handle(self, *_args: Any, username: str, yes: bool, **_options: Any) -> None:
        """Raises CommandError for an unknown name, and without --yes; then nothing has changed."""
        user = get_user_model().objects.filter(username=username).first()
        if user is None:
            raise CommandError(f"there is no account {username!r}")
        lines = Review.objects.filter(learner__user=user).count()
        if not yes:
            raise CommandError(
                f"{username} has {lines} lines in the ledger; add --yes to erase them and the account"
            )
        with transaction.atomic():
            learner = Learner.objects.select_for_update().filter(user=user).first()
            lines = erase_learner(learner) if learner else 0
            user.delete()
        self.stdout.write(f"{username} is erased, with {lines} lines of the ledger.")
