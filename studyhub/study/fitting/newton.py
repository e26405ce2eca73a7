"""The most probable numbers of each problem by damped Gauss-Newton. Knows no history and judges nothing.

Loss plus prior: the sum over numbers of ((number - default) / sigma)^2, with the sigmas of
open-spaced-repetition/fsrs-rs, `src/training.rs` (how learners differ); first stabilities by their logarithm.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from studyhub.study.fitting.batch import Batch
from studyhub.study.fitting.passes import Loss, loss_alone, loss_of
from studyhub.study.scheduling.fsrs import BOUNDS, DEFAULT_PARAMETERS
from studyhub.study.scheduling.histories import Floats

PASSES = 8
ENOUGH = 0.02
"""A pass that gains less than this (in the sum of losses) is the last."""
SIGMAS = (
    *(1.5, 1.5, 1.5, 1.5),
    *(0.57, 0.28, 0.6, 0.12, 0.39, 0.18, 0.33, 0.3, 0.09, 0.16, 0.57, 0.25, 1.03, 0.31, 0.32, 0.14, 0.27),
)
"""The first four in logarithms; ours, for those of the source are in days and next to none."""
_FIRST_DAMPING, _CALMER, _BOLDER = 1e-3, 10.0, 0.1


@dataclass(frozen=True)
class Fitted:
    """Of each problem, in coordinates (the first four numbers by their logarithm): (P, 21) and (P, 21, 21).

    `curvature` is that of the loss alone, `precision` with the prior's.
    """

    at: Floats
    curvature: Floats
    precision: Floats


def in_coordinates(numbers: Floats) -> Floats:
    """Numbers with their first four by logarithm."""
    return np.concatenate([np.log(numbers[..., :4]), numbers[..., 4:]], -1)


def in_numbers(coordinates: Floats) -> Floats:
    """The other way, held within the bounds, first stabilities in order."""
    numbers = np.concatenate([np.exp(coordinates[..., :4]), coordinates[..., 4:]], -1)
    bounds = np.array(BOUNDS)
    numbers[..., :4] = np.maximum.accumulate(numbers[..., :4], -1)
    return np.asarray(np.clip(numbers, bounds[:, 0], bounds[:, 1]))


@dataclass
class _Standing:
    """Where the search stands: coordinates, and the whole objective there."""

    at: Tensor
    objective: Tensor
    slope: Tensor
    curvature: Tensor
    damping: Tensor


class _Search:
    """Gauss-Newton with Levenberg's damping for each problem on its own, within the bounds."""

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self.low, self.high = (
            self._tensor(in_coordinates(np.array(side))) for side in zip(*BOUNDS, strict=True)
        )
        self.centre = self._tensor(in_coordinates(np.array(DEFAULT_PARAMETERS)))
        self.prior = self._tensor(2 / np.array(SIGMAS) ** 2)

    def _tensor(self, values: Floats) -> Tensor:
        return torch.tensor(values, dtype=torch.float64, device=self.batch.device)

    def at(self, coordinates: Tensor) -> _Standing:
        """The objective there."""
        found: Loss = loss_of(self.batch, _numbers(coordinates))
        away = coordinates - self.centre
        return _Standing(
            coordinates,
            found.loss + (self.prior * away**2).sum(1) / 2,
            found.slope + self.prior * away,
            found.curvature,
            torch.full_like(found.loss, _FIRST_DAMPING),
        )

    def objective(self, coordinates: Tensor) -> Tensor:
        """The objective there, alone."""
        away = coordinates - self.centre
        return loss_alone(self.batch, _numbers(coordinates)) + (self.prior * away**2).sum(1) / 2

    def step(self, standing: _Standing) -> Tensor:
        """Where the quadratic model is least. A number at a bound that would leave it is held."""
        at, slope = standing.at, standing.slope
        held = ((at <= self.low) & (slope > 0)) | ((at >= self.high) & (slope < 0))
        free = (~held).double()
        whole = standing.curvature + torch.diag(self.prior)
        damped = torch.diagonal(whole, dim1=1, dim2=2) * standing.damping[:, None] + (1 - free)
        system = whole * free[:, :, None] * free[:, None] + torch.diag_embed(damped)
        move = torch.linalg.solve(system, slope * free)
        return torch.minimum(torch.maximum(at - move, self.low), self.high)


def _numbers(coordinates: Tensor) -> Tensor:
    return torch.cat([coordinates[:, :4].exp(), coordinates[:, 4:]], 1)


def most_probable(batch: Batch, start: Floats, passes: int = PASSES) -> Fitted:
    """The most probable numbers, from `start` (P, 21), after at most so many passes over the answers.

    The curvature is that of the last pass, which for a single one is where it started.
    """
    with torch.inference_mode():
        search = _Search(batch)
        standing = search.at(search._tensor(in_coordinates(start)))
        if passes == 1:
            tried = search.step(standing)
            better = search.objective(tried) <= standing.objective
            standing.at = torch.where(better[:, None], tried, standing.at)
        for _ in range(passes - 1):
            if _advance(search, standing) < ENOUGH:
                break
        curvature = standing.curvature.cpu().numpy()
        return Fitted(standing.at.cpu().numpy(), curvature, curvature + np.diag(search.prior.cpu().numpy()))


def _advance(search: _Search, standing: _Standing) -> float:
    """One pass; takes the step of each problem that gains: the most that one gained, inf if one did not."""
    tried = search.at(search.step(standing))
    better = torch.isfinite(tried.objective) & (tried.objective <= standing.objective)
    gains = (standing.objective - tried.objective)[better]
    for name in ("at", "objective", "slope", "curvature"):
        old, new = getattr(standing, name), getattr(tried, name)
        setattr(standing, name, torch.where(better.view(-1, *[1] * (old.dim() - 1)), new, old))
    calmer = (standing.damping * _CALMER).clamp_min(10 * _FIRST_DAMPING)
    standing.damping = torch.where(better, standing.damping * _BOLDER, calmer)
    return float(gains.max()) if bool(better.all()) else float("inf")
