"""From a request to its last frame through a real worker process, on both brokers and both stores."""

import os
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from attention_engine.spec import VisualizationSpec, make_spec
from attention_engine.store import Reading
from studyhub.delivery import read_frames, request_visualization, tensor
from studyhub.delivery.pictures import store
from tests.private_redis import PrivateRedis

ROOT = Path(__file__).resolve().parents[3]
WIDE = {"d_model": 7600, "num_heads": 76, "tokens": 30, "batch": 4}  # some seconds of work


@pytest.fixture(scope="module", params=["sqlite", pytest.param("redis", marks=pytest.mark.services)])
def urls(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, str]]:
    """Broker and frames in files, or in a private Redis that another suite cannot disturb."""
    var = tmp_path_factory.mktemp("var")
    if request.param == "sqlite":
        yield {
            "var": str(var),
            "redis": "",
            "broker": f"studyhubsqlite:///{var / 'broker.sqlite3'}",
            "frames": f"sqlite:///{var / 'frames.sqlite3'}",
        }
        return
    redis = PrivateRedis()
    redis.start()
    yield {"var": str(var), "redis": redis.url, "broker": redis.url, "frames": redis.url}
    redis.kill()


@pytest.fixture(scope="module")
def worker(urls: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """The worker as `up` starts it."""
    process = started_worker(urls)
    yield process
    kill(process)


def kill(process: subprocess.Popen[bytes]) -> None:
    """kill -9; a second time does nothing."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def started_worker(urls: dict[str, str]) -> subprocess.Popen[bytes]:
    from studyhub.operations.management.commands.up import worker as child

    env = {"STUDYHUB_VAR": urls["var"], "REDIS_URL": urls["redis"], "DATABASE_URL": ""}
    return subprocess.Popen(
        [sys.executable, *child().command[1:]], cwd=ROOT, env=os.environ | env, start_new_session=True
    )


@pytest.fixture(autouse=True)
def _point_at(settings: Any, urls: dict[str, str], worker: object) -> None:
    settings.CELERY_BROKER_URL, settings.FRAMES_URL = urls["broker"], urls["frames"]


def spec(seed: int) -> VisualizationSpec:
    return make_spec("head_split", {"d_model": 96, "num_heads": 4, "tokens": 3}, seed)


def ended(digest: str, seconds: float = 30) -> Reading:
    deadline = time.monotonic() + seconds
    while not (reading := read_frames(digest)).ended:
        assert time.monotonic() < deadline, reading
        time.sleep(0.01)
    return reading


def test_the_frames_equal_those_of_the_engine_in_this_process() -> None:
    from attention_engine import engine

    reading = ended(request_visualization(spec(0), "ben").digest)
    drawn = [frame for _, frame in reading.frames]
    expected = list(engine.render(spec(0)))
    assert reading.state == "done", reading.sentence
    assert [unstamped(frame) for frame in drawn] == [unstamped(frame.as_json()) for frame in expected]
    for frame in expected:
        for reference, blob in zip(frame.tensors, frame.blobs, strict=True):
            assert tensor(reference.sha256) == blob


def unstamped(frame: dict[str, Any]) -> dict[str, Any]:
    """Without what depends on the moment."""
    return {name: value for name, value in frame.items() if name != "stamp"}


def test_20_pictures_reach_their_worker_soon(urls: dict[str, str]) -> None:
    ended(request_visualization(spec(1), "ben").digest)  # torch is loaded
    to_start, to_end = [], []
    for seed in range(2, 22):
        asked = time.monotonic()
        digest = request_visualization(spec(seed), "ben").digest
        while read_frames(digest, watched=False).state == "queued":
            time.sleep(0.002)
        to_start.append((time.monotonic() - asked) * 1000)
        assert ended(digest).state == "done"
        to_end.append((time.monotonic() - asked) * 1000)
    first, last = statistics.median(to_start), statistics.median(to_end)
    name = urls["broker"].partition(":")[0]
    print(f"{name}: median {first:.0f} ms to the start, {last:.0f} ms to the last frame")  # noqa: T201
    assert first < 1000  # 100 ms where nothing else runs; ten times that on a busy machine


def test_heavy_pictures_do_not_hold_up_a_fast_one() -> None:
    heavy = [make_spec("head_split", WIDE, seed) for seed in range(3)]
    digests = [request_visualization(spec, "ben").digest for spec in heavy]
    wait_until(lambda: "running" in [read_frames(digest).state for digest in digests])
    assert ended(request_visualization(spec(50), "cy").digest).state == "done"
    states = [read_frames(digest).state for digest in digests]
    assert sorted(states) == ["queued", "queued", "running"]
    assert [ended(digest, 120).state for digest in digests] == ["done"] * 3


def test_the_worker_is_counted() -> None:
    wait_until(lambda: store().workers() > 0)


def wait_until(condition: Callable[[], bool], seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_picture_asked_for_while_no_worker_lives_is_drawn_by_the_next(
    urls: dict[str, str], worker: subprocess.Popen[bytes]
) -> None:
    ended(request_visualization(spec(99), "ben").digest)
    kill(worker)
    digest = request_visualization(spec(100), "ben").digest
    time.sleep(0.2)
    assert read_frames(digest).state == "queued"
    successor = started_worker(urls)
    try:
        assert ended(digest).state == "done"
    finally:
        kill(successor)


@pytest.mark.parametrize("wait", [0.0, 0.7, 1.4])
def test_a_worker_asked_to_end_while_it_warms_up_ends_at_once(
    urls: dict[str, str], worker: subprocess.Popen[bytes], wait: float
) -> None:
    kill(worker)
    digest = request_visualization(spec(200 + int(10 * wait)), "ben").digest
    starting = started_worker(urls)
    try:
        wait_until(lambda: read_frames(digest).state != "queued")
        time.sleep(wait)
        asked = time.monotonic()
        starting.terminate()
        assert starting.wait(60) == 0
        assert time.monotonic() - asked < 30  # about 1 s where nothing else runs
    finally:
        kill(starting)
