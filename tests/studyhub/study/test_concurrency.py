"""Eight writers at once on PostgreSQL: no lost update, no double line, no deadlock."""

import json
import random
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection, connections
from django.test import Client
from rest_framework.throttling import ScopedRateThrottle

from cards.models import CardVersion
from studyhub.api.sync import record
from studyhub.study.checking import Findings, check
from studyhub.study.models import Attempt, Memory, Review
from studyhub.study.replay import fold, memory_value
from studyhub.study.reviews import AlreadyRated, ReviewSubmission, record_review, void_review
from studyhub.study.settling import settle_by_ticks

from .converging import NOW, World

MONDAY = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
WRITERS = 8

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def _on_postgresql(db: None) -> None:
    """SQLite lets one writer in at a time, so it cannot show a lost update."""
    if connection.vendor != "postgresql":
        pytest.skip("set DATABASE_URL to a PostgreSQL to run the concurrency battery")


def at_once(jobs: list[Callable[[], Any]]) -> list[Any]:
    """Runs the jobs in eight threads, each with a connection of its own; an error is a result."""

    def run(job: Callable[[], Any]) -> Any:
        try:
            return job()
        except Exception as error:
            return error
        finally:
            connections.close_all()

    with ThreadPoolExecutor(WRITERS) as pool:
        return list(pool.map(run, jobs))


def offline(card, number: int = 0) -> ReviewSubmission:
    return ReviewSubmission(
        client_id=uuid.uuid4(), rating=3, answered_at=MONDAY + timedelta(hours=number),
        device_sequence=number, version=card.published_version, response={"text": "12"},
    )  # fmt: skip


def send(room, submission: ReviewSubmission) -> Callable[[], Any]:
    return lambda: record_review(room.learner, submission, now=MONDAY + timedelta(days=99))


def assert_memory_is_the_fold(room, card) -> None:
    lines = Review.objects.filter(learner=room.learner, card=card)
    memory, last = fold(lines, str(card.uuid))
    row = Memory.objects.get(learner=room.learner, card=card)
    assert (memory_value(row), row.as_of) == (memory, last)


def test_eight_devices_on_one_card_lose_no_review(room, card):
    submissions = [offline(card, number) for number in range(80)]
    random.Random(1).shuffle(submissions)
    results = at_once([send(room, one) for one in submissions])
    assert all(isinstance(result, tuple) and result[1] for result in results), results
    assert Memory.objects.get().reps == Review.objects.count() == 80
    assert_memory_is_the_fold(room, card)


def test_eight_devices_on_eight_cards_do_not_deadlock(room, new_card, topic):
    cards = [new_card(f"card-{number}", topic) for number in range(8)]
    submissions = [offline(card, number) for number in range(10) for card in cards]
    random.Random(2).shuffle(submissions)
    results = at_once([send(room, one) for one in submissions])
    assert all(isinstance(result, tuple) for result in results), results
    for card in cards:
        assert Memory.objects.get(card=card).reps == 10
        assert_memory_is_the_fold(room, card)


def test_the_same_review_from_eight_devices_is_one_line(room, card):
    submission = offline(card)
    results = at_once([send(room, submission)] * 40)
    assert sorted(created for _, created in results) == [False] * 39 + [True]
    assert len({review.pk for review, _ in results}) == 1
    assert (Review.objects.count(), Attempt.objects.count(), Memory.objects.get().reps) == (1, 1, 1)


def test_a_hundred_equal_posts_are_one_review_and_a_hundred_equal_answers(room, card, monkeypatch):
    monkeypatch.setattr(ScopedRateThrottle, "allow_request", lambda self, request, view: True)
    client = Client()
    client.force_login(room.learner.user)
    body = json.dumps({
        "id": str(uuid.uuid4()), "card": str(card.uuid), "card_version": 1, "response": {"text": "12"},
        "rating": "good", "answered_at": MONDAY.isoformat(), "time_zone": "Europe/Berlin",
    })  # fmt: skip

    def post() -> Any:
        own = Client()
        own.cookies = client.cookies
        return own.post("/api/v1/reviews", body, content_type="application/json")

    answers = at_once([post] * 100)
    assert sorted(answer.status_code for answer in answers) == [200] * 99 + [201]
    assert len({answer.content for answer in answers}) == 1
    assert (Review.objects.count(), Attempt.objects.count(), Memory.objects.get().reps) == (1, 1, 1)
    assert check(room.learner) == Findings()


def test_syncs_of_eight_devices_at_once_store_each_event_once(room, new_card, topic):
    cards = [new_card(f"card-{number}", topic) for number in range(4)]
    world = World(cards)
    for device in world.devices:
        world.act(device, random.Random(device.name), 40)
    events = world.events

    def sync(seed: int) -> Callable[[], Any]:
        mixed = random.Random(seed).sample(events, len(events))
        return lambda: record(world.learner, mixed, NOW)

    results = at_once([sync(seed) for seed in range(16)])
    assert all(isinstance(result, tuple) for result in results), results
    world.settle(random.Random(1))
    world.verify(random.Random(2))


def test_one_attempt_rated_from_eight_tabs_counts_once(room, card):
    attempt = room.answer(card)
    tabs = [ReviewSubmission(uuid.uuid4(), rating=3, answered_at=MONDAY, attempt=attempt) for _ in range(8)]
    results = at_once([send(room, tab) for tab in tabs])
    assert sum(isinstance(result, AlreadyRated) for result in results) == 7
    assert Memory.objects.get().reps == 1


def test_undo_racing_with_reviews_leaves_the_fold_of_the_log(room, card):
    undone = [room.study(card, at=MONDAY + timedelta(minutes=number)) for number in range(10)]
    now = MONDAY + timedelta(hours=1)

    def undo(review: Review) -> Callable[[], Any]:
        return lambda: void_review(room.learner, review, client_id=uuid.uuid4(), now=now)

    jobs = [undo(review) for review in undone] + [send(room, offline(card, number)) for number in range(30)]
    random.Random(3).shuffle(jobs)
    results = at_once(jobs)
    assert all(isinstance(result, tuple) for result in results), results
    assert Memory.objects.get().reps == 30
    assert_memory_is_the_fold(room, card)


def test_ticks_from_eight_tabs_settle_an_answer_once(room, new_card, topic):
    points = [{"id": "one", "text": "One."}, {"id": "two", "text": "Two."}]
    card = new_card("written", topic)
    CardVersion.objects.filter(card=card).update(answer_type="rubric", answer={"points": points})
    card.refresh_from_db()
    attempt = room.answer(card, response={"text": "One."})
    choices = [["one"], ["two"], ["one", "two"], ["none"]] * 2
    results = at_once([lambda ticks=ticks: settle_by_ticks(attempt, ticks, MONDAY) for ticks in choices])
    assert sorted(first for _, first in results) == [False] * 7 + [True]
    stored = Attempt.objects.get()
    assert {settled.score for settled, _ in results} == {stored.score}
    assert stored.settled_at == MONDAY
