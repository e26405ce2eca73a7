"""A learner's answers as a fit takes them: what can be foretold, what each counts, where to start."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from studyhub.study.scheduling.evaluation import recency
from studyhub.study.scheduling.fsrs import DEFAULT_PARAMETERS
from studyhub.study.scheduling.histories import Booleans, Floats, Histories, Integers
from studyhub.study.scheduling.initial import first_stabilities, odd_cards
from studyhub.study.scheduling.prefixes import Prefixes, prefixes_of
from studyhub.study.scheduling.trace import Parameters

DEFAULTS = np.array(DEFAULT_PARAMETERS)
FRESH, FADED = 90, 365
"""Days of answers up to which all count alike, and from which on the recency weights hold whole."""


@dataclass(frozen=True)
class Case:
    """A learner's answers, the numbers in use, and what was left out of the answers."""

    histories: Histories
    current: Parameters = DEFAULT_PARAMETERS
    dropped: Mapping[str, int] = field(default_factory=dict)

    @property
    def is_of_one_stability(self) -> bool:
        """Whether the numbers in use are of the model with one stability."""
        return len(self.current) == len(DEFAULTS)

    @cached_property
    def prefixes(self) -> Prefixes:
        """The distinct beginnings of the histories."""
        return prefixes_of(self.histories)

    @cached_property
    def terms(self) -> Integers:
        """The answers that are foretold, in time order, as far as histories are looked at."""
        terms = self.histories.in_time
        return terms[self.prefixes.of_answer[terms] >= 0]

    @cached_property
    def usual(self) -> Booleans:
        """For each card: whether its first interval is one to learn from."""
        return ~odd_cards(self.histories)

    def start(self, until: int) -> Floats:
        """The defaults with the first stabilities that first intervals among the first `until` terms tell."""
        known = np.zeros(len(self.histories), bool)
        known[self.terms[:until]] = True
        first = first_stabilities(self.histories, self.usual, known)
        return np.concatenate([first, DEFAULTS[4:]])

    def weights(self, until: int) -> Floats:
        """How much each answer counts in learning from the first `until` terms: the newest most.

        Within weeks nobody's memory changes: the weights come in with the time between first and last answer.
        Scaled so that they carry as much as their effective number of equal ones.
        """
        days = float(np.ptp(self.histories.day[self.terms[:until]])) if until else 0.0
        fading = min(1.0, max(0.0, (days - FRESH) / (FADED - FRESH)))
        values = 1 - fading * (1 - recency(until))
        weights = np.zeros(len(self.histories))
        weights[self.terms[:until]] = values * (values.sum() / (values**2).sum() if until else 1.0)
        return weights * self.usual[self.histories.lane]

    def in_sample(self, answers: int) -> Booleans:
        """For each answer: whether it is to one of so many cards that about `answers` remain."""
        every = max(1, round(len(self.histories) / answers))
        return np.asarray(self.histories.lane % every == 0)
