"""Reading, in both stores: every frame to early, late and resuming readers, for an hour."""

from collections.abc import Callable

import pytest

from attention_engine.store import (
    FrameStore,
    TooBig,
)
from tests.attention_engine.store.kit import HOUR, Clock, drawn, frame, ids, reference, spec


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


def test_done_pictures_can_be_forgotten_and_drawn_anew(store: FrameStore) -> None:
    done, waiting = drawn(store, seed=1), store.claim(spec(2), "ben").digest
    store.forget_drawn()
    assert store.read(done).state == "absent"
    assert store.read(waiting).state == "queued"
    assert store.claim(spec(1), "ben").created
    assert ids(store, done) == []


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
