"""Jobs as rows: one unfinished of a kind, taken once, ended once, never stuck, whoever dies on the way."""

import threading
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from django.db import connections

from studyhub.operations import jobs, messages, running
from studyhub.operations.jobs import LEASE, RESEND, StaleToken, UnknownKind
from studyhub.operations.models import Job
from studyhub.study.models import Learner, learner_of

NOW = datetime(2026, 12, 1, 9, 0, tzinfo=UTC)
LAPSED = NOW + LEASE + timedelta(seconds=1)


@pytest.fixture
def sent(monkeypatch) -> list[str]:
    """What workers were woken for; the broker takes all of it."""
    told: list[str] = []
    monkeypatch.setattr(messages, "send", lambda _task, subject, _queue: told.append(subject) or True)
    return told


@pytest.fixture
def learner(ben) -> Learner:
    return learner_of(ben)


@pytest.fixture
def job(learner, sent) -> Job:
    return jobs.enqueue("plan", learner, now=NOW)


def again(job: Job) -> Job:
    return Job.objects.get(pk=job.pk)


def test_asking_again_gives_the_unfinished_job_and_wakes_nobody_twice(
    learner, sent, django_capture_on_commit_callbacks
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        first = jobs.enqueue("plan", learner, now=NOW)
        second = jobs.enqueue("plan", learner, now=NOW)
    assert first == second
    assert sent == [str(first.pk)]


def test_another_kind_and_another_learner_have_jobs_of_their_own(learner, job, cy) -> None:
    others = [jobs.enqueue("fit", learner, now=NOW), jobs.enqueue("plan", learner_of(cy), now=NOW)]
    assert len({job.pk, *(one.pk for one in others)}) == 3


def test_an_ended_job_makes_room_for_another(learner, job) -> None:
    jobs.finish(jobs.take(job.pk, now=NOW), {}, now=NOW)
    assert jobs.enqueue("plan", learner, now=NOW) != job


def test_a_kind_nobody_knows_is_refused(learner) -> None:
    with pytest.raises(UnknownKind, match="there are fit, fit_34, plan"):
        jobs.enqueue("dance", learner, now=NOW)
    assert not Job.objects.exists()


def test_a_job_is_its_learners_alone(learner, job, cy) -> None:
    assert jobs.status(job.pk, learner) == job
    assert jobs.status(job.pk, learner_of(cy)) is None
    assert jobs.status(uuid4(), learner) is None


def test_only_the_first_of_two_takes_it(job) -> None:
    assert jobs.take(job.pk, now=NOW)
    assert jobs.take(job.pk, now=NOW) is None
    assert (again(job).state, again(job).attempts) == ("running", 1)


def test_a_lapsed_lease_is_taken_over_and_the_old_token_refused(job) -> None:
    first = jobs.take(job.pk, now=NOW)
    second = jobs.take(job.pk, now=LAPSED)
    for act in (
        lambda: jobs.renew(first, now=LAPSED),
        lambda: jobs.finish(first, {"by": "first"}, now=LAPSED),
        lambda: jobs.fail(first, "error", "first", now=LAPSED),
        lambda: jobs.give_back(first, now=LAPSED),
        lambda: jobs.release(first, now=LAPSED),
    ):
        with pytest.raises(StaleToken):
            act()
    jobs.finish(second, {"by": "second"}, now=LAPSED)
    assert again(job).result == {"by": "second"}


def test_a_job_ends_once(job) -> None:
    taken = jobs.take(job.pk, now=NOW)
    jobs.finish(taken, {}, now=NOW)
    with pytest.raises(StaleToken):
        jobs.fail(taken, "error", "late", now=NOW)
    assert (again(job).state, again(job).progress, again(job).finished_at) == ("done", 100, NOW)
    assert jobs.take(job.pk, now=LAPSED) is None


def test_renewing_keeps_the_lease_and_tells_the_progress(job) -> None:
    taken = jobs.take(job.pk, now=NOW)
    jobs.renew(taken, now=NOW + LEASE / 2, progress=140)
    assert jobs.take(job.pk, now=NOW + LEASE * 1.2) is None
    assert again(job).progress == 100


def test_the_sweep_leaves_what_is_well_alone(job, sent) -> None:
    assert jobs.sweep(now=NOW + timedelta(seconds=5)) == {"failed": 0, "returned": 0, "sent": 0}
    jobs.take(job.pk, now=NOW)
    assert jobs.sweep(now=NOW + timedelta(seconds=5)) == {"failed": 0, "returned": 0, "sent": 0}


def test_a_lost_message_is_sent_again_after_30_s_and_not_at_every_sweep(job, sent) -> None:
    sent.clear()
    later = NOW + RESEND
    assert [jobs.sweep(now=later)["sent"], jobs.sweep(now=later + timedelta(seconds=9))["sent"]] == [1, 0]
    assert jobs.sweep(now=later + RESEND)["sent"] == 1
    assert sent == [str(job.pk)] * 2


def test_a_broker_that_is_away_is_asked_once_a_sweep(learner, cy, monkeypatch, sent) -> None:
    jobs.enqueue("plan", learner, now=NOW)
    jobs.enqueue("plan", learner_of(cy), now=NOW)
    tried: list[str] = []
    monkeypatch.setattr(messages, "send", lambda _task, subject, _queue: tried.append(subject) and False)
    assert jobs.sweep(now=NOW + RESEND)["sent"] == 0
    assert len(tried) == 1


def test_a_lost_worker_is_noticed_and_its_job_done_by_the_next(job, sent) -> None:
    jobs.take(job.pk, now=NOW)
    sent.clear()
    assert jobs.sweep(now=LAPSED) == {"failed": 0, "returned": 1, "sent": 1}
    assert (again(job).state, again(job).attempts, sent) == ("queued", 1, [str(job.pk)])
    assert "worker was lost" in again(job).reason
    jobs.finish(jobs.take(job.pk, now=LAPSED), {}, now=LAPSED)
    assert (again(job).state, again(job).attempts, again(job).reason) == ("done", 2, "")


def test_a_job_that_takes_its_worker_along_fails_after_the_third_time(job) -> None:
    at = NOW
    for _ in range(3):
        assert jobs.take(job.pk, now=at)
        at += LEASE + timedelta(seconds=1)
        jobs.sweep(now=at)
    failed = again(job)
    assert (failed.state, failed.code, failed.attempts) == ("failed", "worker-lost", 3)
    assert failed.reason == "The worker was lost 3 times while doing this; it is not tried again."
    assert jobs.take(job.pk, now=at) is None
    assert jobs.sweep(now=at + RESEND) == {"failed": 0, "returned": 0, "sent": 0}


def test_what_no_worker_takes_for_a_day_fails_with_a_reason(job) -> None:
    assert jobs.sweep(now=NOW + timedelta(hours=25))["failed"] == 1
    assert (again(job).state, again(job).code) == ("failed", "expired")
    assert again(job).reason.startswith("No worker took this job for 24 hours")


# ---- the worker's side


@pytest.fixture
def working(monkeypatch):
    """`working(function)` makes it the work of a plan."""

    def become(work) -> None:
        monkeypatch.setattr(running, "work_of", lambda _kind: work)

    return become


def test_the_work_gets_the_learner_and_its_result_is_kept(job, learner, working) -> None:
    working(lambda learner_id, _progress: {"learner": learner_id})
    running.run(job.pk)
    assert (again(job).state, again(job).result) == ("done", {"learner": learner.pk})


def test_a_message_that_comes_twice_finds_nothing_to_do(job, working) -> None:
    done: list[int] = []
    working(lambda learner_id, _progress: done.append(learner_id) or {})
    running.run(job.pk)
    running.run(job.pk)
    running.run(uuid4())
    assert len(done) == 1


def test_an_error_of_the_domain_fails_at_once_with_its_sentence(job, working) -> None:
    from studyhub.study.interviews import NoPlan

    def refuse(_learner, _progress):
        raise NoPlan("the interview was cleared")

    working(refuse)
    running.run(job.pk)
    failed = again(job)
    assert (failed.state, failed.code, failed.reason) == ("failed", "refused", "the interview was cleared")
    assert failed.attempts == 1


def test_an_error_nobody_foresaw_is_tried_three_times(job, working, sent) -> None:
    def break_down(_learner, _progress):
        raise RuntimeError("secret path")

    working(break_down)
    for attempt in (1, 2):
        running.run(job.pk)
        assert (again(job).state, again(job).attempts) == ("queued", attempt)
        assert again(job).reason == f"Attempt {attempt} of 3 broke; it is tried again."
    running.run(job.pk)
    assert (again(job).state, again(job).code) == ("failed", "error")
    assert "secret" not in again(job).reason


@pytest.mark.parametrize("value", [{1}, float("nan")])
def test_a_result_that_is_no_json_is_an_error_and_not_a_stuck_job(job, working, value) -> None:
    working(lambda _learner, _progress: {"value": value})
    for _ in range(3):
        running.run(job.pk)
    assert again(job).state == "failed"


def test_a_worker_that_ends_gives_its_job_back_uncounted(job, working, sent, monkeypatch) -> None:
    ending = threading.Event()
    monkeypatch.setattr(running, "ending", ending)

    def work(_learner, progress):
        ending.set()
        progress(10)
        raise AssertionError("went on")

    working(work)
    sent.clear()
    running.run(job.pk)
    assert (again(job).state, again(job).attempts, sent) == ("queued", 0, [str(job.pk)])


def test_work_that_was_taken_over_stops_at_its_next_word(job, working) -> None:
    def work(_learner, progress):
        Job.objects.filter(pk=job.pk).update(token="another")
        progress(10)
        raise AssertionError("went on")

    working(work)
    running.run(job.pk)
    assert (again(job).state, again(job).token) == ("running", "another")


def test_progress_is_written_once_a_second_at_most(job, working, django_assert_num_queries) -> None:
    def work(_learner, progress):
        with django_assert_num_queries(1):
            for percent in range(50):
                progress(percent)
        return {}

    working(work)
    running.run(job.pk)
    assert again(job).state == "done"


@pytest.mark.django_db(transaction=True)
def test_a_lease_is_renewed_beside_the_work(learner, sent) -> None:
    job = jobs.enqueue("plan", learner, now=NOW)
    taken, before = jobs.take(job.pk, now=NOW), again(job).lease_until
    renewed = threading.Event()
    keeper = running.Keeper(taken, every=0.01)
    with keeper:
        for _ in range(500):
            if again(job).lease_until != before:
                renewed.set()
                break
            threading.Event().wait(0.01)
    assert renewed.is_set()
    assert not keeper.lost


def test_every_kind_has_its_function() -> None:
    from studyhub.study.planning import plan_job

    assert running.work_of("plan") is plan_job
    with pytest.raises(UnknownKind):
        running.work_of("dance")


@pytest.mark.django_db(transaction=True)
def test_of_many_asking_at_once_all_get_the_same_job(learner, sent) -> None:
    if connections["default"].vendor != "postgresql":
        pytest.skip("threads share the one database in memory; set DATABASE_URL to a PostgreSQL")
    found: list[object] = []

    def ask() -> None:
        try:
            found.append(jobs.enqueue("plan", learner, now=NOW).pk)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert set(found) == {Job.objects.get().pk}


def test_a_broker_that_is_away_costs_little_and_loses_nothing(learner, settings, tmp_path) -> None:
    settings.CELERY_BROKER_URL = f"studyhubsqlite:///{tmp_path}"  # a folder: nothing that could be opened
    assert messages.send(jobs.TASK, "x", jobs.QUEUE) is False


def test_a_learner_who_is_erased_takes_their_jobs_along(job, learner, cy) -> None:
    from studyhub.study.erasure import erase_learner

    other = jobs.enqueue("plan", learner_of(cy), now=NOW)
    erase_learner(learner)
    assert list(Job.objects.all()) == [other]


def test_what_ended_a_month_ago_is_forgotten_but_for_fits(learner, cy, sent) -> None:
    for kind, one in (("plan", learner), ("fit", learner), ("plan", learner_of(cy))):
        job = jobs.enqueue(kind, one, now=NOW)
        if one == learner:
            jobs.finish(jobs.take(job.pk, now=NOW), {}, now=NOW)
    assert jobs.forget_old(now=NOW + timedelta(days=30)) == 0
    assert jobs.forget_old(now=NOW + timedelta(days=31)) == 1
    assert set(Job.objects.values_list("kind", "state")) == {("fit", "done"), ("plan", "queued")}
