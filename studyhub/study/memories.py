"""Reads and writes the memories of a learner's cards, many at once. Knows no line but the last one."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import fields
from typing import Any, NamedTuple

from studyhub.study.models import Learner, Memory, Review
from studyhub.study.scheduling import MemoryState

FIELDS = tuple(field.name for field in fields(MemoryState))
_AT_ONCE = 500


class Known(NamedTuple):
    """The memory of a card, and the last line that counts in it."""

    memory: MemoryState
    last: Review | None


NOTHING = Known(MemoryState(), None)


def memory_value(row: Memory | None) -> MemoryState:
    """A stored memory as a value; none yet is the empty memory."""
    return MemoryState(*_values(row)) if row else MemoryState()


def _values(memory: Memory | MemoryState) -> tuple[Any, ...]:
    """The values of FIELDS, which a row and a memory have alike."""
    known = vars(memory)
    return tuple(known[name] for name in FIELDS)


def known_memories(learner: Learner, cards: Collection[int]) -> dict[int, Known]:
    """{pk of a card: its memory} for every card asked for, met or not; one query."""
    rows = (
        Memory.objects.filter(learner=learner, card__in=cards).select_related("as_of").defer("as_of__outcome")
    )
    found = {row.card_id: Known(memory_value(row), row.as_of) for row in rows} if cards else {}
    return dict.fromkeys(cards, NOTHING) | found


def save_memories(learner: Learner, memories: Mapping[int, Known]) -> None:
    """Writes the memories of cards by their pk. The caller holds the learner's lock."""
    save_rows(
        memory_row(learner.pk, card, known.memory, as_of=known.last) for card, known in memories.items()
    )


def memory_row(learner: int, card: int, memory: MemoryState, **as_of: Any) -> Memory:
    """A row to write, of pks; `as_of` or `as_of_id` names the last line that counts."""
    values = dict(zip(FIELDS, _values(memory), strict=True))
    return Memory(learner_id=learner, card_id=card, **values, **as_of)


def save_rows(rows: Iterable[Memory]) -> None:
    """Writes memories, in place of those of the same learner and card."""
    Memory.objects.bulk_create(
        rows,
        batch_size=_AT_ONCE,
        update_conflicts=True,
        unique_fields=("learner", "card"),
        update_fields=(*FIELDS, "as_of"),
    )
