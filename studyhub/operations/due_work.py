"""Long work that falls due by itself: plans a study day old, fits that twice the answers ask for.

It looks at rows, never at when it looked last: a night in which nothing ran is made up for. Knows no clock.
"""

from collections.abc import Iterable
from datetime import date, datetime, timedelta

from django.db.models import Exists, F, OuterRef, Q, Sum
from django.db.models.query import QuerySet

from studyhub.operations import jobs
from studyhub.operations.models import Job
from studyhub.study.models import DayRollup, Interview, Learner
from studyhub.study.scheduling import rollover, study_day

LEAST_TESTED = 400
"""Answers after a day or more: below it a fit has nothing to go by."""
PAUSE = timedelta(hours=6)
"""After a job failed, before the same is asked for again by itself."""
TESTED = ("young_failed", "young_recalled", "mature_failed", "mature_recalled")


def enqueue_due(*, now: datetime) -> list[Job]:
    """Asks for every plan and fit that is due; what is under way already is left alone."""
    plans = [jobs.enqueue("plan", learner, now=now) for learner in due_plans(now)]
    return plans + [jobs.enqueue("fit", learner, now=now) for learner in due_fits(now)]


def due_plans(now: datetime) -> list[Learner]:
    """Learners whose interview is ahead and whose plan was made on an earlier study day, or never."""
    ahead = Interview.objects.filter(day__gt=(now - timedelta(days=2)).date()).select_related("learner")
    learners = _undisturbed("plan", now)
    return [one.learner for one in ahead.filter(learner__in=learners) if _is_old(one, now)]


def due_fits(now: datetime) -> list[Learner]:
    """Learners with 400 tested answers or more, and twice as many as when their last fit ended."""
    tested = _tested(DayRollup.objects.filter(learner__in=_undisturbed("fit", now)))
    enough = {learner: count for learner, count in tested.items() if count >= LEAST_TESTED}
    learners = Learner.objects.in_bulk(enough)
    return [learners[pk] for pk, count in enough.items() if count >= 2 * _tested_at_last_fit(learners[pk])]


def _undisturbed(kind: str, now: datetime) -> QuerySet[Learner]:
    """Learners with no such job under way, and none that failed of late."""
    failed = Q(state=Job.State.FAILED, finished_at__gt=now - PAUSE)
    theirs = Job.objects.filter(Q(state__in=jobs.LIVE) | failed, kind=kind, learner=OuterRef("pk"))
    return Learner.objects.filter(~Exists(theirs))


def _is_old(interview: Interview, now: datetime) -> bool:
    learner = interview.learner
    today = study_day(now, time_zone=learner.time_zone, hour=learner.rollover_hour)
    if interview.day <= today:
        return False
    began = rollover(today, time_zone=learner.time_zone, hour=learner.rollover_hour)
    return interview.planned_at is None or interview.planned_at < began


def _tested_at_last_fit(learner: Learner) -> int:
    """Tested answers up to the study day on which the last fit that ended was done; 0 without one."""
    done = Job.objects.filter(learner=learner, kind="fit", state=Job.State.DONE)
    last = done.order_by("-finished_at").values_list("finished_at", flat=True).first()
    if last is None:
        return 0
    day = study_day(last, time_zone=learner.time_zone, hour=learner.rollover_hour)
    return _tested_until(learner, day)


def _tested_until(learner: Learner, day: date) -> int:
    return sum(_tested(DayRollup.objects.filter(learner=learner, study_day__lte=day)).values())


def _tested(rollups: QuerySet[DayRollup]) -> dict[int, int]:
    """Learner's key -> how many tested answers the days add up to."""
    total = sum((F(name) for name in TESTED[1:]), F(TESTED[0]))
    rows: Iterable[tuple[int, int]] = rollups.values_list("learner").annotate(tested=Sum(total))
    return dict(rows)
