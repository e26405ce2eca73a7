"""The benchmark of study runs whole at a hundredth of its size, on rows that an audit finds true."""

import os
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from benchmarks.study import Found, Goal
from benchmarks.study_courses import ANSWERED_TODAY, DAY, EPOCH, Answer, played
from studyhub.study.scheduling import MemoryState, Moment, Rules, next_memory, recall_chance

pytestmark = pytest.mark.plain
ROOT = Path(__file__).resolve().parents[2]
NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
TODAY = date(2026, 3, 4)


@pytest.fixture(scope="module")
def lines() -> list[Answer]:
    return list(played(400, 4000, now=NOW, today=TODAY, seed=3).in_time())


def test_every_row_of_the_benchmark_is_printed_and_its_audit_finds_nothing():
    command = [sys.executable, "-m", "benchmarks", "study", "--scale", "0.01"]
    env = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "STUDYHUB_VAR")}
    done = subprocess.run(
        command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=120, check=False
    )
    printed = done.stdout
    assert "1,000 cards in 200 decks" in printed, done.stderr
    assert " 10,000 lines" in printed
    for name in (
        "next card",
        "answer: attempt and rating",
        "due counts",
        "statistics",
        "sync",
        "undo",
        "replay",
    ):
        assert any(line.startswith(name) for line in printed.splitlines()), name
    (audit,) = [line for line in printed.splitlines() if line.startswith("checkdb")]
    assert audit.endswith(" 0 differences")
    assert done.returncode == int("FAIL" in printed)


def test_lines_say_what_the_scheduler_knew_before_each_of_them(lines: list[Answer]):
    memories: dict[int, MemoryState] = {}
    for one in lines:
        before = memories.get(one.card, MemoryState())
        day = date.fromordinal(one.day)
        moment = Moment(datetime.fromtimestamp(one.at, UTC), day, "UTC", 0)
        assert (one.state_before, one.interval_before) == (before.state, before.interval_days)
        assert one.recall_before == _promised(before, day)
        memories[one.card] = after = next_memory(
            before, one.rating, moment=moment, rules=Rules(), card="", draw=one.draw
        )
        assert after.state == one.state


def _promised(before: MemoryState, day: date) -> int:
    if before.last_study_day is None or before.last_study_day == day:
        return 0
    return max(1, round(1000 * recall_chance(before, day)))


def test_the_same_seed_gives_the_same_lines_and_another_does_not(lines: list[Answer]):
    again, other = (list(played(400, 4000, now=NOW, today=TODAY, seed=seed).in_time()) for seed in (3, 4))
    assert lines == again
    assert lines != other


def test_a_backlog_waits_and_some_answers_came_today():
    lines = list(played(1_500, 15_000, now=NOW, today=TODAY, seed=3).in_time())
    last = {one.card: one for one in lines}
    due = [one for one in last.values() if one.at + one.due_in < NOW.timestamp()]
    today = [one for one in lines if one.day == TODAY.toordinal()]
    assert len(due) > 50
    assert len(today) == ANSWERED_TODAY
    assert all(one.rating > 1 for one in today)
    assert all(one.day == one.at // DAY + EPOCH for one in lines)


FOUND = Found("row", Goal(p50=10, p95=20), wall=[0.008] * 19 + [0.019], cpu=[0.004] * 20)


@pytest.mark.parametrize(
    ("found", "verdict", "said"),
    [
        (FOUND, "PASS", ""),
        (replace(FOUND, wall=[0.011] * 20), "FAIL", "its CPU time is within"),
        (replace(FOUND, wall=[0.03] * 20, cpu=[0.03] * 20), "FAIL", ""),
        (replace(FOUND, wrong="3 differences"), "FAIL", "3 differences"),
        (replace(FOUND, goal=Goal(anki="Anki 4")), "", "Anki 4"),
    ],
)
def test_a_row_passes_where_both_of_its_bounds_hold(found: Found, verdict: str, said: str):
    assert found.verdict == verdict
    assert said in found.line
    assert ("CPU time is within" in found.line) == (said == "its CPU time is within")
