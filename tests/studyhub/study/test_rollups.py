"""Sums of a study day: kept line by line, equal to counting the ledger again, whatever the order."""

import uuid
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth import get_user_model
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cards.models import Card
from studyhub.study import rollups
from studyhub.study.ledger import open_ledger
from studyhub.study.models import DayRollup, Learner, Review, learner_of

from .conftest import MONDAY

FIRST = date(2026, 11, 30)
ANSWERS = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(("review", "review", "review", "import", "suspend", "set_due", "reset")),
        "rating": st.integers(1, 4),
        "state_before": st.sampled_from(("new", "learning", "review", "relearning")),
        "interval_before": st.sampled_from((0, 1, 20, 21, 400)),
        "recall_before": st.sampled_from((0, 1, 49, 50, 899, 900, 999, 1000)),
        "elapsed_ms": st.integers(0, 120_000),
        "study_day": st.integers(0, 2).map(lambda days: FIRST + timedelta(days=days)),
    }
)
"""Lines with any facts, also such as no schedule gives."""
STEPS = st.lists(st.one_of(ANSWERS, st.integers(0, 30)), min_size=1, max_size=14)
"""A line, or the number of an earlier one to undo."""


@pytest.fixture
def new_learner(db: None) -> Callable[[], Learner]:
    return lambda: learner_of(get_user_model().objects.create(username=uuid.uuid4().hex))


def _append(learner: Learner, card: Card, **facts: Any) -> Review:
    day = facts["study_day"]
    at = datetime(day.year, day.month, day.day, 9, tzinfo=UTC)
    if facts["kind"] not in ("review", "import"):
        facts["rating"] = 0
    return Review.objects.create(
        learner=learner, card=card, client_id=uuid.uuid4(), answered_at=at, received_at=at, **facts
    )


def _void(line: Review) -> None:
    void = _append(line.learner, line.card, kind="void", voids=line, study_day=line.study_day, rating=0)
    rollups.count_all([void])


@given(steps=STEPS)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_after_any_lines_and_undos_the_sums_equal_counting_the_ledger_again(
    steps: list[Any], card: Card, new_learner: Callable[[], Learner]
) -> None:
    learner, live = new_learner(), []
    for step in steps:
        if isinstance(step, dict):
            live.append(_append(learner, card, **step))
            rollups.count_all([live[-1]])
        elif live:
            _void(live.pop(step % len(live)))
    kept = rollups.stored(learner)
    assert kept == rollups.recounted(learner)
    assert rollups.rewrite(learner) == len(kept)
    assert rollups.stored(learner) == kept


def test_lines_counted_together_or_in_another_order_give_the_same_sums(
    card: Card, new_learner: Callable[[], Learner]
) -> None:
    ben, cy, dot = new_learner(), new_learner(), new_learner()
    facts = [
        {"kind": "review", "rating": 1 + n % 4, "state_before": "review", "interval_before": 7 * n}
        | {"recall_before": 700 + 40 * n, "elapsed_ms": 900 + n, "study_day": FIRST + timedelta(days=n % 2)}
        for n in range(7)
    ]
    for one in facts:
        rollups.count_all([_append(ben, card, **one)])
    for one in reversed(facts):
        rollups.count_all([_append(cy, card, **one)])
    rollups.count_all([_append(dot, card, **one) for one in facts])
    assert rollups.stored(ben) == rollups.stored(cy) == rollups.stored(dot)


def test_an_answer_counts_with_its_rating_its_time_and_its_promise(room: Any, card: Card) -> None:
    line = Review(
        kind="review", rating=3, state_before="review", interval_before=21, recall_before=934, elapsed_ms=4200
    )
    assert rollups.counted(line) == {
        "good": 1,
        "elapsed_ms": 4200,
        "first_met": 0,
        "mature_recalled": 1,
        "promised": {"900": [1, 1, 934]},
    }


