"""Simulated learners: true numbers unlike the defaults, and the answers they give. Everything seeded.

Their memory is the model itself, so what is bound here is the fit, not human memory. The formulas stand
here a second time, in plain numpy, so that they are no echo of the trainer's. True numbers are normal around
the defaults with 0.7 of the spread found between real learners (fsrs-rs), first stabilities log-normal; the
defaults then lose 0.015 to 0.02 on average to the true numbers. The schedule is that of the defaults at 0.9.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studyhub.study.fitting.newton import SIGMAS
from studyhub.study.scheduling.fsrs import BOUNDS, DEFAULT_PARAMETERS
from studyhub.study.scheduling.histories import Histories

Floats = NDArray[np.float64]
DEFAULTS = np.array(DEFAULT_PARAMETERS)
SPREAD, FIRST_SPREAD = 0.7, 1.4
FIRST_SHARES = (0.25, 0.15, 0.45, 0.15)
PASS_SHARES = (0.12, 0.88)  # below: Hard; above: Easy
LONGEST = 100


@dataclass(frozen=True)
class Course:
    """How much is studied: `cards`, so many new ones a day, for so many days."""

    cards: int
    new_per_day: int
    days: int


def true_numbers(count: int, chance: np.random.Generator, spread: float = SPREAD) -> Floats:
    """(count, 21)."""
    scale = np.array(SIGMAS) * spread
    numbers = DEFAULTS + scale * chance.standard_normal((count, 21))
    numbers[:, :4] = DEFAULTS[:4] * np.exp(2 * spread * chance.standard_normal((count, 4)))
    numbers[:, :4] = np.sort(numbers[:, :4], 1)
    return np.clip(numbers, *np.array(BOUNDS).T)


def answers(numbers: Floats, course: Course, chance: np.random.Generator) -> list[Histories]:
    """The answers of each learner, numbers (L, 21)."""
    shape = len(numbers), course.cards
    true, believed = numbers[:, None], np.broadcast_to(DEFAULTS, (*shape, 21))
    day = np.broadcast_to(np.arange(course.cards) // course.new_per_day, shape).astype(float)
    rating = chance.choice([1, 2, 3, 4], p=FIRST_SHARES, size=shape)
    memory, belief = first(rating, np.broadcast_to(true, (*shape, 21))), first(rating, believed)
    at = day * 86_400 + chance.random(shape) * 30_000
    rows = [(np.ones(shape, bool), rating, day, at)]
    for _ in range(LONGEST):
        elapsed, rating = _asked(rating, belief[0], memory[0], true, chance)
        memory, belief = after(*memory, rating, elapsed, true), after(*belief, rating, elapsed, believed)
        day = day + elapsed
        at = np.where(elapsed > 0, day * 86_400 + chance.random(shape) * 30_000, at + 600)
        rows.append((day < course.days, rating, day, at))
        if not rows[-1][0].any():
            break
    return [_histories(rows, learner, course) for learner in range(len(numbers))]


def _asked(rating: Any, belief: Floats, memory: Floats, true: Floats, chance: np.random.Generator) -> Any:
    """(days since the last answer, rating now): of ten lapses nine are seen again the same day, as Good."""
    shape = rating.shape
    same_day = (rating == 1) & (chance.random(shape) < 0.9)
    wait = np.maximum(1, np.round(belief * np.exp(0.1 * chance.standard_normal(shape))))
    elapsed = np.where(same_day, 0, wait)
    ease, passed = chance.random(shape), chance.random(shape) < recall(elapsed, memory, true)
    button = np.where(ease < PASS_SHARES[0], 2, np.where(ease < PASS_SHARES[1], 3, 4))
    return elapsed, np.where(passed, np.where(same_day, 3, button), 1)


def _histories(rows: list[Any], learner: int, course: Course) -> Histories:
    cards = np.arange(course.cards)
    parts = [
        (cards[row[0][learner]], *(column[learner][row[0][learner]] for column in row[1:])) for row in rows
    ]
    card, rating, day, at = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    order = np.lexsort((at, card))
    return Histories(card[order], rating[order].astype(int), day[order].astype(int), at[order])


def head(histories: Histories, count: int) -> Histories:
    """The first so many answers in time."""
    return histories.only(histories.at <= np.sort(histories.at)[min(count, len(histories)) - 1])


def loss(histories: Histories, numbers: Any) -> float:
    """The mean log loss of numbers (21,) on all terms, by the plain formulas."""
    terms = histories.is_term
    chance = np.clip(foretold(histories, np.asarray(numbers))[terms], 1e-7, 1 - 1e-7)
    return float(-np.log(np.where(histories.recalled[terms], chance, 1 - chance)).mean())


def foretold(histories: Histories, numbers: Floats) -> Floats:
    """The chance of recall before each answer; NaN before a card's first."""
    chance = np.full(len(histories), np.nan)
    order = np.argsort(-histories.lengths, kind="stable")
    starts, lengths = histories.starts[order], histories.lengths[order]
    state = first(histories.rating[starts], np.broadcast_to(numbers, (len(starts), 21)))
    for step in range(1, int(lengths[0])):
        count = int(np.searchsorted(-lengths, -step))
        places = starts[:count] + step
        state = state[0][:count], state[1][:count]
        chance[places] = recall(histories.elapsed[places], state[0], numbers)
        state = after(*state, histories.rating[places], histories.elapsed[places], numbers)
    return chance


def recall(elapsed: Any, stability: Floats, numbers: Floats) -> Floats:
    """The forgetting curve."""
    decay = numbers[..., 20]
    return np.asarray((1 + (0.9 ** (-1 / decay) - 1) * elapsed / stability) ** -decay)


def first(rating: Any, numbers: Floats) -> tuple[Floats, Floats]:
    """(stability, difficulty) after a first answer; numbers (..., 21) of the ratings' shape."""
    stability = np.take_along_axis(numbers[..., :4], rating[..., None] - 1, -1)[..., 0]
    return stability, np.clip(numbers[..., 4] - np.exp(numbers[..., 5] * (rating - 1)) + 1, 1, 10)


def after(stability: Floats, difficulty: Floats, rating: Any, elapsed: Any, numbers: Floats) -> Any:
    """(stability, difficulty) after one more."""
    w = np.moveaxis(numbers, -1, 0)
    miss = 1 - recall(elapsed, stability, numbers)
    button = np.where(rating == 2, w[15], np.where(rating == 4, w[16], 1))
    growth = np.exp(w[8]) * (11 - difficulty) * stability ** -w[9] * np.expm1(w[10] * miss) * button
    lapse = w[11] * difficulty ** -w[12] * ((stability + 1) ** w[13] - 1) * np.exp(w[14] * miss)
    lapse = np.minimum(lapse, stability / np.exp(w[17] * w[18]))
    same_day = np.exp(w[17] * (rating - 3 + w[18])) * stability ** -w[19]
    same_day = stability * np.where(rating >= 2, np.maximum(same_day, 1), same_day)
    new = np.where(elapsed < 1, same_day, np.where(rating == 1, lapse, stability * (1 + growth)))
    moved = difficulty - w[6] * (rating - 3) * (10 - difficulty) / 9
    pull = w[4] - np.exp(3 * w[5]) + 1
    return np.clip(new, 0.001, 36_500), np.clip(w[7] * pull + (1 - w[7]) * moved, 1, 10)
