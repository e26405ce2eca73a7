"""Partial orders of items, with groups that stay together. Knows no card, no text and no credit.

Everything is on sets of ids held as bits: 64 items are closed, sorted and scored well under a millisecond.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from cards.keys import KeyProblem

Pair = tuple[str, str]


@dataclass(frozen=True)
class PartialOrder:
    """Items in the author's order, what has to come before each, and the group each belongs to ("" for none).

    `before[i]` has bit j set where item j comes before item i in every right order.
    """

    items: tuple[str, ...]
    before: tuple[int, ...]
    groups: tuple[str, ...]

    def precedes(self, first: str, second: str) -> bool:
        """Whether the first comes before the second in every right order."""
        return bool(self.before[self.items.index(second)] >> self.items.index(first) & 1)

    def pairs(self) -> list[Pair]:
        """Every pair whose order is the same in all right orders."""
        places = range(len(self.items))
        return [
            (self.items[i], self.items[j]) for j in places for i in places if self.before[j] >> i & 1
        ]  # fmt: skip

    def is_asked(self) -> bool:
        """Whether some order of the items is wrong."""
        return any(self.before) or self.joints() > 0

    def joints(self) -> int:
        """How often two items of a group stand side by side in a right order."""
        sizes = (self.groups.count(name) for name in {*self.groups} if name)
        return sum(size - 1 for size in sizes)


def partial_order(
    items: Sequence[str], pairs: Iterable[Pair] | None, groups: Mapping[str, str]
) -> PartialOrder:
    """The order that the pairs ask for; without pairs that of the items. Raises KeyProblem for a circle.

    Where groups stay together, a pair across two of them holds for all of their items.
    """
    given = list(combinations(items, 2)) if pairs is None else list(pairs)
    place = {one: index for index, one in enumerate(items)}
    units = {one: (True, groups[one]) if groups.get(one) else (False, one) for one in items}
    members = _members(units)
    direct = [0] * len(items)
    for first, second in given:
        apart = units[first] != units[second]
        sources = members[units[first]] if apart else 1 << place[first]
        for index in _bits(members[units[second]]) if apart else (place[second],):
            direct[index] |= sources
    before = _closed(items, direct)
    return PartialOrder(tuple(items), before, tuple(groups.get(one, "") for one in items))


def _members(units: Mapping[str, tuple[bool, str]]) -> dict[tuple[bool, str], int]:
    """The bits of all items of each unit: a group, or an item alone."""
    bits: dict[tuple[bool, str], int] = {}
    for index, unit in enumerate(units.values()):
        bits[unit] = bits.get(unit, 0) | 1 << index
    return bits


def _closed(items: Sequence[str], direct: Sequence[int]) -> tuple[int, ...]:
    """Everything before each item, through others too. Raises KeyProblem naming those that go round."""
    before, left = list(direct), set(range(len(items)))
    while left:
        waiting = sum(1 << index for index in left)
        ready = [index for index in left if not before[index] & waiting]
        if not ready:
            round_ = ", ".join(items[index] for index in sorted(left) if _goes_round(before, index, left))
            raise KeyProblem(f"before goes round in a circle: {round_}")
        left -= {*ready}
        for index in ready:
            for other in _bits(direct[index]):
                before[index] |= before[other]
    return tuple(before)


def _goes_round(before: Sequence[int], start: int, left: Collection[int]) -> bool:
    """Whether following what comes before leads back to the start."""
    seen, waiting = 0, before[start]
    while waiting:
        index = waiting.bit_length() - 1
        waiting &= ~(1 << index)
        if index == start:
            return True
        if index in left and not seen >> index & 1:
            seen |= 1 << index
            waiting |= before[index] & ~seen
    return False


def _bits(number: int) -> list[int]:
    return [index for index in range(number.bit_length()) if number >> index & 1]


def nearest(order: PartialOrder, given: Sequence[str]) -> list[str]:
    """The right order that follows the given one as far as it can; a right one comes back as it is.

    Items that were not given come as late as their place among the author's allows.
    """
    rank = {one: index for index, one in enumerate(given)}
    wish = [rank.get(one, len(rank) + index) for index, one in enumerate(order.items)]
    found: list[int] = []
    placed, left = 0, set(range(len(order.items)))
    while left:
        open_group = _open_group(order, found, left)
        ready = [
            index
            for index in left
            if not order.before[index] & ~placed and (not open_group or order.groups[index] == open_group)
        ]
        chosen = min(ready, key=lambda index: wish[index])
        found.append(chosen)
        placed |= 1 << chosen
        left.discard(chosen)
    return [order.items[index] for index in found]


def _open_group(order: PartialOrder, found: Sequence[int], left: Collection[int]) -> str:
    """The group that was begun and is not complete; "" where there is none."""
    name = order.groups[found[-1]] if found else ""
    return name if any(order.groups[index] == name for index in left) else ""


def kept_pairs(order: PartialOrder, given: Sequence[str]) -> int:
    """How many pairs of the order are both given and stand in it rightly."""
    place = {one: index for index, one in enumerate(order.items)}
    placed = kept = 0
    for one in given:
        kept += (order.before[place[one]] & placed).bit_count()
        placed |= 1 << place[one]
    return kept


def kept_joints(order: PartialOrder, given: Sequence[str]) -> int:
    """How often two items of one group stand side by side, at most as often as in a right order."""
    group = dict(zip(order.items, order.groups, strict=True))
    return sum(1 for first, second in pairwise(given) if group[first] and group[first] == group[second])


def share_kept(order: PartialOrder, given: Sequence[str]) -> float:
    """What of the order the given items keep: pairs in order and neighbours in groups, 0 to 1.

    1 where nothing is asked of the order.
    """
    total = sum(bits.bit_count() for bits in order.before) + order.joints()
    return (kept_pairs(order, given) + kept_joints(order, given)) / total if total else 1.0


def first_wrong(order: PartialOrder, given: Sequence[str]) -> int:
    """The first place from which no right order can follow; len(given) if all of it starts one."""
    right = nearest(order, [one for one in given if one in order.items])
    pairs = zip(given, right, strict=False)
    return next(
        (place for place, (mine, theirs) in enumerate(pairs) if mine != theirs), min(len(given), len(right))
    )
