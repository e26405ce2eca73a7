"""How far evidence allows numbers to move from where they stand. Knows no model: vectors and matrices.

A fit is a best guess with a covariance. What a step costs or gains on answers to come is known only within
that. So not the best guess is taken but the step whose gain less `CAUTION` standard errors of it is
largest: directions that the answers hardly tell apart stay where they were. And it is taken at all only if
the gain is that of `PROOF` standard errors.
"""

from dataclasses import dataclass

import numpy as np

from studyhub.study.scheduling.histories import Floats, Integers

CAUTION = 1.0
PROOF, FEW = 3.1, 180
"""Standard errors, and for how few answers twice as many: what is known of a covariance is itself a guess.
With 2.8 and little more for few answers, up to 3 of 200 simulated learners lost by a fit, and with 4.2 at 140
answers still one of 100 unlike the prior (`python -m benchmarks fsrs`; a thorough test on other seeds)."""
_ROUNDS = 80


@dataclass(frozen=True)
class Guess:
    """Most probable numbers (n,), their covariance (n, n), the curvature of one answer's loss (n, n)."""

    at: Floats
    covariance: Floats
    curvature: Floats


def careful(guess: Guess, start: Floats, caution: float = CAUTION) -> Floats:
    """Where to go from `start`; `start` itself where nothing is sure.

    It minimises half (x - guess)' curvature (x - guess) + caution * (standard error of the gain of x over
    start).
    """
    root = _root(guess.curvature)
    spread, turn = np.linalg.eigh(root.T @ guess.covariance @ root)
    spread = np.maximum(spread, 1e-15)
    wanted = turn.T @ (root.T @ (guess.at - start))
    if np.sqrt((wanted**2 / spread).sum()) <= caution:
        return start
    shrunk = wanted / (1 + _restraint(wanted, spread, caution) * spread)
    return np.asarray(start + np.linalg.solve(root.T, turn @ shrunk))


def _root(curvature: Floats) -> Floats:
    """A matrix whose product with its transpose is the curvature, made definite."""
    values, vectors = np.linalg.eigh(curvature)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 1e-9 * max(float(values[-1]), 1e-12))))


def _restraint(wanted: Floats, spread: Floats, caution: float) -> float:
    """The one strength of shrinking that agrees with the standard error it leaves."""
    low, high = 1e-12, 1e12
    for _ in range(_ROUNDS):
        middle = float(np.sqrt(low * high))
        error = np.sqrt((spread * wanted**2 / (1 + middle * spread) ** 2).sum())
        low, high = (middle, high) if middle * error < caution else (low, middle)
    return low


def proof_needed(answers: int) -> float:
    """The standard errors that are proof with so many answers to learn from."""
    return PROOF * (1 + (FEW / max(answers, 1)) ** 2)


def proof(guess: Guess, new: Floats, old: Floats) -> float:
    """The gain of `new` over `old` expected on answers to come, in standard errors of it; 0 for no step."""
    step = new - old
    error = float(np.sqrt(step @ guess.curvature @ guess.covariance @ guess.curvature @ step))
    gain = (_distance(guess, old) - _distance(guess, new)) / 2
    return gain / error if error > 0 else 0.0


def proof_by_cards(gains: Floats, cards: Integers) -> float:
    """The mean of `gains`, one for each answer, in standard errors of it; answers of one card go together,
    since what is misjudged about a card is misjudged in all of them. 0 for fewer than two cards.
    """
    _, place = np.unique(cards, return_inverse=True)
    sums = np.bincount(place, gains - gains.mean()) if len(gains) else np.zeros(0)
    error = float(np.sqrt((sums**2).sum()))
    return float(gains.sum()) / error if len(sums) > 1 and error > 0 else 0.0


def _distance(guess: Guess, at: Floats) -> float:
    away = at - guess.at
    return float(away @ guess.curvature @ away)
