"""The slow twin of the simulator: one card at a time through `next_memory`, as reviews are scheduled."""

import random
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from studyhub.study.scheduling import MemoryState, Rules, moment_of, next_memory, recall_chance
from studyhub.study.scheduling.simulate import STEP, Behaviour

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
ZONE = {"time_zone": "UTC", "rollover_hour": 4}


@dataclass
class Day:
    """One study day of one course."""

    seconds: float = 0.0
    answered: int = 0
    met: int = 0


def played(
    memories: list[MemoryState],
    *,
    days: int,
    new_per_day: int,
    seconds_per_day: float,
    reviews_per_day: int,
    steadiness: float,
    behaviour: Behaviour,
    rules: Rules,
    luck: random.Random,
) -> tuple[float, list[Day], list[MemoryState]]:
    """(cards recalled on the day after the last, on average, the days, the memories then)."""
    cards, kept = list(memories), []
    for number in range(days):
        now = START + timedelta(days=number)
        day = Day()
        due = sorted(
            (i for i, memory in enumerate(cards) if memory.due and memory.due <= now),
            key=lambda i: int(truly(cards[i], now, 1.0, rules) / STEP),
        )
        for i in due:
            if day.seconds >= seconds_per_day or (reviews_per_day and day.answered >= reviews_per_day):
                break
            recalled = luck.random() < truly(cards[i], now, steadiness, rules)
            rating = luck.choices((2, 3, 4), behaviour.passes)[0] if recalled else 1
            cards[i] = through_steps(cards[i], rating, now, rules, luck)
            day.seconds += behaviour.seconds_recalled if recalled else behaviour.seconds_forgotten
            day.answered += 1
        for i in [i for i, memory in enumerate(cards) if memory.state == "new"][:new_per_day]:
            if day.seconds >= seconds_per_day:
                break
            rating = luck.choices((1, 2, 3, 4), behaviour.first)[0]
            cards[i] = through_steps(cards[i], rating, now, rules, luck)
            day.seconds += behaviour.seconds_new
            day.met += 1
        kept.append(day)
    end = START + timedelta(days=days)
    return sum(truly(memory, end, steadiness, rules) for memory in cards), kept, cards


def truly(memory: MemoryState, now: datetime, steadiness: float, rules: Rules) -> float:
    steady = replace(memory, stability=memory.stability * steadiness)
    return recall_chance(steady, moment_of(now, **ZONE).study_day, rules.parameters)


def through_steps(
    memory: MemoryState, rating: int, now: datetime, rules: Rules, luck: random.Random
) -> MemoryState:
    """The memory that evening: after this answer Good, until the card waits for another day."""
    draw, at = luck.random(), now
    memory = next_memory(memory, rating, moment=moment_of(at, **ZONE), rules=rules, card="x", draw=draw)
    while memory.state in ("learning", "relearning"):
        at += timedelta(minutes=10)
        memory = next_memory(memory, 3, moment=moment_of(at, **ZONE), rules=rules, card="x", draw=draw)
    return memory
