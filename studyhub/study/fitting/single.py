"""The most probable 34 numbers of several problems side by side, by damped Gauss-Newton. Judges nothing.

Loss plus prior: the sum over numbers of PULL ((number - default) / sigma)^2, with the sigmas of
Expertium/srs-benchmark, `models/fsrs_v7.py` (how learners differ); first stabilities by their logarithm.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from studyhub.study.fitting.two_stabilities import Walk, foreseen_with_slopes
from studyhub.study.scheduling.fsrs7 import BOUNDS, DEFAULT_PARAMETERS, clipped
from studyhub.study.scheduling.histories import Booleans, Floats
from studyhub.study.scheduling.sureness import Guess

PULL = 1.0
PASSES = 8
ENOUGH = 0.05
"""A pass that gains less than this (in the sum of losses) is the last."""
SIGMAS = np.array(
    (
        *(1.5, 1.5, 1.5, 1.5),
        *(0.523, 0.2528, 0.4329),
        *(0.2966, 0.2139, 0.2889, 0.1862, 0.175, 0.3812, 0.3013, 0.9104),
        *(0.3234, 0.2448, 0.3273, 0.1842, 0.1735, 0.4608, 0.311, 0.864),
        *(0.0418, 0.2596, 0.0798, 0.0682),
        *(0.1282, 0.1397, 0.1407, 0.1489),
        *(0.2, 0.15, 0.15),
    )
)
"""The first four in logarithms; ours, for the source leaves them free."""
_FIRST_DAMPING, _CALMER, _BOLDER = 1e-3, 10.0, 0.1


@dataclass(frozen=True)
class Told:
    """What there is to learn from: the walk, whether each of its answers was a recall, and what it counts."""

    walk: Walk
    recalled: Booleans
    weights: Floats


@dataclass
class _Standing:
    at: Floats
    objective: float
    slope: Floats
    curvature: Floats
    weight: float
    damping: float = _FIRST_DAMPING


def in_coordinates(numbers: Floats) -> Floats:
    """Numbers with their first four by logarithm."""
    return np.concatenate([np.log(numbers[:4]), numbers[4:]])


def in_numbers(coordinates: Floats) -> Floats:
    """The other way, within all bounds."""
    return np.array(clipped((*np.exp(coordinates[:4]).tolist(), *coordinates[4:].tolist())))


CENTRE = in_coordinates(np.array(DEFAULT_PARAMETERS))
_LOW, _HIGH = (in_coordinates(np.array(side)) for side in zip(*BOUNDS, strict=True))
_PRIOR = 2 * PULL / SIGMAS**2


def most_probable(told: Told, problems: int, passes: int = PASSES) -> list[Guess]:
    """The most probable coordinates of each problem, after at most so many passes over the answers."""
    standing = _at(told, [CENTRE] * problems)
    for _ in range(passes):
        tried = _at(told, [_stepped(one) for one in standing])
        pairs = list(zip(standing, tried, strict=True))
        standing = [_better(old, new) for old, new in pairs]
        if all(0 <= old.objective - new.objective < ENOUGH for old, new in pairs):
            break
    return [
        Guess(one.at, np.linalg.inv(one.curvature + np.diag(_PRIOR)), one.curvature / max(one.weight, 1.0))
        for one in standing
    ]


def _better(old: _Standing, new: _Standing) -> _Standing:
    """The step where it gained (what is not a number has not), and how bold the next one is."""
    if new.objective <= old.objective:
        return replace(new, damping=old.damping * _BOLDER)
    return replace(old, damping=max(old.damping * _CALMER, 10 * _FIRST_DAMPING))


def _at(told: Told, coordinates: Sequence[Floats]) -> list[_Standing]:
    """The objective of each problem there, with its slope and the curvature of the loss (Fisher's)."""
    numbers = np.stack([in_numbers(one) for one in coordinates])
    chance, slopes = foreseen_with_slopes(told.walk, numbers)
    slopes[:4] *= numbers[told.walk.problems, :4].T
    found = []
    for problem, at in enumerate(coordinates):
        mine = np.flatnonzero(told.walk.problems == problem)
        found.append(_of_one(at, chance[mine], slopes[:, mine], told.recalled[mine], told.weights[mine]))
    return found


def _of_one(at: Floats, chance: Floats, slopes: Floats, recalled: Booleans, weights: Floats) -> _Standing:
    away = at - CENTRE
    weighed = slopes * (weights / (chance * (1 - chance)))
    loss = -weights @ np.log(np.where(recalled, chance, 1 - chance))
    return _Standing(
        at,
        float(loss + (_PRIOR * away**2).sum() / 2),
        weighed @ (chance - recalled) + _PRIOR * away,
        weighed @ slopes.T,
        float(weights.sum()),
    )


def _stepped(standing: _Standing) -> Floats:
    """Where the quadratic model is least. A number at a bound that would leave it is held."""
    at, slope = standing.at, standing.slope
    free = ~(((at <= _LOW) & (slope > 0)) | ((at >= _HIGH) & (slope < 0)))
    whole = standing.curvature + np.diag(_PRIOR)
    whole += np.diag(standing.damping * np.diag(whole))
    moved = at.copy()
    moved[free] -= np.linalg.solve(whole[np.ix_(free, free)], slope[free])
    return in_coordinates(in_numbers(np.clip(moved, _LOW, _HIGH)))
