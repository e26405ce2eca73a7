"""Simulated learners who remember with two stabilities, and the answers they give. Everything seeded.

Their memory is `fsrs7_batch`, in numpy, so that it is no echo of the trainer's; what they are asked, and
when, is as in `fsrs_learners`: the default schedule of one stability at 0.9. What was forgotten is asked
again ten minutes later, and whether that is known is theirs to say, too.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.fsrs_learners import DEFAULTS, FIRST_SHARES, LONGEST, PASS_SHARES, Course, after, first
from studyhub.study.scheduling import fsrs7, fsrs7_batch
from studyhub.study.scheduling.evaluation import log_loss
from studyhub.study.scheduling.histories import Histories
from studyhub.study.scheduling.trace import Parameters

Floats = NDArray[np.float64]
AGAIN_AFTER = 600.0  # seconds


def true_numbers(chance: np.random.Generator, sigmas: Any, spread: float = 0.7) -> Parameters:
    """34 numbers, normal around the defaults with `spread` times what differs between real learners."""
    numbers = np.array(fsrs7.DEFAULT_PARAMETERS) + spread * np.array(sigmas) * chance.standard_normal(34)
    numbers[:4] = fsrs7.DEFAULT_PARAMETERS[:4] * np.exp(1.4 * chance.standard_normal(4))
    numbers[:4] = np.sort(numbers[:4])
    return fsrs7.clipped(tuple(numbers.tolist()))


def answers(numbers: Parameters, course: Course, chance: np.random.Generator) -> Histories:
    """What a learner of these numbers answers in a course."""
    believed = np.broadcast_to(DEFAULTS, (course.cards, 21))
    day = (np.arange(course.cards) // course.new_per_day).astype(float)
    rating = chance.choice([1, 2, 3, 4], p=FIRST_SHARES, size=course.cards)
    memory, belief = fsrs7_batch.first(rating, numbers), first(rating, believed)
    at = day * fsrs7.DAY + chance.random(course.cards) * 30_000
    rows = [(np.ones(course.cards, bool), rating, day, at)]
    for _ in range(LONGEST):
        elapsed = _waited(rating, belief[0], chance)
        now = np.where(elapsed > 0, (day + elapsed) * fsrs7.DAY, at + AGAIN_AFTER)
        now += np.where(elapsed > 0, chance.random(course.cards) * 30_000, 0)
        apart = (now - at) / fsrs7.DAY
        rating = _rated(fsrs7_batch.recalls(memory, apart, numbers), chance)
        memory = fsrs7_batch.after(memory, rating, apart, numbers)
        belief, day, at = after(*belief, rating, elapsed, believed), day + elapsed, now
        rows.append((day < course.days, rating, day, at))
    return _histories(rows)


def _waited(rating: Any, stability: Floats, chance: np.random.Generator) -> Any:
    """Study days until the next answer; of ten lapses nine are seen again the same day."""
    same_day = (rating == 1) & (chance.random(len(rating)) < 0.9)
    days = np.maximum(1, np.round(stability * np.exp(0.1 * chance.standard_normal(len(rating)))))
    return np.where(same_day, 0, days)


def _rated(recall: Floats, chance: np.random.Generator) -> Any:
    ease = chance.random(len(recall))
    button = np.where(ease < PASS_SHARES[0], 2, np.where(ease < PASS_SHARES[1], 3, 4))
    return np.where(chance.random(len(recall)) < recall, button, 1)


def _histories(rows: list[Any]) -> Histories:
    cards = np.arange(len(rows[0][0]))
    parts = [(cards[row[0]], *(column[row[0]] for column in row[1:])) for row in rows]
    card, rating, day, at = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    order = np.lexsort((at, card))
    return Histories(card[order], rating[order].astype(int), day[order].astype(int), at[order])


def loss(histories: Histories, numbers: Parameters) -> float:
    """The mean log loss of 34 numbers on all answers a study day or more after the one before."""
    terms = histories.is_term
    return log_loss(fsrs7_batch.foretold(histories, numbers)[terms], histories.recalled[terms])
