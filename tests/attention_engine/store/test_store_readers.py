"""Reading, in both stores: every frame to early, late and resuming readers, for an hour."""

from collections.abc import Callable

import pytest

from attention_engine.store import FrameStore
from tests.attention_engine.store.kit import HOUR, Clock, drawn, event, frame, ids, reference, spec


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
    everything = [event(1, 1), event(1, 2), event(1, 3), event(1, 4), event(1, 5)]
    assert early == everything
    assert ids(store, digest) == everything
    assert ids(another(), digest, event(1, 2)) == [event(1, 3), event(1, 4), event(1, 5)]
    state, frames = store.read(digest, event(1, 5))
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
    assert not store.read(digest, event(1, 3)).reset
    second = store.start(digest)
    assert second
    store.append(second.token, frame(0, sentence="anew"))
    reading = store.read(digest, event(1, 3))
    assert reading.reset
    assert [id_ for id_, _ in reading.frames] == [event(2, 1)]
    assert not store.read(digest, event(2, 1)).reset
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


def test_done_pictures_can_be_forgotten_and_drawn_anew(store: FrameStore) -> None:
    done, waiting = drawn(store, seed=1), store.claim(spec(2), "ben").digest
    store.forget_drawn()
    assert store.read(done).state == "absent"
    assert store.read(waiting).state == "queued"
    assert store.claim(spec(1), "ben").created
    assert ids(store, done) == []


@pytest.mark.parametrize("ended", ["forgotten", "expired", "abandoned"])
def test_an_id_from_an_earlier_life_makes_its_reader_start_anew(
    store: FrameStore, clock: Clock, ended: str
) -> None:
    digest = drawn(store)
    first = ids(store, digest)
    clock.passes(2 * HOUR if ended == "expired" else 0.01)
    if ended == "forgotten":
        store.forget_drawn()
    elif ended == "abandoned":
        store.forget_drawn()
        store.claim(spec(), "ben")
        lease = store.start(digest)
        assert lease
        store.append(lease.token, frame(0))
        first = ids(store, digest)
        store.abandon(lease.token)
        clock.passes(0.01)
    drawn(store, frames=5)
    second = ids(store, digest)
    for old in first:
        reading = store.read(digest, old)
        assert reading.reset
        assert [id_ for id_, _ in reading.frames] == second
    assert not set(first) & set(second)


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
