"""Where a learner is (the zone their device named last) and which study day that makes. Knows no schedule."""

from datetime import date, datetime

from studyhub.study.models import Learner
from studyhub.study.scheduling import Moment, moment_of, study_day, zone_names


def set_time_zone(learner: Learner, name: str) -> bool:
    """Moves the learner to a zone (IANA); "" and a name this server does not know move nobody (False).

    The zone decides the study day, so what the buttons offer next is what a review from there gives.
    """
    if name == learner.time_zone or name not in zone_names():
        return False
    Learner.objects.filter(pk=learner.pk).update(time_zone=name)
    learner.time_zone = name
    return True


def study_day_of(learner: Learner, now: datetime) -> date:
    """The learner's study day."""
    return study_day(now, time_zone=learner.time_zone, hour=learner.rollover_hour)


def present(learner: Learner, now: datetime) -> Moment:
    """The moment `now` is where the learner is."""
    return moment_of(now, time_zone=learner.time_zone, rollover_hour=learner.rollover_hour)
