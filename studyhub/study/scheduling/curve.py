"""FSRS-6 on arrays, for the simulator. Knows no card.

Stability and elapsed in days; all functions take the 21 numbers."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from studyhub.study.scheduling import traces
from studyhub.study.scheduling.trace import Parameters

Floats = NDArray[np.floating[Any]]


def recalls(stability: Floats, elapsed: Any, numbers: Parameters) -> Floats:
    """The chance of recall."""
    return (1 + _factor(numbers) * elapsed / stability) ** -numbers[20]


def intervals(stability: Floats, retention: Floats, numbers: Parameters) -> Floats:
    """Days until recall falls to `retention`."""
    return stability / _factor(numbers) * (retention ** (-1 / numbers[20]) - 1)


def firsts(numbers: Parameters) -> tuple[Floats, Floats]:
    """Stability and difficulty after a first Again, Hard, Good, Easy."""
    found = [traces.first_trace(rating, numbers) for rating in (1, 2, 3, 4)]
    return np.array([one.stability for one in found]), np.array([one.difficulty for one in found])


def previews(
    stability: Floats, difficulty: Floats, elapsed: Floats, retention: Floats, w: Parameters
) -> tuple[Floats, Floats, Floats]:
    s, d = stability[:, None], difficulty[:, None]
    rating = np.array([1.0, 2.0, 3.0, 4.0])
    r = recalls(stability, elapsed, w)[:, None]
    growth = np.exp(w[8]) * (11 - d) * s ** -w[9] * (np.exp(w[10] * (1 - r)) - 1)
    success = s * (1 + growth * np.array([0.0, w[15], 1.0, w[16]]))
    lapse = np.minimum(
        w[11] * d ** -w[12] * ((s + 1) ** w[13] - 1) * np.exp(w[14] * (1 - r)), s / np.exp(w[17] * w[18])
    )
    gain = np.exp(w[17] * (rating - 3 + w[18])) * s ** -w[19]
    same = s * np.where(rating >= 2, np.maximum(gain, 1), gain)
    after = np.where(elapsed[:, None] < 1, same, np.where(rating == 1, lapse, success))
    after = np.clip(after, 0.001, 36500)
    moved = d - w[6] * (rating - 3) * (10 - d) / 9
    pull = w[4] - np.exp(w[5] * 3) + 1
    hard = np.clip(w[7] * pull + (1 - w[7]) * moved, 1, 10)
    return after, hard, intervals(after, retention[:, None], w)


def _factor(numbers: Parameters) -> float:
    return float(0.9 ** (-1 / numbers[20]) - 1)
