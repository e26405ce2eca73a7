"""kill -9 of workers in the middle of jobs: every job ends, done or failed with a reason, none is stuck."""

import random
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.utils import timezone

from studyhub.operations import jobs
from studyhub.operations.models import Job
from studyhub.study.models import learner_of
from tests import job_kinds
from tests.job_workers import database_in, kill, started_worker, until
from tests.private_redis import PrivateRedis

pytestmark = pytest.mark.chaos


@pytest.fixture(params=["sqlite", "redis"])
def start(
    request: pytest.FixtureRequest, tmp_path: Path, settings: Any, monkeypatch: Any, django_db_blocker: Any
) -> Iterator[Callable[[], subprocess.Popen[bytes]]]:
    """Starts another worker; all are dead at the end."""
    redis = PrivateRedis() if request.param == "redis" else None
    if redis:
        redis.start()
    settings.CELERY_BROKER_URL = redis.url if redis else f"studyhubsqlite:///{tmp_path / 'broker.sqlite3'}"
    monkeypatch.setattr(jobs, "KINDS", jobs.KINDS | job_kinds.KINDS)
    workers: list[subprocess.Popen[bytes]] = []
    with django_db_blocker.unblock(), database_in(tmp_path):
        try:
            yield lambda: workers.append(started_worker(tmp_path, redis.url if redis else "")) or workers[-1]
        finally:
            for worker in workers:
                kill(worker)
            if redis:
                redis.kill()


def ask(kind: str, name: str = "ben") -> Job:
    user, _ = get_user_model().objects.get_or_create(username=name)
    return jobs.enqueue(kind, learner_of(user), now=timezone.now())


def state(job: Job) -> str:
    return Job.objects.get(pk=job.pk).state


def sweep_as_if_later() -> None:
    """The sweep as it runs once the leases of those who died have lapsed: a living worker renews its own."""
    jobs.sweep(now=timezone.now() + jobs.LEASE + timedelta(seconds=1))


def test_a_job_whose_worker_is_killed_is_done_by_the_next_one(start) -> None:
    worker, job = start(), ask("long")
    until(lambda: state(job) == "running")
    kill(worker)
    start()
    sweep_as_if_later()
    until(lambda: state(job) == "done")
    assert Job.objects.get(pk=job.pk).attempts == 2


def test_without_any_help_it_is_done_within_90_s_of_the_kill(start) -> None:
    worker, job = start(), ask("long")
    until(lambda: state(job) == "running")
    kill(worker)
    killed = time.monotonic()
    start()
    until(lambda: state(job) == "done", 120)
    print(f"done {time.monotonic() - killed:.0f} s after its worker was killed")  # noqa: T201
    assert time.monotonic() - killed < 100


def test_a_job_that_kills_its_worker_fails_after_the_third_time(start) -> None:
    job = ask("poison")
    for attempt in (1, 2, 3):
        worker = start()
        until(lambda: worker.poll() is not None)  # noqa: B023 - asked within this round
        assert Job.objects.get(pk=job.pk).attempts == attempt
        sweep_as_if_later()
    failed = Job.objects.get(pk=job.pk)
    assert (failed.state, failed.code) == ("failed", "worker-lost")
    assert failed.reason == "The worker was lost 3 times while doing this; it is not tried again."


def test_a_worker_asked_to_end_gives_its_job_back_uncounted(start) -> None:
    worker, job = start(), ask("long")
    until(lambda: Job.objects.get(pk=job.pk).progress > 0)
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(30) == 0
    assert (state(job), Job.objects.get(pk=job.pk).attempts) == ("queued", 0)
    start()
    until(lambda: state(job) == "done")


def test_of_thirty_jobs_under_random_kills_none_is_stuck(start) -> None:
    chance = random.Random(5)
    asked = [ask("long" if place % 3 == 0 else "quick", f"learner-{place}") for place in range(30)]
    for _ in range(5):
        worker = start()
        time.sleep(chance.uniform(1.5, 5))
        kill(worker)
        sweep_as_if_later()
    start()
    until(lambda: all(Job.objects.get(pk=job.pk).ended for job in asked), 180)
    assert {state(job) for job in asked} <= {"done", "failed"}
    for job in Job.objects.filter(state="failed"):
        assert job.code == "worker-lost"
        assert job.reason
