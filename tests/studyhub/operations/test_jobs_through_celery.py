"""From an asked-for job to its result through a real worker process, on both brokers."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.utils import timezone

from studyhub.operations import jobs
from studyhub.operations.models import Job
from studyhub.study.models import Learner, learner_of
from tests import job_kinds
from tests.job_workers import database_in, kill, started_worker, until
from tests.private_redis import PrivateRedis


@pytest.fixture(
    scope="module",
    params=[
        pytest.param("sqlite", marks=pytest.mark.plain),
        pytest.param("redis", marks=pytest.mark.services),
    ],
)
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple]:
    """(data folder, URL of Redis or "", URL of the broker). The database is a file in either case."""
    var = tmp_path_factory.mktemp("var")
    if request.param == "sqlite":
        yield var, "", f"studyhubsqlite:///{var / 'broker.sqlite3'}"
        return
    redis = PrivateRedis()
    redis.start()
    yield var, redis.url, redis.url
    redis.kill()


@pytest.fixture(scope="module")
def _on_file(place: tuple, django_db_blocker: Any) -> Iterator[None]:
    with django_db_blocker.unblock(), database_in(place[0]):
        yield


@pytest.fixture
def learner(_on_file: None, place: tuple, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Learner:
    settings.CELERY_BROKER_URL = place[2]
    monkeypatch.setattr(jobs, "KINDS", jobs.KINDS | job_kinds.KINDS)
    return learner_of(get_user_model().objects.get_or_create(username="ben")[0])


@pytest.fixture(scope="module")
def worker(_on_file: None, place: tuple) -> Iterator[None]:
    process = started_worker(*place[:2])
    yield
    kill(process)


def test_a_job_asked_for_before_any_worker_lives_is_found_by_its_first_sweep(
    learner: Learner, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr("studyhub.operations.messages.send", lambda *_: False)  # its message is lost as well
        job = jobs.enqueue("quick", learner, now=timezone.now() - timedelta(minutes=1))
    request.getfixturevalue("worker")
    until(lambda: Job.objects.get(pk=job.pk).ended)
    done = Job.objects.get(pk=job.pk)
    assert (done.state, done.result, done.attempts) == ("done", {"learner": learner.pk}, 1)


def test_a_message_wakes_the_worker_at_once(learner: Learner, worker: None) -> None:
    job = jobs.enqueue("quick", learner, now=timezone.now())
    until(lambda: Job.objects.get(pk=job.pk).ended, 20)  # half a second where nothing else runs
    assert Job.objects.get(pk=job.pk).state == "done"


def test_a_message_sent_ten_times_does_the_work_once_and_holds_up_nobody(
    learner: Learner, worker: None
) -> None:
    job = jobs.enqueue("long", learner, now=timezone.now())
    for _ in range(10):
        jobs.messages.send(jobs.TASK, str(job.pk), jobs.QUEUE)
    until(lambda: Job.objects.get(pk=job.pk).progress > 0)
    assert jobs.enqueue("long", learner, now=timezone.now()).pk == job.pk
    other = jobs.enqueue("quick", learner, now=timezone.now())
    until(lambda: Job.objects.get(pk=job.pk).ended and Job.objects.get(pk=other.pk).ended)
    assert set(Job.objects.values_list("state", "attempts")) == {("done", 1)}
