"""FSRS-7 for many cards at once, in numpy. Knows no card, no clock and no button beyond its number.

The twins of `fsrs7.Fsrs7`, equal to it to 1e-9; float64 throughout. Time in days, fractions and all.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from studyhub.study.scheduling.fsrs7 import DIFFICULTY_BOUNDS, LONGEST, SHORTEST, STABILITY_BOUNDS
from studyhub.study.scheduling.histories import Histories
from studyhub.study.scheduling.trace import Parameters

Floats = NDArray[np.float64]
Integers = NDArray[np.integer[Any]]

_LONG, _SHORT = 7, 15
_LEAST, _SPAN, _BEGUN, _PULL = 0.00001, 0.99998, 0.8, 0.01
_STEPS, _NEAR = 100, 1e-12  # of the solver: steps at most, and where it ends, in ln(days)


class Traces(NamedTuple):
    """What N cards left: stability (long, days), difficulty, short stability (days), each (N,).

    Stability 0 is a card never answered; a short one of 0 is taken as that of a trace just begun.
    """

    stability: Floats
    difficulty: Floats
    short: Floats


class Curves(NamedTuple):
    """How N traces are forgotten: as `fsrs7.Curve`, in arrays."""

    share: Floats
    short_scale: Floats
    short_decay: Floats
    long_scale: Floats
    long_decay: float

    def losses(self, days: Floats) -> tuple[Floats, Floats]:
        """1 - recall, and what the short curve alone has lost."""
        short = -np.expm1(-self.short_decay * np.log1p(self.short_scale * days))
        long = -np.expm1(-self.long_decay * np.log1p(self.long_scale * days))
        return _LEAST + _SPAN * (self.share * short + (1 - self.share) * long), short

    def losses_and_slopes(self, days: Floats) -> tuple[Floats, Floats]:
        """1 - recall, and by how much it grows per unit of ln(days)."""
        short, long = self.short_scale * days, self.long_scale * days
        short_loss = -np.expm1(-self.short_decay * np.log1p(short))
        long_loss = -np.expm1(-self.long_decay * np.log1p(long))
        short_slope = self.short_decay * short / (1 + short) * (1 - short_loss)
        long_slope = self.long_decay * long / (1 + long) * (1 - long_loss)
        share, rest = _SPAN * self.share, _SPAN * (1 - self.share)
        return _LEAST + share * short_loss + rest * long_loss, share * short_slope + rest * long_slope


def walked(ratings: ArrayLike, days: ArrayLike, numbers: Parameters) -> tuple[Traces, Floats]:
    """The traces (N,) after N histories, and the chance of recall (N, T) before each answer, 0 at the first.

    `ratings` (N, T): 1..4, filled up with 0 at the end. `days` (N, T) since the answer before; the first of a
    row is not read. Raises ValueError for other shapes or ratings.
    """
    rated, elapsed = np.asarray(ratings), np.asarray(days, np.float64)
    if rated.ndim != 2 or rated.shape != elapsed.shape:
        raise ValueError(f"ratings {rated.shape} and days {elapsed.shape} are not of one shape (N, T)")
    if rated.size and not np.isin(rated, range(5)).all():
        raise ValueError(f"ratings {rated.min()} to {rated.max()} are not all 1..4, or 0 after the last")
    left, chances = Traces(*np.zeros((3, len(rated)))), np.zeros(rated.shape)
    for step in range(rated.shape[1]):
        rows = np.flatnonzero(rated[:, step])
        before, rating = _some(left, rows), rated[rows, step]
        if step == 0:
            gone_on = first(rating, numbers)
        else:
            chances[rows, step] = recalls(before, elapsed[rows, step], numbers)
            gone_on = after(before, rating, elapsed[rows, step], numbers)
        for whole, part in zip(left, gone_on, strict=True):
            whole[rows] = part
    return left, chances


def foretold(histories: Histories, numbers: Parameters) -> Floats:
    """The chance of recall before each answer (N,); NaN before a card's first."""
    shape = len(histories.starts), int(histories.lengths.max(initial=0))
    place = histories.lane, histories.position
    ratings, days = np.zeros(shape, int), np.zeros(shape)
    ratings[place], days[place] = histories.rating, histories.waited
    return np.where(histories.is_first, np.nan, walked(ratings, days, numbers)[1][place])


def first(rating: Integers, numbers: Parameters) -> Traces:
    """After a first answer."""
    stability = np.array(numbers, np.float64)[rating - 1]
    return _bounded(stability, _first_difficulty(rating, numbers), _BEGUN * stability)


def after(traces: Traces, rating: Integers, days: ArrayLike, numbers: Parameters) -> Traces:
    """After one more answer, rated 1..4."""
    loss, short_loss = curves(traces, numbers).losses(_elapsed(days))
    again = rating == 1
    ease = 11 - traces.difficulty
    long = _gone_on(numbers[_LONG : _LONG + 8], traces.stability, loss, rating, ease)
    short = _gone_on(numbers[_SHORT : _SHORT + 8], _short(traces), short_loss, rating, ease)
    short = np.where(again, np.minimum(short, _BEGUN * long), short)
    step = -numbers[6] * (rating - 3) * np.where(again, 1.1 - loss, 1.0)
    moved = traces.difficulty + step * (10 - traces.difficulty) / 9
    easiest = _first_difficulty(np.array(4), numbers)
    return _bounded(long, _PULL * easiest + (1 - _PULL) * moved, short)


