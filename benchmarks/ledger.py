"""The ledger at size: a million lines folded and compared with what is kept, and syncs of 200 reviews.

`python -m benchmarks.ledger [--lines 1000000] [--syncs 40]`, on SQLite or, with DATABASE_URL, on PostgreSQL;
in a test database of its own, which goes again. Goals: a replay of 1,000,000 lines in 10 s, a sync of 200
reviews in 100 ms (p95) and 20 kB up. CPU time of this process is told beside the time on the clock.
"""

import argparse
import gzip
import json
import os
import random
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

os.environ.setdefault("STUDYHUB_VAR", tempfile.mkdtemp(prefix="studyhub-ledger-"))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studyhub.settings")

import django

django.setup()

from django.contrib.auth import get_user_model
from django.db import connection
from django.test import Client
from django.test.runner import DiscoverRunner
from rest_framework.throttling import ScopedRateThrottle

from cards.models import Card, CardVersion, Deck, Topic
from studyhub.study.batch_replay import rebuild
from studyhub.study.models import Learner, Review, learner_of

LINES_A_CARD = 10
EVENTS = 200
ANSWER = {"type": "numeric", "key": {"compute": "num_heads", "model": "bert-base"}, "tolerance": "exact"}
BEGIN = datetime(2025, 1, 1, 9, 0, tzinfo=UTC)


def main() -> int:
    """Prints a row for each; 1 where a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--syncs", type=int, default=40)
    asked = parser.parse_args()
    runner = DiscoverRunner(verbosity=0, interactive=False)
    runner.setup_test_environment()
    databases = runner.setup_databases()
    try:
        missed = [replay(asked.lines), sync(asked.syncs)]
    finally:
        runner.teardown_databases(databases)
    return int(any(missed))


def replay(lines: int) -> bool:
    """Folds one learner's ledger and compares it with the memories: True where it takes too long."""
    learner = a_learner()
    make_lines(learner, lines)
    print(f"replay/{connection.vendor}: {lines:,} lines of {rebuild(learner):,} cards are made", flush=True)
    differing, wall, cpu = timed(lambda: rebuild(learner))
    assert differing == 0
    goal = 10 * lines / 1_000_000
    told = f"read, folded, compared in {wall:.1f} s ({cpu:.1f} s CPU), goal {goal:g} s"
    print(f"replay/{connection.vendor}: {told}")
    return wall > goal


def sync(count: int) -> bool:
    """Syncs of 200 offline reviews through the whole of the API: True where p95 or the size is too much."""
    ScopedRateThrottle.allow_request = lambda *_: True  # type: ignore[method-assign]
    learner, client = a_learner(), Client()
    client.force_login(learner.user)
    cards, chance, taken, size = make_cards(300), random.Random(1), [], 0
    for number in range(count):
        raw = json.dumps({"events": reviews(cards, chance, number)}).encode()
        body, up = gzip.compress(raw), {"Content-Encoding": "gzip"}
        size = max(size, len(body))
        told, wall, cpu = timed(
            lambda body=body, up=up: client.post(  # type: ignore[misc]
                "/api/v1/sync", body, content_type="application/json", headers=up
            )
        )
        assert all(one["status"] == 201 for one in told.json()["outcomes"]), told.content[:500]
        taken.append((wall, cpu))
    walls, cpus = (sorted(one) for one in zip(*taken, strict=True))
    p50, p95 = 1000 * walls[count // 2], 1000 * walls[int(count * 0.95)]
    middle = 1000 * cpus[count // 2]
    print(
        f"sync/{connection.vendor}: {EVENTS} reviews, p50 {p50:.0f} ms, p95 {p95:.0f} ms "
        f"(CPU {middle:.0f} ms), goal 100 ms; {size:,} bytes up, goal 20,000"
    )
    return p95 > 100 or size > 20_000


def timed(act: Callable[[], Any]) -> tuple[Any, float, float]:
    """(what it gives, seconds on the clock, seconds of CPU)."""
    clock, cpu = time.perf_counter(), time.process_time()
    given = act()
    return given, time.perf_counter() - clock, time.process_time() - cpu


def a_learner() -> Learner:
    return learner_of(get_user_model().objects.create(username=str(uuid.uuid4())))


def make_cards(number: int) -> list[Card]:
    """Published cards that ask for a number."""
    deck = Deck.objects.create(slug=str(uuid.uuid4()), title="d")
    topic = Topic.objects.create(slug=str(uuid.uuid4()), deck=deck, title="t")
    cards = Card.objects.bulk_create(
        [Card(slug=str(uuid.uuid4()), topic=topic, state="published") for _ in range(number)], batch_size=2000
    )
    versions = CardVersion.objects.bulk_create(
        [
            CardVersion(
                card=card,
                number=1,
                answer_type="numeric",
                prompt="How many?",
                answer=ANSWER,
                content_hash="1",
            )
            for card in cards
        ],
        batch_size=2000,
    )
    for card, version in zip(cards, versions, strict=True):
        card.published_version = version
    Card.objects.bulk_update(cards, ["published_version"], batch_size=500)
    return cards


def make_lines(learner: Learner, number: int) -> None:
    """Answers over some years, ten a card, most of them Good."""
    chance, lines = random.Random(1), list[Review]()
    for card in make_cards(number // LINES_A_CARD):
        at = BEGIN + timedelta(days=chance.random() * 100)
        for place in range(LINES_A_CARD):
            lines.append(
                Review(
                    learner=learner,
                    client_id=uuid.UUID(int=chance.getrandbits(128)),
                    card=card,
                    rating=chance.choices((1, 2, 3, 4), (1, 1, 7, 1))[0],
                    answered_at=at,
                    received_at=at,
                    study_day=(at - timedelta(hours=4)).date(),
                    draw=chance.choice((-1, chance.random(), chance.random())),
                )
            )
            at += timedelta(minutes=10) if place < 2 else timedelta(days=1 + 5 * place * chance.random())
        if len(lines) >= 20_000:
            Review.objects.bulk_create(lines, batch_size=500)
            lines.clear()
    Review.objects.bulk_create(lines, batch_size=500)


def reviews(cards: list[Card], chance: random.Random, day: int) -> list[dict[str, Any]]:
    """What a phone did on one day offline."""
    at = BEGIN + timedelta(days=day)
    return [
        {
            "type": "review",
            "id": str(uuid.uuid4()),
            "card": str(chance.choice(cards).uuid),
            "card_version": 1,
            "response": {"text": "12"},
            "rating": chance.choice(("again", "hard", "good", "good")),
            "answered_at": (at + timedelta(minutes=number)).isoformat(),
            "time_zone": "Europe/Berlin",
            "device": "phone",
            "device_sequence": EVENTS * day + number,
            "elapsed_ms": chance.randint(2000, 20_000),
            "draw": chance.randrange(10_000) / 10_000,
        }
        for number in range(EVENTS)
    ]


if __name__ == "__main__":
    sys.exit(main())
