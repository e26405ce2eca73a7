"""The one writer of attempts and of the ledger. Knows no request, no broker and no tensor.

Every write is one transaction behind one lock, the Learner row: writers of one learner queue, none deadlocks.
The same client id again gives the stored outcome; with another body it is a conflict.
"""

from datetime import date, datetime
from uuid import UUID

from django.db import transaction

from cards.answering import grade
from cards.models import Card
from studyhub.study.attempting import locked, record_attempt, stored
from studyhub.study.desk import Desk
from studyhub.study.models import Learner, Review
from studyhub.study.putting import EVENTS, UNDONE_WITHIN, VoidRefused, put_event, put_review, put_void
from studyhub.study.submissions import (
    CLOCK_TOLERANCE,
    AlreadyRated,
    AttemptSubmission,
    IdempotencyConflict,
    InvalidSubmission,
    ReviewSubmission,
    Said,
)
from studyhub.study.suggesting import suggestion_of

__all__ = [
    "CLOCK_TOLERANCE",
    "EVENTS",
    "UNDONE_WITHIN",
    "AlreadyRated",
    "AttemptSubmission",
    "IdempotencyConflict",
    "InvalidSubmission",
    "ReviewSubmission",
    "Said",
    "VoidRefused",
    "recent_lines",
    "record_attempt",
    "record_event",
    "record_review",
    "suggestion_of",
    "void_review",
]


def record_review(learner: Learner, submission: ReviewSubmission, *, now: datetime) -> tuple[Review, bool]:
    """Appends a rating and saves the memory it gives: (review, created).

    Without an attempt the response it carries is graded and kept in the same transaction; an attempt is never
    graded again. A line older than what is known re-folds its card alone. The learner is where it came from.
    Raises Unreadable, InvalidSubmission, IdempotencyConflict (AlreadyRated: a live review rates the attempt).
    """
    if earlier := stored(Review, learner, client_id=submission.client_id, digest=submission.digest()):
        return earlier, False
    brought = None if submission.attempt else submission.attempt_submission()
    graded = grade(brought.version, brought.variant_seed, brought.response) if brought else None
    with transaction.atomic():
        desk = Desk(locked(learner), now)
        given = put_review(desk, submission, graded)
        desk.write()
        return given


def void_review(
    learner: Learner, review: Review, *, client_id: UUID, now: datetime, said: Said | None = None
) -> tuple[Review, bool]:
    """Undoes a line of any kind by appending a void: (void, created). Undoing twice changes nothing.

    Raises VoidRefused for a void, another learner's line, or one received more than 24 hours ago;
    IdempotencyConflict, InvalidSubmission.
    """
    with transaction.atomic():
        desk = Desk(locked(learner), now)
        given = put_void(desk, review, client_id, said)
        desk.write()
        return given


def record_event(
    learner: Learner,
    card: Card,
    kind: Review.Kind,
    *,
    client_id: UUID,
    now: datetime,
    target_day: date | None = None,
    said: Said | None = None,
) -> tuple[Review, bool]:
    """Appends suspend, unsuspend, reset, bury (hidden until `target_day`) or set_due: (line, created).

    `said`: when, where and by which device, as with a review; None = here and now.
    Raises InvalidSubmission, IdempotencyConflict.
    """
    with transaction.atomic():
        desk = Desk(locked(learner), now)
        given = put_event(desk, card, kind, client_id=client_id, target_day=target_day, said=said)
        desk.write()
        return given


def recent_lines(learner: Learner, now: datetime, limit: int = 50, *, undone: bool = False) -> list[Review]:
    """What can be undone: the lines of the last 24 hours that count, of every device, received last first.

    `undone`: those taken back since are among them, with what took them back at hand in `voided_by`.
    """
    lines = Review.objects.filter(learner=learner, received_at__gte=now - UNDONE_WITHIN)
    said = lines.exclude(kind__in=(Review.Kind.VOID, Review.Kind.IMPORT))
    found = said.prefetch_related("voided_by") if undone else said.filter(voided_by=None)
    rows = found.select_related("card__topic", "card__published_version", "card_version", "attempt")
    return list(rows.order_by("-pk")[:limit])
