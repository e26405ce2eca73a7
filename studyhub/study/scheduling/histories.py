"""A learner's answers as arrays, a card's adjacent and in order. Knows no table, no clock and no model."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]
Integers = NDArray[np.integer[Any]]
Booleans = NDArray[np.bool_]


@dataclass(frozen=True)
class Histories:
    """Answers by (card, time): `rating` 1..4, `day` the number of a study day, `at` seconds of any epoch."""

    card: Integers
    rating: Integers
    day: Integers
    at: Floats

    def __len__(self) -> int:
        return len(self.card)

    @cached_property
    def is_first(self) -> Booleans:
        """The first answer of each card."""
        return np.concatenate([np.ones(min(1, len(self)), bool), self.card[1:] != self.card[:-1]])

    @cached_property
    def starts(self) -> Integers:
        """Where each card begins."""
        return np.flatnonzero(self.is_first)

    @cached_property
    def lane(self) -> Integers:
        """The card of each answer, counted from 0 in order."""
        return np.cumsum(self.is_first) - 1

    @cached_property
    def lengths(self) -> Integers:
        """Answers of each card."""
        return np.diff(np.append(self.starts, len(self)))

    @cached_property
    def position(self) -> Integers:
        """Answers of the card before this one."""
        return np.arange(len(self)) - self.starts[self.lane] if len(self) else np.zeros(0, int)

    @cached_property
    def elapsed(self) -> Integers:
        """Study days since the card's answer before; 0 for its first and where days run backwards."""
        days = np.diff(self.day, prepend=self.day[:1])
        return np.where(self.is_first, 0, np.maximum(days, 0))

    @cached_property
    def waited(self) -> Floats:
        """Days, with their fractions, since the card's answer before; 0 for its first and where time runs
        backwards.
        """
        days = np.diff(self.at, prepend=self.at[:1]) / 86_400.0
        return np.where(self.is_first, 0.0, np.maximum(days, 0.0))

    @cached_property
    def is_term(self) -> Booleans:
        """The answers a model is judged by: a study day or more after the one before."""
        return self.elapsed > 0

    @cached_property
    def recalled(self) -> Booleans:
        """Whether it was no Again."""
        return self.rating > 1

    @cached_property
    def in_time(self) -> Integers:
        """The terms in the order they were given."""
        terms = np.flatnonzero(self.is_term)
        return terms[np.argsort(self.at[terms], kind="stable")]

    @cached_property
    def first_rating(self) -> Integers:
        """The first rating of each card."""
        return self.rating[self.starts]

    def within_card(self, values: Integers | Booleans) -> Integers:
        """The running sum of `values` over each card, this answer included."""
        total = np.concatenate([[0], np.cumsum(values)]).astype(int)
        return np.asarray(total[1:] - total[self.starts][self.lane])

    def only(self, kept: Booleans) -> "Histories":
        """The answers where `kept` is true."""
        return Histories(self.card[kept], self.rating[kept], self.day[kept], self.at[kept])
