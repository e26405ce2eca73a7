"""How even a learner's days get, and what that does to intervals: by chance, by Anki's weights, by ours.

The same learner studies every day, three times over; the draw that picks the day within the fuzz differs.
Anki's weights: `rslib/src/scheduler/states/load_balancer.rs` of 26.08 (facts only), over the days of Good.
"""

import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import accumulate, pairwise

from studyhub.study.scheduling import (
    MemoryState,
    Moment,
    Rules,
    moment_of,
    next_memory,
    recall_chance,
)
from studyhub.study.scheduling.fuzz import draw_of
from studyhub.study.scheduling.memory import passes_of
from studyhub.study.scheduling.spread import BALANCED_DAYS, Spread, spread_draw

START = datetime(2026, 11, 30, 9, tzinfo=UTC)  # a Monday
RULES = Rules()
SETTLED = 30  # days until reviews of every length come in
USUAL_RECALL = 0.8  # of new cards and within steps
GOAL_CUT, GOAL_SHIFT = 0.40, 0.02


@dataclass(frozen=True)
class Learner:
    """Who studies: how many cards, how many new a day, for how many days. Topics are met in turn."""

    cards: int = 1_500
    new_per_day: int = 10
    days: int = 240
    topics: int = 20
    seed: int = 1


@dataclass
class Life:
    """What came of it. `due`: reviews by day; `given`, `even`: sums of intervals, as drawn and by chance."""

    due: list[int] = field(default_factory=list)
    answers: int = 0
    given: int = 0
    even: int = 0
    seconds: float = 0.0

    def count(self, given: int, even: int) -> None:
        """One answer."""
        self.answers += 1
        self.given += given
        self.even += even

    @property
    def unevenness(self) -> float:
        """The coefficient of variation from day to day: of differences, so that no trend counts."""
        due = self.due[SETTLED:]
        steps = sum((one - other) ** 2 for one, other in pairwise(due)) / (2 * (len(due) - 1))
        return steps**0.5 * len(due) / sum(due)

    @property
    def shift(self) -> float:
        """By what share intervals are longer than chance would have made them, of the same memories."""
        return self.given / self.even - 1


Way = Callable[[MemoryState, Moment, str, Spread], float]


class Ahead(Mapping[int, int]):
    """Numbers by day, seen from today."""

    def __init__(self, by_day: Mapping[int, int], today: int) -> None:
        self.by_day, self.today = by_day, today

    def __getitem__(self, ahead: int) -> int:
        return self.by_day[self.today + ahead]

    def __iter__(self) -> Iterator[int]:
        return (day - self.today for day in self.by_day if day > self.today)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __bool__(self) -> bool:
        return bool(self.by_day)


def by_chance(memory: MemoryState, _moment: Moment, card: str, _spread: Spread) -> float:
    """Plain fuzz."""
    return draw_of(card, memory.reps)


def by_anki(memory: MemoryState, moment: Moment, card: str, spread: Spread) -> float:
    """Anki's weights: an empty day 1, else (1 / cards)^2.15 * (1 / days)^3."""
    passes = passes_of(memory, moment=moment, rules=RULES)
    draws = [(number + draw_of(card, memory.reps)) / 64 for number in range(64)]
    days = [passes.days(draw)[1] or passes.days(draw)[2] for draw in draws]
    if days[-1] > BALANCED_DAYS:
        return draw_of(card, memory.reps)
    loads = [spread.loads.get(day, 0) for day in days]
    weights = [load**-2.15 * day**-3.0 if load else 1.0 for load, day in zip(loads, days, strict=True)]
    share = {day: days.count(day) for day in set(days)}
    sums = list(accumulate(weight / share[day] for weight, day in zip(weights, days, strict=True)))
    choice = draw_of(card + ":choice", memory.reps) * sums[-1]
    return draws[next(index for index, reached in enumerate(sums) if choice < reached)]


def by_us(memory: MemoryState, moment: Moment, card: str, spread: Spread) -> float:
    """The product's own."""
    return spread_draw(memory, moment=moment, rules=RULES, card=card, spread=spread)


WAYS: dict[str, Way] = {"chance": by_chance, "Anki's weights": by_anki, "ours": by_us}


