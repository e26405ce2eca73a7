"""One contract for both stores: what a claim, a lease, a frame and a reader may rely on."""

import os
import threading
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import redis

from attention_engine.frames import Frame, TensorRef
from attention_engine.spec import VisualizationSpec, make_spec
from attention_engine.store import (
    FrameStore,
    OwnerBusy,
    StaleLease,
    StoreFull,
    StoreUnavailable,
    TooBig,
    open_store,
)
from attention_engine.store.embedded import SqliteFrameStore
from attention_engine.store.redis_streams import RedisFrameStore

HOUR = 3600


class Clock:
    """A clock that stands still until told."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now

    def passes(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


def redis_url() -> str:
    return os.environ.get("REDIS_URL") or "redis://127.0.0.1:6379/9"


@pytest.fixture(params=["sqlite", pytest.param("redis", marks=pytest.mark.services)])
def another(
    request: pytest.FixtureRequest, tmp_path: Path, clock: Clock
) -> Iterator[Callable[[], FrameStore]]:
    """Opens one more client of the same store."""
    if request.param == "sqlite":
        yield lambda: SqliteFrameStore(str(tmp_path / "frames.sqlite3"), clock=clock)
        return
    prefix = f"test-{uuid.uuid4()}:"
    yield lambda: RedisFrameStore(redis_url(), clock=clock, prefix=prefix)
    with redis.Redis.from_url(redis_url()) as client:
        for key in client.scan_iter(prefix + "*"):
            client.delete(key)


@pytest.fixture
def store(another: Callable[[], FrameStore]) -> FrameStore:
    return another()


def spec(seed: int = 0) -> VisualizationSpec:
    return make_spec("head_split", {"d_model": 768, "num_heads": 12}, seed)


def frame(n: int, *, sentence: str = "", tensors: tuple[TensorRef, ...] = ()) -> Frame:
    return Frame(step=f"step {n}", layout="text", title="", sentence=sentence, n=n, tensors=tensors)


def reference(sha256: str, size: int) -> TensorRef:
    return TensorRef("values", ("D",), (size,), "u8", 0.0, 1.0, sha256, size)


def drawn(store: FrameStore, seed: int = 0, frames: int = 3) -> str:
    """A picture with all its frames; its digest."""
    digest = store.claim(spec(seed), "ben").digest
    lease = store.start(digest)
    assert lease
    for n in range(frames):
        store.append(lease.token, frame(n))
    store.finish(lease.token)
    return digest


def ids(store: FrameStore, digest: str, after: str = "") -> list[str]:
    return [event for event, _ in store.read(digest, after).frames]


# ---- claims


def test_nobody_has_heard_of_an_unclaimed_picture(store: FrameStore) -> None:
    assert store.read(spec().digest()).state == "absent"
    assert store.start(spec().digest()) is None


def test_first_claim_creates_and_wants_a_message_sent(store: FrameStore) -> None:
    claim = store.claim(spec(), "ben")
    assert (claim.digest, claim.state, claim.created, claim.send) == (spec().digest(), "queued", True, True)


def test_second_claim_of_the_same_spec_sends_nothing(store: FrameStore) -> None:
    store.claim(spec(), "ben")
    claim = store.claim(spec(), "cy")
    assert (claim.state, claim.created, claim.send) == ("queued", False, False)


def test_a_done_picture_is_claimed_without_being_drawn_again(store: FrameStore) -> None:
    drawn(store)
    claim = store.claim(spec(), "cy")
    assert (claim.state, claim.created, claim.send) == ("done", False, False)


def test_of_many_claims_at_once_exactly_one_creates(another: Callable[[], FrameStore]) -> None:
    created: list[bool] = []
    gate = threading.Barrier(6)

    def one() -> None:
        store = another()
        gate.wait()
        created.append(store.claim(spec(), "ben").created)

    threads = [threading.Thread(target=one) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(created) == [False] * 5 + [True]


def test_a_fourth_unfinished_picture_of_one_owner_is_refused(store: FrameStore) -> None:
    for seed in range(3):
        store.claim(spec(seed), "ben")
    with pytest.raises(OwnerBusy, match="3 of your pictures"):
        store.claim(spec(3), "ben")
    assert store.claim(spec(3), "cy").created
    assert store.claim(spec(0), "ben").state == "queued"


def test_a_finished_picture_makes_room_for_its_owner(store: FrameStore) -> None:
    for seed in range(3):
        store.claim(spec(seed), "ben")
    lease = store.start(spec(1).digest())
    assert lease
    store.finish(lease.token)
    assert store.claim(spec(3), "ben").created


def test_pictures_no_worker_ever_took_stop_counting(store: FrameStore, clock: Clock) -> None:
    for seed in range(3):
        store.claim(spec(seed), "ben")
    clock.passes(301)
    assert store.claim(spec(3), "ben").created


def test_the_201st_unfinished_picture_is_refused_to_everybody(store: FrameStore) -> None:
    for seed in range(200):
        store.claim(spec(seed), f"learner {seed}")
    with pytest.raises(StoreFull, match="200 pictures"):
        store.claim(spec(200), "ben")


# ---- leases


def test_a_lease_carries_the_spec_it_was_claimed_with(store: FrameStore) -> None:
    store.claim(spec(7), "ben")
    lease = store.start(spec(7).digest())
    assert lease
    assert lease.spec == spec(7).as_json()
    assert lease.attempt == 1


def test_a_doubled_message_starts_nothing(store: FrameStore) -> None:
    store.claim(spec(), "ben")
    assert store.start(spec().digest())
    assert store.start(spec().digest()) is None


def test_a_renewed_lease_does_not_lapse(store: FrameStore, clock: Clock) -> None:
    store.claim(spec(), "ben")
    lease = store.start(spec().digest())
    assert lease
    for _ in range(10):
        clock.passes(10)
        store.renew(lease.token)
    assert store.read(spec().digest()).state == "running"


def test_a_lapsed_lease_lets_the_next_reader_send_again(store: FrameStore, clock: Clock) -> None:
    store.claim(spec(), "ben")
    store.start(spec().digest())
    clock.passes(14)
    assert not store.read(spec().digest()).send
    clock.passes(1)
    reading = store.read(spec().digest())
    assert (reading.state, reading.send, reading.spec) == ("queued", True, spec().as_json())
    assert not store.read(spec().digest()).send


def test_a_lapsed_lease_lets_the_next_claim_send_again(store: FrameStore, clock: Clock) -> None:
    store.claim(spec(), "ben")
    store.start(spec().digest())
    clock.passes(15)
    assert store.claim(spec(), "cy").send


def test_of_many_readers_of_a_lapsed_lease_one_sends(another: Callable[[], FrameStore], clock: Clock) -> None:
    another().claim(spec(), "ben")
    another().start(spec().digest())
    clock.passes(20)
    sends: list[bool] = []
    threads = [
        threading.Thread(target=lambda: sends.append(another().read(spec().digest()).send)) for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(sends) == [False] * 5 + [True]


def test_the_third_lapse_fails_with_a_reason(store: FrameStore, clock: Clock) -> None:
    store.claim(spec(), "ben")
    for _ in range(3):
        assert store.start(spec().digest())
        clock.passes(16)
        reading = store.read(spec().digest())
    assert (reading.state, reading.code, reading.send) == ("failed", "worker-lost", False)
    assert "three times" in reading.sentence
    assert store.start(spec().digest()) is None


def test_a_stale_token_is_refused_everywhere(store: FrameStore, clock: Clock) -> None:
    store.claim(spec(), "ben")
    old = store.start(spec().digest())
    assert old
    clock.passes(16)
    new = store.start(spec().digest())
    assert new
    for write in (
        lambda: store.renew(old.token),
        lambda: store.append(old.token, frame(0)),
        lambda: store.finish(old.token),
        lambda: store.fail(old.token, "x", "y"),
        lambda: store.abandon(old.token),
    ):
        with pytest.raises(StaleLease):
            write()
    assert store.append(new.token, frame(0)) == "2-1"


def test_a_token_made_up_is_refused(store: FrameStore) -> None:
    store.claim(spec(), "ben")
    with pytest.raises(StaleLease):
        store.append(f"{spec().digest()}.feedfeed", frame(0))


# ---- the queue


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
    assert lease.attempt == 1
    store.append(lease.token, frame(0))
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
    assert again.attempt == 2


def test_due_names_what_nobody_reads_but_has_to_be_sent(store: FrameStore, clock: Clock) -> None:
    waiting, lapsed = store.claim(spec(0), "ben").digest, store.claim(spec(1), "ben").digest
    drawn(store, seed=2)
    store.start(lapsed)
    assert store.due() == []
    clock.passes(31)
    assert sorted(store.due()) == sorted([waiting, lapsed])
    assert store.due() == []


# ---- readers


def test_early_late_and_resuming_readers_see_every_frame(another: Callable[[], FrameStore]) -> None:
    store, worker = another(), another()
    digest = store.claim(spec(), "ben").digest
    lease = worker.start(digest)
    assert lease
    early: list[str] = []
    for n in range(5):
        worker.append(lease.token, frame(n))
        early += ids(store, digest, early[-1] if early else "")
    worker.finish(lease.token)
    everything = ["1-1", "1-2", "1-3", "1-4", "1-5"]
    assert early == everything
    assert ids(store, digest) == everything
    assert ids(another(), digest, "1-2") == ["1-3", "1-4", "1-5"]
    state, frames = store.read(digest, "1-5")
    assert (state, frames) == ("done", ())


def test_a_frame_is_read_as_it_was_written(store: FrameStore) -> None:
    digest = store.claim(spec(), "ben").digest
    lease = store.start(digest)
    assert lease
    written = frame(0, sentence="Köpfe: 12 · 64 = 768")
    store.append(lease.token, written)
    assert [body for _, body in store.read(digest).frames] == [written.as_json()]


def test_a_new_attempt_clears_the_frames_and_readers_see_reset(store: FrameStore, clock: Clock) -> None:
    digest = store.claim(spec(), "ben").digest
    first = store.start(digest)
    assert first
    for n in range(3):
        store.append(first.token, frame(n))
    clock.passes(16)
    assert not store.read(digest, "1-3").reset
    second = store.start(digest)
    assert second
    store.append(second.token, frame(0, sentence="anew"))
    reading = store.read(digest, "1-3")
    assert reading.reset
    assert [event for event, _ in reading.frames] == ["2-1"]
    assert not store.read(digest, "2-1").reset
    assert not store.read(digest).reset


@pytest.mark.parametrize("nonsense", ["x", "1", "-1", "1-", "9" * 400, "1-2-3", "٣-٤", "99999999-0"])
def test_an_event_id_nobody_made_means_from_the_start(store: FrameStore, nonsense: str) -> None:
    digest = drawn(store)
    reading = store.read(digest, nonsense)
    assert reading.reset
    assert len(reading.frames) == 3


def test_a_picture_lives_an_hour_from_its_last_read(store: FrameStore, clock: Clock) -> None:
    digest = drawn(store)
    for _ in range(3):
        clock.passes(HOUR)
        assert store.read(digest).state == "done"
    clock.passes(HOUR + 61)
    assert store.read(digest).state == "absent"
    assert store.claim(spec(), "ben").created
    assert ids(store, digest) == []


# ---- tensors and limits


def test_a_tensor_is_found_by_the_hash_of_its_bytes(store: FrameStore) -> None:
    sha256 = store.put(b"\x00\x01\xff")
    assert store.get(sha256) == b"\x00\x01\xff"
    assert store.get("0" * 64) is None


def test_reading_a_picture_keeps_its_tensors_too(store: FrameStore, clock: Clock) -> None:
    digest = store.claim(spec(), "ben").digest
    lease = store.start(digest)
    assert lease
    kept, lost = store.put(b"kept"), store.put(b"lost")
    store.append(lease.token, frame(0, tensors=(reference(kept, 4),)))
    store.finish(lease.token)
    clock.passes(HOUR)
    store.read(digest)
    clock.passes(HOUR)
    assert store.get(kept) == b"kept"
    assert store.get(lost) is None


def test_too_large_a_frame_or_tensor_is_refused_with_its_size(store: FrameStore) -> None:
    store.claim(spec(), "ben")
    lease = store.start(spec().digest())
    assert lease
    with pytest.raises(TooBig, match="16384"):
        store.append(lease.token, frame(0, sentence="x" * 17_000))
    with pytest.raises(TooBig, match="2097153"):
        store.put(bytes(2 * 1024 * 1024 + 1))


def test_the_65th_frame_is_refused(store: FrameStore) -> None:
    store.claim(spec(), "ben")
    lease = store.start(spec().digest())
    assert lease
    for n in range(64):
        store.append(lease.token, frame(n))
    with pytest.raises(TooBig, match="at most 64"):
        store.append(lease.token, frame(64))


# ---- who is there


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


# ---- trouble


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
