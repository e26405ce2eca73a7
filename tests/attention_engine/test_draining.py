"""What waits behind a picture in the fast queue: taken at once, within bounds, and only what is ours."""

import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from celery import Celery

from attention_engine import broker, draining
from attention_engine.admission import FAST_FLOPS
from attention_engine.draining import MOST_TOGETHER, waiting

broker.register_transport()
TASK = "attention_engine.render"


@pytest.fixture
def queue() -> str:
    return f"fast-{uuid.uuid4()}"


@pytest.fixture(params=["sqlite", pytest.param("redis", marks=pytest.mark.services)])
def app(request: pytest.FixtureRequest, tmp_path: Path, queue: str) -> Iterator[Celery]:
    redis = os.environ.get("REDIS_URL") or "redis://127.0.0.1:6379/9"
    url = f"studyhubsqlite:///{tmp_path / 'broker.sqlite3'}" if request.param == "sqlite" else redis
    application = Celery("draining", broker=url, set_as_current=False)
    draining._forget()
    yield application
    with application.connection_for_write() as connection:
        connection.default_channel.queue_delete(queue)
    draining._forget()


def send(app: Celery, queue: str, digest: str, *, task: str = TASK, flops: int = 1000, **more: Any) -> None:
    app.send_task(task, args=[digest], queue=queue, headers={"flops": flops}, ignore_result=True, **more)


def taken(app: Celery, queue: str, *, flops: int | None = 0, share: int = 1) -> list[str]:
    return list(waiting(app, TASK, flops=flops, share=share, queue=queue))


def test_what_waits_is_taken_in_its_order_and_is_gone(app: Celery, queue: str) -> None:
    for digest in "abc":
        send(app, queue, digest)
    assert taken(app, queue) == ["a", "b", "c"]
    assert taken(app, queue) == []


def test_a_lone_picture_costs_one_look_and_takes_nothing(app: Celery, queue: str) -> None:
    channel = draining._channel(app)
    asked: list[str] = []
    for name in ("_size", "_get", "_put", "basic_get"):
        own = getattr(channel, name)
        setattr(channel, name, lambda *a, name=name, own=own, **k: asked.append(name) or own(*a, **k))
    assert taken(app, queue) == []
    assert asked == ["_size"]


def test_no_more_is_taken_than_is_drawn_together(app: Celery, queue: str) -> None:
    for n in range(MOST_TOGETHER + 4):
        send(app, queue, str(n))
    assert len(taken(app, queue)) == MOST_TOGETHER - 1
    assert len(taken(app, queue)) == 5


def test_a_worker_that_draws_three_at_a_time_takes_a_third(app: Celery, queue: str) -> None:
    for n in range(7):
        send(app, queue, str(n))
    assert taken(app, queue, share=3) == ["0", "1"]
    assert taken(app, queue, share=6) == []


def test_taking_stops_at_the_work_admitted_and_counts_the_picture_at_hand(app: Celery, queue: str) -> None:
    for n in range(4):
        send(app, queue, str(n), flops=FAST_FLOPS // 2)
    assert taken(app, queue, flops=FAST_FLOPS) == ["0", "1"]
    assert taken(app, queue, flops=2 * FAST_FLOPS) == []
    assert taken(app, queue, flops=None) == ["2", "3"]


def test_a_message_that_is_not_ours_is_put_back_for_its_task(app: Celery, queue: str) -> None:
    send(app, queue, "a")
    send(app, queue, "x", task="somebody.else")
    send(app, queue, "later", expires=60)
    assert taken(app, queue) == ["a"]
    channel = draining._channel(app)
    left = [channel.basic_get(queue, no_ack=True) for _ in range(2)]
    assert {message.headers["task"] for message in left} == {"somebody.else", TASK}
    assert {message.payload[0][0] for message in left} == {"x", "later"}
    assert channel.basic_get(queue, no_ack=True) is None


def test_a_message_put_back_is_what_celery_sent(app: Celery, queue: str) -> None:
    send(app, queue, "x", task="somebody.else")
    channel = draining._channel(app)
    before = channel.basic_get(queue, no_ack=True)
    channel._put(queue, before.serializable())
    assert taken(app, queue) == []
    after = channel.basic_get(queue, no_ack=True)
    assert (after.headers, after.payload, after.properties) == (
        before.headers,
        before.payload,
        before.properties,
    )


@pytest.mark.parametrize("url", ["redis://127.0.0.1:1/0", "studyhubsqlite:////dev/null/broker.sqlite3"])
def test_a_broker_that_is_away_costs_the_picture_at_hand_nothing(
    url: str, caplog: pytest.LogCaptureFixture
) -> None:
    draining._forget()
    assert taken(Celery("away", broker=url, set_as_current=False), "renders.fast") == []
    assert "is left there" in caplog.text
    draining._forget()
