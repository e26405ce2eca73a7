"""Reads the ledger and the memories of a learner as bare rows, a million in seconds. Knows no fold.

SQLite keeps days and instants as text, which Django turns into values one by one; here that is left to
whoever wants them: most lines are never asked for their instant. Names of columns are our own, values bound.
"""

from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, date, datetime
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection

from studyhub.study.memories import FIELDS
from studyhub.study.models import Learner
from studyhub.study.scheduling import MemoryState

_LINE = (
    *("card_id", "id", "kind", "voids_id", "rating", "study_day", "answered_at", "parameters_version"),
    *("desired_retention", "draw", "time_zone", "rollover_hour", "target_day"),
)
_MOMENTS = {"answered_at", "study_day", "target_day", "due", "last_review", "last_study_day", "buried_until"}
_AT_ONCE = 10_000


class Line(NamedTuple):
    """A line as the database gives it; `study_day`, `answered_at` and `target_day` in its own spelling."""

    card_id: int
    id: int
    kind: str
    voids_id: int | None
    rating: int
    study_day: Any
    answered_at: Any
    parameters_version: int
    desired_retention: float
    draw: float
    time_zone: str
    rollover_hour: int
    target_day: Any


def lines_by_card(learner: Learner, cards: Collection[int] | None = None) -> Iterator[tuple[int, list[Any]]]:
    """(pk of a card, its lines as rows of `Line`'s members, in the order of the fold), card by card."""
    where, values = "learner_id = %s", [learner.pk]
    if cards is not None:
        where, values = f"{where} AND card_id IN ({_marks(len(cards))})", [learner.pk, *cards]
    order = "card_id, answered_at, device_sequence, client_id"
    rows = _rows(f"SELECT {_columns(_LINE)} FROM study_review WHERE {where} ORDER BY {order}", values)  # noqa: S608
    for card, lines in groupby(rows, key=itemgetter(0)):
        yield card, list(lines)


def memories_by_card(learner: Learner) -> dict[int, tuple[MemoryState, int | None]]:
    """{pk of a card: (its stored memory, pk of the last line that counts)}."""
    names = ("card_id", "as_of_id", *FIELDS)
    asked = f"SELECT {_columns(names)} FROM study_memory WHERE learner_id = %s"  # noqa: S608
    rows = _rows(asked, [learner.pk])
    return {row[0]: (_memory(row[2:]), row[1]) for row in rows}


def days_of_lines(learner: Learner) -> Iterator[tuple[int, date, datetime, str, int]]:
    """(pk, study day, instant, zone, rollover hour) of every line."""
    names = ("id", "study_day", "answered_at", "time_zone", "rollover_hour")
    asked = f"SELECT {_columns(names)} FROM study_review WHERE learner_id = %s"  # noqa: S608
    ordinals = Ordinals()
    for pk, day, instant, zone, hour in _rows(asked, [learner.pk]):
        yield pk, date.fromordinal(ordinals[day]), instant_of(instant), zone, hour


def card_names(learner: Learner) -> dict[int, str]:
    """{pk: uuid} of the cards that a learner's lines are about: what seeds their fuzz."""
    about = "SELECT card_id FROM study_review WHERE learner_id = %s"
    rows = _rows(f"SELECT id, uuid FROM cards_card WHERE id IN ({about})", [learner.pk])  # noqa: S608
    return {pk: str(uuid if isinstance(uuid, UUID) else UUID(uuid)) for pk, uuid in rows}


class Ordinals(dict[Any, int]):
    """The number of a day by its spelling in the database; days repeat, so each is worked out once."""

    def __missing__(self, day: Any) -> int:
        """A day that was not asked for before."""
        found = self[day] = ordinal(day)
        return found


def ordinal(day: Any) -> int:
    """The number of a day in the database's spelling."""
    return (date.fromisoformat(day) if isinstance(day, str) else day).toordinal()


def day_of(day: Any) -> date | None:
    """A day in the database's spelling as a value."""
    return date.fromisoformat(day) if isinstance(day, str) else day


def instant_of(instant: Any) -> datetime:
    """An instant (UTC) in the database's spelling as a value."""
    if isinstance(instant, str):
        return datetime.fromisoformat(instant).replace(tzinfo=UTC)
    assert isinstance(instant, datetime)
    return instant.astimezone(UTC)


_INSTANTS = tuple(FIELDS.index(name) for name in ("due", "last_review"))
_DAYS = tuple(FIELDS.index(name) for name in ("last_study_day", "buried_until"))
_SUSPENDED = FIELDS.index("suspended")


def _memory(values: Sequence[Any]) -> MemoryState:
    told = list(values)
    for place in _INSTANTS:
        told[place] = told[place] and instant_of(told[place])
    for place in _DAYS:
        told[place] = day_of(told[place])
    told[_SUSPENDED] = bool(told[_SUSPENDED])
    return MemoryState(*told)


def _columns(names: Collection[str]) -> str:
    """The columns; on SQLite those of time as text, so that nothing is made of them unasked."""
    if connection.vendor != "sqlite":
        return ", ".join(names)
    return ", ".join(f"CAST({name} AS TEXT)" if name in _MOMENTS else name for name in names)


def _marks(count: int) -> str:
    return ", ".join(["%s"] * count)


def _rows(statement: str, values: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    with connection.chunked_cursor() as cursor:
        cursor.execute(statement, values)
        while rows := cursor.fetchmany(_AT_ONCE):
            yield from rows
