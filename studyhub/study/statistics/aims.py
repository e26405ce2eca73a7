"""What remembering more costs: how often the cards known now would come due at one aim or another.

By expectation, from what is known today: the sum over cards of one review in each interval. Changes nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from studyhub.study.models import Learner, Memory
from studyhub.study.rules import rules_of
from studyhub.study.scheduling import Parameters, Rules, batch, fsrs7_batch
from studyhub.study.scheduling.fsrs7 import DEFAULT_PARAMETERS as TWO_STABILITIES
from studyhub.study.shelf import published
from studyhub.study.statistics.columns import Floats, columns

STANDARD = 0.9
DAYS = 100
"""A card of so many days at the standard aim stands for how intervals change."""
_TRACE = ("stability", "difficulty", "short_stability")


@dataclass(frozen=True)
class Aim:
    """At this desired retention (0.70..0.99): reviews a day of the known cards, and the days of a card that
    would come back after 100 at 0.90."""

    retention: float
    per_day: float
    days: float


@dataclass(frozen=True)
class Aims:
    """How many cards past their steps the load is of, and each aim in the order asked."""

    cards: int
    aims: tuple[Aim, ...]


def aims(learner: Learner, retentions: Sequence[float]) -> Aims:
    """The load of each retention for the cards past their steps that are not suspended. Two reads at most."""
    rules = rules_of(learner)
    memories = Memory.objects.filter(
        published("card__"), learner=learner, suspended=False, state=Memory.State.REVIEW, stability__gt=0
    )
    traces = columns(memories.values_list(*_TRACE), 3)
    found = [Aim(one, _load(traces, one, rules), _stretched(one, rules)) for one in retentions]
    return Aims(traces.shape[1], tuple(found))


def _load(traces: Floats, retention: float, rules: Rules) -> float:
    days = np.clip(_days(traces, retention, rules.parameters), 1, rules.maximum_interval)
    return float((1 / days).sum())


def _stretched(retention: float, rules: Rules) -> float:
    """The interval at this aim of a card that has 100 days at 0.90."""
    one = np.array([[float(DAYS)], [5.0], [float(DAYS)]])
    at = [_days(one, aim, rules.parameters)[0] for aim in (retention, STANDARD)]
    return float(DAYS * at[0] / at[1])


def _days(traces: Floats, retention: float, numbers: Parameters) -> Floats:
    if len(numbers) == len(TWO_STABILITIES):
        return fsrs7_batch.intervals(fsrs7_batch.Traces(*traces), retention, numbers)
    return batch.intervals(traces[0], retention, numbers)
