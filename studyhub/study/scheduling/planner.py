"""Which retention and how many new cards a day leave most in mind on a day ahead. Knows no table, no clock.

Every pair is played under the minutes with the same draws of chance, and of what is not known for certain:
how steady memories truly are and how long answers take. A first round looks at all pairs with few draws;
those that did well are played again with many, others than before, which also give the interval.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studyhub.study.scheduling.simulate import Behaviour, Cards, Courses, Played, simulate
from studyhub.study.scheduling.state import Rules

RETENTIONS = (0.70, 0.75, 0.80, 0.84, 0.87, 0.90, 0.92, 0.94, 0.96, 0.97)
STRETCHES = (1.0, 1.25, 1.6, 2.2, 3.5, 6.0)
"""How many times faster than evenly to the day new cards may be met."""
USUAL = (0.9, 20)
"""What a learner has who chose nothing."""
FEW, MANY = (4, 8), (40, 100)
"""Draws of chance of a pair in the two rounds: least, and most where cards are few and luck matters more."""
PLAYED_AGAIN = 8
MOST_AT_ONCE = 1_000_000
"""Courses times cards in memory at once: about 60 MB."""
NEAR = 0.001
"""Share of the cards by which a pair may fall behind and still be preferred for taking less time."""
Floats = NDArray[np.floating[Any]]
Progress = Callable[[int], None]


@dataclass(frozen=True)
class Pair:
    """What may be chosen: desired retention, and new cards a day."""

    retention: float
    new_per_day: int


@dataclass(frozen=True)
class Doubt:
    """How sure one is of a learner: equally likely steadiness, and the spread (log) of their pace."""

    steadiness: tuple[float, ...] = (1.0,)
    pace_spread: float = 0.0


@dataclass(frozen=True)
class Prospect:
    """A learner before a day: what is known, the days that are left, the limits of each."""

    cards: Cards
    days: int
    seconds_per_day: float
    behaviour: Behaviour
    rules: Rules
    doubt: Doubt
    present: Pair
    reviews_per_day: int = 0

    @property
    def new(self) -> int:
        """Cards never met."""
        return int((self.cards.stability == 0).sum())


@dataclass(frozen=True)
class Outlook:
    """What a pair leads to: cards recalled on the day, on average and 9 of 10 times, and its price.

    `finish`: study days from today until the last new card is met, -1 = not before the day."""

    pair: Pair
    expected: float
    low: int
    high: int
    seconds: float
    unseen: int
    finish: int


def outlooks(
    prospect: Prospect, *, seed: int, progress: Progress = lambda _percent: None
) -> tuple[Outlook, list[Outlook]]:
    """(the best pair, the best of each retention and the present one): the same for the same arguments."""
    few, many = (_draws(bounds, len(prospect.cards)) for bounds in (FEW, MANY))
    first = played_pairs(
        prospect, candidates(prospect), draws=few, seed=seed, progress=lambda percent: progress(percent // 2)
    )
    kept = _worth_another_look(first, prospect)
    second = played_pairs(
        prospect, kept, draws=many, seed=seed + 1, progress=lambda percent: progress(50 + percent // 2)
    )
    return _best(second, prospect), second


def candidates(prospect: Prospect) -> list[Pair]:
    """Every retention with every pace worth a look, and what the learner has now."""
    even, new = prospect.new / prospect.days, prospect.new
    paces = {min(new, max(1, ceil(even * stretch))) for stretch in STRETCHES}
    paces |= {min(new, pace) for pace in (prospect.present.new_per_day, USUAL[1])}
    paces = paces if new else {prospect.present.new_per_day}
    pairs = [Pair(retention, pace) for retention in RETENTIONS for pace in sorted(paces)]
    own = [prospect.present, Pair(USUAL[0], USUAL[1])]
    return list(dict.fromkeys([*pairs, *own]))


def played_pairs(
    prospect: Prospect,
    pairs: Sequence[Pair],
    *,
    draws: int,
    seed: int,
    progress: Progress = lambda _percent: None,
) -> list[Outlook]:
    """Plays each pair `draws` times, all with the same chances, as many pairs at once as memory allows."""
    at_once = max(1, MOST_AT_ONCE // (max(1, len(prospect.cards)) * draws))
    found: list[Outlook] = []
    for start in range(0, len(pairs), at_once):
        some = pairs[start : start + at_once]
        found += _outlooks(some, _play(prospect, some, draws=draws, seed=seed), prospect)
        progress(100 * len(found) // len(pairs))
    return found


def _draws(bounds: tuple[int, int], cards: int) -> int:
    """As many as 200 cards get at most, fewer the more cards there are."""
    least, most = bounds
    return max(least, min(most, most * 200 // max(1, cards)))


def _play(prospect: Prospect, pairs: Sequence[Pair], *, draws: int, seed: int) -> Played:
    steadiness, pace = _doubts(prospect.doubt, draws, seed)
    times = len(pairs)
    courses = Courses(
        retention=np.repeat([pair.retention for pair in pairs], draws),
        new_per_day=np.repeat([pair.new_per_day for pair in pairs], draws),
        seconds_per_day=np.full(times * draws, prospect.seconds_per_day),
        reviews_per_day=np.full(times * draws, prospect.reviews_per_day),
        steadiness=np.tile(steadiness, times),
        pace=np.tile(pace, times),
        draw=np.tile(np.arange(draws), times),
    )
    return simulate(
        prospect.cards,
        courses,
        days=prospect.days,
        behaviour=prospect.behaviour,
        rules=prospect.rules,
        seed=seed,
    )


def _doubts(doubt: Doubt, draws: int, seed: int) -> tuple[Floats, Floats]:
    """Steadiness and pace of each draw: evenly over what is likely, in an order made by chance."""
    chance = np.random.default_rng([seed, draws])
    places = (np.arange(draws) + 0.5) / draws
    steadiness = np.quantile(np.array(doubt.steadiness), chance.permutation(places))
    return steadiness, np.exp(doubt.pace_spread * chance.standard_normal(draws))


def _outlooks(pairs: Sequence[Pair], played: Played, prospect: Prospect) -> list[Outlook]:
    draws = len(played.expected) // len(pairs)
    return [
        _outlook(pair, played, slice(place * draws, (place + 1) * draws), prospect)
        for place, pair in enumerate(pairs)
    ]


def _outlook(pair: Pair, played: Played, rows: slice, prospect: Prospect) -> Outlook:
    low, high = np.quantile(played.recalled[rows], (0.05, 0.95), method="inverted_cdf")
    unseen = int(np.median(played.unseen[rows]))
    met = np.cumsum(played.met[rows], axis=1)
    ends = (met < prospect.new).sum(axis=1)
    return Outlook(
        pair=pair,
        expected=float(played.expected[rows].mean()),
        low=int(low),
        high=int(high),
        seconds=float(played.seconds[rows].mean()),
        unseen=unseen,
        finish=int(np.median(ends)) if prospect.new and not unseen else -1,
    )


def _worth_another_look(found: Sequence[Outlook], prospect: Prospect) -> list[Pair]:
    """The pairs that did best, the best of each retention, and those a learner has without choosing.

    Of paces that came to the same, since time ran out before them, the calmest stands for all."""
    alike = {(one.pair.retention, one.expected): one for one in reversed(found)}
    ranked = sorted(alike.values(), key=lambda one: -one.expected)
    best_of_each = {one.pair.retention: one.pair for one in reversed(ranked)}
    own = [prospect.present, Pair(*USUAL)]
    pairs = [*(one.pair for one in ranked[:PLAYED_AGAIN]), *best_of_each.values(), *own]
    return sorted(dict.fromkeys(pairs), key=lambda pair: (pair.retention, pair.new_per_day))


def _best(found: Sequence[Outlook], prospect: Prospect) -> Outlook:
    """The most cards; of those that do about as well the one that takes least time, then the calmest."""
    most = max(one.expected for one in found)
    near = [one for one in found if one.expected >= most - NEAR * len(prospect.cards)]
    return min(near, key=lambda one: (round(one.seconds), one.pair.new_per_day, one.pair.retention))
