"""Pictures that waited together end as each alone would, and none of them spoils another."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from attention_engine import engine, leases
from attention_engine.drawing import draw, draw_together
from attention_engine.frames import Frame, TensorRef
from attention_engine.leases import LeaseKeeper
from attention_engine.spec import VisualizationSpec, make_spec
from attention_engine.store import FrameStore, StoreUnavailable
from attention_engine.store.embedded import SqliteFrameStore
from attention_engine.trained import models
from tests.attention_engine.decoding import decode
from tests.attention_engine.store.kit import Clock

SENTENCES = ("a cat", "the cat sat on the mat", "a cat", "queries meet keys")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> FrameStore:
    return SqliteFrameStore(str(tmp_path / "frames.sqlite3"), clock=clock)


def split(seed: int) -> VisualizationSpec:
    return make_spec("head_split", {"d_model": 64, "num_heads": 4}, seed)


def claimed(store: FrameStore, specs: list[VisualizationSpec]) -> list[str]:
    return [store.claim(spec, f"owner {n}").digest for n, spec in enumerate(specs)]


def frame(n: int) -> Frame:
    return Frame(step=f"step {n}", layout="text", title="", sentence="", n=n)


def three(spec: VisualizationSpec) -> Iterator[Frame]:
    return (frame(n) for n in range(3))


def test_every_picture_has_its_frames_in_order_and_is_done(store: FrameStore) -> None:
    digests = claimed(store, [split(seed) for seed in range(6)])
    draw_together(store, digests, picture=three)
    for digest in digests:
        reading = store.read(digest)
        assert reading.state == "done"
        assert [body["n"] for _, body in reading.frames] == [0, 1, 2]


def test_frames_of_many_are_stored_in_few_steps_and_of_one_as_they_come(
    store: FrameStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[int] = []
    write = store.write
    monkeypatch.setattr(store, "write", lambda deeds: steps.append(len(deeds)) or write(deeds))
    draw_together(store, claimed(store, [split(seed) for seed in range(6)]), picture=three)
    assert sum(steps) == 24
    assert len(steps) <= 6  # one a 20 ms; each frame and end alone would be 24
    steps.clear()
    draw(store, claimed(store, [split(9)])[0], picture=three)
    assert steps == [1, 1, 1, 1]


def test_a_broken_picture_fails_alone(store: FrameStore) -> None:
    specs = [split(seed) for seed in range(5)]
    digests = claimed(store, specs)

    def picture(spec: VisualizationSpec) -> Iterator[Frame]:
        yield frame(0)
        if spec.seed == 2:
            raise RuntimeError("broke")
        yield frame(1)

    draw_together(store, digests, picture=picture)
    readings = [store.read(digest) for digest in digests]
    assert [reading.state for reading in readings] == ["done", "done", "failed", "done", "done"]
    assert (readings[2].code, readings[2].count) == ("engine-error", 1)


def test_a_picture_nobody_follows_any_more_is_given_up_alone(
    store: FrameStore, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leases, "LONG_SECONDS", 0.0)
    digests = claimed(store, [split(seed) for seed in range(3)])
    clock.passes(16)
    for digest in (digests[0], digests[2]):
        store.watch(digest)
    draw_together(store, digests, picture=three)
    assert [store.read(digest).state for digest in digests] == ["done", "absent", "done"]


def test_a_picture_taken_over_meanwhile_is_left_to_the_other_attempt(store: FrameStore, clock: Clock) -> None:
    digests = claimed(store, [split(seed) for seed in range(3)])

    def picture(spec: VisualizationSpec) -> Iterator[Frame]:
        if spec.seed == 1:
            clock.passes(16)  # the machine slept; whoever reads has it drawn elsewhere
            for digest in digests:
                store.read(digest)
            draw(store, digests[1], picture=three)
        yield from (frame(n) for n in range(2))

    draw_together(store, digests, picture=picture)
    reading = store.read(digests[1])
    assert (reading.state, reading.count) == ("done", 3)
    assert store.read(digests[0]).state != "failed"


def test_what_was_claimed_by_nobody_is_done_or_comes_twice_is_drawn_once(store: FrameStore) -> None:
    digests = claimed(store, [split(seed) for seed in range(2)])
    draw(store, digests[0], picture=three)
    drawn: list[int] = []

    def picture(spec: VisualizationSpec) -> Iterator[Frame]:
        drawn.append(spec.seed)
        return three(spec)

    draw_together(store, ["0" * 64, digests[0], digests[1], digests[1]], picture=picture)
    assert drawn == [1]
    assert store.read("0" * 64).state == "absent"


def test_a_store_that_goes_away_ends_all_without_an_error(
    store: FrameStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    digests = claimed(store, [split(seed) for seed in range(3)])

    def gone(_deeds: object) -> frozenset[str]:
        raise StoreUnavailable("away")

    monkeypatch.setattr(store, "write", gone)
    draw_together(store, digests, picture=three)
    assert {store.read(digest).state for digest in digests} == {"running"}  # until their leases lapse


def test_one_keeper_renews_the_leases_of_all_and_leaves_out_what_ended(
    store: FrameStore, clock: Clock
) -> None:
    leases = store.start_many(claimed(store, [split(seed) for seed in range(3)]))
    with LeaseKeeper(store, *(lease.token for lease in leases), every=0.01) as keeper:
        keeper.ended(leases[0].token)
        store.finish(leases[0].token)
        store.fail(leases[1].token, "x", "y")
        clock.passes(10)
        _wait_for(lambda: keeper.lost == {leases[1].token})
        _wait_for(lambda: store._load(leases[2].token[:64])[1].lease_until == clock() + 15)  # type: ignore[union-attr]


def numbers(store: FrameStore, digest: str) -> list[object]:
    """Every frame without its stamp, its tensors decoded."""
    told: list[object] = []
    for _, body in store.read(digest).frames:
        references = body["tensors"]
        plain = {name: body[name] for name in ("n", "step", "sentence", "shape", "table")}
        told.append((plain, [_decoded(store, one) for one in references]))
    return told


def test_pictures_of_sentences_read_together_show_the_numbers_of_each_alone(
    minilm: None, store: FrameStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    specs = [
        make_spec("attention_pattern", {"model": "minilm", "sentence": text, "layer": n, "head": 3 * n})
        for n, text in enumerate(SENTENCES)
    ]
    reads: list[object] = []
    monkeypatch.setattr(models, "_kept", models.Kept())
    monkeypatch.setattr(models.packed, "heads_of", _counted(models.packed.heads_of, reads))
    draw_together(store, claimed(store, specs))
    assert reads == [3]  # three different sentences in one pass
    alone = SqliteFrameStore(str(tmp_path / "alone.sqlite3"))
    for spec in specs:
        monkeypatch.setattr(models, "_kept", models.Kept())
        alone.claim(spec, "ben")
        draw(alone, spec.digest())
        _assert_equal(numbers(store, spec.digest()), numbers(alone, spec.digest()))


def test_a_picture_that_cannot_be_read_ahead_is_drawn_all_the_same(
    store: FrameStore, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_specs: object) -> None:
        raise RuntimeError("no")

    monkeypatch.setattr(engine, "prepare", broken)
    digests = claimed(store, [split(seed) for seed in range(2)])
    draw_together(store, digests)
    assert [store.read(digest).state for digest in digests] == ["done", "done"]


def _decoded(store: FrameStore, told: dict[str, Any]) -> Any:
    reference = TensorRef(**{**told, "axes": tuple(told["axes"]), "shape": tuple(told["shape"])})
    body = store.get(reference.sha256)
    assert body is not None
    return decode(reference, body)


def _counted(call: Callable[..., object], into: list[object]) -> Callable[..., object]:
    return lambda encoder, texts: into.append(len(texts)) or call(encoder, texts)


def _assert_equal(one: list[object], other: list[object]) -> None:
    """Words and tables to the letter; decoded numbers to two of a byte's steps."""
    import numpy as np

    assert len(one) == len(other) == 5
    for (told, tensors), (also, others) in zip(one, other, strict=True):  # type: ignore[misc]
        assert told == also
        for mine, theirs in zip(tensors, others, strict=True):
            span = max(1e-6, float(np.nanmax(np.abs(np.where(np.isfinite(theirs), theirs, 0)))))
            np.testing.assert_allclose(mine, theirs, atol=2 * span / 255, rtol=0)


def _wait_for(condition: Callable[[], bool]) -> None:
    import time

    deadline = time.monotonic() + 5
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)
