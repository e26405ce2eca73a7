"""The order in which due cards are asked. Pure: values in, values out; no ORM, no clock.

By the chance of recall in steps of five points, lowest first; within a step by a hash of (key, card), so the
order belongs to learner, day and seed. Cards of a topic are pulled apart; of a family one is asked a day.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from typing import NamedTuple

STEP = 0.05  # of the chance of recall
REACH = 8  # places a card may be drawn forward to keep two of a topic apart


class Candidate(NamedTuple):
    """A due card: its memory, its card, topic and family ("" = none), and its chance of recall."""

    memory: int
    card: int
    topic: int
    family: str
    chance: float


def by_turn(one: Candidate, key: str) -> tuple[object, ...]:
    """Where a card stands in the order of a day: its step of the chance of recall, then the hash."""
    digest = blake2b(f"{key}:{one.card}".encode(), digest_size=8).digest()
    return int(one.chance / STEP), digest, one.card


def by_need(one: Candidate) -> tuple[object, ...]:
    """Strictly by the chance of recall, lowest first: where time is short, nothing else decides."""
    return one.chance, one.card


def one_of_a_family(candidates: Iterable[Candidate], barred: Iterable[str] = ()) -> Iterator[Candidate]:
    """Without the families that have had their turn, and without a second card of any."""
    taken = set(barred) - {""}
    for one in candidates:
        if one.family not in taken:
            taken |= {one.family} - {""}
            yield one


def apart(candidates: Iterable[Candidate], after: int = 0) -> Iterator[Candidate]:
    """The same cards, the next one of another topic than the last where the next eight hold one.

    `after`: the topic of the card answered last, 0 = none. Nothing is held back for more than its turn: what
    was passed over comes first as soon as the topic differs.
    """
    source, waiting, last = iter(candidates), deque[Candidate](), after
    while True:
        while len(waiting) < REACH and (one := next(source, None)):
            waiting.append(one)
        if not waiting:
            return
        index = next((n for n, one in enumerate(waiting) if one.topic != last), 0)
        chosen = waiting[index]
        del waiting[index]
        last = chosen.topic
        yield chosen
