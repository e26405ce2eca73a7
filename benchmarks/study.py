"""Study at size: 100,000 cards and 1,000,000 lines of one learner, held to the goals of a day's work.

`python -m benchmarks study`, on SQLite or, with DATABASE_URL, on PostgreSQL; in a database of its own, which
goes again. Every call runs whole, commit included, in this process: CPU is its own, without PostgreSQL's.
"api" and "page" are whole requests through Django, without the sockets of a server.
Anki's figures: its backend 26.9.3, as we measured it in process at 100,000 cards and 1,080,000 reviews.
"""

import atexit
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.latency import p95

CARDS, LINES = 100_000, 1_000_000
SMALL = 0.05
"""Below this share of them the learner has too little to answer for all the rounds."""
LINE = "{:<42} {:>9} {:>9} {:>9} {:>9} {:>8}  {:<25} {:<5} {}"


@dataclass(frozen=True)
class Goal:
    """At most so many ms; 0 = not asked. `anki`: what Anki takes for it, in words."""

    p50: float = 0.0
    p95: float = 0.0
    anki: str = ""

    @property
    def words(self) -> str:
        """Such as "p50 <= 15, p95 <= 40"."""
        asked = (("p50", self.p50), ("p95", self.p95))
        return ", ".join(f"{name} <= {bound:g}" for name, bound in asked if bound)


@dataclass(frozen=True)
class Found:
    """One row: seconds on the clock and of CPU of each round, queries of one, and what went wrong.

    `cpu` is empty where the work is done elsewhere."""

    name: str
    goal: Goal
    wall: Sequence[float]
    cpu: Sequence[float]
    queries: int | None = None
    notes: str = ""
    wrong: str = ""

    @property
    def verdict(self) -> str:
        """PASS or FAIL; "" where nothing is asked."""
        if self.wrong:
            return "FAIL"
        if not self.goal.words:
            return ""
        return "PASS" if _within(self.goal, self.wall) else "FAIL"

    @property
    def line(self) -> str:
        """The row as it is printed; a clock that misses where the CPU does not says so."""
        times = [one for taken in (self.wall, self.cpu) for one in _p50_p95(taken)]
        busy = self.verdict == "FAIL" and not self.wrong and bool(self.cpu) and _within(self.goal, self.cpu)
        told = ["its CPU time is within" if busy else "", self.wrong, self.notes, self.goal.anki]
        queries = "" if self.queries is None else str(self.queries)
        return LINE.format(
            self.name, *times, queries, self.goal.words, self.verdict, "; ".join(filter(None, told))
        ).rstrip()


def _p50_p95(seconds: Sequence[float]) -> tuple[str, str]:
    if not seconds:
        return "", ""
    return f"{1000 * statistics.median(seconds):.1f}", f"{1000 * p95(seconds):.1f}"


def _within(goal: Goal, seconds: Sequence[float]) -> bool:
    taken = ((statistics.median(seconds), goal.p50), (p95(seconds), goal.p95))
    return all(1000 * one <= bound for one, bound in taken if bound)


def main(*, scale: float = 1.0, users: int = 0) -> int:
    """Prints a row for each; 1 where a goal is missed or an audit finds a difference.

    `scale`: the share of the cards and lines that is made. `users`: as many learners answer at once, too."""
    _set_up_django()  # before the modules that hold models
    from benchmarks import study_measures, study_rows, study_users

    failed = False
    with _database() as vendor:
        began = time.perf_counter(), time.process_time()
        from django.utils import timezone

        made = study_rows.make(round(CARDS * scale), round(LINES * scale), now=timezone.now())
        took = time.perf_counter() - began[0], time.process_time() - began[1]
        print(
            f"{vendor}: {made.cards:,} cards in {study_rows.DECKS} decks, "
            f"{made.met:,} met in {made.lines:,} lines on {made.days:,} study days; "
            f"made in {took[0]:.0f} s ({took[1]:.0f} s CPU); "
            f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; times in ms",
            flush=True,
        )
        print(LINE.format("", "p50", "p95", "CPU p50", "CPU p95", "queries", "goal (ms)", "", "").rstrip())
        for found in study_measures.rows(made, Rounds(few=scale < SMALL)):
            print(found.line, flush=True)
            failed |= found.verdict == "FAIL"
        if users:
            found = study_users.row(users)
            print(found.line, flush=True)
            failed |= found.verdict == "FAIL"
    print(f"load {os.getloadavg()[0]:.1f} at the end")
    return int(failed)


@dataclass(frozen=True)
class Rounds:
    """How often a row is taken: as often as it asks for, or once where the set is small (`few`)."""

    few: bool = False

    def __call__(
        self,
        name: str,
        goal: Goal,
        act: Callable[[], Any],
        *,
        count: int,
        before: Callable[[], Any] = lambda: None,
        warm_up: int = 2,
    ) -> Found:
        """The row, `before` not timed; one more round counts the queries where it may be repeated."""
        from django.db import connection
        from django.test.utils import CaptureQueriesContext

        for _ in range(0 if self.few else warm_up):
            before()
            act()
        taken = [_timed(act, before) for _ in range(1 if self.few else count)]
        wall, cpu = zip(*taken, strict=True)
        if not warm_up:
            return Found(name, goal, wall, cpu)
        before()
        with CaptureQueriesContext(connection) as asked:
            act()
        return Found(name, goal, wall, cpu, len(asked))


def _timed(act: Callable[[], Any], before: Callable[[], Any]) -> tuple[float, float]:
    before()
    wall, cpu = time.perf_counter(), time.process_time()
    act()
    return time.perf_counter() - wall, time.process_time() - cpu


def _set_up_django() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studyhub.settings")
    if "STUDYHUB_VAR" not in os.environ:
        os.environ["STUDYHUB_VAR"] = folder = tempfile.mkdtemp(prefix="studyhub-study-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    import django

    django.setup()


@contextmanager
def _database() -> Iterator[str]:
    """An empty database of our own, gone at the end; SQLite's is a file, for commits have to reach a disk.

    The environment is not that of tests, in which pages are rendered under observation."""
    from django.db import connection
    from django.test.runner import DiscoverRunner

    runner = DiscoverRunner(verbosity=0, interactive=False)
    folder = Path(tempfile.mkdtemp(prefix="studyhub-study-"))
    if connection.vendor == "sqlite":
        connection.settings_dict["TEST"]["NAME"] = str(folder / "study.sqlite3")
    databases = runner.setup_databases()
    try:
        yield connection.vendor
    finally:
        runner.teardown_databases(databases)
        shutil.rmtree(folder, ignore_errors=True)
