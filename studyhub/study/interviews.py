"""The day a learner prepares for: set, cleared, and its plan put to use or taken back. Plans nothing itself.

For web processes: what plans (planning.py) needs numpy and runs in a worker.
"""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any

from django.db import transaction

from cards.models import Card, Topic
from studyhub.study.models import Interview, Learner
from studyhub.study.preferences import change_preferences
from studyhub.study.shelf import published
from studyhub.study.zones import study_day_of

MOST_DAYS = 730
MOST_MINUTES = 720
Chosen = dict[str, Any]
"""Values of the settings a plan decides: desired_retention and new_per_day."""


class InvalidInterview(ValueError):
    """A day, a number of minutes or a topic there can be no plan for; `field` names it."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class NoPlan(ValueError):
    """There is no interview, no plan for it yet, or nothing that was put to use and could be taken back."""


def interview_of(learner: Learner) -> Interview | None:
    """The learner's interview with its plan, if any."""
    return Interview.objects.filter(learner=learner).first()


def set_interview(
    learner: Learner, *, day: date, minutes_per_day: int, topics: Sequence[str] = (), now: datetime
) -> Interview:
    """Sets the interview; another day, time or choice of topics drops the plan there was: it holds no more.

    Raises InvalidInterview, and then nothing has changed.
    """
    _refuse_day(day, study_day_of(learner, now))
    _refuse_minutes(minutes_per_day)
    wanted = list(dict.fromkeys(topics))
    _refuse_topics(wanted)
    with transaction.atomic():
        _lock(learner)
        interview = interview_of(learner) or Interview(learner=learner)
        asked = Interview(day=day, minutes_per_day=minutes_per_day, topics=wanted)
        if interview.pk is None or not _same(interview, asked):
            _change(interview, asked)
    return interview


def clear_interview(learner: Learner) -> bool:
    """Forgets the interview; what was put to use stays in use. False where there was none."""
    return Interview.objects.filter(learner=learner).delete()[0] > 0


def use_plan(learner: Learner, now: datetime) -> Interview:
    """Takes the plan's desired retention and new cards a day; what was before is kept with the plan.

    Moves no due date: it decides from the next answers on. Again, it changes nothing. Raises NoPlan.
    """
    with transaction.atomic():
        current, interview = _lock(learner), interview_of(learner)
        if interview is None or interview.planned_at is None:
            raise NoPlan("there is no plan to use; set an interview and wait for its plan")
        before, planned = chosen_by(current), planned_by(interview)
        if before != planned:
            interview.plan.setdefault("previous", before)
            _keep(learner, interview, planned, now=now)
    return interview


def undo_plan(learner: Learner, now: datetime) -> Interview:
    """Puts back what was before the plan came to use. Raises NoPlan where none is in use."""
    with transaction.atomic():
        _lock(learner)
        interview = interview_of(learner)
        previous = interview.plan.get("previous") if interview else None
        if interview is None or previous is None:
            raise NoPlan("no plan is in use, so there is nothing to take back")
        del interview.plan["previous"]
        _keep(learner, interview, previous, now=now)
    return interview


def store_plan(interview: Interview, plan: dict[str, Any], now: datetime) -> bool:
    """Keeps a plan, unless the interview has changed since it was read: then False."""
    with transaction.atomic():
        _lock(interview.learner)
        stored = Interview.objects.filter(pk=interview.pk).first()
        if stored is None or not _same(stored, interview):
            return False
        previous = {"previous": stored.plan["previous"]} if "previous" in stored.plan else {}
        stored.plan, stored.planned_at = plan | previous, now
        stored.save(update_fields=("plan", "planned_at"))
    return True


def chosen_by(learner: Learner) -> Chosen:
    """What the learner has."""
    return {"desired_retention": learner.desired_retention, "new_per_day": learner.new_per_day}


def planned_by(interview: Interview) -> Chosen:
    """What the plan of the interview says."""
    return {name: interview.plan[name] for name in ("desired_retention", "new_per_day")}


def _same(one: Interview, other: Interview) -> bool:
    """The same day, time and topics."""
    return (one.day, one.minutes_per_day, one.topics) == (other.day, other.minutes_per_day, other.topics)


def _change(interview: Interview, asked: Interview) -> None:
    interview.day, interview.minutes_per_day = asked.day, asked.minutes_per_day
    interview.topics = asked.topics
    interview.plan = {name: value for name, value in interview.plan.items() if name == "previous"}
    interview.planned_at = None
    interview.save()


def _keep(learner: Learner, interview: Interview, values: dict[str, Any], *, now: datetime) -> None:
    interview.save(update_fields=("plan",))
    change_preferences(learner, values, now)


def _lock(learner: Learner) -> Learner:
    return Learner.objects.select_for_update().get(pk=learner.pk)


def _refuse_day(day: date, today: date) -> None:
    first, last = today + timedelta(days=1), today + timedelta(days=MOST_DAYS)
    if not first <= day <= last:
        raise InvalidInterview(
            "day", f"{day} cannot be planned for on {today}; choose a day from {first} to {last}"
        )


def _refuse_minutes(minutes: int) -> None:
    if not 1 <= minutes <= MOST_MINUTES:
        raise InvalidInterview(
            "minutes_per_day", f"{minutes} minutes a day are none of 1 to {MOST_MINUTES}; take at least 1"
        )


def _refuse_topics(topics: Sequence[str]) -> None:
    known = set(Topic.objects.filter(slug__in=topics).values_list("slug", flat=True))
    for place, slug in enumerate(topics):
        if slug not in known:
            raise InvalidInterview(f"topics.{place}", f"there is no topic {slug!r}; see the list of topics")
    cards = Card.objects.filter(published(), **({"topic__slug__in": topics} if topics else {}))
    if not cards.exists():
        raise InvalidInterview("topics", "there is no card to study here; choose other topics, or all (none)")
