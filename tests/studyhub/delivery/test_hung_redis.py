"""A Redis that accepts and never answers, the worst kind of dead: a private server under SIGSTOP."""

import signal
import time
from collections.abc import Iterator
from typing import Any

import pytest

from attention_engine.spec import VisualizationSpec, make_spec
from attention_engine.store import StoreUnavailable
from studyhub.delivery import read_frames, request_visualization
from tests.private_redis import PrivateRedis

pytestmark = pytest.mark.services


def spec(seed: int) -> VisualizationSpec:
    return make_spec("head_split", {"d_model": 768, "num_heads": 12}, seed)


@pytest.fixture
def server(settings: Any) -> Iterator[PrivateRedis]:
    redis = PrivateRedis()
    redis.start()
    settings.CELERY_BROKER_URL = settings.FRAMES_URL = redis.url
    yield redis
    redis.kill()


def test_a_hung_store_is_told_soon_and_recovers(server: PrivateRedis) -> None:
    request_visualization(spec(1), "ben")
    server.send_signal(signal.SIGSTOP)
    began = time.monotonic()
    with pytest.raises(StoreUnavailable):
        read_frames(spec(1).digest())
    assert time.monotonic() - began < 5
    server.send_signal(signal.SIGCONT)
    assert read_frames(spec(1).digest()).state == "queued"


def test_a_hung_broker_delays_a_claim_only_a_little_and_recovers(
    server: PrivateRedis, settings: Any, tmp_path: Any
) -> None:
    request_visualization(spec(1), "ben")
    settings.FRAMES_URL = f"sqlite:///{tmp_path / 'frames.sqlite3'}"
    server.send_signal(signal.SIGSTOP)
    began = time.monotonic()
    assert request_visualization(spec(2), "ben").state == "queued"
    took = time.monotonic() - began
    server.send_signal(signal.SIGCONT)
    assert took < 5
    assert request_visualization(spec(3), "ben").state == "queued"
    assert _length(settings.CELERY_BROKER_URL) >= 2


def test_a_restarted_redis_is_used_again_without_an_error(server: PrivateRedis) -> None:
    request_visualization(spec(1), "ben")
    _kill_clients(server)
    assert request_visualization(spec(2), "cy").state == "queued"


def _kill_clients(server: PrivateRedis) -> None:
    import redis
    from django.conf import settings

    with redis.Redis.from_url(settings.FRAMES_URL) as client:
        client.client_kill_filter(_type="normal", skipme=True)


def _length(url: str) -> int:
    import redis

    with redis.Redis.from_url(url) as client:
        length: int = client.llen("renders.fast")
        return length
