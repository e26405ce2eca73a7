"""What falls due by itself: plans of an earlier study day, fits that twice the answers ask for."""

from datetime import UTC, date, datetime, timedelta

import pytest

from studyhub.operations import jobs
from studyhub.operations.due_work import due_fits, due_plans, enqueue_due
from studyhub.operations.models import Job
from studyhub.study.models import DayRollup, Interview, Learner, learner_of

NOW = datetime(2026, 12, 1, 9, 0, tzinfo=UTC)
TODAY = date(2026, 12, 1)


@pytest.fixture
def learner(ben) -> Learner:
    return learner_of(ben)


def preparing(learner: Learner, *, planned_at: datetime | None, ahead: int = 10) -> Interview:
    return Interview.objects.create(
        learner=learner, day=TODAY + timedelta(days=ahead), minutes_per_day=20, planned_at=planned_at
    )


@pytest.mark.parametrize(
    ("planned_at", "due"),
    [
        (None, True),
        (NOW - timedelta(days=1), True),
        (NOW.replace(hour=3, minute=59), True),  # before the rollover at 4
        (NOW.replace(hour=4), False),
        (NOW, False),
    ],
)
def test_a_plan_is_made_again_on_every_study_day(learner, planned_at, due) -> None:
    preparing(learner, planned_at=planned_at)
    assert due_plans(NOW) == ([learner] if due else [])


def test_the_study_day_is_the_learners(learner) -> None:
    preparing(learner, planned_at=NOW.replace(hour=1))
    Learner.objects.update(time_zone="America/New_York")
    assert due_plans(NOW.replace(hour=8)) == []  # 3 in the morning there
    assert due_plans(NOW.replace(hour=10)) == [learner]


def test_an_interview_that_has_been_is_planned_no_more(learner) -> None:
    preparing(learner, planned_at=NOW - timedelta(days=3), ahead=0)
    assert due_plans(NOW) == []


def answered(learner: Learner, day: date, number: int) -> None:
    DayRollup.objects.create(
        learner=learner, study_day=day, young_failed=number // 10, young_recalled=number - number // 10
    )


@pytest.mark.parametrize(("number", "due"), [(399, False), (400, True)])
def test_a_first_fit_is_due_at_400_tested_answers(learner, number, due) -> None:
    answered(learner, TODAY - timedelta(days=9), number - 100)
    answered(learner, TODAY, 100)
    assert due_fits(NOW) == ([learner] if due else [])


@pytest.mark.parametrize(("since", "due"), [(499, False), (500, True)])
def test_another_fit_is_due_when_answers_have_doubled(learner, since, due) -> None:
    ended = NOW - timedelta(days=30)
    Job.objects.create(
        kind="fit", learner=learner, key="x", state="done", sent_at=ended, created_at=ended, finished_at=ended
    )
    answered(learner, ended.date(), 500)
    answered(learner, TODAY, since)
    assert due_fits(NOW) == ([learner] if due else [])


def test_what_is_under_way_or_failed_of_late_is_left_alone(learner, cy) -> None:
    stranger = learner_of(cy)
    for one in (learner, stranger):
        preparing(one, planned_at=None)
    jobs.enqueue("plan", learner, now=NOW)
    job = jobs.enqueue("plan", stranger, now=NOW)
    jobs.fail(jobs.take(job.pk, now=NOW), "error", "broke", now=NOW)
    assert due_plans(NOW + timedelta(hours=5)) == []
    assert due_plans(NOW + timedelta(hours=7)) == [stranger]


def test_all_that_is_due_is_asked_for_once(learner) -> None:
    preparing(learner, planned_at=None)
    answered(learner, TODAY, 400)
    assert {job.kind for job in enqueue_due(now=NOW)} == {"plan", "fit"}
    assert enqueue_due(now=NOW) == []
    assert Job.objects.count() == 2
