"""How well chances of recall foretell what is recalled: losses, bins, ranks, splits, baselines. Knows no
model.

Definitions of log loss, RMSE(bins), AUC and the splits: open-spaced-repetition/srs-benchmark, `utils.py` and
scikit-learn's TimeSeriesSplit. The two baselines are our own: that benchmark's code for them was not read.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log, sqrt

import numpy as np

from studyhub.study.scheduling.histories import Booleans, Floats, Histories, Integers

SMALLEST = 1e-7
"""A chance nearer to 0 or 1 is taken for this: no answer costs more than 16."""
FIRST_GUESS = 0.9
"""What a baseline says before it has seen an answer: the retention schedules are made for."""
HALF_LIFE = 100
"""Answers after which a past one counts half in the moving average."""
SPLITS = 5
_BLOCK = 1_000  # answers whose fading is worked out at once: 2 ** -10 still is a number like any other


@dataclass(frozen=True)
class Scores:
    """How well `number` answers were foretold; `auc` is None where all were recalled or none."""

    number: int
    log_loss: float
    rmse: float
    auc: float | None


@dataclass(frozen=True)
class Difference:
    """A mean with the ends of its 95 % interval."""

    mean: float
    low: float
    high: float


def losses(chance: Floats, recalled: Booleans) -> Floats:
    """-ln of the chance given to what happened, for each answer."""
    kept = np.clip(chance, SMALLEST, 1 - SMALLEST)
    return -np.log(np.where(recalled, kept, 1 - kept))


def log_loss(chance: Floats, recalled: Booleans) -> float:
    """The mean loss; NaN without answers."""
    return float(losses(chance, recalled).mean()) if len(chance) else float("nan")


def rmse_bins(chance: Floats, recalled: Booleans, bins: Integers) -> float:
    """The root of the mean squared distance of bin means, weighed by the answers in a bin; NaN without any.

    `bins` names each answer's bin: see `bins_of`.
    """
    if not len(chance):
        return float("nan")
    _, bins = np.unique(bins, return_inverse=True)
    gaps = np.bincount(bins, recalled - chance)
    return float(np.sqrt((gaps**2 / np.bincount(bins)).sum() / len(chance)))


def bins_of(elapsed: Integers, answers: Integers, lapses: Integers) -> Integers:
    """The bin of each answer: by elapsed study days, `answers` to its card (>= 1), and lapses before it."""
    days = np.floor(np.log(np.maximum(elapsed, 1e-6)) / log(3.62)).astype(int)
    count = np.floor(np.log(np.maximum(answers, 1)) / log(1.89)).astype(int)
    failed = np.where(lapses > 0, 1 + np.floor(np.log(np.maximum(lapses, 1)) / log(1.73)), 0).astype(int)
    return np.asarray((days * 64 + count) * 64 + failed)


def auc(chance: Floats, recalled: Booleans) -> float | None:
    """The share of pairs (recalled, not) where the recalled one had the larger chance; ties count half."""
    passed = int(recalled.sum())
    failed = len(recalled) - passed
    if not passed or not failed:
        return None
    _, place, number = np.unique(chance, return_inverse=True, return_counts=True)
    ranks = np.cumsum(number) - (number - 1) / 2
    return float((ranks[place][recalled].sum() - passed * (passed + 1) / 2) / (passed * failed))


def scores(chance: Floats, recalled: Booleans, bins: Integers) -> Scores:
    """All three of chances and what happened; arrays (N,)."""
    found = log_loss(chance, recalled), rmse_bins(chance, recalled, bins), auc(chance, recalled)
    return Scores(len(chance), *found)


def bins_within(histories: Histories) -> Integers:
    """The bin of each answer of histories; that of an answer that is no term means nothing."""
    terms = histories.is_term
    answers = 1 + histories.within_card(terms)
    lapses = histories.within_card(terms & ~histories.recalled)
    return bins_of(histories.elapsed, answers, lapses - (terms & ~histories.recalled))


def forward_splits(number: int, splits: int = SPLITS) -> list[slice]:
    """What is tested in turn of `number` answers in time order; all before is what is learnt from.

    Too few for a test of one answer each: no split.
    """
    size = number // (splits + 1)
    if not size:
        return []
    starts = [number - (splits - split) * size for split in range(splits)]
    return [slice(start, start + size) for start in starts]


def running_average(recalled: Booleans) -> Floats:
    """AVG: the share recalled of all answers before, in time order, with one first guess among them."""
    before = np.cumsum(recalled) - recalled.astype(int)
    return np.asarray((before + FIRST_GUESS) / (np.arange(len(recalled)) + 1))


def moving_average(recalled: Booleans) -> Floats:
    """MOVING-AVG: the same, but an answer counts half after HALF_LIFE more."""
    kept = 0.5 ** (1 / HALF_LIFE)
    total, weight, foretold = FIRST_GUESS, 1.0, [np.zeros(0)]
    for start in range(0, len(recalled), _BLOCK):
        block = recalled[start : start + _BLOCK]
        fading = kept ** np.arange(1, len(block) + 1)  # of what came before this block
        totals = fading * (total + np.cumsum(block / fading))
        weights = fading * (weight + np.cumsum(1 / fading))
        foretold += [np.array([total / weight]), (totals / weights)[:-1]]
        total, weight = totals[-1], weights[-1]
    return np.concatenate(foretold)


def mean_difference(values: Floats) -> Difference:
    """The mean of differences, with its normal 95 % interval; as wide as can be for fewer than two."""
    if len(values) < 2:
        return Difference(float(values.mean()) if len(values) else 0.0, -np.inf, np.inf)
    mean, half = float(values.mean()), 1.96 * float(values.std(ddof=1)) / sqrt(len(values))
    return Difference(mean, mean - half, mean + half)


def recency(number: int) -> Floats:
    """How much each of `number` answers in time order counts: the oldest 0.25, the newest 1.

    The cubic weights of open-spaced-repetition/fsrs-rs, `src/dataset.rs`.
    """
    return 0.25 + 0.75 * (np.arange(number) / max(number - 1, 1)) ** 3


def pooled(parts: Sequence[Floats]) -> Floats:
    """Predictions of several splits, one after the other."""
    return np.concatenate(parts) if parts else np.zeros(0)
