"""The probes: what gates, what is only reported, and that a dead part costs no time."""

import time
from typing import Any

import pytest
from django.core.checks import run_checks
from django.db import DatabaseError
from django.test import Client

from attention_engine.store import open_store
from studyhub.operations import health


@pytest.fixture(autouse=True)
def _own_files(settings: Any, tmp_path: Any) -> None:
    settings.FRAMES_URL = f"sqlite:///{tmp_path / 'frames.sqlite3'}"
    settings.CELERY_BROKER_URL = f"studyhubsqlite:///{tmp_path / 'broker.sqlite3'}"


def test_healthz_touches_no_database() -> None:
    response = Client().get("/healthz")  # a query here would raise: this test has no database
    assert (response.status_code, response.content) == (200, b"ok\n")
    assert "no-store" in response["Cache-Control"]


@pytest.mark.django_db
def test_readyz_is_ready_without_a_worker_and_says_so() -> None:
    response = Client().get("/readyz")
    assert response.status_code == 200
    assert response.json() == {
        "ready": True,
        "database": "ok",
        "broker": "ok",
        "frames": "ok",
        "worker": "away",
    }


@pytest.mark.django_db
def test_readyz_sees_a_worker_that_announced_itself(settings: Any) -> None:
    open_store(settings.FRAMES_URL).announce("celery@here")
    assert Client().get("/readyz").json()["worker"] == "ok"


@pytest.mark.django_db
def test_dead_broker_and_frames_are_reported_soon_and_do_not_gate(settings: Any) -> None:
    settings.FRAMES_URL = settings.CELERY_BROKER_URL = "redis://127.0.0.1:1/0"
    Client().get("/readyz")  # imports what it needs
    began = time.monotonic()
    response = Client().get("/readyz")
    assert time.monotonic() - began < 5
    assert response.status_code == 200
    assert response.json() == {
        "ready": True,
        "database": "ok",
        "broker": "away",
        "frames": "away",
        "worker": "away",
    }


def test_a_dead_database_gates(monkeypatch: pytest.MonkeyPatch) -> None:
    def dead() -> str:
        raise DatabaseError("gone")

    monkeypatch.setitem(health.PROBES, "database", dead)
    response = Client().get("/readyz")
    assert response.status_code == 503
    assert response.json()["database"] == "away"
    assert response.json()["ready"] is False


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_probes_are_only_asked(path: str) -> None:
    assert Client().post(path).status_code == 405


def test_a_data_folder_that_cannot_be_written_is_told_by_check(settings: Any, tmp_path: Any) -> None:
    settings.VAR = tmp_path / "missing"
    assert "studyhub.E002" in [message.id for message in run_checks()]
