"""First stabilities from first intervals alone, and the first intervals too odd to learn from. Knows no
trainer.

Rules of open-spaced-repetition/fsrs-rs, `src/parameter_initialization.rs` and `src/dataset.rs`
(BSD-3-Clause).
"""

from collections.abc import Mapping
from math import exp, log

import numpy as np

from studyhub.study.scheduling.fsrs import DEFAULT_PARAMETERS
from studyhub.study.scheduling.histories import Booleans, Floats, Histories, Integers

BOUNDS = (0.001, 100.0)
SHARE_DROPPED = 0.05
FEWEST_JUDGED = 400
"""First intervals of a rating below which none is odd: the source drops up to 20 whatever their number, and
of few answers that would be most."""
FEWEST_IN_GROUP = 6
LONGEST_FIRST, LONGEST_EASY = 100, 365  # days
_A, _B = 0.41, 0.54  # how Hard lies between Again and Good, and Good between Hard and Easy, in logarithms


def first_terms(histories: Histories) -> Integers:
    """The first term of each card that has one."""
    terms = np.flatnonzero(histories.is_term)
    _, first = np.unique(histories.lane[terms], return_index=True)
    return terms[first]


def odd_cards(histories: Histories) -> Booleans:
    """For each card: whether its first interval is too rare or too long, for its rating, to learn from."""
    first = first_terms(histories)
    lanes, days = histories.lane[first], histories.elapsed[first]
    odd = np.zeros(len(histories.starts), bool)
    for rating in (1, 2, 3, 4):
        mine = histories.first_rating[lanes] == rating
        if mine.sum() < FEWEST_JUDGED:
            continue
        odd[lanes[mine]] = np.isin(days[mine], _odd_days(days[mine], rating))
    return odd


def _odd_days(days: Integers, rating: int) -> Integers:
    """From the smallest group of equal days on (of equal ones the longest), as long as little is dropped."""
    values, counts = np.unique(days, return_counts=True)
    order = np.lexsort((-values, counts))
    values, counts = values[order], counts[order]
    few = np.cumsum(counts) < SHARE_DROPPED * len(days)
    longest = LONGEST_EASY if rating == 4 else LONGEST_FIRST
    return values[few | (counts < FEWEST_IN_GROUP) | (values > longest)]


def first_stabilities(histories: Histories, used: Booleans, known: Booleans) -> Floats:
    """The four first stabilities, days; of the cards that are `used` and the answers that are `known`."""
    first = first_terms(histories)
    first = first[used[histories.lane[first]] & known[first]]
    if not len(first):
        return np.array(DEFAULT_PARAMETERS[:4])
    ratings, average = histories.first_rating[histories.lane[first]], float(histories.recalled[first].mean())
    found, counts = {}, {}
    for rating in (1, 2, 3, 4):
        mine = first[ratings == rating]
        if len(mine):
            counts[rating] = len(mine)
            found[rating] = _best(histories.elapsed[mine], histories.recalled[mine], rating, average)
    return filled(ordered(found, counts))


def _best(days: Integers, recalled: Booleans, rating: int, average: float) -> float:
    """The stability that explains the groups of equal days best, with a pull to the default."""
    values, place, counts = np.unique(days, return_inverse=True, return_counts=True)
    smoothed = (np.bincount(place, recalled) + average) / (counts + 1)
    default = DEFAULT_PARAMETERS[rating - 1]
    tried = np.geomspace(*BOUNDS, 400)
    for _ in range(2):
        losses = _losses(tried, values, smoothed, counts) + np.abs(tried - default) / 16
        best = int(losses.argmin())
        tried = np.geomspace(tried[max(0, best - 1)], tried[min(len(tried) - 1, best + 1)], 400)
    return float(tried[len(tried) // 2])


def _losses(tried: Floats, days: Integers, recalled: Floats, counts: Integers) -> Floats:
    decay = DEFAULT_PARAMETERS[20]
    curve = 0.9 ** (-1 / decay) - 1
    chance = (1 + curve * days / tried[:, None]) ** -decay
    chance = np.clip(chance, 1e-7, 1 - 1e-7)
    each = counts * (recalled * np.log(chance) + (1 - recalled) * np.log(1 - chance))
    return np.asarray(-each.sum(1))


def ordered(found: Mapping[int, float], counts: Mapping[int, int]) -> dict[int, float]:
    """Stabilities that rise with the rating: of a pair in the wrong order both take that of the more seen."""
    values = dict(found)
    for low, high in ((1, 2), (2, 3), (3, 4), (1, 3), (2, 4), (1, 4)):
        if low in values and high in values and values[low] > values[high]:
            values[low] = values[high] = values[low] if counts[low] > counts[high] else values[high]
    return values


def filled(found: Mapping[int, float]) -> Floats:
    """All four: what is missing lies between or beyond its neighbours, in logarithms."""
    if len(found) == 1:
        ((rating, value),) = found.items()
        scaled = np.sort(np.array(DEFAULT_PARAMETERS[:4]) * value / DEFAULT_PARAMETERS[rating - 1])
        return np.clip(scaled, *BOUNDS)
    known = {rating: log(value) for rating, value in found.items()}
    logs = [known.get(rating, np.nan) for rating in (1, 2, 3, 4)]
    if missing := [number for number, value in enumerate(logs) if np.isnan(value)]:
        for number, value in zip(missing, _missing(logs, missing), strict=True):
            logs[number] = value
    return np.clip([exp(value) for value in logs], *BOUNDS)


def _missing(logs: list[float], missing: list[int]) -> Floats:
    """Solves the two relations for what is missing; with one missing, the relation that names it."""
    relations = np.array([[_A, -1, 1 - _A, 0], [0, 1 - _B, -1, _B]])
    if len(missing) == 1:
        relations = relations[[1]] if missing[0] == 3 else relations[[0]]
    known = np.where(np.isnan(logs), 0, logs)
    return np.linalg.solve(relations[:, missing], -(relations @ known))
