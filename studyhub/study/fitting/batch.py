"""Histories of several problems side by side, as tensors. Knows no model."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from studyhub.study.scheduling.histories import Floats, Integers
from studyhub.study.scheduling.prefixes import Prefixes


@dataclass(frozen=True)
class Step:
    """The beginnings of one length, (problems, n); the first `inner` of each problem go on.

    `weight` is that of all answers that end there; 0 where the last of them is no term. The rest says of the
    last answer: `lean` its rating less 3, and 1 or 0 whether it was on the day of the one before, a lapse, a
    success after a day, Hard, Easy.
    """

    parent: Tensor
    rating: Tensor
    elapsed: Tensor
    weight: Tensor
    passed: Tensor
    lean: Tensor
    same: Tensor
    lapsed: Tensor
    success: Tensor
    hard: Tensor
    easy: Tensor
    inner: int

    def going_on(self) -> "Step":
        """The same of the beginnings that go on alone."""
        parts = {name: part[:, : self.inner] for name, part in vars(self).items() if name != "inner"}
        return Step(**parts, inner=self.inner)


@dataclass(frozen=True)
class Batch:
    """Problems side by side, by length of their beginnings."""

    steps: Sequence[Step]
    problems: Sequence[Prefixes]

    @property
    def device(self) -> torch.device:
        """Where the tensors are."""
        return self.steps[0].rating.device

    def gathered(self, rows: Sequence[Tensor]) -> list[Floats]:
        """Values by step, (problems, n) each, as one array for each problem, in its own order."""
        arrays = [row.cpu().numpy() for row in rows]
        return [
            np.concatenate([row[number, : _width(problem, step)] for step, row in enumerate(arrays)])
            for number, problem in enumerate(self.problems)
        ]


def best_device() -> torch.device:
    """The GPU where there is one."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def batched(
    problems: Sequence[Prefixes], weights: Sequence[Floats], device: torch.device | None = None
) -> Batch:
    """Problems with the weight of each of their beginnings. Raises ValueError without any."""
    longest = max((len(problem) for problem in problems), default=0)
    if not longest:
        raise ValueError("no history to fit: give at least one answer")
    on = device or best_device()
    return Batch([_step(problems, weights, number, on) for number in range(longest)], problems)


def _step(problems: Sequence[Prefixes], weights: Sequence[Floats], number: int, on: torch.device) -> Step:
    width = max(_width(problem, number) for problem in problems)

    def side_by_side(arrays: Sequence[Floats | Integers], fill: float, dtype: torch.dtype) -> Tensor:
        table = np.full((len(problems), width), fill)
        for row, (problem, array) in enumerate(zip(problems, arrays, strict=True)):
            part = array[_span(problem, number)]
            table[row, : len(part)] = part
        return torch.from_numpy(table).to(device=on, dtype=dtype)

    rating = side_by_side([problem.rating for problem in problems], 3, torch.float32)
    elapsed = side_by_side([problem.elapsed for problem in problems], 0, torch.float32)
    passed, same = rating >= 2, (elapsed < 1).float()
    return Step(
        parent=side_by_side([problem.parent for problem in problems], 0, torch.int64),
        rating=rating,
        elapsed=elapsed,
        weight=side_by_side(weights, 0, torch.float32),
        passed=passed,
        lean=rating - 3,
        same=same,
        lapsed=(1 - same) * ~passed,
        success=(1 - same) * passed,
        hard=(rating == 2).float(),
        easy=(rating == 4).float(),
        inner=max(int(p.inner[number]) if number < len(p) else 0 for p in problems),
    )


def _span(problem: Prefixes, number: int) -> slice:
    return slice(*problem.offsets[number : number + 2]) if number < len(problem) else slice(0, 0)


def _width(problem: Prefixes, number: int) -> int:
    span = _span(problem, number)
    return int(span.stop - span.start)
