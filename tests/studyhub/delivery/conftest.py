"""A store and a broker of one's own for every test of the delivery."""

from pathlib import Path

import pytest
from pytest_django.fixtures import Settings

from attention_engine.store import FrameStore, rules
from studyhub.delivery import pictures


@pytest.fixture(autouse=True)
def _own_files(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "life", lambda now: 0)  # so that the first event id is 1-1
    settings.FRAMES_URL = f"sqlite:///{tmp_path / 'frames.sqlite3'}"
    settings.CELERY_BROKER_URL = f"studyhubsqlite:///{tmp_path / 'broker.sqlite3'}"


@pytest.fixture
def store(_own_files: None) -> FrameStore:
    return pictures.store()
