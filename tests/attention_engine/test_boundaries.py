"""A computation that comes to a boundary asks whoever runs it, and nobody else."""

import threading

import pytest

from attention_engine.boundaries import asking, boundary


class Enough(Exception):
    """What this runner raises."""


def enough() -> None:
    raise Enough


def test_a_computation_that_nobody_runs_goes_on() -> None:
    boundary()


def test_what_the_runner_raises_ends_the_computation_and_outside_its_block_it_is_asked_no_more() -> None:
    with asking(enough), pytest.raises(Enough):
        boundary()
    boundary()


def test_the_runner_of_another_thread_is_not_asked() -> None:
    came_through = threading.Event()
    with asking(enough):
        other = threading.Thread(target=lambda: (boundary(), came_through.set()))
        other.start()
        other.join()
    assert came_through.is_set()


def test_the_inner_of_two_runners_is_asked_and_then_the_outer_again() -> None:
    calls: list[str] = []
    with asking(lambda: calls.append("outer")):
        with asking(lambda: calls.append("inner")):
            boundary()
        boundary()
    assert calls == ["inner", "outer"]
