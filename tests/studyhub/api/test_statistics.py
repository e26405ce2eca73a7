"""The statistics by the API: figures with their numbers and intervals, in the shape the schema tells."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from cards.models import Card
from studyhub.api.schema.statistics_examples import STATISTICS
from studyhub.study import rollups
from studyhub.study.models import Learner, Memory, Review, learner_of


@pytest.fixture
def learner(ben: Any) -> Learner:
    return learner_of(ben)


def _shape(value: Any) -> Any:
    """The names within a JSON tree, a list by its first item."""
    if isinstance(value, dict):
        return {name: _shape(inner) for name, inner in value.items()}
    return [_shape(value[0])] if isinstance(value, list) and value else None


def test_a_learner_without_answers_gets_empty_figures(learner_api: Any) -> None:
    body = learner_api.get("study/statistics").json()
    assert body["totals"] == {"answers": 0, "seconds": 0, "since": None}
    assert body["calibration"] == {
        "number": 0,
        "promised": None,
        "recalled": {"passed": 0, "number": 0, "value": None, "low": 0.0, "high": 1.0},
        "since": None,
        "bins": [],
        "scores": [],
    }
    assert len(body["forecast"]["days"]) == 30
    assert [row["period"] for row in body["true_retention"]] == [
        *("today", "yesterday", "week", "month", "year", "all"),
    ]


def test_the_answer_has_the_shape_of_its_example(learner_api: Any, learner: Learner) -> None:
    now, card = timezone.now(), Card.objects.get(slug="heads")
    for ago, rating in ((20, 3), (12, 1), (5, 3)):
        at = now - timedelta(days=ago)
        Review.objects.create(
            learner=learner, client_id=f"00000000-0000-4000-8000-0000000000{ago:02}", card=card,
            rating=rating, answered_at=at, received_at=at, study_day=at.date(), state_before="review",
            interval_before=30, recall_before=900, elapsed_ms=9_000,
        )  # fmt: skip
    Memory.objects.create(
        learner=learner, card=card, state="review", stability=9.0, lapses=9, tested=3, recalled=2,
        last_study_day=now.date(), due=now,
    )  # fmt: skip
    rollups.rewrite(learner)
    body = learner_api.get("study/statistics").json()
    assert body["calibration"]["recalled"]["value"] == pytest.approx(2 / 3)
    assert {row["name"] for row in body["calibration"]["scores"]} == {"schedule", "average", "moving_average"}
    assert body["leeches"][0]["lapses"] == 9
    expected, found = _shape(STATISTICS), _shape(body)
    expected["confidence"]["rows"] = found["confidence"]["rows"]  # nothing was said of confidence here
    assert found == expected


def test_nobody_reads_figures_without_signing_in() -> None:
    assert Client().get("/api/v1/study/statistics").status_code == 401
