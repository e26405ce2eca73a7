"""`manage.py cards load` and `cards lint`: content files into the database, or proved before that."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from cards.files import read_decks
from cards.frontmatter import ContentProblem
from cards.lint import lint_decks
from cards.loading import CONTENT, load_content


class Command(BaseCommand):
    """Loads or lints the shipped cards."""

    help = (
        "load: bring the database to what the content files say. lint: recompute every key and every mistake."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("action", choices=("load", "lint"))
        parser.add_argument("--folder", type=Path, default=CONTENT, help="the content folder")

    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            if options["action"] == "load":
                self._load(options["folder"])
            else:
                self._lint(options["folder"])
        except ContentProblem as problem:
            raise CommandError(str(problem)) from problem

    def _load(self, folder: Path) -> None:
        report = load_content(folder)
        for line in report.skipped:
            self.stdout.write(line)
        self.stdout.write(
            f"written: {report.topics} topics, {report.cards} cards, {report.versions} versions, "
            f"{report.sources} sources; retired: {report.retired}"
        )

    def _lint(self, folder: Path) -> None:
        report = lint_decks(read_decks(folder))
        for problem in report.problems:
            self.stdout.write(str(problem))
        self.stdout.write(
            f"{report.cards} cards, {report.mistakes} mistakes, {report.killed} of them change a grade"
            f" ({report.waived} waived)"
        )
        if report.errors:
            raise CommandError(f"{len(report.errors)} problems")
