"""Where a learner is: the zone their device named last. Knows no schedule."""

from studyhub.study.models import Learner
from studyhub.study.scheduling import zone_names


def set_time_zone(learner: Learner, name: str) -> bool:
    """Moves the learner to a zone (IANA); "" and a name this server does not know move nobody (False).

    The zone decides the study day, so what the buttons offer next is what a review from there gives.
    """
    if name == learner.time_zone or name not in zone_names():
        return False
    Learner.objects.filter(pk=learner.pk).update(time_zone=name)
    learner.time_zone = name
    return True
