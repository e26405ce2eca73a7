"""What a worker does with a claim, whatever the engine does to it."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from attention_engine import engine, tasks
from attention_engine.drawing import draw
from attention_engine.execution import warm
from attention_engine.frames import Frame, TensorRef
from attention_engine.leases import LeaseKeeper
from attention_engine.spec import KINDS, VisualizationSpec, make_spec
from attention_engine.store import FrameStore, StaleLease
from attention_engine.store.embedded import SqliteFrameStore

FAST = make_spec("head_split", {"d_model": 768, "num_heads": 12})
HEAVY = make_spec("head_split", {"d_model": 4096, "num_heads": 32, "tokens": 64, "batch": 4})


class Clock:
    """A clock that stands still until told."""

    now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> FrameStore:
    return SqliteFrameStore(str(tmp_path / "frames.sqlite3"), clock=clock)


def frame(n: int, **more: object) -> Frame:
    return Frame(step=f"step {n}", layout="text", title="", sentence="", n=n, **more)  # type: ignore[arg-type]


def three_frames(spec: VisualizationSpec) -> Iterator[Frame]:
    return (frame(n) for n in range(3))


def raising(error: Exception) -> Callable[[VisualizationSpec], Iterator[Frame]]:
    def picture(spec: VisualizationSpec) -> Iterator[Frame]:
        yield frame(0)
        raise error

    return picture


def test_every_frame_is_stored_and_the_picture_is_done(store: FrameStore) -> None:
    digest = store.claim(FAST, "ben").digest
    draw(store, digest, picture=three_frames)
    state, frames = store.read(digest)
    assert state == "done"
    assert [body for _, body in frames] == [frame(n).as_json() for n in range(3)]


def test_a_frame_is_readable_before_the_next_is_drawn(store: FrameStore) -> None:
    digest = store.claim(FAST, "ben").digest
    seen: list[int] = []

    def picture(spec: VisualizationSpec) -> Iterator[Frame]:
        for n in range(3):
            yield frame(n)
            seen.append(len(store.read(digest).frames))

    draw(store, digest, picture=picture)
    assert seen == [1, 2, 3]


def test_blobs_are_there_when_their_frame_is(store: FrameStore) -> None:
    import hashlib

    body = b"\x01\x02\x03"
    tensor = TensorRef("values", ("D",), (3,), "u8", 0.0, 1.0, hashlib.sha256(body).hexdigest(), 3)
    digest = store.claim(FAST, "ben").digest
    draw(store, digest, picture=lambda _: iter([frame(0, tensors=(tensor,), blobs=(body,))]))
    (_, found), *_ = store.read(digest).frames
    assert store.get(found["tensors"][0]["sha256"]) == body


def test_a_message_nobody_claimed_draws_nothing(store: FrameStore) -> None:
    draw(store, "0" * 64, picture=raising(AssertionError("drawn")))
    assert store.read("0" * 64).state == "absent"


def test_an_error_of_the_domain_reaches_the_learner_in_its_own_words(store: FrameStore) -> None:
    from attention_engine.admission import TooLarge

    digest = store.claim(FAST, "ben").digest
    draw(store, digest, picture=raising(TooLarge("512 MiB, above 256; take fewer tokens")))
    reading = store.read(digest)
    assert (reading.state, reading.code) == ("failed", "too-large")
    assert reading.sentence == "512 MiB, above 256; take fewer tokens"


@pytest.mark.parametrize("error", [RuntimeError("secret path"), ValueError("from numpy"), MemoryError()])
def test_an_unexpected_error_fails_the_picture_without_its_inner_words(
    store: FrameStore, error: Exception
) -> None:
    digest = store.claim(FAST, "ben").digest
    draw(store, digest, picture=raising(error))
    reading = store.read(digest)
    assert (reading.state, reading.code) == ("failed", "engine-error")
    assert "secret" not in reading.sentence
    assert "worker's log" in reading.sentence


def test_a_spec_of_another_engine_fails_with_the_way_out(store: FrameStore) -> None:
    class OlderSpec(VisualizationSpec):
        def as_json(self) -> dict[str, object]:
            return {**super().as_json(), "engine": "0"}

    digest = store.claim(OlderSpec(FAST.kind, FAST.parameters), "ben").digest
    draw(store, digest, picture=three_frames)
    reading = store.read(digest)
    assert (reading.state, reading.code) == ("failed", "invalid-spec")
    assert "ask again" in reading.sentence


def test_an_attempt_taken_over_stops_without_a_trace(store: FrameStore, clock: Clock) -> None:
    digest = store.claim(FAST, "ben").digest

    def stalls(spec: VisualizationSpec) -> Iterator[Frame]:
        yield frame(0)
        clock.now += 20  # the machine slept; meanwhile the picture is sent again and drawn
        draw(store, digest, picture=three_frames)
        yield frame(99)

    draw(store, digest, picture=stalls)
    reading = store.read(digest)
    assert (reading.state, reading.attempt) == ("done", int(Clock.now * 1000) + 2)
    assert [body["n"] for _, body in reading.frames] == [0, 1, 2]


@pytest.mark.parametrize(("spec", "state"), [(HEAVY, "absent"), (FAST, "done")])
def test_only_a_heavy_picture_nobody_watches_is_given_up_between_frames(
    store: FrameStore, clock: Clock, spec: VisualizationSpec, state: str
) -> None:
    digest = store.claim(spec, "ben").digest
    clock.now += 20
    draw(store, digest, picture=three_frames)
    assert store.read(digest).state == state


def test_a_watched_heavy_picture_is_drawn_to_its_end(store: FrameStore) -> None:
    digest = store.claim(HEAVY, "ben").digest
    draw(store, digest, picture=three_frames)
    assert store.read(digest).state == "done"


def test_the_keeper_renews_until_it_is_told_that_the_lease_is_gone(store: FrameStore, clock: Clock) -> None:
    digest = store.claim(FAST, "ben").digest
    lease = store.start(digest)
    assert lease
    with LeaseKeeper(store, lease.token, every=0.01) as keeper:
        for _ in range(5):
            clock.now += 10
            _wait_for(lambda: store._load(digest)[1].lease_until == clock.now + 15)  # type: ignore[union-attr]
        assert not keeper.lost
        store.fail(lease.token, "x", "y")
        _wait_for(lambda: keeper.lost)
    with pytest.raises(StaleLease):
        store.renew(lease.token)


def test_warming_up_draws_each_kind_once_and_measures_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []
    monkeypatch.setattr(tasks, "_engine", lambda spec: iter([drawn.append(spec.kind)]))
    tasks.warm_up()
    assert drawn == [kind for kind in KINDS if kind not in {"roofline", "decode_cache"}]


def test_warming_up_runs_programs_too_and_no_picture_waits_for_that(monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[str] = []

    def warming() -> Iterator[str]:
        for text in warm.PROGRAMS:
            judged.append(text)
            yield text

    monkeypatch.setattr(tasks, "_engine", lambda spec: iter([]))
    monkeypatch.setattr(warm, "warming", warming)
    tasks.warm_up()
    assert judged == list(warm.PROGRAMS)
    judged.clear()
    monkeypatch.undo()
    monkeypatch.setattr(warm, "warming", warming)
    assert len(list(engine.render(make_spec("answer_executed", {})))) == 3
    assert judged == []


def test_warming_up_stands_back_while_somebodys_picture_is_drawn(
    store: FrameStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    warmed = threading.Event()
    monkeypatch.setattr(tasks, "_engine", lambda spec: iter([warmed.set(), None]))
    seen: list[bool] = []

    def picture(spec: VisualizationSpec) -> Iterator[Frame]:
        warming.start()
        seen.append(warmed.wait(0.1))
        yield frame(0)

    warming = threading.Thread(target=tasks.warm_up)
    draw(store, store.claim(FAST, "ben").digest, picture=picture)
    warming.join(10)
    assert seen == [False]
    assert warmed.is_set()


def test_a_worker_that_is_asked_to_end_warms_up_no_further(monkeypatch: pytest.MonkeyPatch) -> None:
    ending, drawn = threading.Event(), []
    monkeypatch.setattr(tasks, "ending", ending)

    def picture(spec: VisualizationSpec) -> Iterator[Frame]:
        for n in range(3):
            drawn.append((spec.kind, n))
            yield frame(n)
            ending.set()

    monkeypatch.setattr(tasks, "_engine", picture)
    tasks.warm_up()
    assert len(drawn) == 2


def _wait_for(condition: Callable[[], bool]) -> None:
    import time

    deadline = time.monotonic() + 5
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)
