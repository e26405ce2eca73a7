"""What came of a fit: counts, losses on answers held out, the verdict and its reason. Knows no tensor."""

from collections.abc import Mapping, Sequence
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
BASELINES = ("average", "moving_average")
WHOSE = {
    "current": "yours",
    "defaults": "the built-in ones",
    "one_stability": "21 numbers fitted to the same reviews",
}
"""Who else foretells what is held out, in words."""
FITTED = {21: "the fitted numbers", 34: "34 fitted numbers"}


@dataclass(frozen=True)
class FitReport:
    """The verdict on a fit. `outcome`: better (new numbers are offered), kept, or too_few.

    `reviews` were read; `terms` of them came a study day or more after the card's one before and can be
    foretold; `held_out` of those were foretold from earlier ones alone. `scores` by who foretold them:
    defaults, current, fitted, average, moving_average; beside 34 `numbers` also one_stability, the 21 fitted
    to the same. `differences`: the loss of fitted less that of another, with 95 % intervals. `shrinkage`: the
    share of the way from the defaults to the best guess that is gone. `proofs`: the gain over a rival in
    standard errors.
    """

    outcome: str
    reason: str
    numbers: int = 21
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
    """Chances of recall by who foretold them, (N,) each, and what happened to those answers.

    `places`: which terms they are, in time order; `tests`: each span of terms is foretold from those before.
    """

    chances: Mapping[str, Floats]
    recalled: Booleans
    bins: Integers
    places: Integers
    tests: Sequence[slice]

    @property
    def rivals(self) -> tuple[str, ...]:
        """Who has to be beaten."""
        return tuple(name for name in self.chances if name not in ("fitted", *BASELINES))

    def scores(self) -> dict[str, Scores]:
        """How well each foretold."""
        return {name: scores(chance, self.recalled, self.bins) for name, chance in self.chances.items()}

    def differences(self) -> dict[str, Difference]:
        """The loss of fitted less that of each other."""
        others = (name for name in self.chances if name != "fitted")
        return {name: mean_difference(-self.gains(name)) for name in others}

    def gains(self, rival: str) -> Floats:
        """How much less each answer costs as fitted than by another."""
        return losses(self.chances[rival], self.recalled) - losses(self.chances["fitted"], self.recalled)


def too_few(terms: int) -> tuple[str, str]:
    """(outcome, reason) where there is too little to fit."""
    reviews = "1 review came" if terms == 1 else f"{terms:,} reviews came"
    return TOO_FEW, f"Kept: {reviews} a day or more after the one before; fitting starts at {FEWEST}."


def verdict(held_out: HeldOut, proofs: Mapping[str, float], terms: int, numbers: int = 21) -> tuple[str, str]:
    """(outcome, reason): better only where it is proven over every rival, and on what was held out too."""
    number = len(held_out.recalled)
    found = {
        name: float(losses(chance, held_out.recalled).mean()) for name, chance in held_out.chances.items()
    }
    if not number or not np.isfinite([found["fitted"], *proofs.values()]).all():
        return KEPT, "Kept: the reviews give no number to compare."
    rival = min(held_out.rivals, key=lambda name: found[name])
    compared = f"{found['fitted']:.4f} against {found[rival]:.4f} on {number:,} held-out reviews"
    ours = f"{FITTED[numbers]} predict"
    if found["fitted"] >= found[rival]:
        return KEPT, f"Kept: {ours} no better than {WHOSE[rival]}: {compared}."
    if min(proofs.values()) < proof_needed(terms) or not _clear(held_out.differences()[rival]):
        return KEPT, f"Kept: {ours} better than {WHOSE[rival]}, too little to be sure: {compared}."
    return BETTER, f"Better: {ours} better than {WHOSE[rival]}: {compared}."


def _clear(difference: Difference) -> bool:
    """Whether the gain is a standard error of it or more."""
    return difference.high - difference.mean < -1.96 * difference.mean
