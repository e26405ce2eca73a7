"""Long work on a learner's ledger, done by a worker: what the job table names. Decides nothing."""

from collections.abc import Callable
from typing import Any

from django.db import transaction
from django.utils import timezone

from studyhub.study.attempting import locked
from studyhub.study.fit_report import BETTER
from studyhub.study.fitting.beside import fit_two_stabilities
from studyhub.study.fitting.case import Case
from studyhub.study.fitting.learn import Fit, fit_learners
from studyhub.study.history import answers_of, training_answers
from studyhub.study.models import Learner, Parameters
from studyhub.study.rules import versions_of
from studyhub.study.schedules import next_version, rule_values

READ, FITTED, SAVED = 30, 90, 100  # per cent


class NoLearner(ValueError):
    """The job is about nobody."""


def fit(learner_id: int | None, progress: Callable[[int], None]) -> dict[str, Any]:
    """Fits 21 numbers to the learner: the report as JSON, with the `version` that is offered, or 0.

    Nothing changes for the learner until they adopt that version. Raises NoLearner.
    """
    return _fitted(learner_id, progress, lambda case: fit_learners([case])[0])


def fit_34(learner_id: int | None, progress: Callable[[int], None]) -> dict[str, Any]:
    """The same with 34 numbers, offered only where they foretell better than 21 fitted to the same."""
    return _fitted(learner_id, progress, fit_two_stabilities)


def _fitted(
    learner_id: int | None, progress: Callable[[int], None], found_of: Callable[[Case], Fit]
) -> dict[str, Any]:
    learner = Learner.objects.filter(pk=learner_id or 0).first()
    if learner is None:
        raise NoLearner("a fit is of one learner's reviews; this job names none who is still here")
    case = case_of(learner)
    progress(READ)
    found = found_of(case)
    progress(FITTED)
    version = _offered(learner, found) if found.report.outcome == BETTER else 0
    progress(SAVED)
    return {**found.report.as_json(), "version": version}


def case_of(learner: Learner) -> Case:
    """What a fit takes of a learner: the answers to learn from, and the numbers in use to be beaten."""
    answers = training_answers(answers_of(learner))
    numbers = versions_of(learner)[learner.parameters_version].parameters
    return Case(answers.histories, numbers, answers.dropped)


def _offered(learner: Learner, found: Fit) -> int:
    """Keeps the fit as a version with the learner's other rules as they are now: its number."""
    with transaction.atomic():
        owner = locked(learner)
        version = Parameters.objects.create(
            learner=owner,
            version=next_version(owner),
            numbers=list(found.numbers),
            origin=Parameters.Origin.FIT,
            based_on=owner.parameters_version,
            report=found.report.as_json(),
            created_at=timezone.now(),
            **rule_values(versions_of(owner)[owner.parameters_version]),
        )
    return version.version
