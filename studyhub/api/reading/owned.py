"""A learner's own rows by the ids their clients made. Knows no operation."""

import uuid

from studyhub.api.problems.problem import not_found
from studyhub.api.reading.fields import uuid_of
from studyhub.study.models import Attempt, Learner


def own_attempt(learner: Learner, client_id: uuid.UUID, field: str = "attempt") -> Attempt:
    """The learner's attempt. Raises Problem 404, blaming `field`, for a missing or foreign one."""
    attempts = Attempt.objects.select_related("card_version__card__topic", "learner").filter(learner=learner)
    found = attempts.filter(client_id=client_id).first()
    if found is None:
        raise not_found(f"no attempt {client_id}", field)
    return found


def attempt_in_path(learner: Learner, attempt_id: str) -> Attempt:
    """The learner's attempt of the path. Raises Problem 404."""
    client_id = uuid_of(attempt_id)
    if client_id is None:
        raise not_found("no such attempt", "attempt_id")
    return own_attempt(learner, client_id, field="attempt_id")
