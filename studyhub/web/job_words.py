"""Long work in words: what is being done, how far it is, why it stopped. Starts and ends nothing."""

from dataclasses import dataclass
from datetime import datetime

from studyhub.operations.jobs import MOST_ATTEMPTS
from studyhub.operations.models import Job
from studyhub.study.models import Learner
from studyhub.web import words

SLOW_SECONDS = 10
"""After this much waiting a page says what still works."""


@dataclass(frozen=True)
class JobSaid:
    """A job as a page shows it; `progress` in per cent, None where it has not begun."""

    live: bool
    failed: bool
    sentence: str
    note: str
    progress: int | None


def latest_job(learner: Learner, *kinds: str) -> Job | None:
    """The job of these kinds that was asked for last."""
    return Job.objects.filter(learner=learner, kind__in=kinds).order_by("-created_at").first()


def job_said(job: Job | None, what: str, now: datetime) -> JobSaid | None:
    """The job in words; `what` is being made, such as "the plan". None where there is none to tell of."""
    if job is None or job.state == Job.State.DONE:
        return None
    if job.state == Job.State.FAILED:
        return JobSaid(False, True, f"{_capital(what)} could not be made.", job.reason, None)
    seconds = max(0.0, (now - job.created_at).total_seconds())
    note = "You may leave this page; it will be here." if seconds >= SLOW_SECONDS else ""
    if job.state == Job.State.QUEUED:
        waited = f" for {words.span(seconds)}" if seconds >= 1 else ""
        again = f"{job.reason} " if job.reason else ""
        return JobSaid(True, False, f"{again}{_capital(what)} waits{waited} for a worker.", note, None)
    return JobSaid(True, False, _running(job, what), note, job.progress)


def _running(job: Job, what: str) -> str:
    tried = f", attempt {job.attempts} of {MOST_ATTEMPTS}" if job.attempts > 1 else ""
    return f"{_capital(what)} is being computed{tried}: {job.progress}% done."


def _capital(what: str) -> str:
    return what[:1].upper() + what[1:]
