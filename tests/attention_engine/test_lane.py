"""The lane of heavy jobs: one runs, the others wait in it, and nobody who brings one has to."""

import threading

import pytest

from attention_engine.lane import Lane


class Stage:
    """A job that lasts until it is released, and remembers who ran and how many at once."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.at_once = self.most = 0
        self.begun, self.release = threading.Event(), threading.Event()

    def __call__(self, name: str) -> None:
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        self.begun.set()
        assert self.release.wait(10)
        self.done.append(name)
        self.at_once -= 1


@pytest.fixture
def stage() -> Stage:
    return Stage()


def occupied(lane: Lane, stage: Stage) -> threading.Thread:
    thread = threading.Thread(target=lane.run, args=("first", stage))
    thread.start()
    assert stage.begun.wait(10)
    return thread


def test_a_job_in_a_free_lane_runs_at_once(stage: Stage) -> None:
    stage.release.set()
    Lane().run("a", stage)
    assert stage.done == ["a"]


def test_who_finds_the_lane_taken_does_not_wait_and_its_job_is_done_by_the_other(stage: Stage) -> None:
    lane = Lane()
    thread = occupied(lane, stage)
    for name in ("b", "c", "b"):  # a doubled message waits once
        lane.run(name, stage)
    assert stage.done == []
    stage.release.set()
    thread.join(10)
    assert stage.done == ["first", "b", "c"]
    assert stage.most == 1


def test_a_job_that_breaks_frees_the_lane_and_loses_no_other(stage: Stage) -> None:
    lane = Lane()

    def breaks(name: str) -> None:
        lane.run("b", stage)
        raise RuntimeError(name)

    with pytest.raises(RuntimeError):
        lane.run("a", breaks)
    stage.release.set()
    lane.run("c", stage)
    assert stage.done == ["b", "c"]


def test_a_closed_lane_ends_what_runs_and_begins_nothing(stage: Stage) -> None:
    lane = Lane()
    thread = occupied(lane, stage)
    lane.run("b", stage)
    lane.close()
    stage.release.set()
    thread.join(10)
    lane.run("c", stage)
    assert stage.done == ["first"]


def test_many_at_once_are_all_done_one_by_one(stage: Stage) -> None:
    lane, stage.most = Lane(), 0
    stage.release.set()
    names = [f"{n}" for n in range(200)]
    threads = [threading.Thread(target=lane.run, args=(name, stage)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert sorted(stage.done) == sorted(names)
    assert stage.most == 1
