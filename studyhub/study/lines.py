"""Makes and appends one line of the ledger and the memory it leads to. Knows no submission, takes no lock."""

from datetime import datetime
from typing import Any
from uuid import UUID

from cards.models import Card
from studyhub.study.models import Learner, Memory, Review
from studyhub.study.rating import NAMES
from studyhub.study.replay import (
    applied,
    fold,
    live_lines,
    memory_value,
    moment_of_line,
    order,
    rules_of,
    save_memory,
)
from studyhub.study.scheduling import MemoryState, UnknownTimeZone, interval_seconds, moment_of, preview
from studyhub.study.submissions import InvalidSubmission
from studyhub.study.suggesting import suggestion_of


def plain_line(
    learner: Learner,
    card: Card,
    kind: Review.Kind,
    *,
    client_id: UUID,
    now: datetime,
    answered_at: datetime | None = None,
    time_zone: str = "",
) -> Review:
    """A line not yet written, with the learner's rules of this day. Raises InvalidSubmission for a zone."""
    at, zone = answered_at or now, time_zone or learner.time_zone
    try:
        moment = moment_of(at, time_zone=zone, rollover_hour=learner.rollover_hour)
    except UnknownTimeZone as error:
        raise InvalidSubmission("time_zone", str(error)) from error
    return Review(
        learner=learner,
        client_id=client_id,
        kind=kind,
        card=card,
        answered_at=at,
        received_at=now,
        time_zone=zone,
        study_day=moment.study_day,
        rollover_hour=learner.rollover_hour,
        desired_retention=learner.desired_retention,
        parameters_version=learner.parameters_version,
    )


def append(learner: Learner, line: Review) -> Review:
    """Writes the line with its outcome, and the memory. The caller holds the lock."""
    row = Memory.objects.filter(learner=learner, card=line.card).select_related("as_of").first()
    before, after, last = _folded(row, line)
    line.outcome = _outcome(line, before, after=after)
    line.save(force_insert=True)
    save_memory(learner, line.card, after, as_of=last)
    return line


def _folded(row: Memory | None, line: Review) -> tuple[MemoryState, MemoryState, Review | None]:
    """(memory before the line, memory now, last line): one step for the newest line, else the whole card."""
    card = str(line.card.uuid)
    newest = row is None or row.as_of is None or order(row.as_of) < order(line)
    if newest and line.kind != Review.Kind.VOID:
        before = memory_value(row)
        return before, applied(before, line, card), line
    lines = list(Review.objects.filter(learner=line.learner, card=line.card))
    earlier = [one for one in live_lines(lines) if order(one) < order(line)]
    after, last = fold([*lines, line], card)
    return fold(earlier, card)[0], after, last


def _outcome(line: Review, before: MemoryState, *, after: MemoryState) -> dict[str, Any]:
    """What a repetition of the same id is answered with."""
    outcome: dict[str, Any] = {
        "due": after.due.isoformat() if after.due else None,
        "state": after.state,
        "interval_seconds": interval_seconds(after, line.answered_at),
    }
    if line.attempt is None:
        return outcome
    offered = preview(before, moment=moment_of_line(line), rules=rules_of(line), card=str(line.card.uuid))
    suggestion = suggestion_of(line.attempt)
    return outcome | {
        "grade": line.attempt.grade,
        "rating": line.rating,
        "suggested_rating": suggestion.rating,
        "reason": suggestion.reason,
        "intervals": {
            NAMES[rating]: interval_seconds(state, line.answered_at) for rating, state in offered.items()
        },
    }
