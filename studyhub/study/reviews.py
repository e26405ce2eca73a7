"""The one writer of attempts and of the ledger. Knows no request, no broker and no tensor.

Every write is one transaction behind one lock, the Learner row: writers of one learner queue, none deadlocks.
The same client id again gives the stored outcome; with another body it is a conflict.
"""

from datetime import date, datetime, timedelta
from uuid import UUID

from django.db import transaction

from cards.answering import grade
from cards.models import Card
from studyhub.study.attempting import insert_attempt, locked, record_attempt, refuse_taken, stored, unrated
from studyhub.study.lines import append, plain_line
from studyhub.study.models import Attempt, Learner, Review
from studyhub.study.submissions import (
    CLOCK_TOLERANCE,
    AlreadyRated,
    AttemptSubmission,
    IdempotencyConflict,
    InvalidSubmission,
    ReviewSubmission,
    Said,
    digest_of,
    duration,
)
from studyhub.study.suggesting import suggestion_of
from studyhub.study.zones import set_time_zone

__all__ = [
    "CLOCK_TOLERANCE",
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

UNDONE_WITHIN = timedelta(hours=24)
"""After its receipt a line can be undone for as long."""
LATE = timedelta(days=1)
"""An answer older than this does not say where the learner is now."""
EVENTS = (
    Review.Kind.SUSPEND,
    Review.Kind.UNSUSPEND,
    Review.Kind.RESET,
    Review.Kind.BURY,
    Review.Kind.SET_DUE,
)


class VoidRefused(ValueError):
    """This line cannot be undone."""


def record_review(learner: Learner, submission: ReviewSubmission, *, now: datetime) -> tuple[Review, bool]:
    """Appends a rating and saves the memory it gives: (review, created).

    Without an attempt the response it carries is graded and kept in the same transaction; an attempt is never
    graded again. A line older than what is known re-folds its card alone. The learner is where it came from.
    Raises Unreadable, InvalidSubmission, IdempotencyConflict (AlreadyRated: a live review rates the attempt).
    """
    digest = submission.digest()
    if earlier := stored(Review, learner, client_id=submission.client_id, digest=digest):
        return earlier, False
    brought = None if submission.attempt else submission.attempt_submission()
    graded = grade(brought.version, brought.variant_seed, brought.response) if brought else None
    with transaction.atomic():
        owner = locked(learner)
        if earlier := stored(Review, owner, client_id=submission.client_id, digest=digest):
            return earlier, False
        if now - submission.answered_at < LATE:
            set_time_zone(owner, submission.time_zone)
        if brought and graded:
            refuse_taken(owner, brought)
            attempt = insert_attempt(owner, brought, graded=graded, now=now)
        else:
            attempt = unrated(owner, submission.attempt)
        return append(owner, _review_line(owner, submission, attempt=attempt, now=now)), True


def void_review(
    learner: Learner, review: Review, *, client_id: UUID, now: datetime, said: Said | None = None
) -> tuple[Review, bool]:
    """Undoes a line of any kind by appending a void: (void, created). Undoing twice changes nothing.

    Raises VoidRefused for a void, another learner's line, or one received more than 24 hours ago;
    IdempotencyConflict, InvalidSubmission.
    """
    if review.learner_id != learner.pk:
        raise VoidRefused("this review is not yours; only its learner can undo it")
    if review.kind == Review.Kind.VOID:
        raise VoidRefused("an undo cannot be undone; rate the card again")
    digest = digest_of("void", {"review": str(review.client_id)} | (said.body() if said else {}))
    with transaction.atomic():
        owner = locked(learner)
        if earlier := stored(Review, owner, client_id=client_id, digest=digest):
            return earlier, False
        if earlier := Review.objects.filter(learner=owner, voids=review).first():
            return earlier, False
        _refuse_old(review, now)
        line = plain_line(owner, review.card, Review.Kind.VOID, client_id=client_id, now=now, said=said)
        line.voids, line.body_digest = review, digest
        return append(owner, line), True


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
    if kind not in EVENTS:
        raise InvalidSubmission("kind", f"{kind} is none of {', '.join(EVENTS)}")
    if (kind in (Review.Kind.BURY, Review.Kind.SET_DUE)) != (target_day is not None):
        raise InvalidSubmission("target_day", "bury and set_due need a target_day, the others take none")
    body = {"card": str(card.uuid), "target_day": str(target_day)}
    digest = digest_of(kind, body | (said.body() if said else {}))
    with transaction.atomic():
        owner = locked(learner)
        if earlier := stored(Review, owner, client_id=client_id, digest=digest):
            return earlier, False
        line = plain_line(owner, card, kind, client_id=client_id, now=now, said=said)
        line.target_day, line.body_digest = target_day, digest
        return append(owner, line), True


def recent_lines(learner: Learner, now: datetime, limit: int = 50) -> list[Review]:
    """What can be undone: the lines of the last 24 hours that count, of every device, received last first."""
    lines = Review.objects.filter(learner=learner, received_at__gte=now - UNDONE_WITHIN, voided_by=None)
    live = lines.exclude(kind__in=(Review.Kind.VOID, Review.Kind.IMPORT))
    return list(live.select_related("card__topic", "card_version").order_by("-pk")[:limit])


def _refuse_old(review: Review, now: datetime) -> None:
    """Raises VoidRefused with the age of the line and the way out."""
    age = now - review.received_at
    if age > UNDONE_WITHIN:
        hours = int(age.total_seconds() // 3600)
        raise VoidRefused(
            f"this {review.kind} came {hours} hours ago, and what is older than 24 hours stays; "
            "reset the card to learn it anew, or set its due day"
        )


def _review_line(
    learner: Learner, submission: ReviewSubmission, *, attempt: Attempt, now: datetime
) -> Review:
    line = plain_line(
        learner,
        attempt.card_version.card,
        Review.Kind.REVIEW,
        client_id=submission.client_id,
        now=now,
        said=submission.said,
    )
    line.card_version, line.attempt = attempt.card_version, attempt
    line.variant_seed = attempt.variant_seed
    line.rating, line.suggested_rating = submission.rating, suggestion_of(attempt).rating
    line.draw = -1 if submission.draw is None else submission.draw
    line.elapsed_ms = duration(submission.elapsed_ms or attempt.elapsed_ms)
    line.body_digest = submission.digest()
    return line
