"""Errors of the study and card rooms as problems. Registers them where it is imported."""

from cards.grading import Unreadable
from studyhub.api.problems.problem import FieldError, Problem, as_problem, invalid, not_found
from studyhub.study.asked import NotAsked
from studyhub.study.asking.sessions import InvalidSession
from studyhub.study.preferences import InvalidPreference
from studyhub.study.reviews import AlreadyRated, IdempotencyConflict, InvalidSubmission, VoidRefused
from studyhub.study.schedules import InvalidSchedule


def unreadable(error: Unreadable, *, field: str) -> Problem:
    """What could not be read, blaming the member of the body that held it."""
    errors = [FieldError(field, error.message, error.offset)]
    return Problem("unreadable-answer", error.message, errors=errors)


@as_problem.register
def _(error: Unreadable) -> Problem:
    named = error.field == "response" or error.field.startswith("response.")
    return unreadable(error, field=error.field if named else f"response.{error.field}")


@as_problem.register
def _(error: NotAsked) -> Problem:
    return not_found(str(error), error.field)


@as_problem.register
def _(error: InvalidSubmission) -> Problem:
    return invalid(error.field, str(error))


@as_problem.register
def _(error: IdempotencyConflict) -> Problem:
    return _conflict("id", error)


@as_problem.register
def _(error: AlreadyRated) -> Problem:
    return _conflict("attempt", error)


@as_problem.register
def _(error: VoidRefused) -> Problem:
    return Problem("undo-refused", str(error), errors=[FieldError("review", str(error))])


@as_problem.register(InvalidPreference)
@as_problem.register(InvalidSession)
def _(error: InvalidPreference | InvalidSession) -> Problem:
    return invalid(error.field, str(error))


@as_problem.register
def _(error: InvalidSchedule) -> Problem:
    return invalid(f"schedule.{error.field}", str(error))


def _conflict(field: str, error: IdempotencyConflict) -> Problem:
    """The stored outcome stands."""
    return Problem("idempotency-conflict", str(error), errors=[FieldError(field, str(error))])
