"""Errors of the study and card rooms as problems. Registers them where it is imported."""

from cards.grading import Unreadable
from studyhub.api.problems import FieldError, Problem, as_problem
from studyhub.study.reviews import IdempotencyConflict


@as_problem.register
def _(error: Unreadable) -> Problem:
    field = error.field if error.field.startswith("response") else f"response.{error.field}"
    errors = [FieldError(field, error.message, error.offset)]
    return Problem("unreadable-answer", error.message, errors=errors)


@as_problem.register
def _(error: IdempotencyConflict) -> Problem:
    return Problem("idempotency-conflict", str(error), errors=[FieldError("id", str(error))])
