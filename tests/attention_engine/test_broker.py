"""One contract for both brokers: nothing lost, nothing doubled, soon there, quick to stop."""

import os
import signal
import statistics
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kombu import Connection

from attention_engine import broker

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
PROCESSES = HERE / "broker_processes.py"

broker.register_transport()


@pytest.fixture
def queue() -> str:
    return f"test-{uuid.uuid4()}"


@pytest.fixture(params=["sqlite", pytest.param("redis", marks=pytest.mark.services)])
def url(request: pytest.FixtureRequest, tmp_path: Path, queue: str) -> Iterator[str]:
    """The address of a broker; what is left in our queue is thrown away."""
    redis = os.environ.get("REDIS_URL") or "redis://127.0.0.1:6379/9"
    address = f"studyhubsqlite:///{tmp_path / 'broker.sqlite3'}" if request.param == "sqlite" else redis
    yield address
    with Connection(address) as connection:
        connection.default_channel.queue_delete(queue)


def started(*arguments: str, **env: str) -> subprocess.Popen[bytes]:
    path = os.pathsep.join([str(ROOT), str(HERE)])
    return subprocess.Popen(
        [sys.executable, *arguments],
        env=os.environ | {"PYTHONPATH": path} | env,
        cwd=HERE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def numbers(path: Path) -> list[int]:
    return [int(line) for line in path.read_text().split()]


def test_4000_messages_of_2_producers_reach_2_consumers_exactly_once(
    url: str, queue: str, tmp_path: Path
) -> None:
    script, got = str(PROCESSES), [tmp_path / "a", tmp_path / "b"]
    consumers = [started(script, "consume", url, queue, str(path)) for path in got]
    producers = [started(script, "produce", url, queue, first, "2000") for first in ("0", "2000")]
    assert [process.wait(60) for process in producers + consumers] == [0, 0, 0, 0]
    shares = [numbers(path) for path in got]
    assert sorted(shares[0] + shares[1]) == list(range(4000))
    assert all(shares), "both consumers took part"


@pytest.fixture
def worker(url: str, queue: str) -> Iterator[subprocess.Popen[bytes]]:
    process = started(
        "-m", "celery", "-q", "-A", "broker_processes", "worker", "-P", "threads", "-c", "2", "-Q", queue,
        "--without-mingle", "--without-gossip", "--without-heartbeat",
        TEST_BROKER=url, TEST_QUEUE=queue,
    )  # fmt: skip
    yield process
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def send(url: str, queue: str, path: Path) -> None:
    from celery import Celery

    app = Celery("sender", broker=url, set_as_current=False)
    arguments: list[Any] = [time.time(), str(path)]
    app.send_task("note_arrival", args=arguments, queue=queue, ignore_result=True)
    app.close()


def arrivals(path: Path, count: int, *, within: float) -> list[float]:
    """The first `count` delays in ms that the task noted."""
    deadline = time.monotonic() + within
    while True:
        lines = path.read_text().split() if path.exists() else []
        if len(lines) >= count:
            return [float(line) for line in lines]
        assert time.monotonic() < deadline, f"{len(lines)} of {count} after {within} s"
        time.sleep(0.01)


def test_20_jobs_reach_the_task_soon_and_the_worker_stops_at_once(
    url: str, queue: str, worker: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    noted = tmp_path / "arrivals"
    send(url, queue, noted)
    arrivals(noted, 1, within=30)  # the worker is up
    for count in range(2, 22):
        send(url, queue, noted)
        arrivals(noted, count, within=20)
    median = statistics.median(arrivals(noted, 21, within=1)[1:])
    print(f"{url.partition(':')[0]}: median {median:.1f} ms to the task")  # noqa: T201
    assert median < 1000  # 100 ms where nothing else runs; ten times that on a busy machine

    asked = time.monotonic()
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(30) == 0
    took = time.monotonic() - asked
    print(f"{url.partition(':')[0]}: worker stopped in {took:.2f} s")  # noqa: T201
    assert took < 20  # about 1 s where nothing else runs


def test_a_message_waits_for_its_worker(url: str, queue: str) -> None:
    with Connection(url) as connection:
        box = connection.SimpleQueue(queue)
        box.put({"n": 1})
        box.put({"n": 2})
        assert box.qsize() == 2
    with Connection(url) as connection:
        box = connection.SimpleQueue(queue)
        for n in (1, 2):
            message = box.get(timeout=2)
            assert message.payload == {"n": n}
            message.ack()


def test_an_unacknowledged_message_goes_back_when_its_consumer_leaves(url: str, queue: str) -> None:
    with Connection(url) as connection:
        box = connection.SimpleQueue(queue)
        box.put({"n": 1})
        assert box.get(timeout=2).payload == {"n": 1}
    with Connection(url) as connection:
        message = connection.SimpleQueue(queue).get(timeout=2)
        assert message.payload == {"n": 1}
        message.ack()


def test_a_forked_child_uses_a_connection_of_its_own(tmp_path: Path) -> None:
    from attention_engine.sqlite import SqliteFile

    file = SqliteFile(str(tmp_path / "x.sqlite3"), "CREATE TABLE IF NOT EXISTS t (n INTEGER)")
    with file.transaction() as connection:
        connection.execute("INSERT INTO t VALUES (1)")
    child = os.fork()
    if child == 0:
        try:
            with file.transaction() as mine:
                mine.execute("INSERT INTO t VALUES (2)")
            os._exit(0 if mine is not connection else 1)
        finally:
            os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
    assert file.connection().execute("SELECT n FROM t ORDER BY n").fetchall() == [(1,), (2,)]