def recalls(traces: Traces, days: ArrayLike, numbers: Parameters) -> Floats:
    """The chance of recall of each card; 0 for one never answered."""
    known = traces.stability > 0
    chance = 1 - curves(traces, numbers).losses(_elapsed(days))[0]
    return np.where(known, chance, 0.0)


def intervals(traces: Traces, retention: ArrayLike, numbers: Parameters) -> Floats:
    """Days until recall falls to `retention`, a number or (N,): from a second to 36,500 days, not rounded.

    Raises ValueError unless 0 < retention < 1.
    """
    wanted = 1 - np.broadcast_to(np.asarray(retention, np.float64), traces.stability.shape)
    if not ((wanted > 0) & (wanted < 1)).all():
        raise ValueError(f"desired retention {retention!r} is not between 0 and 1; use 0.70 to 0.99")
    return _reached(curves(traces, numbers), wanted)


def curves(traces: Traces, w: Parameters) -> Curves:
    """How these traces are forgotten; one never answered like one of a day."""
    long = np.where(traces.stability > 0, traces.stability, 1.0)
    short = np.where(traces.stability > 0, _short(traces), _BEGUN)
    off = traces.difficulty - 5
    decay = np.clip(w[23] * short ** (w[33] - 0.3), 0.01, 0.95)
    short_weight = w[27] * short ** -w[29]
    long_weight = w[28] * long ** w[30] * np.exp(off * (w[31] - 0.5))
    return Curves(
        share=short_weight / (short_weight + long_weight),
        short_scale=np.expm1(np.minimum(-np.log(w[25]) / decay, 60.0)) / short,
        short_decay=decay,
        long_scale=np.expm1(-np.log(w[26]) / w[24]) * np.exp(off * (w[32] - 0.3)) / long,
        long_decay=w[24],
    )


def _gone_on(w: Parameters, stability: Floats, loss: Floats, rating: Integers, ease: Floats) -> Floats:
    """One of the two stabilities after an answer, by its eight numbers."""
    growth, damping, gain, level, power, forgetting, hard, easy = w
    lapsed = np.minimum(stability, level * np.expm1(power * np.log1p(stability)) * np.exp(forgetting * loss))
    button = np.array((0.0, 0.0, hard, 1.0, easy))[rating]
    grown = np.exp(growth - 1.5) * ease * stability**-damping * np.expm1(gain * loss) * button
    return np.where(rating == 1, lapsed, np.maximum(lapsed, stability * (1 + grown)))


def _reached(curve: Curves, loss: Floats) -> Floats:
    """As `fsrs7` does it for one: Newton's steps in ln(days), halving where one leaves the bracket."""
    low, high = np.full(len(loss), np.log(SHORTEST)), np.full(len(loss), np.log(LONGEST))
    by_long = np.expm1(np.minimum(-np.log1p(-loss) / curve.long_decay, 60.0)) / curve.long_scale
    at = np.clip(np.log(by_long), low, high)
    for _ in range(_STEPS):
        reached, slope = curve.losses_and_slopes(np.exp(at))
        low, high = np.where(reached > loss, low, at), np.where(reached > loss, at, high)
        step = (loss - reached) / np.maximum(slope, 1e-300)
        settled = np.abs(step) < _NEAR
        inside = settled | ((low < at + step) & (at + step < high))
        at = np.where(inside, at + step, (low + high) / 2)
        if (settled | (high - low < _NEAR)).all():
            break
    days = np.clip(np.exp(at), SHORTEST, LONGEST)
    days = np.where(curve.losses(np.full_like(days, SHORTEST))[0] >= loss, SHORTEST, days)
    return np.where(curve.losses(np.full_like(days, LONGEST))[0] <= loss, LONGEST, days)


def _first_difficulty(rating: Integers, w: Parameters) -> Floats:
    return np.asarray(w[4] - np.exp(w[5] * (rating - 1.0)) + 1)


def _short(traces: Traces) -> Floats:
    return np.where(traces.short > 0, traces.short, _BEGUN * traces.stability)


def _elapsed(days: ArrayLike) -> Floats:
    return np.maximum(np.asarray(days, np.float64), 0.0)


def _some(traces: Traces, rows: Integers) -> Traces:
    return Traces(*(part[rows] for part in traces))


def _bounded(long: Floats, difficulty: Floats, short: Floats) -> Traces:
    return Traces(
        np.clip(long, *STABILITY_BOUNDS),
        np.clip(difficulty, *DIFFICULTY_BOUNDS),
        np.clip(short, *STABILITY_BOUNDS),
    )
