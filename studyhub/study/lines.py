"""Makes one line of the ledger and says what comes of it. Writes nothing."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from cards.models import Card
from studyhub.study.models import Learner, Review
from studyhub.study.rating import NAMES
from studyhub.study.replay import draw_of_line, moment_of_line
from studyhub.study.rules import Versions, rules_of_line
from studyhub.study.scheduling import (
    MemoryState,
    Rules,
    UnknownTimeZone,
    interval_seconds,
    moment_of,
    preview,
    recall_chance,
)
from studyhub.study.submissions import CLOCK_TOLERANCE, InvalidSubmission, Said
from studyhub.study.suggesting import suggestion_of


@dataclass(frozen=True)
class Step:
    """What a line does: the memory before it, the memory with it, and the last line that counts."""

    before: MemoryState
    after: MemoryState
    last: Review | None


def plain_line(
    learner: Learner,
    card: Card,
    kind: Review.Kind,
    *,
    client_id: UUID,
    now: datetime,
    said: Said | None = None,
    retention: float | None = None,
) -> Review:
    """A line not yet written, with the learner's rules of this day. Raises InvalidSubmission for a zone.

    A time more than five minutes ahead of `now` is replaced by it, and flagged.
    """
    said = said or Said()
    ahead = said.answered_at is not None and said.answered_at > now + CLOCK_TOLERANCE
    at, zone = (now if ahead else said.answered_at) or now, said.time_zone or learner.time_zone
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
        clock_adjusted=ahead,
        time_zone=zone,
        study_day=moment.study_day,
        rollover_hour=learner.rollover_hour,
        desired_retention=learner.desired_retention if retention is None else retention,
        parameters_version=learner.parameters_version,
        device=said.device,
        device_sequence=said.device_sequence,
    )


def complete(line: Review, step: Step, versions: Versions) -> None:
    """Fills in what is known with the line: facts for statistics, and what a repetition is answered with."""
    rules = rules_of_line(line, versions)
    if line.kind != Review.Kind.VOID:
        _keep_what_was_known(line, step.before, rules)
    line.outcome = _outcome(line, step, rules)


def _keep_what_was_known(line: Review, before: MemoryState, rules: Rules) -> None:
    """What statistics stand on. A card answered on this day already has no promise to keep."""
    line.state_before, line.interval_before = before.state, before.interval_days
    if before.last_study_day and before.last_study_day < line.study_day:
        chance = recall_chance(before, line.study_day, rules.parameters)
        line.recall_before = max(1, round(1000 * chance)) if before.stability else 0


def _outcome(line: Review, step: Step, rules: Rules) -> dict[str, Any]:
    """What a repetition of the same id is answered with."""
    after = step.after
    outcome: dict[str, Any] = {
        "due": after.due.isoformat() if after.due else None,
        "state": after.state,
        "interval_seconds": interval_seconds(after, line.answered_at),
    }
    if line.attempt is None:
        return outcome
    offered = preview(
        step.before,
        moment=moment_of_line(line),
        rules=rules,
        card=str(line.card.uuid),
        draw=draw_of_line(line),
    )
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
