"""How a card's state moves with each of the 21 numbers, carried along with the state. Knows no loss.

Slopes of log stability: row 0 in the log of the card's own first stability, row k in number k + 3. Slopes of
difficulty: in the numbers 4 to 7, all it depends on.
"""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from studyhub.study.fitting import recurrence as r
from studyhub.study.fitting.batch import Step

ROWS = 18
DECAY = 17


@dataclass
class Slopes:
    """(problems, 18, n) of log stability and (problems, 4, n) of difficulty."""

    z: Tensor
    difficulty: Tensor

    def of(self, parent: Tensor) -> "Slopes":
        """Those of each beginning's parent."""
        return Slopes(_picked(self.z, parent), _picked(self.difficulty, parent))

    def first(self, count: int) -> "Slopes":
        """Those of the first `count`."""
        return Slopes(self.z[:, :, :count], self.difficulty[:, :, :count])


def _picked(values: Tensor, parent: Tensor) -> Tensor:
    if len(parent) == 1:
        return values.index_select(2, parent[0])
    return values.gather(2, parent[:, None].expand(-1, values.shape[1], -1))


def first_slopes(n: r.Numbers, rating: Tensor, raw: Tensor) -> Slopes:
    """After a first answer; `raw` is the difficulty before clipping."""
    problems, width = rating.shape
    z = torch.zeros(problems, ROWS, width, device=rating.device)
    z[:, 0] = 1
    free = ((raw >= 1) & (raw <= 10)).float()
    difficulty = torch.zeros(problems, 4, width, device=rating.device)
    difficulty[:, 0] = free
    difficulty[:, 1] = -(rating - 1) * torch.exp(n.w[5] * (rating - 1)) * free
    return Slopes(z, difficulty)


@dataclass(frozen=True)
class Moved:
    """All that one answer did: where it started, the three ways on, and the difficulty."""

    at: r.State
    recall: r.Recall
    growth: r.Growth
    lapse: r.Lapse
    same_day: r.SameDay
    difficulty: r.Difficulty
    raw: Tensor

    @property
    def after(self) -> r.State:
        """The state after it."""
        return r.State(self.raw.clamp(r.LOWEST, r.HIGHEST), self.difficulty.after)


def moved(n: r.Numbers, at: r.State, recall: r.Recall, step: Step) -> Moved:
    """One answer to each card."""
    growth = r.growth(n, at, recall.miss, step)
    lapse = r.lapse(n, at, recall.miss)
    same_day = r.same_day(n, at, step)
    after_days = torch.where(step.passed, growth.after, lapse.after)
    raw = torch.where(step.same > 0, same_day.after, after_days)
    difficulty = r.next_difficulty(n, at.difficulty, step.lean)
    return Moved(at, recall, growth, lapse, same_day, difficulty, raw)


def carry(n: r.Numbers, slopes: Slopes, m: Moved, step: Step) -> None:
    """Carries the slopes over one answer, in place."""
    inside = ((m.raw > r.LOWEST) & (m.raw < r.HIGHEST)).float()
    formula = step.lapsed * m.lapse.by_formula * inside
    cap = step.lapsed * inside - formula
    free = step.same * inside * ~m.same_day.held
    success = step.success * inside
    kept = step.same * inside + cap - n.w[19] * free
    slopes_of_z = slopes.z.unbind(1)
    by_recall = _after_recall(n, slopes, m, _Ways(success, formula, kept), step)
    slopes_of_z[14].addcmul_(free, m.same_day.lean).addcmul_(cap, n.w[18], value=-1)
    slopes_of_z[15].addcmul_(free - cap, n.w[17])
    slopes_of_z[16].addcmul_(free, m.at.z, value=-1)
    slopes_of_z[DECAY].addcmul_(by_recall * m.recall.chance, m.recall.by_decay, value=-1)
    _carry_difficulty(n, slopes.difficulty, m, step)


class _Ways(NamedTuple):
    """1 where a success, or a lapse by its formula; and what is kept of the slope otherwise."""

    success: Tensor
    formula: Tensor
    kept: Tensor


def _after_recall(n: r.Numbers, slopes: Slopes, m: Moved, ways: _Ways, step: Step) -> Tensor:
    """Successes and lapses; gives minus the slope of log stability in the chance of recall."""
    w, at, miss, formula = n.w, m.at, m.recall.miss, ways.formula
    share = ways.success / (1 + m.growth.growth)
    grown = share * m.growth.growth
    pull = share * m.growth.gain + grown
    by_recall = w[10] * pull + w[14] * formula
    ratio = formula + formula / m.lapse.excess
    by_z = ways.kept + ways.success - w[9] * grown + w[13] * ratio * torch.sigmoid(at.z)
    by_z -= by_recall * m.recall.chance * m.recall.by_z
    by_difficulty = -grown / (11 - at.difficulty) - w[12] * formula / at.difficulty
    slopes.z.mul_(by_z[:, None])
    slopes.z[:, 1:5].addcmul_(slopes.difficulty, by_difficulty[:, None])
    rows = slopes.z.unbind(1)
    rows[5].add_(grown)
    rows[6].addcmul_(grown, at.z, value=-1)
    rows[7].addcmul_(pull, miss)
    rows[8].addcdiv_(formula, w[11])
    rows[9].addcmul_(formula, m.lapse.log_difficulty, value=-1)
    rows[10].addcmul_(ratio, m.lapse.log_size)
    rows[11].addcmul_(formula, miss)
    rows[12].addcdiv_(grown * step.hard, w[15].clamp_min(1e-6))
    rows[13].addcdiv_(grown * step.easy, w[16])
    return by_recall


def _carry_difficulty(n: r.Numbers, slopes: Tensor, m: Moved, step: Step) -> None:
    free = (m.difficulty.raw == m.difficulty.after).float()
    kept = (1 - n.w[7]) * free
    slopes.mul_((kept * (1 + n.w[6] / 9 * step.lean))[:, None])
    rows = slopes.unbind(1)
    rows[0].addcmul_(n.w[7], free)
    rows[1].addcmul_(n.w[7] * n.easy_slope, free)
    rows[2].addcmul_(kept * step.lean, (10 - m.at.difficulty) / 9, value=-1)
    rows[3].addcmul_(n.easy_difficulty - m.difficulty.moved, free)
