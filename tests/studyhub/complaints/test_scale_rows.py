"""Complaints about what grew slow with many cards, many people or long histories. Rows of srs.md.

Times differ from machine to machine, so here queries, rows and steps of the database are counted; the times
themselves are measured by `python -m benchmarks study`.
"""

import gc
import threading
import tracemalloc
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, connections, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from studyhub.api.sync import record
from studyhub.study.attempting import locked
from studyhub.study.models import Review
from studyhub.web import reviews_file
from tests.studyhub.study.conftest import MONDAY
from tests.studyhub.study.converging import new_learner
from tests.studyhub.study.memories import known, many_cards

from .acting import posted, rated, synced, told

DAY = timedelta(days=1)


def queries(act: Callable[[], Any]) -> int:
    """How many statements it takes, once what is kept for minutes is kept."""
    act()
    with CaptureQueriesContext(connection) as caught:
        act()
    return len(caught)


@contextmanager
def counted_steps() -> Iterator[list[int]]:
    """Steps of SQLite's machine, in hundreds; none are counted on another engine."""
    steps: list[int] = []
    if connection.vendor == "sqlite":
        connection.connection.set_progress_handler(lambda: steps.append(1), 100)
    try:
        yield steps
    finally:
        if connection.vendor == "sqlite":
            connection.connection.set_progress_handler(None, 0)


def steps(act: Callable[[], Any]) -> int:
    act()
    with counted_steps() as counted:
        act()
    return len(counted)


def test_row_37_a_list_to_browse_costs_no_more_queries_and_no_more_text_with_many_cards(
    api, topic, new_topic
):
    """anki#1744: with several 100,000 cards a search took half a second and more. Here what is browsed are
    topics; each list is one page of a fixed number of queries, however many cards stand behind it."""
    new_topic("other", position=1)
    many_cards(topic, 20)
    client = api.client

    def browse() -> list[int]:
        pages = [client.get(address) for address in ("/topics/", "/topics/d-head/", "/api/v1/topics")]
        assert [page.status_code for page in pages] == [200] * 3
        return [len(page.content) for page in pages]

    few, small = queries(browse), browse()
    many_cards(topic, 800, prefix="more")
    assert queries(browse) == few
    assert all(large < small[n] + 2_000 for n, large in enumerate(browse()))


def test_row_38_the_next_card_and_an_answer_cost_what_is_due_and_not_what_there_is(
    api, room, topic, new_topic
):
    """enhance-main-window#80, my_addons#92: with 200,000 cards every view took 4 to 5 s, for everything was
    counted each time. Here ten times the cards cost neither a query more nor half as many steps again."""
    many = new_topic("many", position=1)
    due = many_cards(topic, 30)
    known(room, due, interval=20, ago=20)
    known(room, many_cards(many, 150, prefix="known"), interval=500, ago=1)

    def study() -> None:
        told(api, "study/queue?limit=10")
        synced(api, rated(due[0], at=MONDAY - timedelta(minutes=len(Review.objects.values("pk")))))

    few = queries(study), steps(study)
    known(room, many_cards(many, 1_200, prefix="far"), interval=500, ago=1)
    assert queries(study) <= few[0]
    assert steps(study) <= 1.5 * few[1]


LISTS = {
    "study/queue": 50,
    "study/queue?limit=7": 7,
    "study/queue?kind=cram&topic=d-head": 50,
    "study/queue?kind=ahead&days=30": 50,
    "reviews": 50,
    "reviews?limit=200": 200,
}


