"""What an answer does to stability and difficulty, for many cards at once, with all that its slopes need.

The same model as scheduling's scalar one, in the logarithm of stability. Knows no history and no loss.
"""

from math import log
from typing import NamedTuple

import torch
from torch import Tensor

from studyhub.study.fitting.batch import Step

LOWEST, HIGHEST = log(0.001), log(36_500)


class Numbers:
    """The 21 numbers of each problem, (problems, 1) each, and what follows from them alone."""

    def __init__(self, numbers: Tensor) -> None:
        self.w = [numbers[:, number, None] for number in range(numbers.shape[1])]
        w = self.w
        at_stability = torch.exp(-log(0.9) / w[20])
        self.curve = at_stability - 1
        self.curve_slope = at_stability * log(0.9) / w[20] ** 2
        fall = torch.exp(3 * w[5])
        self.easy_difficulty = w[4] - fall + 1  # not clipped
        self.easy_slope = -3 * fall
        self.mercy = w[17] * w[18]


class State(NamedTuple):
    """Log stability and difficulty."""

    z: Tensor
    difficulty: Tensor


class Recall(NamedTuple):
    """The chance of recall before an answer: itself, its complement, -ln of it, and the slopes of its ln."""

    chance: Tensor
    miss: Tensor
    cost: Tensor
    by_z: Tensor
    by_decay: Tensor


class Growth(NamedTuple):
    """After a success: log stability, the growth, and the gain it is made of."""

    after: Tensor
    growth: Tensor
    gain: Tensor


class Lapse(NamedTuple):
    """After an Again: log stability, whether the formula or the cap gives it, and its parts."""

    after: Tensor
    by_formula: Tensor
    excess: Tensor
    log_size: Tensor
    log_difficulty: Tensor


class SameDay(NamedTuple):
    """After an answer on the same day: log stability, where it is held from falling, and a part."""

    after: Tensor
    held: Tensor
    lean: Tensor


class Difficulty(NamedTuple):
    """After an answer: the difficulty, as it was before clipping, and before its pull."""

    after: Tensor
    raw: Tensor
    moved: Tensor


def first_state(n: Numbers, rating: Tensor) -> tuple[State, Tensor]:
    """After a first answer, and the difficulty before clipping."""
    stability = torch.cat(n.w[:4], 1).gather(1, rating.long() - 1)
    raw = n.w[4] - torch.exp(n.w[5] * (rating - 1)) + 1
    return State(stability.log(), raw.clamp(1, 10)), raw


def recall(n: Numbers, z: Tensor, elapsed: Tensor) -> Recall:
    """The chance of recall `elapsed` days after the state."""
    decay = n.w[20]
    scaled = elapsed * torch.exp(-z)
    x = n.curve * scaled
    grown = torch.log1p(x)
    share = decay / (1 + x)
    cost = decay * grown
    chance = torch.exp(-cost)
    return Recall(chance, -torch.expm1(-cost), cost, share * x, -grown - share * scaled * n.curve_slope)


def growth(n: Numbers, at: State, miss: Tensor, step: Step) -> Growth:
    """Success after a day or more."""
    w = n.w
    button = 1 + step.hard * (w[15] - 1) + step.easy * (w[16] - 1)
    gain = torch.exp(w[8] - w[9] * at.z) * (11 - at.difficulty) * button
    grown = gain * torch.expm1(w[10] * miss)
    return Growth(at.z + torch.log1p(grown), grown, gain)


def lapse(n: Numbers, at: State, miss: Tensor) -> Lapse:
    """An Again after a day or more."""
    w = n.w
    log_size = torch.log1p(at.z.exp())
    excess = torch.expm1(w[13] * log_size)
    log_difficulty = at.difficulty.log()
    by_formula = w[11].log() - w[12] * log_difficulty + excess.log() + w[14] * miss
    cap = at.z - n.mercy
    return Lapse(torch.minimum(by_formula, cap), by_formula < cap, excess, log_size, log_difficulty)


def same_day(n: Numbers, at: State, step: Step) -> SameDay:
    """An answer on the day of the one before; a pass never lowers."""
    lean = step.lean + n.w[18]
    change = n.w[17] * lean - n.w[19] * at.z
    held = step.passed & (change < 0)
    return SameDay(at.z + torch.where(held, 0.0, change), held, lean)


def next_difficulty(n: Numbers, difficulty: Tensor, lean: Tensor) -> Difficulty:
    """Whatever the time between."""
    moved = difficulty - n.w[6] / 9 * lean * (10 - difficulty)
    raw = n.w[7] * n.easy_difficulty + (1 - n.w[7]) * moved
    return Difficulty(raw.clamp(1, 10), raw, moved)
