"""The one writer of attempts and of the ledger. Knows no request, no broker and no tensor.

Every write is one transaction behind one lock, the Learner row: writers of one learner queue, none deadlocks.
The same client id again gives the stored outcome; with another body it is a conflict.
"""

from datetime import date, datetime, timedelta
from typing import TypeVar
from uuid import UUID

from django.db import transaction

from cards.answering import grade, grade_json
from cards.grading import Grade
from cards.models import Card
from studyhub.study.lines import append, plain_line
from studyhub.study.models import Attempt, Learner, Review
from studyhub.study.rating import NAMES
from studyhub.study.settling import SETTLED
from studyhub.study.submissions import (
    AlreadyRated,
    AttemptSubmission,
    IdempotencyConflict,
    InvalidSubmission,
    ReviewSubmission,
    digest_of,
    duration,
)
from studyhub.study.suggesting import suggestion_for, suggestion_of
from studyhub.study.zones import set_time_zone

__all__ = [
    "AlreadyRated",
    "AttemptSubmission",
    "IdempotencyConflict",
    "InvalidSubmission",
    "ReviewSubmission",
    "VoidRefused",
    "record_attempt",
    "record_event",
    "record_review",
    "suggestion_of",
    "void_review",
]

CLOCK_TOLERANCE = timedelta(minutes=5)
EVENTS = (
    Review.Kind.SUSPEND,
    Review.Kind.UNSUSPEND,
    Review.Kind.RESET,
    Review.Kind.BURY,
    Review.Kind.SET_DUE,
)

Row = TypeVar("Row", Attempt, Review)


class VoidRefused(ValueError):
    """This line cannot be undone."""


def record_attempt(learner: Learner, submission: AttemptSubmission, *, now: datetime) -> tuple[Attempt, bool]:
    """Grades an answer once and keeps it: (attempt, created).

    Raises cards.grading.Unreadable (no row is left), IdempotencyConflict, InvalidSubmission.
    """
    digest = submission.digest()
    if stored := _stored(Attempt, learner, client_id=submission.client_id, digest=digest):
        return stored, False
    graded = grade(submission.version, submission.variant_seed, submission.response)
    with transaction.atomic():
        owner = _locked(learner)
        if stored := _stored(Attempt, owner, client_id=submission.client_id, digest=digest):
            return stored, False
        set_time_zone(owner, submission.time_zone)
        return _insert_attempt(owner, submission, graded=graded, now=now), True


def record_review(learner: Learner, submission: ReviewSubmission, *, now: datetime) -> tuple[Review, bool]:
    """Appends a rating and saves the memory it gives: (review, created).

    Without an attempt the response it carries is graded and kept in the same transaction; an attempt is never
    graded again. A line older than what is known re-folds its card alone. The learner is where it came from.
    Raises Unreadable, InvalidSubmission, IdempotencyConflict (AlreadyRated: a live review rates the attempt).
    """
    digest = submission.digest()
    if stored := _stored(Review, learner, client_id=submission.client_id, digest=digest):
        return stored, False
    brought = None if submission.attempt else submission.attempt_submission()
    graded = grade(brought.version, brought.variant_seed, brought.response) if brought else None
    with transaction.atomic():
        owner = _locked(learner)
        if stored := _stored(Review, owner, client_id=submission.client_id, digest=digest):
            return stored, False
        set_time_zone(owner, submission.time_zone)
        if brought and graded:
            _refuse_taken(owner, brought)
            attempt = _insert_attempt(owner, brought, graded=graded, now=now)
        else:
            attempt = _unrated(owner, submission.attempt)
        return append(owner, _review_line(owner, submission, attempt=attempt, now=now)), True


