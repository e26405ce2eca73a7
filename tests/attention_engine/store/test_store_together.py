"""What a store does for many pictures at once is what it does for each, and one spoils no other."""

import hashlib
import threading
from collections.abc import Callable
from dataclasses import replace

import pytest

from attention_engine.store import FrameStore
from attention_engine.store.base import frame_deed
from attention_engine.store.contract import DONE, FAILED, Deed, Lease
from tests.attention_engine.store.kit import Clock, event, frame, reference, spec


def started(store: FrameStore, count: int) -> tuple[Lease, ...]:
    digests = [store.claim(spec(seed), f"owner {seed}").digest for seed in range(count)]
    return store.start_many(digests)


def test_leases_come_in_the_order_asked_and_only_for_what_waits(store: FrameStore) -> None:
    digests = [store.claim(spec(seed), f"owner {seed}").digest for seed in range(4)]
    taken = store.start(digests[1])
    assert taken
    leases = store.start_many([digests[3], digests[1], "0" * 64, digests[0]])
    assert [lease.token.partition(".")[0] for lease in leases] == [digests[3], digests[0]]
    assert leases[0].spec == spec(3).as_json()
    assert store.read(digests[2]).state == "queued"
    assert store.start_many([]) == ()


def test_frames_and_ends_of_many_are_written_in_order(store: FrameStore) -> None:
    one, two, three = started(store, 3)
    deeds = [frame_deed(lease.token, frame(n)) for n in range(2) for lease in (one, two, three)]
    ends = [Deed(one.token, end=DONE), Deed(two.token, end=FAILED, code="x", sentence="y")]
    assert store.write([*deeds, *ends]) == frozenset()
    readings = [store.read(lease.token.partition(".")[0]) for lease in (one, two, three)]
    assert [reading.state for reading in readings] == ["done", "failed", "running"]
    for reading in readings:
        assert [id_ for id_, _ in reading.frames] == [event(1, 1), event(1, 2)]
        assert [body for _, body in reading.frames] == [frame(0).as_json(), frame(1).as_json()]
    assert (readings[1].code, readings[1].sentence) == ("x", "y")
    assert store.write([frame_deed(three.token, frame(2)), Deed(three.token, end=DONE)]) == frozenset()
    assert store.read(three.token.partition(".")[0]).last_id == event(1, 4)


def test_a_stale_lease_among_others_is_told_and_leaves_nothing(store: FrameStore) -> None:
    one, two = started(store, 2)
    store.finish(one.token)
    made_up = "0" * 64 + ".x"
    deeds = [frame_deed(token, frame(0)) for token in (one.token, two.token, made_up)]
    assert store.write(deeds) == {one.token, made_up}
    assert store.read(one.token.partition(".")[0]).frames == ()
    assert store.read(two.token.partition(".")[0]).count == 1
    assert store.read("0" * 64).state == "absent"


def test_leases_are_renewed_together_and_stale_ones_told(store: FrameStore, clock: Clock) -> None:
    one, two = started(store, 2)
    store.finish(one.token)
    clock.passes(10)
    assert store.renew_many([one.token, two.token]) == {one.token}
    clock.passes(10)
    assert store.read(two.token.partition(".")[0]).state == "running"


def test_tensors_come_with_their_frame_and_live_with_its_picture(store: FrameStore, clock: Clock) -> None:
    (lease,) = started(store, 1)
    name = hashlib.sha256(b"body").hexdigest()
    deed = Deed(lease.token, frame="{}", tensors=(name,), blobs=((name, b"body"),))
    store.write([deed, Deed(lease.token, end=DONE)])
    for _ in range(2):
        clock.passes(3600)
        store.read(lease.token.partition(".")[0])
    assert store.get(name) == b"body"


def test_append_stores_the_tensors_of_its_frame(store: FrameStore) -> None:
    (lease,) = started(store, 1)
    name = hashlib.sha256(b"four").hexdigest()
    whole = replace(frame(0, tensors=(reference(name, 4),)), blobs=(b"four",))
    assert store.append(lease.token, whole) == event(1, 1)
    assert store.get(name) == b"four"


def test_a_reader_in_between_sees_all_of_a_step_or_none(another: Callable[[], FrameStore]) -> None:
    worker, reader = another(), another()
    leases = started(worker, 3)
    digests = [lease.token.partition(".")[0] for lease in leases]
    torn: list[list[int]] = []
    ended = threading.Event()

    def look() -> None:
        while not ended.is_set():
            counts = [reader.read(digest).count for digest in digests]
            if counts != sorted(counts):  # later looks may see more, never less
                torn.append(counts)

    watcher = threading.Thread(target=look)
    watcher.start()
    for n in range(20):
        worker.write([frame_deed(lease.token, frame(n)) for lease in leases])
    ended.set()
    watcher.join()
    assert torn == []
    assert [reader.read(digest).count for digest in digests] == [20, 20, 20]


@pytest.mark.parametrize("writers", [4])
def test_steps_of_many_that_meet_readers_and_each_other_all_go_through(
    another: Callable[[], FrameStore], writers: int
) -> None:
    stores = [another() for _ in range(writers)]
    leases = started(stores[0], writers * 2)
    groups = [leases[n::writers] for n in range(writers)]

    def work(store: FrameStore, group: tuple[Lease, ...]) -> None:
        for n in range(10):
            store.write([frame_deed(lease.token, frame(n)) for lease in group])
            store.renew_many([lease.token for lease in leases])

    threads = [threading.Thread(target=work, args=pair) for pair in zip(stores, groups, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [stores[0].read(lease.token.partition(".")[0]).count for lease in leases] == [10] * len(leases)


def test_a_tensor_of_no_bytes_is_a_tensor_too(store: FrameStore) -> None:
    assert store.get(store.put(b"")) == b""
