"""The order in which due cards are asked. Pure: values in, values out; no ORM, no clock.

By the chance of recall in steps of five points, lowest first; within a step by a hash of (key, card), so the
order belongs to learner, day and seed. Cards of one topic are pulled apart, and of a family one is asked a day.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from itertools import groupby
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


def in_order(candidates: Iterable[Candidate], key: str) -> Iterator[Candidate]:
    """All of them by the rule above; what is never reached is never hashed."""
    by_step = sorted(candidates, key=_step)
    for _, group in groupby(by_step, _step):
        yield from sorted(group, key=lambda one: (_hash(key, one.card), one.card))


def most_forgotten_first(candidates: Iterable[Candidate]) -> Iterator[Candidate]:
    """Strictly by the chance of recall, lowest first: where time is short, nothing else decides."""
    return iter(sorted(candidates, key=lambda one: (one.chance, one.card)))


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


def _step(one: Candidate) -> int:
    return int(one.chance / STEP)


def _hash(key: str, card: int) -> bytes:
    return blake2b(f"{key}:{card}".encode(), digest_size=8).digest()
