"""Programs answered over HTTP and judged by a real worker process, on both brokers and both stores."""

import statistics
import subprocess
import time
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from cards.models import Card
from studyhub.delivery.pictures import store
from studyhub.study.models import Attempt
from tests.shipped import shipped_content
from tests.studyhub.delivery.test_through_celery import kill, started_worker, urls, wait_until

__all__ = ["urls"]  # the fixture: a store and a broker of each kind

pytestmark = pytest.mark.django_db
SPLIT = "q.view({}, 4, 12, 64).transpose(1, 2)"


@pytest.fixture(scope="module")
def workers() -> Iterator[list[subprocess.Popen[bytes]]]:
    """The workers that were started; all end with the module."""
    started: list[subprocess.Popen[bytes]] = []
    yield started
    for one in started:
        kill(one)


@pytest.fixture
def worker(urls: dict[str, str], workers: list[subprocess.Popen[bytes]]) -> None:
    """A worker that lives."""
    if not workers:
        workers.append(started_worker(urls))
    wait_until(lambda: store().workers() > 0)


@pytest.fixture(autouse=True)
def _point_at(settings: Any, urls: dict[str, str]) -> None:
    settings.CELERY_BROKER_URL, settings.FRAMES_URL = urls["broker"], urls["frames"]
    cache.clear()


@pytest.fixture
def client(ben: Any) -> Client:
    """Ben, with the shipped cards."""
    shipped_content()
    client = Client()
    client.force_login(ben)
    return client


def sent(text: str, slug: str = "write-the-split") -> dict[str, Any]:
    card = Card.objects.select_related("published_version").get(slug=slug)
    assert card.published_version is not None
    return {
        "id": str(uuid.uuid4()),
        "card": str(card.uuid),
        "card_version": card.published_version.number,
        "response": {"text": text},
    }


def post(client: Client, body: dict[str, Any]) -> Any:
    return client.post("/api/v1/attempts", body, content_type="application/json")


def settled(client: Client, body: dict[str, Any], seconds: float = 60) -> dict[str, Any]:
    """The grade, asked for as `Location` says until there is one."""
    response = post(client, body)
    deadline = time.monotonic() + seconds
    while (answer := response.json())["grade"]["pending"]:
        assert time.monotonic() < deadline, answer
        time.sleep(0.05)
        response = client.get(f"/api/v1/attempts/{body['id']}")
    grade: dict[str, Any] = answer["grade"]
    return grade


def test_an_answer_given_while_no_worker_lives_is_settled_by_the_first_that_comes(
    client: Client, urls: dict[str, str], workers: list[subprocess.Popen[bytes]]
) -> None:
    for one in workers:  # of the store tested before
        kill(one)
    workers.clear()
    body = sent("q.view(2, 12, 4, 64)")
    response = post(client, body)
    assert response.status_code == 202
    assert "no worker is running" in response.json()["grade"]["title"]
    assert Attempt.objects.get().response == body["response"]
    began = time.monotonic()
    workers.append(started_worker(urls))
    grade = settled(client, body)
    print(f"cold: {(time.monotonic() - began) * 1000:.0f} ms from the start to the verdict")  # noqa: T201
    assert (grade["outcome"], grade["mistake"]) == ("incorrect", "heads_by_view")


@pytest.mark.parametrize(
    ("text", "outcome", "mistake"),
    [
        ("rearrange(q, 'b t (h d) -> b h t d', d=64)", "correct", ""),
        ("q.reshape(B, H, T, D)", "incorrect", "heads_by_view"),
        ("q.unflatten(2, (64, 12)).transpose(1, 3)", "incorrect", ""),
        ("q.view(2, 4, 10, 76)", "incorrect", ""),
        (SPLIT.format("B"), "correct", ""),
        ("q.unsqueeze(0).repeat(90000, 9, 9, 9)", "incorrect", ""),
    ],
)
@pytest.mark.usefixtures("worker")
def test_a_program_is_told_what_it_is(client: Client, text: str, outcome: str, mistake: str) -> None:
    grade = settled(client, sent(text))
    assert (grade["outcome"], grade["mistake"], grade["pending"]) == (outcome, mistake, "")


@pytest.mark.usefixtures("worker")
def test_the_words_of_torch_arrive(client: Client) -> None:
    grade = settled(client, sent("(q @ k).softmax(-1)", "write-the-weights"))
    assert grade["mistake"] == "keys_not_transposed"
    assert "RuntimeError" in grade["facts"]["words"]
    assert "RuntimeError" in grade["feedback_html"]


@pytest.mark.usefixtures("worker")
def test_a_warm_worker_answers_within_the_request(client: Client, urls: dict[str, str]) -> None:
    settled(client, sent("q"))
    taken = []
    for number in range(12):
        began = time.monotonic()
        response = post(client, sent(f"q.view(2, 4, 12, 64).transpose(1, 2) * {number + 2}"))
        taken.append((time.monotonic() - began) * 1000)
        assert response.status_code in (201, 202)
    name = urls["frames"].partition(":")[0]
    print(f"{name}: warm, median {statistics.median(taken):.0f} ms, slowest {max(taken):.0f} ms")  # noqa: T201
    assert statistics.median(taken) < 2_000
    again = time.monotonic()
    assert post(client, sent("q.view(2, 4, 12, 64).transpose(1, 2) * 2")).status_code == 201
    print(f"{name}: drawn before, {(time.monotonic() - again) * 1000:.0f} ms")  # noqa: T201
