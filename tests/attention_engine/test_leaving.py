"""A worker is free soon after the only reader of a long picture left, and a lost lease ends a picture too."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from attention_engine import leases
from attention_engine.boundaries import boundary
from attention_engine.drawing import draw
from attention_engine.frames import Frame
from attention_engine.leases import Following, GivenUp, LeaseKeeper
from attention_engine.spec import VisualizationSpec, make_spec
from attention_engine.store import FrameStore
from attention_engine.store.contract import WATCH_SECONDS
from attention_engine.store.embedded import SqliteFrameStore
from benchmarks.leaving import LONG, Shifted, leave

FAST = make_spec("head_split", {})
HEAVY = make_spec("head_split", {"d_model": 4096, "num_heads": 32, "tokens": 64, "batch": 4})


@pytest.fixture
def clock() -> Shifted:
    return Shifted()


@pytest.fixture
def store(tmp_path: Path, clock: Shifted) -> FrameStore:
    return SqliteFrameStore(str(tmp_path / "frames.sqlite3"), clock=clock)


def frame(n: int) -> Frame:
    return Frame(step=f"step {n}", layout="text", title="", sentence="", n=n)


class Stages:
    """A picture whose frames are made in many pieces; counts those that it came to."""

    def __init__(self, clock: Shifted, *, reader_leaves_at: int) -> None:
        self.pieces, self._clock, self._leaves = 0, clock, reader_leaves_at

    def __call__(self, spec: VisualizationSpec) -> Iterator[Frame]:
        for n in range(3):
            for _ in range(10):
                self.pieces += 1
                if self.pieces == self._leaves:
                    self._clock.ahead += WATCH_SECONDS - 1  # the lease, begun a little later, lives
                boundary()
            yield frame(n)


def half_watched(store: FrameStore, clock: Shifted, spec: VisualizationSpec) -> str:
    """A claim whose watch has 1 s left."""
    digest = store.claim(spec, "ben").digest
    clock.ahead += 2
    return digest


def test_a_heavy_picture_is_given_up_within_a_frame(
    store: FrameStore, clock: Shifted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leases, "LOOK_SECONDS", 0)
    digest = half_watched(store, clock, HEAVY)
    picture = Stages(clock, reader_leaves_at=13)
    draw(store, digest, picture=picture)
    assert (picture.pieces, store.read(digest).state) == (13, "absent")


@pytest.mark.parametrize(("patience", "state", "pieces"), [(0, "absent", 13), (60, "done", 30)])
def test_a_fast_picture_that_nobody_follows_is_given_up_once_it_takes_long(
    store: FrameStore,
    clock: Shifted,
    monkeypatch: pytest.MonkeyPatch,
    patience: float,
    state: str,
    pieces: int,
) -> None:
    monkeypatch.setattr(leases, "LONG_SECONDS", patience)
    monkeypatch.setattr(leases, "LOOK_SECONDS", 0)
    digest = half_watched(store, clock, FAST)
    picture = Stages(clock, reader_leaves_at=13)
    draw(store, digest, picture=picture)
    assert (picture.pieces, store.read(digest).state) == (pieces, state)


def test_a_picture_taken_over_ends_within_a_frame_and_leaves_the_other_attempt_alone(
    store: FrameStore, clock: Shifted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leases, "LOOK_SECONDS", 0)
    digest = store.claim(HEAVY, "ben").digest
    lease = store.start(digest)
    assert lease
    keeper = LeaseKeeper(store, lease.token)
    following = Following(store, lease.token, keeper=keeper, heavy=True)
    following.ask()
    keeper.lost.add(lease.token)
    with pytest.raises(GivenUp):
        following.look()
    assert store.read(digest).state == "running"


def test_a_worker_is_free_within_100_ms_of_a_frame_and_a_busy_machine_has_ten_times_as_long() -> None:
    kind, parameters = LONG["108 heads of 512 tokens"]
    left = leave(make_spec(kind, parameters), 0.05)
    assert left is not None
    assert left.from_frame <= 1000


def test_a_frame_of_many_pieces_is_not_waited_for() -> None:
    kind, parameters = LONG["gpt-3's width, pinned"]
    left = leave(make_spec(kind, parameters), 0.15)
    assert left is not None
    assert left.from_lapse <= 1000
