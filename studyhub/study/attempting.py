"""Keeps answers: each graded once, stored once per client id. Knows no rating and no request.

Every write is one transaction behind one lock, the Learner row: writers of one learner queue, none deadlocks.
"""

from datetime import datetime
from uuid import UUID

from django.db import transaction

from cards.answering import grade, grade_json
from cards.grading import Grade
from studyhub.study.desk import Desk, Row, same
from studyhub.study.models import Attempt, Learner
from studyhub.study.rating import NAMES
from studyhub.study.settling import SETTLED
from studyhub.study.submissions import (
    AlreadyRated,
    AttemptSubmission,
    IdempotencyConflict,
    InvalidSubmission,
    duration,
)
from studyhub.study.suggesting import suggestion_for
from studyhub.study.zones import set_time_zone


def record_attempt(learner: Learner, submission: AttemptSubmission, *, now: datetime) -> tuple[Attempt, bool]:
    """Grades an answer once and keeps it: (attempt, created).

    Raises cards.grading.Unreadable (no row is left), IdempotencyConflict, InvalidSubmission.
    """
    digest = submission.digest()
    if earlier := stored(Attempt, learner, client_id=submission.client_id, digest=digest):
        return earlier, False
    graded = grade(submission.version, submission.variant_seed, submission.response)
    with transaction.atomic():
        desk = Desk(locked(learner), now)
        if earlier := desk.stored(Attempt, submission.client_id, digest):
            return earlier, False
        set_time_zone(desk.owner, submission.time_zone)
        attempt = desk.add_attempt(new_attempt(desk, submission, graded))
        desk.write()
        return attempt, True


def locked(learner: Learner) -> Learner:
    """The one lock. SQLite has it already: its transactions begin IMMEDIATE."""
    return Learner.objects.select_for_update().get(pk=learner.pk)


def stored(model: type[Row], learner: Learner, *, client_id: UUID, digest: str) -> Row | None:
    """The row of a client id, if it came before; without a lock. Raises IdempotencyConflict."""
    row = model._default_manager.filter(learner=learner, client_id=client_id).first()
    return same(row, client_id, digest)


def new_attempt(desk: Desk, submission: AttemptSubmission, graded: Grade) -> Attempt:
    """A graded answer with the rating it suggests; not yet laid on the desk."""
    attempt = Attempt(
        learner=desk.owner,
        client_id=submission.client_id,
        card_version=submission.version,
        variant_seed=submission.variant_seed,
        response=dict(submission.response),
        outcome=graded.outcome,
        score=graded.score,
        grade=grade_json(graded),
        assisted=submission.assisted,
        practice=submission.practice,
        confidence=submission.confidence,
        elapsed_ms=duration(submission.elapsed_ms),
        created_at=desk.now,
        body_digest=submission.digest(),
    )
    suggestion = suggestion_for(desk.owner, attempt, now=desk.now, earlier=desk.earlier)
    attempt.suggested_rating, attempt.reason = suggestion.rating, suggestion.reason
    return attempt


def refuse_taken(desk: Desk, brought: AttemptSubmission) -> None:
    """An answer that comes with its review has an id made of the review's; a client can take it first."""
    if desk.row(Attempt, brought.client_id):
        raise IdempotencyConflict(
            f"attempt {brought.client_id} is stored already, and is the one this review would make; "
            "send the review of that attempt, or this one with a new id"
        )


def unrated(desk: Desk, attempt: Attempt | None) -> Attempt:
    """The attempt, if it is the learner's and no live review rates it."""
    if attempt is None or attempt.learner_id != desk.owner.pk:
        raise InvalidSubmission("attempt", "this attempt is not yours; rate one of your own")
    if attempt.practice:
        raise InvalidSubmission("attempt", "this answer was practice: it has no rating and moves no due date")
    if attempt.pk and attempt.grade.get("pending"):  # its verdict may have come since it was read
        attempt.refresh_from_db(fields=SETTLED)
    if rated := desk.rating_of(attempt):
        raise AlreadyRated(
            f"attempt {attempt.client_id} is rated {NAMES[rated.rating]} by review {rated.client_id}; "
            "undo that review to rate it anew"
        )
    return attempt
