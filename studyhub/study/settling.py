"""The verdict of an answer that waited for one: a worker's, or the learner's own ticks. Runs nothing itself.

An attempt is stored undecided with `grade["pending"]`. The first settlement is the one that counts; after it
the attempt says what it said then, however often it is settled again.
"""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from cards.answering import grade_json, ticked
from cards.grading import Grade
from studyhub.study.models import Attempt, Learner
from studyhub.study.submissions import InvalidSubmission
from studyhub.study.suggesting import suggestion_for

SETTLED = ("outcome", "score", "grade", "suggested_rating", "reason", "settled_at")


def is_pending(attempt: Attempt) -> bool:
    """Whether a verdict is still to come."""
    return bool(attempt.grade.get("pending"))


def settle(attempt: Attempt, grade: Grade, now: datetime) -> tuple[Attempt, bool]:
    """Writes the verdict of a pending attempt: (attempt as stored, whether this verdict settled it).

    A verdict that is itself still pending changes nothing. Ratings given meanwhile stay as they are.
    """
    with transaction.atomic():
        owner = Learner.objects.select_for_update().get(pk=attempt.learner_id)
        stored = Attempt.objects.select_related("card_version__card__topic").get(pk=attempt.pk)
        if not is_pending(stored) or grade.pending:
            return stored, False
        stored.outcome, stored.score, stored.grade = grade.outcome, grade.score, grade_json(grade)
        suggestion = suggestion_for(owner, stored, now=stored.created_at)
        stored.suggested_rating, stored.reason = suggestion.rating, suggestion.reason
        stored.settled_at = now
        stored.save(update_fields=SETTLED)
        return stored, True


def settle_by_ticks(attempt: Attempt, choices: Sequence[str], now: datetime) -> tuple[Attempt, bool]:
    """The verdict of a written answer by ids of its points and red flags, or "none": as `settle`.

    Raises Unreadable for ticks that say nothing, InvalidSubmission where there are no points to tick.
    """
    if attempt.settled_at is not None:
        return attempt, False
    if attempt.grade.get("pending") != "ticks":
        raise InvalidSubmission("choices", "this answer has no points to tick")
    graded = ticked(attempt.card_version, attempt.variant_seed, attempt.response, choices)
    return settle(attempt, graded, now)