def lived(way: Way, learner: Learner) -> Life:
    """A learner's days, the same for equal arguments but for `seconds` (of processor time, for draws)."""
    return _Days(way, learner).all()


class _Days:
    """One learner by one way, day by day. What is due is asked that day, in an order made by chance."""

    def __init__(self, way: Way, learner: Learner) -> None:
        self.way, self.learner, self.life = way, learner, Life()
        self.chance = random.Random(learner.seed)
        self.memories: dict[int, MemoryState] = {}
        self.calendar: dict[int, list[int]] = {}
        self.loads: Counter[int] = Counter()
        self.topics: list[Counter[int]] = [Counter() for _ in range(learner.topics)]

    def all(self) -> Life:
        """Lives them."""
        for today in range(self.learner.days):
            asked = self.calendar.pop(today, [])
            self.life.due.append(len(asked))
            self.chance.shuffle(asked)
            met = len(self.memories)
            for card in [*asked, *range(met, min(met + self.learner.new_per_day, self.learner.cards))]:
                self._ask(card, today)
        return self.life

    def _ask(self, card: int, today: int) -> None:
        """Until it comes back another day."""
        topic = self.topics[card * self.learner.topics // self.learner.cards]
        spread = Spread(Ahead(self.loads, today), topic=Ahead(topic, today), weekday_of_today=today % 7)
        memory, at = self.memories.get(card, MemoryState()), START + timedelta(days=today)
        while memory.state != "review" or memory.last_review != at:
            at += timedelta(minutes=10)
            moment = moment_of(at, time_zone="UTC", rollover_hour=4)
            memory = self._answered(memory, moment, f"{self.learner.seed}:{card}", spread)
        self.memories[card] = memory
        due = today + memory.interval_days
        self.calendar.setdefault(due, []).append(card)
        self.loads[due] += 1
        topic[due] += 1

    def _answered(self, memory: MemoryState, moment: Moment, card: str, spread: Spread) -> MemoryState:
        recall = recall_chance(memory, moment.study_day) if memory.state == "review" else USUAL_RECALL
        recalled = self.chance.random() < recall
        rating = self.chance.choices((2, 3, 4), (0.1, 0.8, 0.1))[0] if recalled else 1
        began = time.process_time()
        draw = self.way(memory, moment, card, spread)
        self.life.seconds += time.process_time() - began
        after, even = (
            next_memory(memory, rating, moment=moment, rules=RULES, card=card, draw=one)
            for one in (draw, draw_of(card, memory.reps))
        )
        self.life.count(after.interval_days, even.interval_days)
        return after


def main(*, seeds: int = 3) -> int:
    """Prints the figures beside their goals; 1 where one is missed."""
    learners = (Learner(), Learner(cards=600, new_per_day=4), Learner(cards=5_000, new_per_day=20))
    met = sum([_compared(learner, seeds) for learner in learners])
    print(f"goals (cut {GOAL_CUT:.0%} or more, shift {GOAL_SHIFT:.0%} or less) met: {met} of {len(learners)}")
    return int(met < len(learners))


def _compared(learner: Learner, seeds: int) -> bool:
    """Prints a row for each way; whether ours meets the goals."""
    plain, cut, shift = 0.0, 0.0, 0.0
    print(f"{learner.cards:,} cards, {learner.new_per_day} new a day, {learner.days} days, {seeds} seeds")
    for name, way in WAYS.items():
        lives = [lived(way, replace(learner, seed=seed)) for seed in range(1, seeds + 1)]
        uneven = sum(life.unevenness for life in lives) / seeds
        plain = plain or uneven
        cut = 1 - uneven / plain
        shift = sum(life.given for life in lives) / sum(life.even for life in lives) - 1
        cost = 1e6 * sum(life.seconds for life in lives) / sum(life.answers for life in lives)
        figures = f"uneven {uneven:5.1%}  cut {cut:5.1%}  shift {shift:+6.2%}  {cost:4.0f} us a draw"
        print(f"  {name:15} {figures}")
    return cut >= GOAL_CUT and abs(shift) <= GOAL_SHIFT


if __name__ == "__main__":
    raise SystemExit(main())