@pytest.mark.parametrize(
    ("facts", "name"),
    [
        ({"state_before": "review", "interval_before": 20, "rating": 2}, "young_recalled"),
        ({"state_before": "review", "interval_before": 21, "rating": 1}, "mature_failed"),
        ({"state_before": "relearning", "interval_before": 1, "rating": 1}, "young_failed"),
        ({"state_before": "learning", "interval_before": 0, "rating": 3}, ""),
        ({"state_before": "new", "interval_before": 0, "rating": 1}, ""),
    ],
)
@pytest.mark.plain
def test_tested_is_a_card_past_its_steps_or_with_an_interval_of_days(
    facts: dict[str, Any], name: str
) -> None:
    sums = rollups.counted(Review(kind="review", **facts))
    assert {key for key in sums if key.startswith(("young", "mature"))} == ({name} if name else set())


@pytest.mark.plain
def test_an_imported_answer_counts_towards_true_retention_alone() -> None:
    line = Review(kind="import", rating=1, state_before="review", interval_before=30, recall_before=900)
    assert rollups.counted(line) == {"mature_failed": 1}
    assert rollups.counted(Review(kind="import", rating=0, state_before="review", interval_before=3)) == {}


@pytest.mark.plain
@pytest.mark.parametrize("kind", ["void", "set_due", "reset", "suspend", "unsuspend", "bury"])
def test_a_line_without_an_answer_changes_no_sum(kind: str) -> None:
    assert rollups.counted(Review(kind=kind, state_before="review", interval_before=30)) == {}


@pytest.mark.plain
@pytest.mark.parametrize(("recall", "edge"), [(1, "0"), (49, "0"), (50, "50"), (999, "950"), (1000, "950")])
def test_a_promise_falls_into_the_bin_of_its_lower_edge(recall: int, edge: str) -> None:
    assert rollups.bin_of(recall) == edge


def test_what_the_writer_keeps_while_studying_and_undoing_equals_the_recount(room: Any, card: Card) -> None:
    monday = datetime(2026, 11, 30, 9, tzinfo=UTC)
    room.graduate(card, at=monday)
    second = room.study(card, 3, at=monday + timedelta(days=5))
    room.study(card, 1, at=monday + timedelta(days=30))
    assert rollups.stored(room.learner) == rollups.recounted(room.learner)
    room.undo(second, now=monday + timedelta(days=5, minutes=1))
    kept = rollups.stored(room.learner)
    assert kept == rollups.recounted(room.learner)
    assert set(kept) == {FIRST, FIRST + timedelta(days=30)}
    assert kept[FIRST]["first_met"] == 1
    assert kept[FIRST]["good"] == 2


def test_a_sum_that_was_lost_before_refuses_no_undo(room: Any, card: Card) -> None:
    line = room.study(card, 3)
    DayRollup.objects.filter(learner=room.learner).update(good=0, elapsed_ms=0)
    room.undo(line)
    assert rollups.stored(room.learner) == rollups.recounted(room.learner) == {}


def test_days_before_there_were_sums_are_counted_by_the_upgrade(room: Any, card: Card) -> None:
    """As an older release left them: lines without facts, and no sums; since, one answer was summed."""
    for days, rating in enumerate((1, 2, 3, 4)):
        room.study(card, rating, at=MONDAY + timedelta(days=days, minutes=days))
    room.undo(room.study(card, 3, at=MONDAY))
    with open_ledger(connection):
        Review.objects.update(state_before="", interval_before=0, recall_before=0)
    DayRollup.objects.all().delete()
    room.study(card, 3, at=MONDAY + timedelta(days=3, hours=1))
    import_module("studyhub.study.migrations.0008_days_before_they_were_summed").count_answers(apps, None)
    assert rollups.stored(room.learner) == rollups.recounted(room.learner)
    assert [
        row.again + row.hard + row.good + row.easy for row in DayRollup.objects.order_by("study_day")
    ] == [*(1, 1, 1, 2)]
