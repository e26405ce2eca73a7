"""Equal beginnings of cards' histories, once each. Knows no model.

Two cards with the same ratings after the same days stand the same; what is worked out for one holds for both.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from studyhub.study.scheduling.histories import Floats, Histories, Integers

LONGEST = 64
"""Answers of a card that are looked at; what comes later says little more and costs a step each."""
_DAYS = 1 << 16


@dataclass(frozen=True)
class Prefixes:
    """Beginnings by length: those of length k+1 are `offsets[k]:offsets[k + 1]`, the `inner[k]` that go on
    first.

    `rating` and `elapsed` are of the last answer; `parent` is counted within the beginnings one shorter.
    """

    rating: Integers
    elapsed: Integers
    parent: Integers
    offsets: Integers
    inner: Integers
    of_answer: Integers
    """The beginning each answer completes; -1 beyond the longest."""

    def sums(self, values: Floats) -> Floats:
        """The sum of `values` (one for each answer) over each beginning."""
        used = self.of_answer >= 0
        return 1.0 * np.bincount(self.of_answer[used], values[used], minlength=len(self.rating))

    def spread(self, values: Floats) -> Floats:
        """The value of each answer's beginning; NaN beyond the longest."""
        return np.where(self.of_answer >= 0, np.append(values, np.nan)[self.of_answer], np.nan)

    def __len__(self) -> int:
        return len(self.offsets) - 1


@dataclass(frozen=True)
class _Level:
    """The beginnings of one length, and which of them each of the `answers` completes."""

    answers: Integers
    place: Integers
    rating: Integers
    elapsed: Integers
    parent: Integers


def prefixes_of(histories: Histories, longest: int = LONGEST) -> Prefixes:
    """The distinct beginnings of the histories."""
    levels = list(_levels(histories, longest))
    following = [*levels[1:], None][: len(levels)]
    orders = [_going_on_first(level, after) for level, after in zip(levels, following, strict=True)]
    offsets = np.cumsum([0, *(len(level.rating) for level in levels)])
    of_answer = np.full(len(histories), -1)
    for level, (order, _), offset in zip(levels, orders, offsets, strict=False):
        of_answer[level.answers] = offset + _rank(order)[level.place]
    parents = [levels[0].parent[orders[0][0]]] if levels else []
    for number, level in enumerate(levels[1:], 1):
        parents.append(_rank(orders[number - 1][0])[level.parent[orders[number][0]]])
    return Prefixes(
        _joined([level.rating[order] for level, (order, _) in zip(levels, orders, strict=True)]),
        _joined([level.elapsed[order] for level, (order, _) in zip(levels, orders, strict=True)]),
        _joined(parents),
        offsets,
        np.array([inner for _, inner in orders], int),
        of_answer,
    )


def _levels(histories: Histories, longest: int) -> Iterator[_Level]:
    standing = np.zeros(len(histories.starts), int)
    lanes = np.arange(len(histories.starts))
    for length in range(min(longest, int(histories.lengths.max(initial=0)))):
        lanes = lanes[histories.lengths[lanes] > length]
        answers = histories.starts[lanes] + length
        step = (histories.rating[answers] - 1) * _DAYS + np.minimum(histories.elapsed[answers], _DAYS - 1)
        keys, place = np.unique(standing[lanes] * (4 * _DAYS) + step, return_inverse=True)
        standing[lanes] = place
        parent, step = np.divmod(keys, 4 * _DAYS)
        yield _Level(answers, place, step // _DAYS + 1, step % _DAYS, parent)


def _going_on_first(level: _Level, after: _Level | None) -> tuple[Integers, int]:
    """The order that puts beginnings that go on first, and their number."""
    goes_on = np.zeros(len(level.rating), bool)
    if after is not None:
        goes_on[after.parent] = True
    return np.argsort(~goes_on, kind="stable"), int(goes_on.sum())


def _rank(order: Integers) -> Integers:
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return rank


def _joined(parts: list[Integers]) -> Integers:
    return np.concatenate(parts) if parts else np.zeros(0, int)
