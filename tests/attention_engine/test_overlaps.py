"""Cells read at all and more than once, by arithmetic, against counting them."""

import time
from collections import Counter
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_engine.overlaps import MOST_COUNTED, Reads, reads
from tests.sampling import tries

AXES = st.lists(st.tuples(st.integers(0, 6), st.sampled_from([0, 1, 2, 3, 4, 6, 12, 24, 5, 60])), max_size=4)


@settings(max_examples=tries(500), deadline=None)
@given(axes=AXES)
def test_the_count_is_that_of_reading_every_index(axes: list[tuple[int, int]]) -> None:
    shape, strides = [size for size, _ in axes], [stride for _, stride in axes]
    times = Counter(
        sum(at * stride for at, stride in zip(index, strides, strict=True))
        for index in product(*map(range, shape))
    )
    assert reads(shape, strides) == Reads(len(times), sum(1 for count in times.values() if count > 1))


@pytest.mark.parametrize(
    ("shape", "strides", "told"),
    [
        ((2, 4, 12, 64), (3072, 768, 64, 1), Reads(6144, 0)),
        ((2, 4, 12, 64), (3072, 64, 64, 1), Reads(2 * 960, 2 * (960 - 128))),
        ((2, 2**20, 96, 128), (2**30, 128, 128, 1), Reads(2 * 128 * (2**20 + 95), 2 * 128 * (2**20 + 93))),
        ((4, 2**30), (0, 1), Reads(2**30, 2**30)),
        (
            (2, 2**20, 96, 128),
            (2**30, 128, 130, 1),
            Reads(2 * (2**27 + 95 * 130), 2 * (2**27 + 95 * 130 - 260)),
        ),
        ((2**20, 2**20), (2, 3), None),
    ],
)
def test_large_patterns_are_counted_by_their_blocks_or_not_at_all(
    shape: tuple[int, ...], strides: tuple[int, ...], told: Reads | None
) -> None:
    assert reads(shape, strides) == told


def test_the_longest_count_does_not_hold_up_a_page() -> None:
    started = time.perf_counter()
    assert reads((300, MOST_COUNTED - 300 * 7), (7, 1))
    assert reads((2, 300, 2), (61, 300, 1))
    assert time.perf_counter() - started < 2
