"""Both stores behind one fixture, with a clock that stands still until told."""

import os
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import redis

from attention_engine.store import FrameStore
from attention_engine.store.embedded import SqliteFrameStore
from attention_engine.store.redis_streams import RedisFrameStore
from tests.attention_engine.store.kit import Clock


@pytest.fixture
def clock() -> Clock:
    return Clock()


def redis_url() -> str:
    return os.environ.get("REDIS_URL") or "redis://127.0.0.1:6379/9"


@pytest.fixture(params=["sqlite", pytest.param("redis", marks=pytest.mark.services)])
def another(
    request: pytest.FixtureRequest, tmp_path: Path, clock: Clock
) -> Iterator[Callable[[], FrameStore]]:
    """Opens one more client of the same store."""
    if request.param == "sqlite":
        yield lambda: SqliteFrameStore(str(tmp_path / "frames.sqlite3"), clock=clock)
        return
    prefix = f"test-{uuid.uuid4()}:"
    yield lambda: RedisFrameStore(redis_url(), clock=clock, prefix=prefix)
    with redis.Redis.from_url(redis_url()) as client:
        for key in client.scan_iter(prefix + "*"):
            client.delete(key)


@pytest.fixture
def store(another: Callable[[], FrameStore]) -> FrameStore:
    return another()
