"""Rounds alternate, ratios are per round, and a floor that moved is seen."""

import time

import pytest

from benchmarks.harness import MOVED, Timing, Variant, fastest, interleaved, moved, ratio, steady


def timing(*cpu: float) -> Timing:
    return Timing(cpu, cpu)


def test_every_round_runs_each_variant_once_and_begins_one_place_later() -> None:
    ran: list[str] = []
    variants = {name: Variant(lambda name=name: ran.append(name)) for name in "abc"}
    timings = interleaved(variants, rounds=3)
    assert ran == [*"abc", *"abc", *"bca", *"cab"]
    assert {name: len(found.cpu) for name, found in timings.items()} == {"a": 3, "b": 3, "c": 3}


def test_a_sample_of_many_calls_is_the_time_of_one() -> None:
    found = interleaved({"sleep": Variant(lambda: time.sleep(0.005), calls=4)}, rounds=1)["sleep"]
    assert 0.005 <= found.wall[0] < 0.05
    assert found.cpu[0] < found.wall[0]


def test_a_ratio_is_the_median_of_rounds_and_lies_in_its_interval() -> None:
    found = ratio(timing(1, 2, 9), timing(2, 4, 6))
    assert found.median == 0.5
    assert found.low <= found.median <= found.high
    assert (found.low, found.high) == (0.5, 1.5)


def test_a_neighbour_that_slows_a_whole_round_leaves_its_ratio_alone() -> None:
    found = ratio(timing(1, 10, 1), timing(2, 20, 2))
    assert (found.low, found.median, found.high) == (0.5, 0.5, 0.5)


def test_the_other_is_scaled_to_the_same_work() -> None:
    assert ratio(timing(3.0), timing(4.0), of_other=0.5).median == 1.5


def test_a_ratio_says_its_interval() -> None:
    assert str(ratio(timing(1, 2), timing(2, 4))) == "x0.5 [0.5-0.5]"


@pytest.mark.parametrize(("last", "steady_enough"), [(1.05, True), (1.3, False), (0.7, False)])
def test_a_floor_that_moves_by_more_than_a_tenth_is_seen(last: float, steady_enough: bool) -> None:
    assert (moved(timing(1, 1, last)) <= MOVED) is steady_enough


def test_what_is_unsteady_is_measured_once_more_and_then_said() -> None:
    pauses = iter(range(1000))
    runs: list[int] = []

    def slower() -> None:
        runs.append(1)
        until = time.process_time() + 0.0005 * 2 ** next(pauses)
        while time.process_time() < until:
            pass

    _, stable = steady({"floor": Variant(slower)}, 3, floor="floor")
    assert not stable
    assert len(runs) == 2 * (1 + 3)


def test_the_fastest_peer_is_the_one_with_the_least_median() -> None:
    assert fastest({"a": timing(1, 9, 9), "b": timing(5, 5, 5)}, ["a", "b"]) == "b"
    assert fastest({}, []) == ""
