"""Which day within the fuzz a card takes: an even load, easy days, away from its siblings. Knows no database.

It chooses the draw alone: the bounds stay those of `fuzz`, so a draw moves no interval further than chance
could. Distances to siblings follow Anki 26.08 (`rslib/src/scheduler/states/load_balancer.rs`, facts only).
Otherwise than there, an empty day is weighed like any other, and no preference for short intervals makes up
for days further ahead being emptier: loads are seen against their trend, or intervals would drift.
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
_ROOM = {NORMAL: 1.0, REDUCED: 0.5, MINIMUM: 0.0}  # share of a normal day's cards
_EASE = {NORMAL: 0.0, REDUCED: log(0.5), MINIMUM: log(1e-6)}
# By distance. All that can speak against another day stays above the first: it is taken without choice alone.
_SIBLING = (log(1e-12), log(0.2), log(0.4), log(0.6), log(0.8))
_AROUND = 8  # days on either side of the bounds that show the trend
_PULL, _FLOOR = 4.0, -8.0  # per scatter of a day's cards; the least a crowded day weighs
_SAME_TOPIC = 1 / 3  # how much more than another card one of the same topic fills its day
_SIDE_RULE = 0.25  # of Hard and Easy beside Good: they are pressed less, and must not narrow its choice


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

    def week(self) -> tuple[str, ...]:
        """The kinds of the seven days from today on. What counts is a day beside the others:

        a week of one kind is a normal one, and without a normal day reduced ones are.
        """
        if len(set(self.easy_days)) < 2:
            return (NORMAL,) * 7
        ahead = self.easy_days[self.weekday_of_today :] + self.easy_days[: self.weekday_of_today]
        return ahead if NORMAL in ahead else tuple(NORMAL if day == REDUCED else day for day in ahead)


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
    rules = _Rules(spread)
    main = 1 if landings[0][1] else 2  # a card whose Good waits in steps is placed by its Easy
    for button in range(3):
        days = sorted({landing[button] for landing in sums})
        if len(days) > 1 and (button == main or rules.any):
            by_day = _of_main(days, spread, rules) if button == main else _of_side(days, rules)
            sums = {landing: total + by_day[landing[button]] for landing, total in sums.items()}
    highest = max(sums.values())
    return {landing: exp(total - highest) for landing, total in sums.items()}


class _Rules:
    """What speaks against a day however full it is: the learner's week, and siblings nearby."""

    __slots__ = ("any", "near", "room", "week")

    def __init__(self, spread: Spread) -> None:
        kinds = spread.week()
        self.week = [_EASE[kind] for kind in kinds]
        self.room = [_ROOM[kind] for kind in kinds]
        self.near: dict[int, float] = {}
        for sibling in spread.siblings:
            for distance, weight in enumerate(_SIBLING):
                for day in {sibling - distance, sibling + distance}:
                    self.near[day] = self.near.get(day, 0.0) + weight
        self.any = bool(spread.siblings) or any(self.week)

    def of(self, day: int) -> float:
        """The weight of the day `day` ahead, as a logarithm."""
        return self.week[day % 7] + self.near.get(day, 0.0)


def _of_main(days: list[int], spread: Spread, rules: _Rules) -> dict[int, float]:
    """The weight of each day, as a logarithm."""
    weights = {day: rules.of(day) for day in days}
    counted = days[0] + days[-1] <= 2 * BALANCED_DAYS and (spread.loads or spread.topic)
    if counted:
        for day, crowd in _crowds(days, spread, rules).items():
            weights[day] += max(_FLOOR, -_PULL * crowd)
    return weights


def _of_side(days: list[int], rules: _Rules) -> dict[int, float]:
    return {day: _SIDE_RULE * rules.of(day) for day in days}


def _crowds(days: list[int], spread: Spread, rules: _Rules) -> dict[int, float]:
    """How full each day is beside the emptiest of them, for its room and against the trend.

    Counted in the scatter of chance, the root of the mean number. A day that is to stay as empty as
    can be is no part of the trend, and held to be as full as the trend says.
    """
    load, topic, room = spread.loads.get, spread.topic.get, rules.room
    around = range(max(1, days[0] - _AROUND), min(KNOWN_DAYS, days[-1] + _AROUND) + 1)
    full = [
        (day, (load(day, 0) + _SAME_TOPIC * topic(day, 0)) / room[day % 7]) for day in around if room[day % 7]
    ]
    if not full:
        return dict.fromkeys(days, 0.0)
    middle, mean, trend = _line(full)
    above = {day: cards - mean - trend * (day - middle) for day, cards in full}
    least, scatter = min([above.get(day, 0.0) for day in days]), sqrt(1 + mean)
    return {day: (above.get(day, 0.0) - least) / scatter for day in days}


def _line(points: list[tuple[int, float]]) -> tuple[float, float, float]:
    """The straight line through points by least squares: its middle, the mean there, its slope."""
    number = len(points)
    middle = sum([x for x, _ in points]) / number
    mean = sum([y for _, y in points]) / number
    width = sum([(x - middle) ** 2 for x, _ in points])
    return middle, mean, sum([(x - middle) * y for x, y in points]) / width if width else 0.0


def _picked(weights: Iterable[float], choice: float) -> int:
    """The index on which a number in [0, 1) falls."""
    sums = list(accumulate(weights))
    target = choice * sums[-1]
    return next((index for index, reached in enumerate(sums) if target < reached), len(sums) - 1)
