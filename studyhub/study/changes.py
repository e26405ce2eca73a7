"""What has changed in a learner's memories since a device last asked. Reads only; knows no request.

The cursor is a place in the ledger, whose lines come in order behind the learner's lock: it passes none over.
A first reading walks the memories as they stand and ends at the line that was the last one when it began.
"""

import re
from dataclasses import dataclass

from django.db.models import Max, QuerySet

from studyhub.study.models import Learner, Memory, Review

AT_ONCE = 500
_CURSOR = re.compile(r"([0-9]{1,18})(?:-([0-9]{1,18}))?", re.ASCII)


class BadCursor(ValueError):
    """A cursor that was not given out."""


@dataclass(frozen=True)
class Changes:
    """Memories that changed, where to go on, and whether there is more."""

    cursor: str
    more: bool
    memories: list[Memory]


def changes(learner: Learner, after: str = "", *, limit: int = AT_ONCE) -> Changes:
    """The next `limit` changes after a cursor; "" begins. A card may come twice. Raises BadCursor."""
    if not after:
        last = Review.objects.filter(learner=learner).aggregate(last=Max("pk"))["last"] or 0
        return _first(learner, until=last, passed=0, limit=limit)
    found = _CURSOR.fullmatch(after)
    if not found:
        raise BadCursor("is no cursor of this service; leave it out to begin anew")
    line, memory = int(found[1]), found[2]
    if memory is not None:
        return _first(learner, until=line, passed=int(memory), limit=limit)
    return _since(learner, line, limit)


def _first(learner: Learner, *, until: int, passed: int, limit: int) -> Changes:
    """All memories by pages; then changes since the line `until`."""
    rows = list(_memories(learner).filter(pk__gt=passed).order_by("pk")[: limit + 1])
    more, page = len(rows) > limit, rows[:limit]
    return Changes(f"{until}-{page[-1].pk}" if more else str(until), more, page)


def _since(learner: Learner, line: int, limit: int) -> Changes:
    """Memories that lines after one have touched."""
    lines = Review.objects.filter(learner=learner, pk__gt=line).order_by("pk")
    rows = list(lines.values_list("pk", "card")[: limit + 1])
    more, page = len(rows) > limit, rows[:limit]
    memories = _memories(learner).filter(card__in={card for _, card in page}).order_by("pk")
    return Changes(str(page[-1][0] if page else line), more, list(memories))


def _memories(learner: Learner) -> QuerySet[Memory]:
    return Memory.objects.filter(learner=learner).select_related("card")
