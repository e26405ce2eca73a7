"""kill -9 in mid-study: what was acknowledged is there, pictures end, answering goes on."""

import contextlib
import os
import signal
import sqlite3
import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.private_redis import PrivateRedis
from tests.serving import Service, running_service
from tests.serving_client import MobileClient, review_of, signed_in

pytestmark = pytest.mark.chaos

WIDE_SPLIT = {"kind": "head_split", "parameters": {"d_model": 768, "num_heads": 12}, "seed": 0}


def picture(seed: int) -> dict[str, object]:
    """A picture nobody has asked for yet."""
    return {**WIDE_SPLIT, "seed": seed}


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    with running_service(tmp_path / "var") as running:
        yield running


@pytest.fixture
def client(service: Service) -> MobileClient:
    return signed_in(service, *service.account("demo"))


class Studying(threading.Thread):
    """Answers and rates without a pause until told to stop, and remembers what was acknowledged."""

    def __init__(self, client: MobileClient) -> None:
        super().__init__(daemon=True)
        self.client, self.done = client, threading.Event()
        self.attempts: set[str] = set()
        self.reviews: set[str] = set()
        self.refused = 0

    def run(self) -> None:
        _, queue = self.client.get("/api/v1/study/queue")
        cards = [card for card in queue if card["answer_type"] == "numeric"]
        while not self.done.is_set():
            for card in cards:
                if self.done.wait(0.6):  # under the rate limit
                    return
                self._one(card)

    def _one(self, card: dict[str, object]) -> None:
        try:
            status, answer = self.client.attempt(card, text="10")
            if status != 201:
                self.refused += 1
                return
            self.attempts.add(answer["id"])
            review = str(uuid.uuid4())
            status, _ = self.client.review(answer["id"], "again", review)
            if status == 201:
                self.reviews.add(review)
        except OSError:
            self.refused += 1


def stored(service: Service, table: str) -> set[str]:
    """Client ids in the database file, read past the web process."""
    with contextlib.closing(sqlite3.connect(service.var / "studyhub.sqlite3")) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return {str(uuid.UUID(row[0])) for row in database.execute(f"SELECT client_id FROM {table}")}


def assert_checked(service: Service) -> None:
    """What is kept is what the ledger says, to the last bit."""
    lines = service.manage("checkdb").splitlines()
    assert lines
    assert all(line.endswith(": no faults") for line in lines), lines


def test_every_acknowledged_review_survives_kill_9_of_web_and_worker(
    service: Service, client: MobileClient
) -> None:
    studying = Studying(client)
    studying.start()
    for round_ in range(4):
        time.sleep(3)
        assert service.kill("granian" if round_ % 2 == 0 else "celery")
        service.wait_until_ready(60)
    time.sleep(2)
    studying.done.set()
    studying.join(30)
    assert len(studying.reviews) >= 5, service.printed()
    assert studying.attempts <= stored(service, "study_attempt")
    assert studying.reviews <= stored(service, "study_review")
    assert_checked(service)


@pytest.mark.parametrize("after_s", [0.0, 0.005, 0.01, 0.02, 0.04])
def test_a_review_cut_off_by_a_kill_and_sent_again_counts_once(
    service: Service, client: MobileClient, after_s: float
) -> None:
    _, queue = client.get("/api/v1/study/queue")
    card = next(card for card in queue if card["answer_type"] == "numeric")
    _, attempt = client.attempt(card, text="10")
    body = review_of(attempt["id"], "again")
    threading.Timer(after_s, service.kill, ["granian"]).start()
    with contextlib.suppress(OSError):
        client.post("/api/v1/reviews", body)
    time.sleep(0.5)
    service.wait_until_ready(60)
    first = client.post("/api/v1/reviews", body)
    second = client.post("/api/v1/reviews", body)
    assert first[0] in (200, 201)  # 200: the one that was cut off had been stored
    assert second == (200, first[1])
    assert body["id"] in stored(service, "study_review")
    assert_checked(service)


def test_a_picture_ends_drawn_or_with_a_reason_though_its_worker_is_killed(
    service: Service, client: MobileClient
) -> None:
    _, asked = client.post("/api/v1/visualizations", picture(1))
    service.kill("celery")
    end = client.picture_end(asked["digest"], 100)
    assert end["state"] in ("done", "failed"), end
    if end["state"] == "failed":
        assert end["reason"]["sentence"]


def test_answering_goes_on_while_no_worker_lives(service: Service, client: MobileClient) -> None:
    _, queue = client.get("/api/v1/study/queue")
    cards = [card for card in queue if card["answer_type"] == "numeric"]
    for pid in service.children("celery"):
        os.kill(pid, signal.SIGSTOP)  # hung is worse than dead: the supervisor does not replace it
    try:
        for card in cards[:3]:
            started = time.monotonic()
            status, attempt = client.attempt(card, text="10")
            assert status == 201
            assert client.review(attempt["id"], "again")[0] == 201
            assert time.monotonic() - started < 5
        status, asked = client.post("/api/v1/visualizations", picture(2))
        assert (status, asked["state"]) == (202, "queued")
    finally:
        for pid in service.children("celery"):
            os.kill(pid, signal.SIGCONT)
    assert client.picture_end(asked["digest"], 60)["state"] == "done"


@pytest.fixture
def redis() -> Iterator[PrivateRedis]:
    server = PrivateRedis()
    server.start()
    yield server
    server.kill()


def test_studying_goes_on_with_redis_and_worker_dead_and_pictures_come_back(
    tmp_path: Path, redis: PrivateRedis
) -> None:
    var = tmp_path / "var"
    with running_service(var) as embedded:  # makes the demo learner, who exists in embedded mode only
        account = embedded.account("demo")
    with running_service(var, REDIS_URL=redis.url) as service:
        client = signed_in(service, *account)
        _, asked = client.post("/api/v1/visualizations", picture(3))
        assert client.picture_end(asked["digest"], 60)["state"] == "done"
        redis.kill()
        service.kill("celery")
        _, queue = client.get("/api/v1/study/queue")
        card = next(card for card in queue if card["answer_type"] == "numeric")
        status, attempt = client.attempt(card, text="10")
        assert status == 201
        assert client.review(attempt["id"], "again")[0] == 201
        started = time.monotonic()
        status, problem = client.post("/api/v1/visualizations", picture(4))
        assert (status, problem["type"]) == (503, "/problems/pictures-unavailable")
        assert time.monotonic() - started < 5
        redis.start()
        end = asked_again(client, picture(4), 90)
        assert end["state"] == "done", service.printed()


def asked_again(client: MobileClient, spec: dict[str, object], seconds: float) -> dict[str, object]:
    """What a player does: asks until the store is back, then waits for the end."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        status, asked = client.post("/api/v1/visualizations", spec)
        if status in (200, 202):
            return client.picture_end(asked["digest"], deadline - time.monotonic())
        time.sleep(1.5)
    return {"state": "never accepted"}
