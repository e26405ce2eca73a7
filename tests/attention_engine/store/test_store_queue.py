"""Waiting, in both stores: what is sent again, what is given up, who is there, and a store out of reach."""

import pytest

from attention_engine.store import (
    FrameStore,
    StoreUnavailable,
    open_store,
)
from tests.attention_engine.store.kit import Clock, event, frame, ids, spec


def test_a_queued_claim_is_sent_again_after_30_s_and_at_most_every_30_s(
    store: FrameStore, clock: Clock
) -> None:
    digest = store.claim(spec(), "ben").digest
    sent = []
    for second in range(0, 100, 5):
        if store.read(digest).send:
            sent.append(second)
        clock.passes(5)
    assert sent == [30, 60, 90]


def test_waiting_behind_a_heavy_job_costs_no_attempt(store: FrameStore, clock: Clock) -> None:
    digest = store.claim(spec(), "ben").digest
    for _ in range(7):  # 280 s of a worker busy with something else
        clock.passes(40)
        assert store.read(digest).state == "queued"
    lease = store.start(digest)
    assert lease
    assert store.append(lease.token, frame(0)) == event(1, 1)
    store.finish(lease.token)
    assert store.start(digest) is None  # the seven doubled messages find nothing to do
    assert store.read(digest).state == "done"


def test_no_worker_for_5_minutes_fails_with_a_reason(store: FrameStore, clock: Clock) -> None:
    digest = store.claim(spec(), "ben").digest
    clock.passes(300)
    reading = store.read(digest)
    assert (reading.state, reading.code, reading.send) == ("failed", "no-worker", False)
    assert "no worker took this picture" in reading.sentence


def test_a_failed_picture_may_be_asked_for_again_after_30_s(store: FrameStore, clock: Clock) -> None:
    digest = store.claim(spec(), "ben").digest
    lease = store.start(digest)
    assert lease
    store.fail(lease.token, "engine-error", "It broke.")
    assert store.claim(spec(), "ben").state == "failed"
    clock.passes(30)
    claim = store.claim(spec(), "ben")
    assert (claim.state, claim.created, claim.send) == ("queued", True, True)
    again = store.start(digest)
    assert again
    assert again.attempt == lease.attempt + 1


def test_a_look_counts_for_15_s(store: FrameStore, clock: Clock) -> None:
    digest = store.claim(spec(), "ben").digest
    assert store.watched(digest)  # whoever asks, looks
    clock.passes(16)
    assert not store.watched(digest)
    store.watch(digest)
    assert store.watched(digest)


def test_an_abandoned_picture_is_absent_and_may_be_asked_for_anew(store: FrameStore) -> None:
    digest = store.claim(spec(), "ben").digest
    lease = store.start(digest)
    assert lease
    store.append(lease.token, frame(0))
    store.abandon(lease.token)
    assert store.read(digest).state == "absent"
    assert store.claim(spec(), "ben").created
    assert ids(store, digest) == []


def test_workers_are_counted_while_they_announce_themselves(store: FrameStore, clock: Clock) -> None:
    assert store.workers() == 0
    store.announce("a")
    store.announce("b")
    store.announce("b")
    assert store.workers() == 2
    clock.passes(16)
    assert store.workers() == 0


def test_a_url_nobody_serves_is_refused_with_the_way_out() -> None:
    with pytest.raises(ValueError, match=r"use redis://host:port/db or sqlite:///path"):
        open_store("memcached://x")


@pytest.mark.parametrize("url", ["sqlite:////dev/null/frames.sqlite3", "redis://127.0.0.1:1/0"])
def test_a_store_out_of_reach_says_so_at_once(url: str) -> None:
    store = open_store(url)
    for use in (
        lambda: store.claim(spec(), "ben"),
        lambda: store.read(spec().digest()),
        lambda: store.get("0" * 64),
        lambda: store.put(b"x"),
        lambda: store.watch(spec().digest()),
        store.ping,
    ):
        with pytest.raises(StoreUnavailable):
            use()
