"""`manage.py cards load`, `lint`, `vectors`: content into the database, proved before that, and published."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from cards.files import read_decks
from cards.frontmatter import ContentProblem
from cards.lint import lint_decks
from cards.loading import CONTENT, load_content
from cards.vector_files import write_vectors


class Command(BaseCommand):
    """Loads or lints the shipped cards, or writes the test vectors made of them."""

    help = (
        "load: bring the database to what the content files say. lint: recompute keys and mistakes. "
        "vectors: write what graders in other languages are tested with."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("action", choices=("load", "lint", "vectors"))
        parser.add_argument("--folder", type=Path, default=CONTENT, help="the content folder")

    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            actions = {"load": self._load, "lint": self._lint, "vectors": self._vectors}
            actions[options["action"]](options["folder"])
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

    def _vectors(self, folder: Path) -> None:
        changed = write_vectors(content=folder)
        self.stdout.write("\n".join(f"written: {path.name}" for path in changed) or "nothing to write")
