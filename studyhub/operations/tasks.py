"""The Celery shell around jobs: wake-ups, the sweep, what falls due by itself. Imported by workers alone."""

import logging
import threading
from contextlib import suppress
from typing import Any
from uuid import UUID

from celery import shared_task
from celery.beat import Scheduler, Service
from celery.signals import worker_ready, worker_shutting_down
from django.conf import settings
from django.db import DatabaseError, connections
from django.utils import timezone

from attention_engine.lane import Lane
from studyhub.operations import due_work, jobs, running

log = logging.getLogger(__name__)
lane = Lane()


@shared_task(name=jobs.TASK, ignore_result=True, acks_late=False)
def run_job(job_id: str) -> None:
    """Does the job of this id. One is done at a time in a process, so that pictures keep their threads."""
    lane.run(job_id, lambda due: running.run(UUID(due)))


@shared_task(name="studyhub.sweep_jobs", ignore_result=True, acks_late=False)
def sweep_jobs() -> None:
    """What lost workers and lost messages left behind."""
    told = jobs.sweep(now=timezone.now())
    if any(told.values()):
        log.info("jobs swept: %s", told)


@shared_task(name="studyhub.enqueue_due", ignore_result=True, acks_late=False)
def enqueue_due() -> None:
    """Plans that are a day old, and fits that the number of answers asks for; and old jobs are forgotten."""
    due_work.enqueue_due(now=timezone.now())
    jobs.forget_old(now=timezone.now())


@worker_ready.connect(weak=False)
def _on_ready(sender: Any = None, **_: Any) -> None:
    """Sweeps at once, beside the worker's own start; keeps the clock where `up` asked for it."""
    threading.Thread(target=_first_sweep, name="first sweep", daemon=True).start()
    if settings.BEAT_IN_WORKER:
        _start_clock(sender.app)


def _first_sweep() -> None:
    try:
        with suppress(DatabaseError):  # not migrated yet, or away: the clock asks again
            sweep_jobs.run()
            enqueue_due.run()
    finally:
        connections.close_all()


def _start_clock(application: Any) -> None:
    """Celery's beat as a thread of this worker: no process more, and nothing kept, since both tasks look
    at the rows and not at when they ran last."""
    clock = Service(application, max_interval=1, scheduler_cls=Scheduler)
    worker_shutting_down.connect(lambda **_: clock.stop(), weak=False)
    threading.Thread(target=clock.start, name="clock", daemon=True).start()


@worker_shutting_down.connect(weak=False)
def _on_end(**_: Any) -> None:
    """The job that runs stops at its next word of progress and is given back."""
    lane.close()
    running.ending.set()
