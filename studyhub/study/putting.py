"""Lays lines on a desk: a rating, an undo, an event. What is refused leaves nothing there. Writes nothing.

For `reviews`, which writes one line, and `syncing`, which writes many together.
"""

from datetime import date, datetime, timedelta
from uuid import UUID

from cards.answering import grade
from cards.grading import Grade
from cards.models import Card
from studyhub.study.attempting import new_attempt, refuse_taken, unrated
from studyhub.study.desk import Desk
from studyhub.study.lines import plain_line
from studyhub.study.models import Attempt, Review
from studyhub.study.rules import retention_of
from studyhub.study.submissions import InvalidSubmission, ReviewSubmission, Said, digest_of, duration
from studyhub.study.suggesting import suggestion_of
from studyhub.study.zones import set_time_zone

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


def put_review(desk: Desk, submission: ReviewSubmission, graded: Grade | None = None) -> tuple[Review, bool]:
    """A rating, and the attempt it brings along: (review, created). `graded`: the grade of that, if known.

    Raises Unreadable, InvalidSubmission, IdempotencyConflict (AlreadyRated: a live review rates the attempt).
    """
    digest = submission.digest()
    if earlier := desk.stored(Review, submission.client_id, digest):
        return earlier, False
    if desk.now - submission.answered_at < LATE:
        set_time_zone(desk.owner, submission.time_zone)
    attempt = _attempt(desk, submission, graded)
    line = desk.append(_review_line(desk, submission, attempt=attempt, digest=digest))
    if not submission.attempt:
        desk.add_attempt(attempt)
    return line, True


def put_void(desk: Desk, review: Review, client_id: UUID, said: Said | None = None) -> tuple[Review, bool]:
    """The undo of a line: (void, created). Raises VoidRefused, IdempotencyConflict, InvalidSubmission."""
    if review.learner_id != desk.owner.pk:
        raise VoidRefused("this review is not yours; only its learner can undo it")
    if review.kind == Review.Kind.VOID:
        raise VoidRefused("an undo cannot be undone; rate the card again")
    digest = digest_of("void", {"review": str(review.client_id)} | (said.body() if said else {}))
    if earlier := desk.stored(Review, client_id, digest) or desk.void_of(review):
        return earlier, False
    _refuse_old(review, desk.now)
    line = plain_line(desk.owner, review.card, Review.Kind.VOID, client_id=client_id, now=desk.now, said=said)
    line.voids, line.body_digest = review, digest
    return desk.append(line), True


def put_event(
    desk: Desk,
    card: Card,
    kind: Review.Kind,
    *,
    client_id: UUID,
    target_day: date | None = None,
    said: Said | None = None,
) -> tuple[Review, bool]:
    """An event of a card: (line, created). Raises InvalidSubmission, IdempotencyConflict."""
    if kind not in EVENTS:
        raise InvalidSubmission("kind", f"{kind} is none of {', '.join(EVENTS)}")
    if (kind in (Review.Kind.BURY, Review.Kind.SET_DUE)) != (target_day is not None):
        raise InvalidSubmission("target_day", "bury and set_due need a target_day, the others take none")
    body = {"card": str(card.uuid), "target_day": str(target_day)}
    digest = digest_of(kind, body | (said.body() if said else {}))
    if earlier := desk.stored(Review, client_id, digest):
        return earlier, False
    line = plain_line(desk.owner, card, kind, client_id=client_id, now=desk.now, said=said)
    line.target_day, line.body_digest = target_day, digest
    return desk.append(line), True


def _attempt(desk: Desk, submission: ReviewSubmission, graded: Grade | None) -> Attempt:
    """The attempt that is rated: the one named, or a new one of the answer brought along."""
    if submission.attempt:
        return unrated(desk, submission.attempt)
    brought = submission.attempt_submission()
    graded = graded or grade(brought.version, brought.variant_seed, brought.response)
    refuse_taken(desk, brought)
    return new_attempt(desk, brought, graded)


def _review_line(desk: Desk, submission: ReviewSubmission, *, attempt: Attempt, digest: str) -> Review:
    card = attempt.card_version.card
    line = plain_line(
        desk.owner,
        card,
        Review.Kind.REVIEW,
        client_id=submission.client_id,
        now=desk.now,
        said=submission.said,
        retention=retention_of(desk.owner, card, retentions=desk.retentions),
    )
    line.card_version, line.attempt, line.variant_seed = attempt.card_version, attempt, attempt.variant_seed
    line.rating, line.suggested_rating = submission.rating, suggestion_of(attempt).rating
    line.draw = -1 if submission.draw is None else submission.draw
    line.elapsed_ms = duration(submission.elapsed_ms or attempt.elapsed_ms)
    line.body_digest = digest
    return line


def _refuse_old(review: Review, now: datetime) -> None:
    """Raises VoidRefused with the age of the line and the way out."""
    age = now - review.received_at
    if age > UNDONE_WITHIN:
        hours = int(age.total_seconds() // 3600)
        told = f"{hours} hours" if hours < 48 else f"{hours // 24} days"
        raise VoidRefused(
            f"this {review.kind} came {told} ago, and what is older than 24 hours stays; "
            "reset the card to learn it anew, or set its due day"
        )
