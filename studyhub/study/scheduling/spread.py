"""Which day within the fuzz a card takes: an even load, easy days, away from its siblings. Knows no database.

It chooses the draw alone: the bounds stay those of `fuzz`, so a draw moves no interval further than chance
could. Distances to siblings follow Anki 26.08 (`rslib/src/scheduler/states/load_balancer.rs`, facts only).
Otherwise than there, an empty day is weighed like any other, and short intervals are not preferred: a tilt
gives the weighed days the mean of the unweighed ones, or intervals would drift.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from math import exp, log, sqrt

from studyhub.study.scheduling.fuzz import draw_of
from studyhub.study.scheduling.memory import MemoryState, Moment, Rules, passes_of
from studyhub.study.scheduling.passes import Days, Passes

NORMAL, REDUCED, MINIMUM = "normal", "reduced", "minimum"
KNOWN_DAYS = 99  # days ahead whose loads are worth counting
BALANCED_DAYS = 90  # longer intervals take no notice of loads: chance spreads them over enough days

_CANDIDATES = 32
_ROOM = {NORMAL: 1.0, REDUCED: 0.5, MINIMUM: 1.0}  # share of a normal day's cards
_EASE = {NORMAL: 0.0, REDUCED: log(0.5), MINIMUM: log(1e-5)}
# By distance. All that can speak against another day stays above the first: it is taken without choice alone.
_SIBLING = (log(1e-12), log(0.2), log(0.4), log(0.6), log(0.8))
_LOAD_PULL, _LOAD_FLOOR = 2.0, -6.0  # per scatter of a day's cards; the least a crowded day weighs
_TOPIC_PULL, _TOPIC_FLOOR = 0.25, -1.0
# Of Hard and Easy beside Good: they are pressed less, so they count little for loads, but rules hold for all.
_SIDE_LOAD, _SIDE_RULE = 0.15, 0.5
_LARGEST_TILT = 2.0  # a factor of e^2 at the ends of the bounds: no day that must not be taken comes back


@dataclass(frozen=True)
class Spread:
    """What the days ahead hold. Keys are study days ahead (1..99), values numbers of cards due.

    `siblings`: days on which a card of the same kin is due; `topic`: numbers of cards of the same topic.
    `easy_days`: "normal", "reduced" or "minimum", Monday first, or empty; `weekday_of_today`: Monday = 0.
    Raises ValueError on other easy days or weekdays.
    """

    loads: Mapping[int, int] = field(default_factory=dict)
    siblings: frozenset[int] = frozenset()
    topic: Mapping[int, int] = field(default_factory=dict)
    easy_days: tuple[str, ...] = ()
    weekday_of_today: int = 0

    def __post_init__(self) -> None:
        if self.easy_days and (len(self.easy_days) != 7 or not set(self.easy_days) <= set(_EASE)):
            raise ValueError(
                f"easy days {self.easy_days!r} are not seven of {', '.join(_EASE)}, Monday first"
            )
        if self.weekday_of_today not in range(7):
            raise ValueError(f"weekday {self.weekday_of_today!r} is not 0 (Monday) to 6 (Sunday)")

    def ease(self, day: int) -> str:
        """How much the learner wants on the day `day` ahead: what counts is a day beside the others.

        So a week of one kind is a normal week, and without a normal day reduced ones are the normal ones.
        """
        if len(set(self.easy_days)) < 2:
            return NORMAL
        kind = self.easy_days[(self.weekday_of_today + day) % 7]
        return NORMAL if kind == REDUCED and NORMAL not in self.easy_days else kind


def spread_draw(memory: MemoryState, *, moment: Moment, rules: Rules, card: str, spread: Spread) -> float:
    """The draw in [0, 1) that puts Hard, Good and Easy on good days, Good above all.

    Equal arguments give an equal draw. With nothing to mind, draws are uniform over cards and answers.
    `card` is the uuid that seeds the fuzz as well.
    """
    passes = passes_of(memory, moment=moment, rules=rules)
    return chosen_draw(passes, card=card, reps=memory.reps, spread=spread)


def chosen_draw(passes: Passes, *, card: str, reps: int, spread: Spread) -> float:
    """As `spread_draw`, for passes already worked out."""
    offset = draw_of(f"{card}:candidates", reps)
    draws = [(number + offset) / _CANDIDATES for number in range(_CANDIDATES)]
    landings = [passes.days(draw) for draw in draws]
    weights = _weights(landings, spread)
    return draws[_picked([weights[landing] for landing in landings], draw_of(f"{card}:choice", reps))]


def _weights(landings: list[Days], spread: Spread) -> dict[Days, float]:
    """What speaks for each way the three buttons can land."""
    sums = dict.fromkeys(landings, 0.0)
    main = 1 if landings[0][1] else 2  # a card whose Good waits in steps is placed by its Easy
    for button in range(3):
        if landings[0][button]:
            days = {landing[button] for landing in sums}
            by_day = _log_weights(days, spread, main=button == main)
            sums = {landing: total + by_day[landing[button]] for landing, total in sums.items()}
    highest = max(sums.values())
    weights = {landing: exp(total - highest) for landing, total in sums.items()}
    even = sum(landing[main] for landing in landings) / len(landings)
    tilt = _tilt([(landing[main] - even, weights[landing]) for landing in landings])
    return {landing: weight * exp(tilt * (landing[main] - even)) for landing, weight in weights.items()}


def _log_weights(days: set[int], spread: Spread, *, main: bool) -> dict[int, float]:
    """The weight of each day a button can take, as a logarithm."""
    share_of_load, share_of_rule = (1.0, 1.0) if main else (_SIDE_LOAD, _SIDE_RULE)
    crowd = dict.fromkeys(days, 0.0)
    if min(days) + max(days) <= 2 * BALANCED_DAYS:
        crowd = _crowding(days, spread)
    return {day: share_of_load * crowd[day] + share_of_rule * _rule(day, spread) for day in days}


def _crowding(days: set[int], spread: Spread) -> dict[int, float]:
    """How full each day is for its room, beside the emptiest of them."""
    load = {day: spread.loads.get(day, 0) / _ROOM[spread.ease(day)] for day in days}
    loads = _pull(load, _LOAD_PULL, _LOAD_FLOOR)
    if not spread.topic:
        return loads
    topic = {day: float(spread.topic.get(day, 0)) for day in days}
    topics = _pull(topic, _TOPIC_PULL, _TOPIC_FLOOR)
    return {day: loads[day] + topics[day] for day in days}


def _pull(counts: Mapping[int, float], pull: float, floor: float) -> dict[int, float]:
    """Measured by the scatter chance gives such counts (the root of their mean)."""
    least = min(counts.values())
    by_scatter = -pull / sqrt(1 + sum(counts.values()) / len(counts))
    return {day: max(floor, by_scatter * (count - least)) for day, count in counts.items()}


def _rule(day: int, spread: Spread) -> float:
    rule = _EASE[spread.ease(day)] if spread.easy_days else 0.0
    for other in spread.siblings:
        distance = abs(day - other)
        if distance < len(_SIBLING):
            rule += _SIBLING[distance]
    return rule


def _tilt(weighed: list[tuple[float, float]]) -> float:
    """The slope that gives weighed days the mean an even draw has, where that takes no steep one.

    Per day, of the logarithm of the weight. The days are counted from that mean.
    """
    by_day: dict[float, float] = {}
    for day, weight in weighed:
        by_day[day] = by_day.get(day, 0.0) + weight
    limit = 2 * _LARGEST_TILT / max(1.0, max(by_day) - min(by_day))
    tilt = 0.0
    for _ in range(3):
        tilt = min(max(tilt + _newton_step(by_day, tilt), -limit), limit)
    return tilt


def _newton_step(by_day: Mapping[float, float], tilt: float) -> float:
    total = first = second = 0.0
    for day, weight in by_day.items():
        tilted = weight * exp(tilt * day)
        total += tilted
        first += tilted * day
        second += tilted * day * day
    mean = first / total
    variance = second / total - mean * mean
    return -mean / variance if variance > 1e-6 else 0.0


def _picked(weights: Iterable[float], choice: float) -> int:
    """The index on which a number in [0, 1) falls."""
    sums = list(accumulate(weights))
    target = choice * sums[-1]
    return next((index for index, reached in enumerate(sums) if target < reached), len(sums) - 1)
