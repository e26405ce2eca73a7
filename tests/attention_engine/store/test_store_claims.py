"""Claims and leases, in both stores: who draws a picture, how often, and who may not any more."""

import threading
from collections.abc import Callable

import pytest

from attention_engine.store import (
    FrameStore,
    OwnerBusy,
    StaleLease,
    StoreFull,
)
from tests.attention_engine.store.kit import Clock, drawn, event, frame, spec


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


def test_a_lease_carries_the_spec_it_was_claimed_with(store: FrameStore) -> None:
    store.claim(spec(7), "ben")
    lease = store.start(spec(7).digest())
    assert lease
    assert lease.spec == spec(7).as_json()
    assert store.append(lease.token, frame(0)) == event(1, 1)


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
    assert store.append(new.token, frame(0)) == event(2, 1)


def test_a_token_made_up_is_refused(store: FrameStore) -> None:
    store.claim(spec(), "ben")
    with pytest.raises(StaleLease):
        store.append(f"{spec().digest()}.feedfeed", frame(0))