def test_row_39_no_list_comes_without_an_end(api, room, topic):
    """remnote-issues#872, #282: 1,700 imported cards made a page of 17 to 20 s. Here lists that grow with
    what was studied end at their limit, a page holds the next card and not all of them, and none grows its
    queries."""
    cards = many_cards(topic, 700)
    known(room, cards[:600], interval=9, ago=9)
    rest = {"learner": room.learner, "kind": Review.Kind.UNSUSPEND, "body_digest": "-"}
    rest |= {"answered_at": MONDAY, "received_at": MONDAY, "study_day": MONDAY.date()}
    Review.objects.bulk_create(Review(client_id=uuid.uuid4(), card=one, **rest) for one in cards[:300])
    for path, most in LISTS.items():
        assert len(told(api, path)) <= most, path
    assert len(told(api, "study/queue")) == 50 < told(api, "topics/d-head")["due"]
    assert len(told(api, "reviews?limit=200")) == 200
    page = told(api, "sync")
    assert (len(page["memories"]), page["more"]) == (500, True)
    for address in ("/", "/study/", "/topics/d-head/", "/progress/"):
        page = api.client.get(address)
        assert (page.status_code, len(page.content) < 200_000) == (200, True), address
    for path in ("study/queue?limit=51", "study/queue?limit=0", "reviews?limit=201"):
        assert api.get(path).status_code == 422, path


@pytest.mark.services
@pytest.mark.django_db(transaction=True)
def test_row_40_one_learners_sync_never_waits_for_anothers(db, card):
    """tsdko/anki-sync-server#26, #31, ankicommunity-api-server#23: one big sync blocked everybody. Here a
    sync holds its own learner's lock and nobody else's: another's is through while it is still under way."""
    if connection.vendor != "postgresql":
        pytest.skip("SQLite lets one writer in at a time; set DATABASE_URL to a PostgreSQL")
    slow, quick = new_learner(), new_learner()
    done: list[Any] = []

    def sync(learner: Any) -> None:
        try:
            done.append(record(learner, [rated(card, at=MONDAY)], MONDAY)[0][0]["status"])
        finally:
            connections.close_all()

    with transaction.atomic():
        locked(slow)
        mine = threading.Thread(target=sync, args=(quick,))
        mine.start()
        mine.join(timeout=20)
        assert done == [201]
        behind = threading.Thread(target=sync, args=(slow,))
        behind.start()
        behind.join(timeout=0.3)
        assert done == [201]  # the same learner's waits its turn
    behind.join(timeout=20)
    assert done == [201, 201]


def test_row_41_two_hundred_answers_are_taken_at_once_for_the_queries_of_twenty(api, topic):
    """enhance-main-window#82, asbplayer#900, FooSoft/anki-connect#2: a local API took notes one by one, 15 to
    49 s for some thousand. Here a device sends 200 events at once, and their number shows in no query."""
    cards = many_cards(topic, 220)

    def taken(number: int) -> int:
        events = [rated(cards.pop(), at=MONDAY - n * timedelta(minutes=1)) for n in range(number)]
        with CaptureQueriesContext(connection) as caught:
            assert [one["status"] for one in synced(api, *events)] == [201] * number
        return len(caught)

    few = taken(20)
    assert taken(200) <= few + 20  # rows are written in batches
    refused = posted(api, "sync", {"events": [{}] * 201}, 422)
    assert "at most 200" in refused["errors"][0]["reason"]


def test_row_42_a_ledger_of_any_length_leaves_by_a_stream_of_constant_memory(room, card, monkeypatch):
    """Anki-Android#16694: an export of 3 to 4 GB failed. Here one's reviews leave row by row: seven times the
    lines take no more memory, and every line is there."""
    monkeypatch.setattr(reviews_file, "CHUNK", 100)
    client = Client()
    client.force_login(room.learner.user)
    rest = {
        "learner": room.learner,
        "card": card,
        "kind": Review.Kind.IMPORT,
        "rating": 3,
        "body_digest": "-",
    }
    rest |= {"answered_at": MONDAY, "received_at": MONDAY, "study_day": MONDAY.date()}

    def peak(number: int) -> int:
        """Bytes at most while the file is read, with so many lines more."""
        Review.objects.bulk_create(Review(client_id=uuid.uuid4(), **rest) for _ in range(number))
        response = client.get("/progress/reviews.csv")
        assert response.streaming
        gc.collect()
        tracemalloc.start()
        lines = sum(part.count(b"\n") for part in response.streaming_content)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert lines == Review.objects.count() + 1
        return most

    peak(1)
    few = peak(299)
    assert peak(1_700) < 3 * few
