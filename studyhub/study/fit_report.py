"""What came of a fit: counts, losses on answers held out, the verdict and its reason. Knows no tensor."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from math import isfinite
from typing import Any

import numpy as np

from studyhub.study.scheduling.evaluation import Difference, Scores, losses, mean_difference, scores
from studyhub.study.scheduling.histories import Booleans, Floats, Integers
from studyhub.study.scheduling.sureness import proof_needed

BETTER, KEPT, TOO_FEW = "better", "kept", "too_few"
FEWEST = 64
"""Answers after a day or more below which nothing is fitted."""
RIVALS = ("defaults", "current")


@dataclass(frozen=True)
class FitReport:
    """The verdict on a fit. `outcome`: better (new numbers are offered), kept, or too_few.

    `reviews` were read; `terms` of them came a study day or more after the card's one before and can be
    foretold; `held_out` of those were foretold from earlier ones alone. `scores` by who foretold them:
    defaults, current, fitted, average, moving_average. `differences`: the loss of fitted less that of a
    rival, with 95 % intervals. `shrinkage`: the share of the way from the defaults to the best guess that
    is gone. `proofs`: the gain over a rival in standard errors.
    """

    outcome: str
    reason: str
    reviews: int = 0
    terms: int = 0
    cards: int = 0
    dropped: Mapping[str, int] = field(default_factory=dict)
    held_out: int = 0
    scores: Mapping[str, Scores] = field(default_factory=dict)
    differences: Mapping[str, Difference] = field(default_factory=dict)
    proofs: Mapping[str, float] = field(default_factory=dict)
    shrinkage: float = 0.0

    def as_json(self) -> dict[str, Any]:
        """As JSON; what is not a number is null."""
        return {name: _plain(value) for name, value in asdict(self).items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, float):
        return round(value, 6) if isfinite(value) else None
    return value


@dataclass(frozen=True)
class HeldOut:
    """Chances of recall by who foretold them, (N,) each, and what happened to those answers."""

    chances: Mapping[str, Floats]
    recalled: Booleans
    bins: Integers

    def scores(self) -> dict[str, Scores]:
        """How well each foretold."""
        return {name: scores(chance, self.recalled, self.bins) for name, chance in self.chances.items()}

    def differences(self) -> dict[str, Difference]:
        """The loss of fitted less that of each other."""
        fitted = losses(self.chances["fitted"], self.recalled)
        others = {name: chance for name, chance in self.chances.items() if name != "fitted"}
        return {
            name: mean_difference(fitted - losses(chance, self.recalled)) for name, chance in others.items()
        }


def too_few(terms: int) -> tuple[str, str]:
    """(outcome, reason) where there is too little to fit."""
    reviews = "1 review came" if terms == 1 else f"{terms:,} reviews came"
    return TOO_FEW, f"Kept: {reviews} a day or more after the one before; fitting starts at {FEWEST}."


def verdict(held_out: HeldOut, proofs: Mapping[str, float], terms: int) -> tuple[str, str]:
    """(outcome, reason): better only where it is proven over both rivals, and on what was held out too."""
    number = len(held_out.recalled)
    found = {
        name: float(losses(chance, held_out.recalled).mean()) for name, chance in held_out.chances.items()
    }
    if not number or not np.isfinite([found["fitted"], *proofs.values()]).all():
        return KEPT, "Kept: the reviews give no number to compare."
    rival = min(RIVALS, key=lambda name: found[name])
    compared = f"{found['fitted']:.4f} against {found[rival]:.4f} on {number:,} held-out reviews"
    whose = "yours" if rival == "current" else "the built-in ones"
    if found["fitted"] >= found[rival]:
        return KEPT, f"Kept: the fitted numbers predict no better than {whose}: {compared}."
    if min(proofs.values()) < proof_needed(terms) or not _clear(held_out.differences()[rival]):
        reason = f"Kept: the fitted numbers predict better than {whose}, too little to be sure: {compared}."
        return KEPT, reason
    return BETTER, f"Better: the fitted numbers predict better than {whose}: {compared}."


def _clear(difference: Difference) -> bool:
    """Whether the gain is a standard error of it or more."""
    return difference.high - difference.mean < -1.96 * difference.mean
