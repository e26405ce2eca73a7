"""FSRS-7's recall for many cards at once, in numpy. Knows no card and no clock.

The twin of `fsrs7.Fsrs7.recall`, equal to it to 1e-9; float64 throughout.
"""

import numpy as np
from numpy.typing import NDArray

from studyhub.study.scheduling.trace import Parameters

Floats = NDArray[np.float64]


def recalls(
    stability: Floats, elapsed: Floats, numbers: Parameters, *, difficulty: Floats, short: Floats
) -> Floats:
    """The chance of recall after `elapsed` days, fractions included. Arrays (N,), stability > 0."""
    w = numbers
    short = np.where(short > 0, short, 0.8 * stability)  # what FSRS-6 left is taken as a trace just begun
    days, hard = np.maximum(elapsed, 0.0), difficulty - 5
    decay = np.clip(w[23] * short ** (w[33] - 0.3), 0.01, 0.95)
    quick = (1 + np.expm1(np.minimum(-np.log(w[25]) / decay, 60.0)) * days / short) ** -decay
    long_decay = min(max(w[24], 0.01), 0.95)
    slowed = np.expm1(-np.log(w[26]) / long_decay) * np.exp(hard * (w[32] - 0.3))
    slow = (1 + slowed * days / stability) ** -long_decay
    quick_weight = w[27] * short ** -w[29]
    slow_weight = w[28] * stability ** w[30] * np.exp(hard * (w[31] - 0.5))
    mixed = (quick_weight * quick + slow_weight * slow) / (quick_weight + slow_weight)
    return np.asarray(0.00001 + 0.99998 * mixed)
