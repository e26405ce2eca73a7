"""Durable jobs: asked for, taken under a lease, ended, and swept. Knows no kind of work.

The row is the truth. Taking is one conditional UPDATE that leaves a token; whoever renews, finishes or fails
must show it, so a worker that was given up for lost can spoil nothing. A message only wakes a worker: when it
is lost the sweep sends another, and when it comes twice the second finds nothing to do.
"""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import F, Q, QuerySet

from studyhub.operations import messages
from studyhub.operations.models import Job
from studyhub.study.models import Learner

State = Job.State
KINDS = {
    "fit": "studyhub.study.tasks:fit",
    "fit_34": "studyhub.study.tasks:fit_34",
    "plan": "studyhub.study.planning:plan_job",
}
"""Kind -> where its function is, (learner_id, progress) -> result; only a worker imports it."""
FITS = ("fit", "fit_34")
TASK, QUEUE = "studyhub.run_job", "jobs"
LEASE = timedelta(seconds=30)
RENEW_SECONDS = 5.0
RESEND = timedelta(seconds=30)
MOST_ATTEMPTS = 3
LONGEST_WAIT = timedelta(hours=24)
KEPT_DAYS = 30
MOST_RESENT = 50
"""Jobs whose worker is woken again in one sweep, oldest first: a long queue must not fill the broker."""
NO_WORKER = "No worker took this job for {hours:g} hours; ask again once one runs."
LOST = "The worker was lost {attempts} times while doing this; it is not tried again."
BROKE = "This job broke {attempts} times; the reason is in the worker's log."
LIVE = (State.QUEUED, State.RUNNING)


class UnknownKind(ValueError):
    """No job of this kind is known."""


class StaleToken(ValueError):
    """Somebody else has this job by now, or it has ended: what is written in its name is refused."""


@dataclass(frozen=True)
class Taken:
    """A job under a lease: who shows `token` may write."""

    id: UUID
    kind: str
    learner_id: int | None
    token: str
    attempt: int


def enqueue(kind: str, learner: Learner | None = None, *, now: datetime) -> Job:
    """The learner's unfinished job of this kind, made and its worker woken where there is none.

    Waits at most 0.3 s for a broker, and only after the transaction around it. Raises UnknownKind.
    """
    if kind not in KINDS:
        raise UnknownKind(f"no job is of kind {kind!r}; there are {', '.join(sorted(KINDS))}")
    key = f"{kind}:{learner.pk if learner else ''}"
    job = _live(key) or _created(kind, learner, key=key, now=now)
    return job or enqueue(kind, learner, now=now)  # it ended between two looks


def status(job_id: UUID, learner: Learner) -> Job | None:
    """The learner's own job; None for a missing or foreign one."""
    return Job.objects.filter(pk=job_id, learner=learner).first()


def take(job_id: UUID, *, now: datetime) -> Taken | None:
    """The job under a new lease; None where it has ended, is somebody's, or does not exist."""
    token = secrets.token_hex(16)
    free = Q(state=State.QUEUED) | Q(state=State.RUNNING, lease_until__lt=now)
    taken = Job.objects.filter(free, pk=job_id, attempts__lt=MOST_ATTEMPTS).update(
        state=State.RUNNING, token=token, lease_until=now + LEASE, attempts=F("attempts") + 1,
        started_at=now, progress=0,
    )  # fmt: skip
    if not taken:
        return None
    job = Job.objects.get(pk=job_id)
    return Taken(job.pk, job.kind, job.learner_id, token, job.attempts)


def renew(taken: Taken, *, now: datetime, progress: int | None = None) -> None:
    """Keeps the lease for another 30 s; `progress` in per cent. Raises StaleToken."""
    said = {} if progress is None else {"progress": min(max(progress, 0), 100)}
    _write(taken, lease_until=now + LEASE, **said)


def finish(taken: Taken, result: dict[str, Any], *, now: datetime) -> None:
    """Ends it well. Raises StaleToken: the result of one given up for lost is refused."""
    _write(taken, state=State.DONE, result=result, progress=100, reason="", **_end(now))