def void_review(learner: Learner, review: Review, *, client_id: UUID, now: datetime) -> tuple[Review, bool]:
    """Undoes a line by appending a void: (void, created). Undoing twice changes nothing.

    Raises VoidRefused for a void or another learner's line, IdempotencyConflict.
    """
    if review.learner_id != learner.pk:
        raise VoidRefused("this review is not yours; only its learner can undo it")
    if review.kind == Review.Kind.VOID:
        raise VoidRefused("an undo cannot be undone; rate the card again")
    digest = digest_of("void", {"review": str(review.client_id)})
    with transaction.atomic():
        owner = _locked(learner)
        if stored := _stored(Review, owner, client_id=client_id, digest=digest):
            return stored, False
        if earlier := Review.objects.filter(learner=owner, voids=review).first():
            return earlier, False
        line = plain_line(owner, review.card, Review.Kind.VOID, client_id=client_id, now=now)
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
) -> tuple[Review, bool]:
    """Appends suspend, unsuspend, reset, bury (hidden until `target_day`) or set_due: (line, created)."""
    if kind not in EVENTS:
        raise InvalidSubmission("kind", f"{kind} is none of {', '.join(EVENTS)}")
    if (kind in (Review.Kind.BURY, Review.Kind.SET_DUE)) != (target_day is not None):
        raise InvalidSubmission("target_day", "bury and set_due need a target_day, the others take none")
    digest = digest_of(kind, {"card": str(card.uuid), "target_day": str(target_day)})
    with transaction.atomic():
        owner = _locked(learner)
        if stored := _stored(Review, owner, client_id=client_id, digest=digest):
            return stored, False
        line = plain_line(owner, card, kind, client_id=client_id, now=now)
        line.target_day, line.body_digest = target_day, digest
        return append(owner, line), True


def _locked(learner: Learner) -> Learner:
    """The one lock. SQLite has it already: its transactions begin IMMEDIATE."""
    return Learner.objects.select_for_update().get(pk=learner.pk)


def _stored(model: type[Row], learner: Learner, *, client_id: UUID, digest: str) -> Row | None:
    row = model._default_manager.filter(learner=learner, client_id=client_id).first()
    if row and row.body_digest != digest:
        raise IdempotencyConflict(
            f"id {client_id} came before with another body; a new answer or rating needs a new id"
        )
    return row


def _refuse_taken(learner: Learner, brought: AttemptSubmission) -> None:
    """An answer that comes with its review has an id made of the review's; a client can take it first."""
    if Attempt.objects.filter(learner=learner, client_id=brought.client_id).exists():
        raise IdempotencyConflict(
            f"attempt {brought.client_id} is stored already, and is the one this review would make; "
            "send the review of that attempt, or this one with a new id"
        )


def _insert_attempt(
    learner: Learner, submission: AttemptSubmission, *, graded: Grade, now: datetime
) -> Attempt:
    attempt = Attempt(
        learner=learner,
        client_id=submission.client_id,
        card_version=submission.version,
        variant_seed=submission.variant_seed,
        response=dict(submission.response),
        outcome=graded.outcome,
        score=graded.score,
        grade=grade_json(graded),
        assisted=submission.assisted,
        elapsed_ms=duration(submission.elapsed_ms),
        created_at=now,
        body_digest=submission.digest(),
    )
    suggestion = suggestion_for(learner, attempt, now=now)
    attempt.suggested_rating, attempt.reason = suggestion.rating, suggestion.reason
    attempt.save(force_insert=True)
    return attempt


def _unrated(learner: Learner, attempt: Attempt | None) -> Attempt:
    """The attempt, if it is the learner's and no live review rates it."""
    if attempt is None or attempt.learner_id != learner.pk:
        raise InvalidSubmission("attempt", "this attempt is not yours; rate one of your own")
    if attempt.grade.get("pending"):  # its verdict may have come since it was read
        attempt.refresh_from_db(fields=SETTLED)
    rated = attempt.reviews.filter(kind=Review.Kind.REVIEW, voided_by=None).first()
    if rated:
        raise AlreadyRated(
            f"attempt {attempt.client_id} is rated {NAMES[rated.rating]} by review {rated.client_id}; "
            "undo that review to rate it anew"
        )
    return attempt


def _review_line(
    learner: Learner, submission: ReviewSubmission, *, attempt: Attempt, now: datetime
) -> Review:
    ahead = submission.answered_at > now + CLOCK_TOLERANCE
    line = plain_line(
        learner,
        attempt.card_version.card,
        Review.Kind.REVIEW,
        client_id=submission.client_id,
        now=now,
        answered_at=now if ahead else submission.answered_at,
        time_zone=submission.time_zone,
    )
    line.clock_adjusted = ahead
    line.card_version, line.attempt = attempt.card_version, attempt
    line.variant_seed = attempt.variant_seed
    line.rating, line.suggested_rating = submission.rating, suggestion_of(attempt).rating
    line.elapsed_ms = duration(submission.elapsed_ms or attempt.elapsed_ms)
    line.device, line.device_sequence = submission.device, submission.device_sequence
    line.body_digest = submission.digest()
    return line
