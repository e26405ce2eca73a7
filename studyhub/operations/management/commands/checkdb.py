"""`manage.py checkdb`: compares what is kept of every learner with what the ledger says."""

from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from studyhub.study.checking import Findings, check
from studyhub.study.models import Learner


class Command(BaseCommand):
    """Exits with 1 while anything is found that is not set right."""

    help = "Compares memories and sums of days with the ledger, and its lines with themselves."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """--fix, and --learner for one of them."""
        parser.add_argument("--fix", action="store_true", help="rewrite what differs, in one transaction")
        parser.add_argument(
            "--learner", default="", metavar="NAME", help="the name one learner signs in with"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        """Raises CommandError (exit status 1) for an unknown name, and while faults are left."""
        learners = _learners(options["learner"])
        with transaction.atomic():
            left = sum(self._checked(learner, fix=options["fix"]) for learner in learners)
        if left:
            way = "they are for a person to decide" if options["fix"] else "run it with --fix"
            raise CommandError(f"{left} {'fault is' if left == 1 else 'faults are'} left; {way}")

    def _checked(self, learner: Learner, *, fix: bool) -> int:
        """How many faults are left of one learner."""
        found = check(learner, fix=fix)
        self._tell(learner, found)
        if not (fix and found.total):
            return found.total
        left = check(learner)
        self.stdout.write(f"{learner.user.get_username()}: {found.total - left.total} set right")
        return left.total

    def _tell(self, learner: Learner, found: Findings) -> None:
        faults = {name.replace("_", " "): number for name, number in asdict(found).items() if number}
        told = ", ".join(f"{name} {number}" for name, number in faults.items())
        self.stdout.write(f"{learner.user.get_username()}: {told or 'no faults'}")


def _learners(name: str) -> list[Learner]:
    """All learners, or the one of a name. Raises CommandError."""
    learners = Learner.objects.select_related("user").order_by("pk")
    if not name:
        return list(learners)
    found = [one for one in learners if one.user.get_username() == name]
    if not found:
        raise CommandError(f"no learner is named {name!r}")
    return found
