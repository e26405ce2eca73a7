"""How long a backlog lasts under a daily cap, by expectation. Pure: no ORM, no clock, no chance drawn.

The cards longest forgotten go first, as the queue asks them. A pass comes back after its new interval, a miss
after that of Again; cards that are not due yet count when they come due, and once more where forgotten.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from studyhub.study.scheduling import Rules
from studyhub.study.scheduling.trace import Elapsed, Trace
from studyhub.study.scheduling.traces import interval, next_trace, recall

MOST_DAYS = 180
MOST_KINDS = 400  # a larger backlog is stood for by so many of its cards, each with its share
AGAIN, GOOD = 1, 3
DAY = 86_400
_NOTHING = 1e-9


@dataclass(frozen=True)
class Waiting:
    """Cards that are due: what is known of each, study days since its last answer, and how many they are."""

    trace: Trace
    days: int
    number: float = 1.0


@dataclass(frozen=True)
class Projected:
    """After how many days nothing waits; how many of the backlog are forgotten by their turn but not now."""

    days: int
    forgotten: float


def project(
    backlog: Iterable[Waiting], *, scheduled: Mapping[int, int], cap: int, rules: Rules, done: int = 0
) -> Projected | None:
    """What a cap of `cap` reviews a day does, `done` of which were done today; None beyond 180 days.

    `scheduled`: days ahead (1..) -> cards that come due then.
    """
    run = _Run(standing_for(backlog, rules), rules, scheduled)
    for day in range(MOST_DAYS):
        run.study(day, max(0, cap - done) if day == 0 else cap)
        if run.is_over:
            return Projected(day + 1, run.forgotten)
    return None


def standing_for(backlog: Iterable[Waiting], rules: Rules) -> list[Waiting]:
    """The backlog, longest forgotten first, by at most 400 cards that stand for their neighbours."""
    ordered = sorted(backlog, key=lambda one: _recall(one, 0, rules))
    size = -(-len(ordered) // MOST_KINDS) or 1
    groups = [ordered[start : start + size] for start in range(0, len(ordered), size)]
    return [_middle(group) for group in groups]


def _middle(group: Sequence[Waiting]) -> Waiting:
    one = group[len(group) // 2]
    return Waiting(one.trace, one.days, sum(each.number for each in group))


class _Run:
    """The days as they go by."""

    def __init__(self, backlog: Sequence[Waiting], rules: Rules, scheduled: Mapping[int, int]) -> None:
        self.forgotten = 0.0
        self._rules = rules
        self._left = list(reversed(backlog))
        self._coming: defaultdict[int, float] = defaultdict(float, scheduled)
        self._arrived = 0.0

    @property
    def is_over(self) -> bool:
        """Whether nothing is left over at the end of a day."""
        return not self._left and self._arrived < 0.5

    def study(self, day: int, room: float) -> None:
        """One day: the backlog, then what came due since."""
        self._arrived += self._coming.pop(day, 0.0)
        while room > _NOTHING and self._left:
            room -= self._review(self._left.pop(), room, day)
        served = min(self._arrived, room)
        self._arrived -= served
        self._coming[day + 1] += served * (1 - self._rules.desired_retention)

    def _review(self, one: Waiting, room: float, day: int) -> float:
        """Reviews as many of these cards as there is room for, and says how many."""
        number, chance = min(room, one.number), _recall(one, day, self._rules)
        self.forgotten += number * (_recall(one, 0, self._rules) - chance)
        self._coming[day + self._returns(one, GOOD, day)] += number * chance
        self._coming[day + self._returns(one, AGAIN, day)] += number * (1 - chance)
        if one.number - number > _NOTHING:
            self._left.append(Waiting(one.trace, one.days, one.number - number))
        return number

    def _returns(self, one: Waiting, rating: int, day: int) -> int:
        """Days until an answer brings the card back; at least one."""
        numbers = self._rules.parameters
        after = next_trace(one.trace, rating, elapsed=_elapsed(one, day), numbers=numbers)
        return max(1, round(interval(after, self._rules.desired_retention, numbers)))


def _elapsed(one: Waiting, day: int) -> Elapsed:
    return Elapsed(one.days + day, (one.days + day) * DAY)


def _recall(one: Waiting, day: int, rules: Rules) -> float:
    return recall(one.trace, _elapsed(one, day), rules.parameters)
