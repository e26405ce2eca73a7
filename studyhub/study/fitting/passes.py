"""One pass over a batch: what the model foresees, or its loss with slope and curvature. Decides nothing.

Loss: the sum of weight x -ln(chance given to what happened). Slope and curvature are in the numbers, but in
the logarithm of the first four; the curvature is the expected one (Fisher's), so never negative.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from studyhub.study.fitting import recurrence as r
from studyhub.study.fitting.batch import Batch, Step
from studyhub.study.fitting.slopes import DECAY, Slopes, carry, first_slopes, moved

SMALLEST_MISS = 1e-7


@dataclass(frozen=True)
class Loss:
    """(problems,), (problems, 21) and (problems, 21, 21), float64."""

    loss: Tensor
    slope: Tensor
    curvature: Tensor


def foreseen(batch: Batch, numbers: Tensor) -> list[Tensor]:
    """The chance of recall before the last answer of each beginning, by step; numbers (problems, 21)."""
    chances = [torch.ones_like(batch.steps[0].rating)]
    return chances + [recall.chance for _, recall, _, _ in _walk(batch, numbers, with_slopes=False)]


def loss_alone(batch: Batch, numbers: Tensor) -> Tensor:
    """The loss of numbers (problems, 21), for a third of what the slopes cost."""
    loss = torch.zeros(numbers.shape[0], dtype=torch.float64, device=numbers.device)
    for step, recall, _, _ in _walk(batch, numbers, with_slopes=False):
        loss += _loss(step, recall)
    return loss


def _loss(step: Step, recall: r.Recall) -> Tensor:
    miss = recall.miss.clamp_min(SMALLEST_MISS)
    return (step.weight * torch.where(step.passed, recall.cost, -miss.log())).sum(1)


def loss_of(batch: Batch, numbers: Tensor) -> Loss:
    """The loss of numbers (problems, 21), with slope and curvature."""
    count = numbers.shape[0]
    blank = torch.zeros(count, 21, 22, dtype=torch.float64, device=numbers.device)
    loss = torch.zeros(count, dtype=torch.float64, device=numbers.device)
    for step, recall, slopes, own in _walk(batch, numbers, with_slopes=True):
        loss += _loss(step, recall)
        odds = recall.chance / recall.miss.clamp_min(SMALLEST_MISS)
        blank += _slope_and_curvature(step, odds, _in_numbers(recall, slopes, own))
    return Loss(loss, blank[:, :, 21], blank[:, :, :21])


def _in_numbers(recall: r.Recall, slopes: Slopes, own: Tensor) -> Tensor:
    """The slopes of ln(chance) in all 21: (problems, 21, n)."""
    rows = slopes.z * recall.by_z[:, None]
    rows[:, DECAY].add_(recall.by_decay)
    return torch.cat([rows[:, :1] * own, rows[:, 1:]], 1)


def _slope_and_curvature(step: Step, odds: Tensor, rows: Tensor) -> Tensor:
    """(problems, 21, 22): the curvature, and the slope as one column more."""
    scores = torch.where(step.passed, -1.0, odds) * step.weight
    weighed = torch.cat([rows * (odds * step.weight)[:, None], scores[:, None]], 1)
    return (rows @ weighed.transpose(1, 2)).double()


def _walk(
    batch: Batch, numbers: Tensor, *, with_slopes: bool
) -> Iterator[tuple[Step, r.Recall, Slopes, Tensor]]:
    """Each step but the first with the chance of recall before it, the slopes then, and the first rating."""
    n = r.Numbers(numbers.float())
    step = batch.steps[0]
    state, raw = r.first_state(n, step.rating)
    slopes = first_slopes(n, step.rating, raw) if with_slopes else Slopes(raw[:, None], raw[:, None])
    own = torch.stack([(step.rating == rating).float() for rating in (1, 2, 3, 4)], 1)
    for number, step in enumerate(batch.steps[1:], 1):
        state = r.State(*(values.gather(1, step.parent) for values in state))
        slopes, own = (slopes.of(step.parent), _of(own, step.parent)) if with_slopes else (slopes, own)
        recall = r.recall(n, state.z, step.elapsed)
        yield step, recall, slopes, own
        if number + 1 < len(batch.steps):
            state, slopes = _next(n, state, recall, slopes, step, with_slopes=with_slopes)


def _of(own: Tensor, parent: Tensor) -> Tensor:
    return own.gather(2, parent[:, None].expand(-1, 4, -1))


def _next(
    n: r.Numbers, state: r.State, recall: r.Recall, slopes: Slopes, step: Step, *, with_slopes: bool
) -> tuple[r.State, Slopes]:
    """The state and slopes after the step, of the beginnings that go on."""
    inner = step.going_on()
    after = moved(
        n,
        r.State(*(values[:, : inner.inner] for values in state)),
        r.Recall(*(values[:, : inner.inner] for values in recall)),
        inner,
    )
    if with_slopes:
        slopes = slopes.first(inner.inner)
        carry(n, slopes, after, inner)
    return after.after, slopes