def fail(taken: Taken, code: str, reason: str, *, now: datetime) -> None:
    """Ends it with a code and a sentence for the learner. Raises StaleToken."""
    _write(taken, state=State.FAILED, code=code, reason=reason[:500], **_end(now))


def give_back(taken: Taken, *, now: datetime) -> None:
    """After an error nobody foresaw: to be tried again, or failed after the third time. Raises StaleToken."""
    if taken.attempt >= MOST_ATTEMPTS:
        fail(taken, "error", BROKE.format(attempts=taken.attempt), now=now)
        return
    reason = f"Attempt {taken.attempt} of {MOST_ATTEMPTS} broke; it is tried again."
    _write(taken, state=State.QUEUED, token="", lease_until=None, reason=reason, sent_at=now)
    messages.send(TASK, str(taken.id), QUEUE)


def release(taken: Taken, *, now: datetime) -> None:
    """Puts it back untouched, for a worker that ends; the attempt does not count. Raises StaleToken."""
    values = {"state": State.QUEUED, "token": "", "lease_until": None, "sent_at": now}
    _write(taken, **values, attempts=F("attempts") - 1)
    messages.send(TASK, str(taken.id), QUEUE)


def sweep(*, now: datetime) -> dict[str, int]:
    """Ends what can go no further, takes back what a lost worker held, wakes workers for what waits.

    Repeatable, and safe beside another sweep. Answers with counts: failed, returned, sent.
    """
    lapsed = Job.objects.filter(state=State.RUNNING, lease_until__lt=now)
    failed = _ended(lapsed.filter(attempts__gte=MOST_ATTEMPTS), "worker-lost", LOST, now=now)
    returned = lapsed.filter(attempts__lt=MOST_ATTEMPTS).update(
        state=State.QUEUED, token="", lease_until=None, sent_at=now - RESEND, code="",
        reason="A worker was lost while doing this; it is tried again.",
    )  # fmt: skip
    old = Job.objects.filter(state=State.QUEUED, created_at__lt=now - LONGEST_WAIT)
    failed += _ended(old, "expired", NO_WORKER, now=now)
    return {"failed": failed, "returned": returned, "sent": _sent_again(now)}


def forget_old(*, now: datetime) -> int:
    """Deletes what ended more than 30 days ago, but for fits: the last one says when the next is due."""
    ended = Job.objects.filter(finished_at__lt=now - timedelta(days=KEPT_DAYS)).exclude(kind__in=FITS)
    return ended.delete()[0]


def _live(key: str) -> Job | None:
    return Job.objects.filter(key=key, state__in=LIVE).first()


def _created(kind: str, learner: Learner | None, *, key: str, now: datetime) -> Job | None:
    """A new row and, once it is committed, its wake-up; None where somebody was faster."""
    try:
        with transaction.atomic():
            job = Job.objects.create(kind=kind, learner=learner, key=key, created_at=now, sent_at=now)
    except IntegrityError:
        return _live(key)
    transaction.on_commit(lambda: messages.send(TASK, str(job.pk), QUEUE))
    return job


def _write(taken: Taken, **values: Any) -> None:
    mine = Job.objects.filter(pk=taken.id, state=State.RUNNING, token=taken.token)
    if not mine.update(**values):
        raise StaleToken(f"job {taken.id} is not held by this worker any more")


def _end(now: datetime) -> dict[str, Any]:
    return {"finished_at": now, "lease_until": None, "token": ""}


def _ended(jobs: QuerySet[Job], code: str, reason: str, *, now: datetime) -> int:
    said = reason.format(attempts=MOST_ATTEMPTS, hours=LONGEST_WAIT.total_seconds() / 3600)
    return jobs.update(state=State.FAILED, code=code, reason=said, **_end(now))


def _sent_again(now: datetime) -> int:
    """Wakes workers for jobs that have waited 30 s; stops at the first word the broker does not take."""
    waiting = Job.objects.filter(state=State.QUEUED, sent_at__lte=now - RESEND).order_by("sent_at")
    sent = 0
    for job_id in list(waiting.values_list("pk", flat=True)[:MOST_RESENT]):
        if not messages.send(TASK, str(job_id), QUEUE):
            break
        sent += Job.objects.filter(pk=job_id, state=State.QUEUED).update(sent_at=now)
    return sent
