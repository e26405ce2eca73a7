"""What waits while no worker lives is drawn together by the one that comes, as each picture would be."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from attention_engine.admission import admit
from attention_engine.engine import render
from attention_engine.spec import VisualizationSpec, make_spec
from attention_engine.store import FrameStore, open_store
from studyhub.delivery import publisher
from tests.private_redis import PrivateRedis

ROOT = Path(__file__).parents[3]
COUNT = 14


class OlderSpec(VisualizationSpec):
    """Claimed by a web process of another engine."""

    def as_json(self) -> dict[str, Any]:
        return {**super().as_json(), "engine": "0"}


def specs() -> list[VisualizationSpec]:
    asked = [make_spec("head_split", {"d_model": 64, "num_heads": 4}, seed) for seed in range(COUNT - 1)]
    return [*asked[:5], OlderSpec(asked[0].kind, asked[0].parameters, 99), *asked[5:]]


@pytest.fixture(
    params=[
        ("sqlite", "threads", "3"),
        pytest.param(("redis", "prefork", "2"), marks=[pytest.mark.services, pytest.mark.thorough]),
        pytest.param(("redis", "solo", "1"), marks=[pytest.mark.services, pytest.mark.thorough]),
        pytest.param(("redis", "threads", "3"), marks=[pytest.mark.services, pytest.mark.thorough]),
    ],
    ids=lambda param: " ".join(param[:2]),
)
def way(
    request: pytest.FixtureRequest, tmp_path: Path, settings: Any
) -> Iterator[tuple[FrameStore, list[str], dict[str, str]]]:
    """The store, the worker's pool, and the environment of a worker for it; messages go there too."""
    broker, pool, concurrency = request.param
    redis = PrivateRedis() if broker == "redis" else None
    if redis:
        redis.start()
    url = redis.url if redis else ""
    settings.CELERY_BROKER_URL = url or f"studyhubsqlite:///{tmp_path / 'broker.sqlite3'}"
    store = open_store(url or f"sqlite:///{tmp_path / 'frames.sqlite3'}")
    env = {"STUDYHUB_VAR": str(tmp_path), "REDIS_URL": url, "DATABASE_URL": "", "OMP_NUM_THREADS": "1"}
    yield store, [pool, concurrency], env
    if redis:
        redis.kill()


def started(pool: list[str], env: dict[str, str], log: Path) -> subprocess.Popen[bytes]:
    command = [
        sys.executable, "-m", "celery", "-q", "-A", "studyhub", "worker", "-P", pool[0], "-c", pool[1],
        "-Q", "renders.fast,renders.heavy", "--loglevel", "INFO",
        "--without-mingle", "--without-gossip", "--without-heartbeat",
    ]  # fmt: skip
    with log.open("wb") as file:
        return subprocess.Popen(command, cwd=ROOT, env=os.environ | env, stdout=file, stderr=file)


def test_all_end_in_few_tasks_with_the_numbers_of_each_alone(
    way: tuple[FrameStore, list[str], dict[str, str]], tmp_path: Path
) -> None:
    store, pool, env = way
    digests = [store.claim(spec, f"owner {n}").digest for n, spec in enumerate(specs())]
    for digest, spec in zip(digests, specs(), strict=True):
        assert publisher.send(digest, admit(make_spec(spec.kind, spec.parameters, spec.seed)))
    worker = started(pool, env, tmp_path / "log")
    try:
        states = ended(store, digests, tmp_path / "log")
    finally:
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(30) == 0
    assert states == ["failed" if n == 5 else "done" for n in range(COUNT)]
    assert (tmp_path / "log").read_text().count("received") < COUNT  # the others were taken by these
    for n in (0, COUNT - 1):
        assert stored(store, digests[n]) == [told(one.as_json()) for one in render(specs()[n])]


def ended(store: FrameStore, digests: list[str], log: Path) -> list[str]:
    deadline = time.monotonic() + 60
    while not all(store.read(digest).ended for digest in digests):
        assert time.monotonic() < deadline, log.read_text()
        for digest in digests:
            store.watch(digest)
        time.sleep(0.02)
    return [store.read(digest).state for digest in digests]


def stored(store: FrameStore, digest: str) -> list[dict[str, Any]]:
    return [told(body) for _, body in store.read(digest).frames]


def told(frame: dict[str, Any]) -> dict[str, Any]:
    """A frame without what depends on the moment; its tensors are named by their bytes."""
    return {name: value for name, value in frame.items() if name != "stamp"}
